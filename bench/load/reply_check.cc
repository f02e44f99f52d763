#include "bench/load/reply_check.h"

#include <algorithm>
#include <cstddef>

#include "bencode/decoder.h"

namespace septet::bench {
namespace {

using bencode::Decoder;
using bencode::Token;
using bencode::TokenType;

constexpr size_t kUdpHeaderBytes = 8;
constexpr size_t kUdpAnnounceHeaderBytes = 20;
constexpr size_t kUdpScrapeBytes = 20;  // of one torrent

constexpr size_t kIpv4PeerBytes = 6;
constexpr size_t kIpv6PeerBytes = 18;

uint32_t Load32(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

CheckedReply Fault(absl::string_view what) { return {what, 0}; }

// Peers in compact form, each with a port.
bool HavePorts(absl::Span<const uint8_t> peers, size_t peer_bytes) {
  for (size_t end = peer_bytes; end <= peers.size(); end += peer_bytes) {
    if (peers[end - 2] == 0 && peers[end - 1] == 0) return false;
  }
  return true;
}

struct Counts {
  int64_t complete = -1;
  int64_t incomplete = -1;
};

CheckedReply CheckCounts(const Counts& counts, uint64_t peers, const ExpectedReply& expected) {
  if (counts.complete < 0 || counts.incomplete < 0) return Fault("a count is missing or negative");
  const auto all =
      static_cast<uint64_t>(counts.complete) + static_cast<uint64_t>(counts.incomplete);
  if (peers > expected.numwant) return Fault("more peers than wanted");
  if (peers > all) return Fault("more peers than are in the swarm");
  const auto others = static_cast<uint64_t>(std::max<int64_t>(counts.incomplete - 1, 0));
  if (!expected.may_be_short && peers < std::min<uint64_t>(expected.numwant, others)) {
    return Fault("fewer peers than wanted, though the swarm has them");
  }
  return {{}, static_cast<uint32_t>(peers)};
}

// What a body says that is looked at.
struct Body {
  Counts counts;
  int64_t interval_s = -1;
  bool has_failure = false;
  bool has_peers = false;
  absl::string_view peers;
  absl::string_view peers6;
};

CheckedReply Check(const Body& body, const ExpectedReply& expected) {
  if (body.has_failure) return Fault("a failure reason");
  if (!body.has_peers) return Fault("no peers, not even an empty string");
  if (body.interval_s <= 0) return Fault("no interval");
  if (body.peers.size() % kIpv4PeerBytes != 0 || body.peers6.size() % kIpv6PeerBytes != 0) {
    return Fault("peers of a wrong length");
  }
  const auto bytes = [](absl::string_view text) {
    return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  if (!HavePorts(bytes(body.peers), kIpv4PeerBytes) ||
      !HavePorts(bytes(body.peers6), kIpv6PeerBytes)) {
    return Fault("a peer with port 0");
  }
  const uint64_t peers = body.peers.size() / kIpv4PeerBytes + body.peers6.size() / kIpv6PeerBytes;
  return CheckCounts(body.counts, peers, expected);
}

CheckedReply CheckAnnounceBody(absl::string_view text, const ExpectedReply& expected) {
  Decoder decoder(text);
  Body body;
  if (decoder.Next().type != TokenType::kBeginDictionary) return Fault("not a dictionary");
  for (Token key = decoder.Next(); key.type == TokenType::kKey; key = decoder.Next()) {
    const Token value = decoder.Next();
    if (key.string == "complete") body.counts.complete = value.integer;
    if (key.string == "incomplete") body.counts.incomplete = value.integer;
    if (key.string == "interval") body.interval_s = value.integer;
    if (key.string == "failure reason") body.has_failure = true;
    if (key.string == "peers") {
      body.has_peers = value.type == TokenType::kString;
      body.peers = value.string;
    }
    if (key.string == "peers6") body.peers6 = value.string;
    if (value.type == TokenType::kBeginDictionary || value.type == TokenType::kBeginList) {
      decoder.SkipRest(value);
    }
  }
  if (decoder.Next().type != TokenType::kDone) return Fault("not bencoded as BEP 3 has it");
  return Check(body, expected);
}

// The counts of one torrent, after its dictionary has begun.
Counts ReadScrapeCounts(Decoder* decoder) {
  Counts counts;
  for (Token key = decoder->Next(); key.type == TokenType::kKey; key = decoder->Next()) {
    const Token value = decoder->Next();
    if (key.string == "complete") counts.complete = value.integer;
    if (key.string == "incomplete") counts.incomplete = value.integer;
  }
  return counts;
}

CheckedReply CheckScrapeBody(absl::string_view text, const ExpectedReply& expected) {
  Decoder decoder(text);
  if (decoder.Next().type != TokenType::kBeginDictionary) return Fault("not a dictionary");
  const Token files = decoder.Next();
  if (files.string == "failure reason") return Fault("a failure reason");
  if (files.string != "files" || decoder.Next().type != TokenType::kBeginDictionary) {
    return Fault("no files");
  }
  const Token hash = decoder.Next();
  if (hash.type != TokenType::kKey || hash.string.size() != sizeof(tracker::InfoHash) ||
      decoder.Next().type != TokenType::kBeginDictionary) {
    return Fault("no torrent in the files");
  }
  if (expected.hash != nullptr &&
      !std::equal(expected.hash->begin(), expected.hash->end(), hash.string.begin(),
                  [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); })) {
    return Fault("another torrent than asked for");
  }
  const Counts counts = ReadScrapeCounts(&decoder);
  if (decoder.Next().type != TokenType::kEnd) return Fault("more torrents than asked for");
  while (decoder.depth() > 0 && decoder.ok()) decoder.Next();  // what else there may be
  if (decoder.Next().type != TokenType::kDone) return Fault("not bencoded as BEP 3 has it");
  if (counts.complete < 0 || counts.incomplete < 0) return Fault("a count is missing or negative");
  return {};
}

}  // namespace

CheckedReply CheckUdpReply(absl::Span<const uint8_t> packet, uint32_t transaction_id,
                           const ExpectedReply& expected) {
  if (packet.size() < kUdpHeaderBytes) return Fault("a packet under 8 bytes");
  if (Load32(packet.data() + 4) != transaction_id) return Fault("a wrong transaction id");
  const uint32_t action = Load32(packet.data());
  if (action == 3) return Fault("an error packet");
  if (action != (expected.is_scrape ? 2u : 1u)) return Fault("a wrong action");
  if (expected.is_scrape) {
    return packet.size() == kUdpScrapeBytes ? CheckedReply{} : Fault("a scrape of a wrong length");
  }
  const size_t peer_bytes = expected.ipv6 ? kIpv6PeerBytes : kIpv4PeerBytes;
  if (packet.size() < kUdpAnnounceHeaderBytes) return Fault("an announce under 20 bytes");
  const absl::Span<const uint8_t> peers = packet.subspan(kUdpAnnounceHeaderBytes);
  if (peers.size() % peer_bytes != 0) return Fault("peers of a wrong length");
  if (Load32(packet.data() + 8) == 0) return Fault("no interval");
  if (!HavePorts(peers, peer_bytes)) return Fault("a peer with port 0");
  const Counts counts = {.complete = Load32(packet.data() + 16),
                         .incomplete = Load32(packet.data() + 12)};
  return CheckCounts(counts, peers.size() / peer_bytes, expected);
}

CheckedReply CheckHttpBody(absl::string_view body, const ExpectedReply& expected) {
  return expected.is_scrape ? CheckScrapeBody(body, expected) : CheckAnnounceBody(body, expected);
}

}  // namespace septet::bench
