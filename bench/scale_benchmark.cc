// What size costs: the longest single announce while a store grows, and the cost of an
// announce at each size.
//
//   bazel run -c opt //bench:scale_benchmark -- --torrents=10000,1000000,10000000

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_format.h"
#include "bench/swarm_shape.h"
#include "tracker/swarm_store.h"

ABSL_FLAG(std::vector<std::string>, torrents,
          (std::vector<std::string>{"10000", "1000000", "10000000"}),
          "Sizes to measure at, rising, comma-separated.");
ABSL_FLAG(uint32_t, peers, 1, "Peers of each torrent, 1 to 65,535.");

namespace septet::bench {
namespace {

constexpr size_t kBatch = 32;
constexpr size_t kRequests = 1 << 15;
constexpr int kRounds = 9;

// CPU time of this thread: what else the machine does is not in it, what the store and
// the kernel do for it is.
int64_t CpuNs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class Scale {
 public:
  // Adds torrents up to so many; prints the longest announce among them.
  void GrowTo(uint32_t torrents, uint32_t peers) {
    std::vector<int64_t> longest;
    const int64_t start = CpuNs();
    uint64_t count = 0;
    for (uint32_t torrent = torrents_; torrent < torrents; ++torrent) {
      for (uint32_t peer = 0; peer < peers; ++peer) {
        const tracker::AnnounceRequest request = RequestOf(torrent, peer, 0);
        const int64_t before = CpuNs();
        store_.Announce(request, 1000, random_, {});
        const int64_t ns = CpuNs() - before;
        ++count;
        if (longest.size() < 5 || ns > longest.back()) Insert(ns, &longest);
      }
    }
    torrents_ = torrents;
    peers_ = peers;
    const tracker::StoreUsage usage = store_.Usage();
    absl::PrintF(
        "%10u torrents x %u: grew with %.0f ns an announce (clock included), longest %s us; "
        "%.1f bytes a peer\n",
        torrents, peers, static_cast<double>(CpuNs() - start) / static_cast<double>(count),
        Microseconds(longest),
        static_cast<double>(usage.bytes_total) /
            static_cast<double>(usage.ipv4_peers + usage.ipv6_peers));
  }

  // The median round of refreshing announces, one by one and in batches with prefetch.
  void Measure() {
    std::vector<tracker::AnnounceRequest> requests;
    for (size_t i = 0; i < kRequests; ++i) {
      requests.push_back(RequestOf(random_.Below(torrents_), random_.Below(peers_), 50));
    }
    std::vector<double> single;
    std::vector<double> batched;
    for (int round = 0; round < kRounds; ++round) {
      single.push_back(Round(requests, false));
      batched.push_back(Round(requests, true));
    }
    absl::PrintF(
        "%10u torrents x %u: an announce takes %.0f ns, in batches with prefetch %.0f ns\n",
        torrents_, peers_, Median(&single), Median(&batched));
    std::fflush(stdout);
  }

 private:
  static tracker::StoreOptions Options() {
    tracker::StoreOptions options;
    options.hash_key = {0x5ca1e, 0xbe9c};
    return options;
  }

  static tracker::AnnounceRequest RequestOf(uint32_t torrent, uint32_t peer, uint32_t numwant) {
    tracker::AnnounceRequest request;
    request.info_hash = TorrentHash(torrent);
    request.peer = PeerEndpoint({}, torrent, peer);
    request.role = IsSeeder(peer) ? tracker::Role::kSeeder : tracker::Role::kLeecher;
    request.numwant = numwant;
    return request;
  }

  double Round(const std::vector<tracker::AnnounceRequest>& requests, bool prefetch) {
    const tracker::PeerOutput out{absl::MakeSpan(room_), {}};
    const int64_t start = CpuNs();
    for (size_t i = 0; i < requests.size(); i += kBatch) {
      if (prefetch) {
        for (size_t j = i; j < i + kBatch; ++j) store_.Prefetch(requests[j].info_hash);
      }
      for (size_t j = i; j < i + kBatch; ++j) store_.Announce(requests[j], 1000, random_, out);
    }
    return static_cast<double>(CpuNs() - start) / static_cast<double>(requests.size());
  }

  static void Insert(int64_t ns, std::vector<int64_t>* longest) {
    longest->push_back(ns);
    std::sort(longest->rbegin(), longest->rend());
    if (longest->size() > 5) longest->pop_back();
  }
  static std::string Microseconds(const std::vector<int64_t>& longest) {
    std::string text;
    for (const int64_t ns : longest)
      absl::StrAppendFormat(&text, "%s%d", text.empty() ? "" : ", ", ns / 1000);
    return text;
  }
  static double Median(std::vector<double>* values) {
    std::sort(values->begin(), values->end());
    return (*values)[values->size() / 2];
  }

  tracker::SwarmStore store_{Options()};
  tracker::Random random_{1};
  uint32_t torrents_ = 0;
  uint32_t peers_ = 0;
  std::array<uint8_t, 200 * tracker::kCompactIpv4Bytes> room_;
};

int Main() {
  const uint32_t peers = absl::GetFlag(FLAGS_peers);
  Scale scale;
  for (const std::string& text : absl::GetFlag(FLAGS_torrents)) {
    const unsigned long torrents = std::strtoul(text.c_str(), nullptr, 10);
    if (torrents == 0 || torrents > 100'000'000 || peers == 0 || peers > 65'535) {
      std::fprintf(stderr, "--torrents and --peers: a number is out of range: see --help\n");
      return 2;
    }
    scale.GrowTo(static_cast<uint32_t>(torrents), peers);
    scale.Measure();
  }
  return 0;
}

}  // namespace
}  // namespace septet::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "The cost of size: the longest announce while growing, the cost at each size.");
  absl::ParseCommandLine(argc, argv);
  return septet::bench::Main();
}
