#include "tracker/snapshot/decoder.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace septet::tracker {
namespace {

// Takes things from the front of bytes; false when they are not there.
class Reader {
 public:
  explicit Reader(absl::Span<const uint8_t> bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }

  template <typename T>
  bool Take(T* value) {
    if (left_.size() < sizeof(*value)) return false;
    std::memcpy(value, left_.data(), sizeof(*value));
    left_.remove_prefix(sizeof(*value));
    return true;
  }

  bool TakeVarint(uint32_t max, uint32_t* value) {
    uint64_t read = 0;
    for (int shift = 0; shift < 35 && !left_.empty(); shift += 7) {
      const uint8_t byte = left_.front();
      left_.remove_prefix(1);
      read |= uint64_t{byte & 0x7fu} << shift;
      if (byte >= 0x80) continue;
      if (byte == 0 && shift > 0) return false;
      *value = static_cast<uint32_t>(read);
      return read <= max;
    }
    return false;
  }

  bool TakeBytes(size_t size, absl::Span<const uint8_t>* bytes) {
    if (left_.size() < size) return false;
    *bytes = left_.subspan(0, size);
    left_.remove_prefix(size);
    return true;
  }

 private:
  absl::Span<const uint8_t> left_;
};

bool IsMapped(const uint8_t* ipv6) {
  constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(ipv6, kMapped, sizeof(kMapped)) == 0;
}

// Whether a store could hold each of the peers.
bool ArePeers(absl::Span<const uint8_t> peers, size_t key_bytes) {
  for (size_t at = 0; at < peers.size(); at += key_bytes + 1) {
    const uint8_t* const port = peers.data() + at + key_bytes - 2;
    if (port[0] == 0 && port[1] == 0) return false;
    if (key_bytes == kCompactIpv6Bytes && IsMapped(peers.data() + at)) return false;
  }
  return true;
}

// Takes the next torrent to the end of `batch`.
bool TakeTorrent(Reader* reader, SwarmBatch* batch) {
  constexpr uint32_t kPeersMax = kPayloadBytesMax / SwarmBatch::kIpv4Bytes;
  SwarmBatch::Torrent torrent;
  absl::Span<const uint8_t> ipv4;
  absl::Span<const uint8_t> ipv6;
  if (!reader->Take(&torrent.info_hash) ||
      !reader->TakeVarint(kDownloadedMax, &torrent.downloaded) ||
      !reader->TakeVarint(kPeersMax, &torrent.ipv4_peers) ||
      !reader->TakeVarint(kPeersMax, &torrent.ipv6_peers)) {
    return false;
  }
  const bool is_empty = torrent.ipv4_peers + torrent.ipv6_peers == 0;
  if (is_empty && !reader->TakeVarint(kTicksEmptyMax, &torrent.ticks_empty)) return false;
  if (!reader->TakeBytes(torrent.ipv4_peers * SwarmBatch::kIpv4Bytes, &ipv4) ||
      !reader->TakeBytes(torrent.ipv6_peers * SwarmBatch::kIpv6Bytes, &ipv6) ||
      !ArePeers(ipv4, kCompactIpv4Bytes) || !ArePeers(ipv6, kCompactIpv6Bytes)) {
    return false;
  }
  batch->torrents.push_back(torrent);
  batch->ipv4.insert(batch->ipv4.end(), ipv4.begin(), ipv4.end());
  batch->ipv6.insert(batch->ipv6.end(), ipv6.begin(), ipv6.end());
  return true;
}

}  // namespace

absl::Status SnapshotDecoder::Error(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("damaged at byte ", position_, ": ", what));
}

absl::Status SnapshotDecoder::EndsTooEarly(size_t bytes) const {
  return absl::DataLossError(
      absl::StrCat("damaged: it ends after ", position_ + bytes, " bytes, before its end"));
}

absl::Status SnapshotDecoder::EndsTooLate() const { return Error("more follows after its end"); }

absl::Status SnapshotDecoder::Take(absl::Span<const uint8_t> piece, SwarmBatch* batch) {
  batch->Clear();
  absl::Status status;
  switch (next_) {
    case Next::kHeader:
      status = TakeHeader(piece);
      break;
    case Next::kHead:
      status = TakeHead(piece);
      break;
    case Next::kPayload:
      status = TakePayload(piece, batch);
      break;
    case Next::kNothing:
      break;
  }
  position_ += piece.size();
  if (status.ok()) return status;
  batch->Clear();
  Want(Next::kNothing, 0);
  return status;
}

