#include "tracker/snapshot/snapshot.h"

#include <algorithm>

namespace septet::tracker {
namespace {

// The lock of a shard is held for so many at a time.
constexpr uint32_t kPeersAStep = 4096;

}  // namespace

SnapshotWriter::SnapshotWriter(SwarmStore* store, const SnapshotTime& time, int64_t now_ms)
    : store_(store), time_(time), export_(store->BeginExport(now_ms)) {
  // The store copies into these under a lock: their memory should be there before.
  batch_.torrents.reserve(2 * kPeersAStep);
  batch_.ipv4.reserve(2 * SwarmStore::kExportedWholeMax * SwarmBatch::kIpv4Bytes);
  batch_.ipv6.reserve(2 * SwarmStore::kExportedWholeMax * SwarmBatch::kIpv6Bytes);
}

bool SnapshotWriter::Step(int64_t now_ms, std::string* out) {
  if (!has_begun_) encoder_.Begin(time_, export_.ages(), out);
  has_begun_ = true;
  batch_.Clear();
  if (!store_->Export(&export_, now_ms, kPeersAStep, &batch_)) {
    encoder_.Finish(out);
    return false;
  }
  encoder_.Add(batch_, out);
  return true;
}

absl::Status SnapshotReader::Take(absl::Span<const uint8_t> piece) {
  const absl::Status status = decoder_.Take(piece, &batch_);
  if (!status.ok()) return status;
  const ImportResult added = store_->Import(batch_, decoder_.ages(), elapsed_ms(), now_ms_);
  result_.peers += added.peers;
  result_.expired += added.expired;
  result_.not_stored += added.not_stored;
  return absl::OkStatus();
}

absl::Status ReadSnapshot(absl::string_view bytes, SnapshotReader* reader) {
  absl::Span<const uint8_t> left(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  while (reader->wanted() > 0) {
    const size_t wanted = reader->wanted();
    if (left.size() < wanted) return reader->EndsTooEarly(left.size());
    const absl::Status status = reader->Take(left.subspan(0, wanted));
    if (!status.ok()) return status;
    left.remove_prefix(wanted);
  }
  return left.empty() ? absl::OkStatus() : reader->EndsTooLate();
}

}  // namespace septet::tracker
