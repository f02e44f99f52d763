// What size costs: the longest single announce while a store grows, and the cost of an
// announce at each size. Beside it what the machine does by itself: the longest of as many
// readings of the clock, and of first touches of as many pages as the store has grown by.
//
//   bazel run -c opt //bench:scale_benchmark -- --torrents=10000,1000000,10000000

#include <sys/mman.h>
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

// The five longest of many times.
class Longest {
 public:
  void Take(int64_t ns) {
    if (longest_.size() == kKept && ns <= longest_.back()) return;
    longest_.push_back(ns);
    std::sort(longest_.rbegin(), longest_.rend());
    if (longest_.size() > kKept) longest_.pop_back();
  }
  std::string Microseconds() const {
    std::string text;
    for (const int64_t ns : longest_) {
      absl::StrAppendFormat(&text, "%s%d", text.empty() ? "" : ", ", ns / 1000);
    }
    return text;
  }

 private:
  static constexpr size_t kKept = 5;
  std::vector<int64_t> longest_;
};

// What a virtual machine adds to the time of a thread that does nothing.
Longest LongestReading(uint64_t count) {
  Longest longest;
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t before = CpuNs();
    longest.Take(CpuNs() - before);
  }
  return longest;
}

// What memory costs that nobody has touched before.
Longest LongestTouch(size_t bytes) {
  constexpr size_t kPageBytes = 4096;
  Longest longest;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return longest;
  auto* const pages = static_cast<volatile char*>(memory);
  for (size_t at = 0; at < bytes; at += kPageBytes) {
    const int64_t before = CpuNs();
    pages[at] = 1;
    longest.Take(CpuNs() - before);
  }
  munmap(memory, bytes);
  return longest;
}

class Scale {
 public:
  // Adds torrents up to so many; prints the longest announce among them.
  void GrowTo(uint32_t torrents, uint32_t peers) {
    Longest longest;
    const int64_t start = CpuNs();
    const uint64_t bytes_before = store_.Usage().bytes_total;
    uint64_t count = 0;
    for (uint32_t torrent = torrents_; torrent < torrents; ++torrent) {
      for (uint32_t peer = 0; peer < peers; ++peer) {
        const tracker::AnnounceRequest request = RequestOf(torrent, peer, 0);
        const int64_t before = CpuNs();
        store_.Announce(request, 1000, random_, {});
        longest.Take(CpuNs() - before);
        ++count;
      }
    }
    torrents_ = torrents;
    peers_ = peers;
    const tracker::StoreUsage usage = store_.Usage();
    absl::PrintF(
        "%10u torrents x %u: grew with %.0f ns an announce (clock included), longest %s us; "
        "%.1f bytes a peer\n",
        torrents, peers, static_cast<double>(CpuNs() - start) / static_cast<double>(count),
        longest.Microseconds(),
        static_cast<double>(usage.bytes_total) /
            static_cast<double>(usage.ipv4_peers + usage.ipv6_peers));
    absl::PrintF(
        "%10u torrents x %u: longest of as many readings of the clock %s us, of first touches of "
        "as many pages %s us\n",
        torrents, peers, LongestReading(count).Microseconds(),
        LongestTouch(usage.bytes_total - bytes_before).Microseconds());
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