absl::Status SnapshotDecoder::TakeHeader(absl::Span<const uint8_t> piece) {
  Reader reader(piece);
  char magic[sizeof(kSnapshotMagic)];
  uint32_t version = 0;
  uint32_t reserved = 0;
  reader.Take(&magic);
  reader.Take(&version);
  if (std::memcmp(magic, kSnapshotMagic, sizeof(magic)) != 0) {
    return absl::DataLossError("not a snapshot: it begins with other bytes");
  }
  if (version != kSnapshotVersion) {
    return absl::DataLossError(absl::StrCat("a snapshot of version ", version,
                                            "; this program reads version ", kSnapshotVersion));
  }
  uint64_t checksum = 0;
  reader.Take(&reserved);
  reader.Take(&time_.wall_ms);
  reader.Take(&time_.boot_ms);
  reader.Take(&time_.boot_id);
  reader.Take(&ages_.tick_us);
  reader.Take(&ages_.newest_us);
  reader.Take(&checksum);
  checksum_ = HeaderChecksum(piece.subspan(0, kSnapshotHeaderBytes - kChecksumBytes));
  if (checksum != checksum_) return Error("the checksum of the header is wrong");
  const auto is_time = [](int64_t ms) { return ms >= 0 && ms <= kTimeMsMax; };
  if (reserved != 0 || !is_time(time_.wall_ms) || !is_time(time_.boot_ms) || ages_.tick_us < 1 ||
      ages_.tick_us > kTickUsMax || ages_.newest_us < -ages_.tick_us ||
      ages_.newest_us > ages_.tick_us) {
    return Error("a number of the header is out of range");
  }
  Want(Next::kHead, kBlockHeadBytes);
  return absl::OkStatus();
}

absl::Status SnapshotDecoder::TakeHead(absl::Span<const uint8_t> piece) {
  Reader(piece).Take(&head_);
  const bool is_torrents =
      head_.kind == BlockKind::kTorrents && head_.bytes >= 1 && head_.bytes <= kPayloadBytesMax;
  const bool is_end = head_.kind == BlockKind::kEnd && head_.bytes == kEndPayloadBytes;
  if (!is_torrents && !is_end) return Error("there should be a block");
  Want(Next::kPayload, head_.bytes + kChecksumBytes);
  return absl::OkStatus();
}

absl::Status SnapshotDecoder::TakePayload(absl::Span<const uint8_t> piece, SwarmBatch* batch) {
  const absl::Span<const uint8_t> payload = piece.subspan(0, head_.bytes);
  uint64_t checksum = 0;
  Reader(piece.subspan(head_.bytes)).Take(&checksum);
  checksum_ = BlockChecksum(checksum_, head_, payload);
  if (checksum != checksum_) return Error("the checksum of the block is wrong");
  if (head_.kind == BlockKind::kEnd) return TakeEnd(payload);
  Want(Next::kHead, kBlockHeadBytes);
  return TakeTorrents(payload, batch);
}

absl::Status SnapshotDecoder::TakeTorrents(absl::Span<const uint8_t> payload, SwarmBatch* batch) {
  Reader reader(payload);
  while (!reader.empty()) {
    if (!TakeTorrent(&reader, batch)) return Error("a torrent of the block is malformed");
  }
  counts_.torrents += batch->torrents.size();
  counts_.ipv4_peers += batch->ipv4.size() / SwarmBatch::kIpv4Bytes;
  counts_.ipv6_peers += batch->ipv6.size() / SwarmBatch::kIpv6Bytes;
  return absl::OkStatus();
}

absl::Status SnapshotDecoder::TakeEnd(absl::Span<const uint8_t> payload) {
  Reader reader(payload);
  SnapshotCounts counts;
  reader.Take(&counts.torrents);
  reader.Take(&counts.ipv4_peers);
  reader.Take(&counts.ipv6_peers);
  if (!(counts == counts_)) return Error("the counts at the end are wrong");
  Want(Next::kNothing, 0);
  return absl::OkStatus();
}

}  // namespace septet::tracker
