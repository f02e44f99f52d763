#include "tracker/snapshot/encoder.h"

#include <algorithm>
#include <cstring>

namespace septet::tracker {
namespace {

template <typename T>
void AppendNumber(T value, std::string* out) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out->append(bytes, sizeof(bytes));
}

void AppendVarint(uint32_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

void AppendBytes(absl::Span<const uint8_t> bytes, std::string* out) {
  out->append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

absl::Span<const uint8_t> AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Takes `count` peers of `bytes` bytes from the front.
absl::Span<const uint8_t> TakePeers(absl::Span<const uint8_t>* peers, uint32_t count,
                                    size_t bytes) {
  const absl::Span<const uint8_t> taken = peers->subspan(0, count * bytes);
  peers->remove_prefix(taken.size());
  return taken;
}

}  // namespace

void SnapshotEncoder::Begin(const SnapshotTime& time, const SwarmAges& ages, std::string* out) {
  std::string header;
  header.append(kSnapshotMagic, sizeof(kSnapshotMagic));
  AppendNumber(kSnapshotVersion, &header);
  AppendNumber(uint32_t{0}, &header);
  AppendNumber(std::clamp<int64_t>(time.wall_ms, 0, kTimeMsMax), &header);
  AppendNumber(std::clamp<int64_t>(time.boot_ms, 0, kTimeMsMax), &header);
  AppendBytes(time.boot_id, &header);
  const int64_t tick_us = std::clamp<int64_t>(ages.tick_us, 1, kTickUsMax);
  AppendNumber(tick_us, &header);
  AppendNumber(std::clamp(ages.newest_us, -tick_us, tick_us), &header);
  checksum_ = HeaderChecksum(AsBytes(header));
  AppendNumber(checksum_, &header);
  out->append(header);
  payload_.reserve(kPayloadBytesMax);
}

void SnapshotEncoder::WriteBlock(BlockKind kind, absl::Span<const uint8_t> payload,
                                 std::string* out) {
  const BlockHead head = {kind, static_cast<uint32_t>(payload.size())};
  checksum_ = BlockChecksum(checksum_, head, payload);
  AppendNumber(head, out);
  AppendBytes(payload, out);
  AppendNumber(checksum_, out);
}

void SnapshotEncoder::FlushBlock(std::string* out) {
  if (payload_.empty()) return;
  WriteBlock(BlockKind::kTorrents, AsBytes(payload_), out);
  payload_.clear();
}

// In as many parts as it takes to fill the blocks.
void SnapshotEncoder::AddTorrent(const SwarmBatch::Torrent& torrent,
                                 absl::Span<const uint8_t>* ipv4, absl::Span<const uint8_t>* ipv6,
                                 std::string* out) {
  uint32_t ipv4_left = torrent.ipv4_peers;
  uint32_t ipv6_left = torrent.ipv6_peers;
  const bool is_empty = ipv4_left + ipv6_left == 0;
  do {
    // Room for one peer at least.
    if (payload_.size() + kTorrentHeadBytesMax + SwarmBatch::kIpv6Bytes > kPayloadBytesMax) {
      FlushBlock(out);
    }
    const size_t room = kPayloadBytesMax - payload_.size() - kTorrentHeadBytesMax;
    const auto ipv4_peers =
        static_cast<uint32_t>(std::min<size_t>(ipv4_left, room / SwarmBatch::kIpv4Bytes));
    const size_t ipv6_room = room - ipv4_peers * SwarmBatch::kIpv4Bytes;
    const auto ipv6_peers =
        static_cast<uint32_t>(std::min<size_t>(ipv6_left, ipv6_room / SwarmBatch::kIpv6Bytes));
    AppendBytes(torrent.info_hash, &payload_);
    AppendVarint(std::min(torrent.downloaded, kDownloadedMax), &payload_);
    AppendVarint(ipv4_peers, &payload_);
    AppendVarint(ipv6_peers, &payload_);
    if (is_empty) AppendVarint(std::min(torrent.ticks_empty, kTicksEmptyMax), &payload_);
    AppendBytes(TakePeers(ipv4, ipv4_peers, SwarmBatch::kIpv4Bytes), &payload_);
    AppendBytes(TakePeers(ipv6, ipv6_peers, SwarmBatch::kIpv6Bytes), &payload_);
    ++counts_.torrents;
    counts_.ipv4_peers += ipv4_peers;
    counts_.ipv6_peers += ipv6_peers;
    ipv4_left -= ipv4_peers;
    ipv6_left -= ipv6_peers;
  } while (ipv4_left + ipv6_left > 0);
}

void SnapshotEncoder::Add(const SwarmBatch& batch, std::string* out) {
  absl::Span<const uint8_t> ipv4 = batch.ipv4;
  absl::Span<const uint8_t> ipv6 = batch.ipv6;
  for (const SwarmBatch::Torrent& torrent : batch.torrents) AddTorrent(torrent, &ipv4, &ipv6, out);
}

void SnapshotEncoder::Finish(std::string* out) {
  FlushBlock(out);
  std::string payload;
  AppendNumber(counts_.torrents, &payload);
  AppendNumber(counts_.ipv4_peers, &payload);
  AppendNumber(counts_.ipv6_peers, &payload);
  WriteBlock(BlockKind::kEnd, AsBytes(payload), out);
}

}  // namespace septet::tracker
