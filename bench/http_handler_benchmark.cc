// A whole announce over HTTP without a socket, at 2000 torrents x 1000 peers with 50
// wanted: from the bytes of a query to the bytes of the reply.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/swarm_shape.h"
#include "benchmark/benchmark.h"
#include "http/request_head.h"
#include "tracker/http/http_handler.h"
#include "tracker/service.h"

namespace septet::bench {
namespace {

constexpr SwarmShape kShape{2000, 1000, false};
constexpr size_t kRequests = 1 << 13;

// As libtorrent writes it.
std::string Request(uint32_t torrent, uint32_t peer) {
  std::string hash;
  for (const uint8_t byte : TorrentHash(torrent)) absl::StrAppendFormat(&hash, "%%%02x", byte);
  return absl::StrCat("GET /announce?info_hash=", hash, "&peer_id=-LT2080-dgh5y7H6*(2g&port=",
                      PeerEndpoint(kShape, torrent, peer).port(),
                      "&uploaded=0&downloaded=0&left=", IsSeeder(peer) ? 0 : 16384,
                      "&corrupt=0&key=4B3F1A2C&numwant=50&compact=1&no_peer_id=1&supportcrypto=1"
                      "&redundant=0 HTTP/1.1\r\nHost: tracker.example:6969\r\nUser-Agent: "
                      "libtorrent/2.0.8\r\nAccept-Encoding: gzip\r\n\r\n");
}

class Tracker {
 public:
  Tracker() {
    for (uint32_t peer = 0; peer < kShape.peers; ++peer) {
      for (uint32_t torrent = 0; torrent < kShape.torrents; ++torrent) {
        tracker::AnnounceRequest request;
        request.info_hash = TorrentHash(torrent);
        request.peer = PeerEndpoint(kShape, torrent, peer);
        request.role = IsSeeder(peer) ? tracker::Role::kSeeder : tracker::Role::kLeecher;
        service_.Announce(request, 1000, random_, {});
      }
    }
    for (size_t i = 0; i < kRequests; ++i) {
      const uint32_t torrent = random_.Below(kShape.torrents);
      const uint32_t peer = random_.Below(kShape.peers);
      requests_.push_back(Request(torrent, peer));
      sources_.push_back(PeerEndpoint(kShape, torrent, peer));
    }
  }

  const std::string& request(size_t i) const { return requests_[i % kRequests]; }

  // A server finds a request in the cache, where the kernel has just copied it; the many
  // that are kept here for their variety would have to be loaded first.
  void PrefetchRequest(size_t i) const {
    const std::string& text = request(i);
    for (size_t at = 0; at < text.size(); at += 64) __builtin_prefetch(text.data() + at);
    __builtin_prefetch(&sources_[i % kRequests]);
  }

  size_t Answer(size_t i) {
    http::RequestHeadParser parser;
    if (parser.Parse(request(i), &head_) != http::HeadStatus::kComplete) return 0;
    const tracker::HttpRequestContext context{sources_[i % kRequests], 1000, true};
    return handler_.Handle(head_, context, random_, absl::MakeSpan(out_));
  }

  static Tracker& Only() {
    static auto& only = *new Tracker;
    return only;
  }

 private:
  tracker::SwarmStore store_{tracker::StoreOptions{}};
  tracker::Service service_{tracker::ServiceOptions{}, &store_};
  tracker::HttpHandler handler_{&service_};
  tracker::Random random_{1};
  std::vector<std::string> requests_;
  std::vector<tracker::Endpoint> sources_;
  http::RequestHead head_;
  std::vector<char> out_ = std::vector<char>(tracker::kHttpResponseBytesMax);
};

void BM_AnnounceFromBytesToBytes(benchmark::State& state) {
  Tracker& tracker = Tracker::Only();
  size_t i = 0;
  size_t bytes = 0;
  for (auto _ : state) {
    tracker.PrefetchRequest(i + 2);
    const size_t size = tracker.Answer(i++);
    if (size < 300) state.SkipWithError("a reply without peers");
    bytes += size;
  }
  state.counters["reply_bytes"] =
      static_cast<double>(bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_AnnounceFromBytesToBytes);

}  // namespace
}  // namespace septet::bench
