#include "tracker/udp/packet.h"

#include <algorithm>

namespace septet::tracker::udp {
namespace {

// Offsets in an announce (BEP 15).
constexpr size_t kInfoHashOffset = 16;
constexpr size_t kLeftOffset = 64;
constexpr size_t kEventOffset = 80;
constexpr size_t kNumwantOffset = 92;
constexpr size_t kPortOffset = 96;

// Compilers make one load and a byte swap of each.
template <typename T>
T Load(const uint8_t* bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value << 8 | bytes[i]);
  return value;
}
uint16_t Load16(const uint8_t* bytes) { return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]); }
uint32_t Load32(const uint8_t* bytes) { return Load<uint32_t>(bytes); }
uint64_t Load64(const uint8_t* bytes) { return Load<uint64_t>(bytes); }

void Store32(uint8_t* out, uint32_t value) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<uint8_t>(value >> (24 - 8 * i));
}
void Store64(uint8_t* out, uint64_t value) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<uint8_t>(value >> (56 - 8 * i));
}

void StoreReplyHeader(Action action, uint32_t transaction_id, uint8_t* out) {
  Store32(out, static_cast<uint32_t>(action));
  Store32(out + 4, transaction_id);
}

}  // namespace

RequestHeader ReadRequestHeader(absl::Span<const uint8_t> packet) {
  return {Load64(packet.data()), Load32(packet.data() + 8), Load32(packet.data() + 12)};
}

Announce ReadAnnounce(absl::Span<const uint8_t> packet) {
  const uint8_t* const bytes = packet.data();
  Announce announce;
  std::memcpy(announce.info_hash.data(), bytes + kInfoHashOffset, announce.info_hash.size());
  announce.left = Load64(bytes + kLeftOffset);
  announce.event = Load32(bytes + kEventOffset);
  announce.numwant = static_cast<int32_t>(Load32(bytes + kNumwantOffset));
  announce.port = Load16(bytes + kPortOffset);
  return announce;
}

size_t ScrapeHashCount(absl::Span<const uint8_t> packet) {
  return std::min(kScrapeHashesMax, (packet.size() - kRequestHeaderBytes) / sizeof(InfoHash));
}

InfoHash ReadScrapeHash(absl::Span<const uint8_t> packet, size_t index) {
  InfoHash info_hash;
  std::memcpy(info_hash.data(), packet.data() + kRequestHeaderBytes + index * info_hash.size(),
              info_hash.size());
  return info_hash;
}

size_t WriteConnectReply(uint32_t transaction_id, uint64_t connection_id, uint8_t* out) {
  StoreReplyHeader(Action::kConnect, transaction_id, out);
  Store64(out + kReplyHeaderBytes, connection_id);
  return kConnectReplyBytes;
}

size_t WriteAnnounceReplyHeader(const AnnounceReplyHeader& header, uint8_t* out) {
  StoreReplyHeader(Action::kAnnounce, header.transaction_id, out);
  Store32(out + 8, header.interval_s);
  Store32(out + 12, header.leechers);
  Store32(out + 16, header.seeders);
  return kAnnounceReplyHeaderBytes;
}

size_t WriteScrapeReplyHeader(uint32_t transaction_id, uint8_t* out) {
  StoreReplyHeader(Action::kScrape, transaction_id, out);
  return kReplyHeaderBytes;
}

size_t WriteScrapeEntry(const SwarmCounts& counts, uint8_t* out) {
  Store32(out, counts.complete);
  Store32(out + 4, counts.downloaded);
  Store32(out + 8, counts.incomplete);
  return kScrapeEntryBytes;
}

size_t WriteError(uint32_t transaction_id, absl::string_view message, size_t bytes_max,
                  uint8_t* out) {
  StoreReplyHeader(Action::kError, transaction_id, out);
  const size_t message_bytes = std::min(message.size(), bytes_max - kReplyHeaderBytes);
  if (message_bytes > 0) std::memcpy(out + kReplyHeaderBytes, message.data(), message_bytes);
  return kReplyHeaderBytes + message_bytes;
}

}  // namespace septet::tracker::udp
