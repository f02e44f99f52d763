// Writes a snapshot (see format.h), batch by batch, into the memory of the caller.

#ifndef SEPTET_TRACKER_SNAPSHOT_ENCODER_H_
#define SEPTET_TRACKER_SNAPSHOT_ENCODER_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "tracker/snapshot/format.h"
#include "tracker/snapshot/snapshot_time.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// What a snapshot holds. A torrent in several parts counts as many times.
struct SnapshotCounts {
  uint64_t torrents = 0;
  uint64_t ipv4_peers = 0;
  uint64_t ipv6_peers = 0;

  friend bool operator==(const SnapshotCounts&, const SnapshotCounts&) = default;
};

// Begin once, Add any number of times, Finish once; each appends to *out the bytes that come
// next, which are the file in the end. Not thread-safe. Bytes that are not out yet: at most one
// block. No input fails: what is out of the format's range is brought to its border.
class SnapshotEncoder {
 public:
  void Begin(const SnapshotTime& time, const SwarmAges& ages, std::string* out);

  // The numbers of the batch must agree, its peers be as SwarmStore::Export gives them.
  void Add(const SwarmBatch& batch, std::string* out);

  void Finish(std::string* out);

  const SnapshotCounts& counts() const { return counts_; }

 private:
  void AddTorrent(const SwarmBatch::Torrent& torrent, absl::Span<const uint8_t>* ipv4,
                  absl::Span<const uint8_t>* ipv6, std::string* out);
  void FlushBlock(std::string* out);
  void WriteBlock(BlockKind kind, absl::Span<const uint8_t> payload, std::string* out);

  SnapshotCounts counts_;
  uint64_t checksum_ = 0;  // the last one
  std::string payload_;    // of the block that is being filled
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SNAPSHOT_ENCODER_H_
