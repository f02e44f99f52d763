#include "tracker/http/reply_body.h"

#include <algorithm>

#include "bencode/encoder.h"
#include "tracker/endpoint_text.h"

namespace septet::tracker {
namespace {

absl::string_view AsText(const uint8_t* bytes, size_t size) {
  return absl::string_view(reinterpret_cast<const char*>(bytes), size);
}

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return AsText(bytes.data(), bytes.size());
}

void AppendEntry(absl::string_view key, uint64_t value, bencode::Encoder* encoder) {
  encoder->Key(key);
  encoder->Unsigned(value);
}

void AppendPeerDict(const Endpoint& peer, bencode::Encoder* encoder) {
  char text[kAddressTextBytesMax];
  encoder->BeginDictionary();
  encoder->Key("ip");
  encoder->String(absl::string_view(text, WriteAddressText(peer, text)));
  AppendEntry("port", peer.port(), encoder);
  encoder->End();
}

Endpoint PeerAt(Family family, const uint8_t* compact) {
  Endpoint peer;
  peer.family = family;
  std::copy_n(compact, peer.compact_bytes(), peer.compact.begin());
  return peer;
}

void AppendPeerDicts(Family family, absl::Span<const uint8_t> peers, bencode::Encoder* encoder) {
  const size_t step = family == Family::kIpv4 ? kCompactIpv4Bytes : kCompactIpv6Bytes;
  for (size_t i = 0; i < peers.size(); i += step) {
    AppendPeerDict(PeerAt(family, peers.data() + i), encoder);
  }
}

void AppendPeerList(const AnnounceBody& body, bencode::Encoder* encoder) {
  encoder->Key("peers");
  encoder->BeginList();
  AppendPeerDicts(Family::kIpv4, body.ipv4, encoder);
  AppendPeerDicts(Family::kIpv6, body.ipv6, encoder);
  encoder->End();
}

void AppendCompactPeers(const AnnounceBody& body, bencode::Encoder* encoder) {
  encoder->Key("peers");
  encoder->String(AsText(body.ipv4));
  if (!body.reply->result.has_ipv6 && body.source.family != Family::kIpv6) return;
  encoder->Key("peers6");
  encoder->String(AsText(body.ipv6));
}

}  // namespace

size_t WriteFailureBody(absl::string_view reason, absl::Span<char> out) {
  bencode::Encoder encoder(out);
  encoder.BeginDictionary();
  encoder.Key("failure reason");
  encoder.String(reason);
  encoder.End();
  return encoder.size();
}

size_t WriteAnnounceBody(const AnnounceBody& body, absl::Span<char> out) {
  const AnnounceReply& reply = *body.reply;
  bencode::Encoder encoder(out);
  encoder.BeginDictionary();
  AppendEntry("complete", reply.result.counts.complete, &encoder);
  AppendEntry("downloaded", reply.result.counts.downloaded, &encoder);
  encoder.Key("external ip");
  encoder.String(AsText(body.source.compact.data(), body.source.address_bytes()));
  AppendEntry("incomplete", reply.result.counts.incomplete, &encoder);
  AppendEntry("interval", static_cast<uint64_t>(reply.interval_s), &encoder);
  AppendEntry("min interval", static_cast<uint64_t>(reply.min_interval_s), &encoder);
  body.compact ? AppendCompactPeers(body, &encoder) : AppendPeerList(body, &encoder);
  encoder.End();
  return encoder.size();
}

size_t WriteScrapeBody(absl::Span<const InfoHash> info_hashes,
                       absl::FunctionRef<SwarmCounts(const InfoHash&)> counts_of,
                       absl::Span<char> out) {
  bencode::Encoder encoder(out);
  encoder.BeginDictionary();
  encoder.Key("files");
  encoder.BeginDictionary();
  for (const InfoHash& info_hash : info_hashes) {
    const SwarmCounts counts = counts_of(info_hash);
    encoder.Key(AsText(info_hash.data(), info_hash.size()));
    encoder.BeginDictionary();
    AppendEntry("complete", counts.complete, &encoder);
    AppendEntry("downloaded", counts.downloaded, &encoder);
    AppendEntry("incomplete", counts.incomplete, &encoder);
    encoder.End();
  }
  encoder.End();
  encoder.End();
  return encoder.size();
}

}  // namespace septet::tracker
