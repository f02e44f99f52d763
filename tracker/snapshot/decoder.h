// Reads a snapshot (see format.h) in the pieces that it asks for.

#ifndef SEPTET_TRACKER_SNAPSHOT_DECODER_H_
#define SEPTET_TRACKER_SNAPSHOT_DECODER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tracker/snapshot/encoder.h"
#include "tracker/snapshot/format.h"
#include "tracker/snapshot/snapshot_time.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Trusts nothing: no input crashes it, and it takes no memory but for the batch, which is at
// most four times as large as the piece that it came from. Not thread-safe.
//
// Errors (DataLoss) say at which byte the snapshot is damaged and in what, or that it is none, or
// one of another version. After an error there is nothing more to read.
class SnapshotDecoder {
 public:
  // How many bytes Take has to be given next, up to kPieceBytesMax; 0 once the end is read, after
  // which the file has to end too.
  static constexpr size_t kPieceBytesMax = kPayloadBytesMax + kChecksumBytes;
  size_t wanted() const { return wanted_; }

  // Reads the next wanted() bytes. What they hold takes the place of what was in `batch`: whole
  // and right by itself, as SwarmStore::Import wants it, but only at the end it is known that
  // nothing is missing.
  absl::Status Take(absl::Span<const uint8_t> piece, SwarmBatch* batch);

  // The error if there are only `bytes`, fewer than wanted(), left; or more than the end needs.
  absl::Status EndsTooEarly(size_t bytes) const;
  absl::Status EndsTooLate() const;

  // Of the header; known after the first Take.
  const SnapshotTime& time() const { return time_; }
  const SwarmAges& ages() const { return ages_; }

  // Read so far; all there are when wanted() is 0.
  const SnapshotCounts& counts() const { return counts_; }

 private:
  enum class Next : uint8_t { kHeader, kHead, kPayload, kNothing };

  absl::Status Error(absl::string_view what) const;
  absl::Status TakeHeader(absl::Span<const uint8_t> piece);
  absl::Status TakeHead(absl::Span<const uint8_t> piece);
  absl::Status TakePayload(absl::Span<const uint8_t> piece, SwarmBatch* batch);
  absl::Status TakeTorrents(absl::Span<const uint8_t> payload, SwarmBatch* batch);
  absl::Status TakeEnd(absl::Span<const uint8_t> payload);
  void Want(Next next, size_t bytes) {
    next_ = next;
    wanted_ = bytes;
  }

  Next next_ = Next::kHeader;
  size_t wanted_ = kSnapshotHeaderBytes;
  uint64_t position_ = 0;  // of the next piece
  uint64_t checksum_ = 0;  // the last one
  BlockHead head_{};
  SnapshotTime time_;
  SwarmAges ages_;
  SnapshotCounts counts_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SNAPSHOT_DECODER_H_
