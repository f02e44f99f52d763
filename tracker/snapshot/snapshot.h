// A whole store to bytes, and bytes to a store, step by step and without I/O.
//
//   SnapshotWriter writer(&store, time, now_ms);       SnapshotReader reader(&store, time, now_ms);
//   while (writer.Step(now_ms, &bytes)) {              while (reader.wanted() > 0) {
//     ... write them, clear them ...                     ... read as many ...
//   }                                                    status = reader.Take(bytes);
//   ... write the last ones ...                        }

#ifndef SEPTET_TRACKER_SNAPSHOT_SNAPSHOT_H_
#define SEPTET_TRACKER_SNAPSHOT_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tracker/snapshot/decoder.h"
#include "tracker/snapshot/encoder.h"
#include "tracker/snapshot/snapshot_time.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Other threads may use the store meanwhile; the writer itself is for one thread. It takes a few
// hundred KiB of memory, however large the store is.
class SnapshotWriter {
 public:
  // `store` must outlive it. `time` is now, `now_ms` the time that the store knows.
  SnapshotWriter(SwarmStore* store, const SnapshotTime& time, int64_t now_ms);

  // Appends what comes next to *out, usually less than 256 KiB. False when that was the last.
  bool Step(int64_t now_ms, std::string* out);

  // Written so far.
  const SnapshotCounts& counts() const { return encoder_.counts(); }

 private:
  SwarmStore* const store_;
  const SnapshotTime time_;
  SwarmExport export_;
  SnapshotEncoder encoder_;
  SwarmBatch batch_;
  bool has_begun_ = false;
};

// Not thread-safe. What it has read is in the store at once: after an error there is a part of the
// snapshot in it, right as far as it goes.
class SnapshotReader {
 public:
  // `store` must outlive it, and is usually empty. `time` is now, `now_ms` the time that the store
  // knows.
  SnapshotReader(SwarmStore* store, const SnapshotTime& time, int64_t now_ms)
      : store_(store), now_(time), now_ms_(now_ms) {}

  // See SnapshotDecoder, whose errors these are.
  size_t wanted() const { return decoder_.wanted(); }
  absl::Status Take(absl::Span<const uint8_t> piece);
  absl::Status EndsTooEarly(size_t bytes) const { return decoder_.EndsTooEarly(bytes); }
  absl::Status EndsTooLate() const { return decoder_.EndsTooLate(); }

  // How long ago the snapshot was made, once its header is read.
  int64_t elapsed_ms() const { return ElapsedMs(decoder_.time(), now_); }

  // What became of the peers that were read.
  const ImportResult& result() const { return result_; }

 private:
  SwarmStore* const store_;
  const SnapshotTime now_;
  const int64_t now_ms_;
  SnapshotDecoder decoder_;
  SwarmBatch batch_;
  ImportResult result_;
};

// Reads a snapshot that lies in memory whole into the store.
absl::Status ReadSnapshot(absl::string_view bytes, SnapshotReader* reader);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SNAPSHOT_SNAPSHOT_H_
