#include "bench/null_reply.h"

#include "absl/strings/string_view.h"
#include "bencode/encoder.h"
#include "http/response_head.h"
#include "tracker/udp/packet.h"

namespace septet::bench {
namespace {

namespace udp = tracker::udp;

// Of each torrent: enough of both that a client finds any number of peers plausible.
constexpr uint32_t kSeeders = 500;
constexpr uint32_t kLeechers = 500;
constexpr uint32_t kIntervalS = 1800;

constexpr size_t kBodyBytesMax = 2048;

std::string NullPeers(uint32_t peers) {
  std::string compact;
  for (uint32_t i = 0; i < peers; ++i) {
    const uint32_t port = 1 + i;
    for (const uint32_t byte : {127u, 0u, 0u, 1u, port >> 8, port & 0xff}) {
      compact += static_cast<char>(byte);
    }
  }
  return compact;
}

std::string Response(absl::string_view body, bool keep_alive) {
  char head[http::kResponseHeadBytesMax];
  http::ResponseHead fields;
  fields.content_length = body.size();
  fields.keep_alive = keep_alive;
  std::string response(head, http::WriteResponseHead(fields, head));
  response.append(body.data(), body.size());
  return response;
}

void AppendEntry(absl::string_view key, uint32_t value, bencode::Encoder* encoder) {
  encoder->Key(key);
  encoder->Unsigned(value);
}

}  // namespace

size_t WriteNullAnnounceReply(uint32_t peers, uint8_t* out) {
  udp::AnnounceReplyHeader header;
  header.interval_s = kIntervalS;
  header.leechers = kLeechers;
  header.seeders = kSeeders;
  const size_t head_bytes = udp::WriteAnnounceReplyHeader(header, out);
  const std::string compact = NullPeers(peers);
  std::memcpy(out + head_bytes, compact.data(), compact.size());
  return head_bytes + compact.size();
}

size_t WriteNullScrapeReply(uint8_t* out) {
  const size_t head_bytes = udp::WriteScrapeReplyHeader(0, out);
  tracker::SwarmCounts counts;
  counts.complete = kSeeders;
  counts.incomplete = kLeechers;
  return head_bytes + udp::WriteScrapeEntry(counts, out + head_bytes);
}

size_t WriteNullConnectReply(uint8_t* out) { return udp::WriteConnectReply(0, 1, out); }

std::string NullHttpAnnounceResponse(uint32_t peers, bool keep_alive) {
  char body[kBodyBytesMax];
  bencode::Encoder encoder{absl::MakeSpan(body)};
  encoder.BeginDictionary();
  AppendEntry("complete", kSeeders, &encoder);
  AppendEntry("downloaded", 0, &encoder);
  encoder.Key("external ip");
  encoder.String(absl::string_view("\x7f\0\0\1", 4));
  AppendEntry("incomplete", kLeechers, &encoder);
  AppendEntry("interval", kIntervalS, &encoder);
  AppendEntry("min interval", kIntervalS / 2, &encoder);
  encoder.Key("peers");
  encoder.String(NullPeers(peers));
  encoder.End();
  return Response(absl::string_view(body, encoder.size()), keep_alive);
}

std::string NullHttpScrapeResponse(bool keep_alive) {
  char body[kBodyBytesMax];
  bencode::Encoder encoder{absl::MakeSpan(body)};
  encoder.BeginDictionary();
  encoder.Key("files");
  encoder.BeginDictionary();
  encoder.Key(std::string(20, 'n'));
  encoder.BeginDictionary();
  AppendEntry("complete", kSeeders, &encoder);
  AppendEntry("downloaded", 0, &encoder);
  AppendEntry("incomplete", kLeechers, &encoder);
  encoder.End();
  encoder.End();
  encoder.End();
  return Response(absl::string_view(body, encoder.size()), keep_alive);
}

}  // namespace septet::bench
