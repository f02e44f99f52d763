#include "tracker/udp/udp_handler.h"

#include <algorithm>

namespace septet::tracker {
namespace {

constexpr absl::string_view kBadConnectionId = "connection id: wrong or too old; connect again";
constexpr absl::string_view kShortAnnounce = "announce: too short; at least 98 bytes are needed";
constexpr absl::string_view kEmptyScrape = "scrape: no info_hash; 1 to 74 of 20 bytes are needed";

// Of the announce's event field; what is not here is a plain update.
enum : uint32_t { kCompletedEvent = 1, kStartedEvent = 2, kStoppedEvent = 3, kPausedEvent = 4 };

Event EventOf(uint32_t event) {
  switch (event) {
    case kCompletedEvent:
      return Event::kCompleted;
    case kStartedEvent:
      return Event::kStarted;
    case kStoppedEvent:
      return Event::kStopped;
    default:
      return Event::kNone;
  }
}

Role RoleOf(const udp::Announce& announce) {
  if (announce.left == 0) return Role::kSeeder;
  return announce.event == kPausedEvent ? Role::kPartialSeed : Role::kLeecher;
}

// Peers of the asker's own family alone: as many as fit.
PeerOutput RoomForPeers(Family family, absl::Span<uint8_t> room) {
  if (family == Family::kIpv4) {
    return {room.subspan(0, room.size() / kCompactIpv4Bytes * kCompactIpv4Bytes), {}};
  }
  return {{}, room.subspan(0, room.size() / kCompactIpv6Bytes * kCompactIpv6Bytes)};
}

}  // namespace

UdpHandler::UdpHandler(const UdpOptions& options, Service* service)
    : connection_ids_(options.connection_id_key, options.connection_id_validity_ms),
      service_(service) {}

size_t UdpHandler::Handle(absl::Span<const uint8_t> packet, const Endpoint& source,
                          const UdpTimes& times, Random& random, absl::Span<uint8_t> out,
                          TokenBucket* errors) {
  if (packet.size() < udp::kRequestHeaderBytes) return 0;
  const udp::RequestHeader header = udp::ReadRequestHeader(packet);
  const auto action = static_cast<udp::Action>(header.action);
  if (action == udp::Action::kConnect) {
    if (header.connection_id != udp::kConnectMagic) return 0;
    return udp::WriteConnectReply(header.transaction_id,
                                  connection_ids_.Make(source, times.wall_ms), out.data());
  }
  if (action != udp::Action::kAnnounce && action != udp::Action::kScrape) return 0;
  if (!connection_ids_.IsValid(header.connection_id, source, times.wall_ms)) {
    if (errors != nullptr && !errors->Take(times.now_ms)) return 0;
    return udp::WriteError(header.transaction_id, kBadConnectionId, packet.size(), out.data());
  }
  return action == udp::Action::kAnnounce
             ? Announce(packet, source, header.transaction_id, times.now_ms, random, out)
             : Scrape(packet, header.transaction_id, out);
}

size_t UdpHandler::Announce(absl::Span<const uint8_t> packet, const Endpoint& source,
                            uint32_t transaction_id, int64_t now_ms, Random& random,
                            absl::Span<uint8_t> out) {
  if (packet.size() < udp::kAnnounceBytes) {
    return udp::WriteError(transaction_id, kShortAnnounce, kUdpReplyBytesMax, out.data());
  }
  const udp::Announce announce = udp::ReadAnnounce(packet);
  AnnounceRequest request;
  request.info_hash = announce.info_hash;
  request.peer = source;
  request.peer.set_port(announce.port);
  request.role = RoleOf(announce);
  request.event = EventOf(announce.event);
  request.numwant =
      announce.numwant < 0 ? Service::kNumwantDefault : static_cast<uint32_t>(announce.numwant);

  const absl::Span<uint8_t> room =
      out.subspan(0, kUdpReplyBytesMax).subspan(udp::kAnnounceReplyHeaderBytes);
  const AnnounceReply reply =
      service_->Announce(request, now_ms, random, RoomForPeers(source.family, room));
  if (!reply.failure.empty()) {
    return udp::WriteError(transaction_id, reply.failure, kUdpReplyBytesMax, out.data());
  }
  const size_t header_bytes =
      udp::WriteAnnounceReplyHeader({transaction_id, static_cast<uint32_t>(reply.interval_s),
                                     reply.result.counts.incomplete, reply.result.counts.complete},
                                    out.data());
  return header_bytes + reply.result.ipv4_peers * kCompactIpv4Bytes +
         reply.result.ipv6_peers * kCompactIpv6Bytes;
}

size_t UdpHandler::Scrape(absl::Span<const uint8_t> packet, uint32_t transaction_id,
                          absl::Span<uint8_t> out) const {
  const absl::string_view failure = service_->ScrapeFailure();
  if (!failure.empty()) {
    return udp::WriteError(transaction_id, failure, kUdpReplyBytesMax, out.data());
  }
  const size_t count = udp::ScrapeHashCount(packet);
  if (count == 0) {
    return udp::WriteError(transaction_id, kEmptyScrape, kUdpReplyBytesMax, out.data());
  }
  size_t size = udp::WriteScrapeReplyHeader(transaction_id, out.data());
  for (size_t i = 0; i < count; ++i) {
    size +=
        udp::WriteScrapeEntry(service_->Scrape(udp::ReadScrapeHash(packet, i)), out.data() + size);
  }
  return size;
}

void UdpHandler::Prefetch(absl::Span<const uint8_t> packet) const {
  // An announce, or a scrape whose first torrent lies at the same place.
  if (packet.size() < udp::kRequestHeaderBytes + sizeof(InfoHash)) return;
  service_->Prefetch(udp::ReadScrapeHash(packet, 0));
}

}  // namespace septet::tracker
