#include "bench/load/load_request.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace septet::bench {
namespace {

constexpr uint64_t kLeftOfLeecher = 16384;

void Store(uint64_t value, size_t bytes, uint8_t* out) {
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(value >> (8 * (bytes - 1 - i)));
}

// By LoadEvent.
constexpr absl::string_view kEventParameters[] = {"", "&event=completed", "&event=started",
                                                  "&event=stopped"};

}  // namespace

size_t WriteUdpRequest(const LoadRequest& request, const tracker::InfoHash& hash,
                       uint64_t connection_id, uint32_t transaction_id, uint8_t* out) {
  Store(connection_id, 8, out);
  Store(request.is_scrape ? 2 : 1, 4, out + 8);
  Store(transaction_id, 4, out + 12);
  std::copy(hash.begin(), hash.end(), out + 16);
  if (request.is_scrape) return 36;
  constexpr absl::string_view kPeerId = "-LT2080-dgh5y7H6*(2g";
  std::copy(kPeerId.begin(), kPeerId.end(), out + 36);
  Store(0, 8, out + 56);                                       // downloaded
  Store(request.is_seeder ? 0 : kLeftOfLeecher, 8, out + 64);  // left
  Store(0, 8, out + 72);                                       // uploaded
  Store(static_cast<uint64_t>(request.event), 4, out + 80);    // event
  Store(0, 4, out + 84);                                       // ip
  Store(0x4b3f1a2c, 4, out + 88);                              // key
  Store(request.numwant, 4, out + 92);                         // numwant
  Store(request.place.port, 2, out + 96);                      // port
  return kUdpRequestBytesMax;
}

std::string EscapedHash(const tracker::InfoHash& hash) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : hash) text.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  return text;
}

void WriteHttpRequest(const LoadRequest& request, absl::string_view escaped_hash, bool keep_alive,
                      std::string* out) {
  out->clear();
  if (request.is_scrape) {
    absl::StrAppend(out, "GET /scrape?info_hash=", escaped_hash);
  } else {
    absl::StrAppend(out, "GET /announce?info_hash=", escaped_hash,
                    "&peer_id=-LT2080-dgh5y7H6*(2g&port=", request.place.port,
                    "&uploaded=0&downloaded=0&left=", request.is_seeder ? 0 : kLeftOfLeecher,
                    "&corrupt=0&key=4B3F1A2C",
                    kEventParameters[static_cast<size_t>(request.event)]);
    absl::StrAppend(out, "&numwant=", request.numwant,
                    "&compact=1&no_peer_id=1&supportcrypto=1&redundant=0");
  }
  absl::StrAppend(out,
                  " HTTP/1.1\r\nHost: tracker.example:6969\r\nUser-Agent: libtorrent/2.0.8\r\n"
                  "Accept-Encoding: gzip\r\n",
                  keep_alive ? "\r\n" : "Connection: close\r\n\r\n");
}

}  // namespace septet::bench
