// What the swarm store costs an operation, by the shape of its swarms and the number of
// threads that use it at once. Arguments are torrents and peers in each. The largest shapes
// take some seconds to fill; --benchmark_filter='torrents:10000/' keeps to the small ones.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "tracker/endpoint.h"
#include "tracker/random.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

constexpr uint32_t kNumwant = 50;
constexpr size_t kBatch = 32;
constexpr size_t kRequests = 1 << 14;

struct Shape {
  uint32_t torrents = 0;
  uint32_t peers = 0;  // of each torrent

  friend bool operator==(const Shape&, const Shape&) = default;
};

InfoHash TorrentNumber(uint32_t number) {
  InfoHash info_hash{};
  std::memcpy(info_hash.data(), &number, sizeof(number));
  return info_hash;
}

// A bijection on 32 bits, so that neighbours in time are none in address.
Endpoint PeerNumber(uint32_t number) {
  const uint32_t address = number * 2654435761u;
  uint8_t bytes[4];
  std::memcpy(bytes, &address, sizeof(bytes));
  return MakeIpv4(bytes, 6881);
}

AnnounceRequest RequestOf(uint32_t torrent, uint32_t peer) {
  AnnounceRequest request;
  request.info_hash = TorrentNumber(torrent);
  request.peer = PeerNumber(peer);
  request.role = peer % 3 == 0 ? Role::kSeeder : Role::kLeecher;
  return request;
}

class Filled {
 public:
  explicit Filled(const Shape& shape) : shape_(shape) {
    for (uint32_t peer = 0; peer < shape.peers; ++peer) {
      for (uint32_t torrent = 0; torrent < shape.torrents; ++torrent) {
        store_.Announce(RequestOf(torrent, peer), now_ms_, random_, {});
      }
    }
  }

  // The one last asked for is kept: benchmarks of one shape stand side by side.
  static Filled& Of(const benchmark::State& state) {
    static std::mutex mutex;
    static std::unique_ptr<Filled> kept;
    const Shape shape = {static_cast<uint32_t>(state.range(0)),
                         static_cast<uint32_t>(state.range(1))};
    const std::lock_guard<std::mutex> guard(mutex);
    if (kept == nullptr || !(kept->shape_ == shape)) {
      kept.reset();
      kept = std::make_unique<Filled>(shape);
    }
    return *kept;
  }

  const Shape& shape() const { return shape_; }
  SwarmStore& store() { return store_; }
  int64_t now_ms() const { return now_ms_; }

  // Each pass belongs to a tick of its own.
  void SweepOnce() {
    now_ms_ += store_.tick_ms();
    while (!store_.Sweep(now_ms_, 1000)) {
    }
  }

 private:
  const Shape shape_;
  SwarmStore store_{StoreOptions{}};
  int64_t now_ms_ = 1'000'000;
  Random random_{1};
};

// One of the threads that use a store.
class User {
 public:
  explicit User(const benchmark::State& state)
      : filled_(Filled::Of(state)),
        thread_(static_cast<uint32_t>(state.thread_index())),
        random_(thread_) {}

  SwarmStore& store() { return filled_.store(); }

  void Announce(AnnounceRequest request, Event event) {
    request.event = event;
    const AnnounceResult result = store().Announce(request, filled_.now_ms(), random_,
                                                   {absl::MakeSpan(room_), absl::Span<uint8_t>()});
    benchmark::DoNotOptimize(result.ipv4_peers);
  }

  // Of listed peers, torrents and peers at random.
  std::vector<AnnounceRequest> DrawListed() {
    return Draw([this](size_t) { return random_.Below(filled_.shape().peers); });
  }

  // Of peers that are not listed, none of them another thread's, in torrents at random.
  std::vector<AnnounceRequest> DrawNew() {
    const auto first = static_cast<uint32_t>(filled_.shape().peers + thread_ * kRequests);
    return Draw([first](size_t i) { return first + static_cast<uint32_t>(i); });
  }

 private:
  template <typename Peer>
  std::vector<AnnounceRequest> Draw(Peer peer) {
    std::vector<AnnounceRequest> requests;
    for (size_t i = 0; i < kRequests; ++i) {
      requests.push_back(RequestOf(random_.Below(filled_.shape().torrents), peer(i)));
      requests.back().numwant = kNumwant;
    }
    return requests;
  }

  Filled& filled_;
  const uint32_t thread_;
  Random random_;
  std::array<uint8_t, kNumwant * kCompactIpv4Bytes> room_;
};

// Prefetches a batch as the server does, then takes it one by one.
template <typename Take>
void TakeBatch(User& user, absl::Span<const AnnounceRequest> batch, Take take) {
  for (const AnnounceRequest& request : batch) user.store().Prefetch(request.info_hash);
  for (const AnnounceRequest& request : batch) take(request);
}

template <typename Take>
void TakeAll(User& user, const std::vector<AnnounceRequest>& requests, Take take) {
  for (size_t i = 0; i < requests.size(); i += kBatch) {
    TakeBatch(user, absl::MakeConstSpan(requests).subspan(i, kBatch), take);
  }
}

// Over and over: what leaves the store as it was.
template <typename Take>
void RunSteady(benchmark::State& state, User& user, const std::vector<AnnounceRequest>& requests,
               Take take) {
  size_t next = 0;
  while (state.KeepRunningBatch(kBatch)) {
    TakeBatch(user, absl::MakeConstSpan(requests).subspan(next, kBatch), take);
    next = (next + kBatch) % requests.size();
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_Refresh(benchmark::State& state) {
  User user(state);
  RunSteady(state, user, user.DrawListed(),
            [&](const AnnounceRequest& request) { user.Announce(request, Event::kNone); });
}

// One by one, so that each waits for its memory.
void BM_RefreshWithoutPrefetch(benchmark::State& state) {
  User user(state);
  const std::vector<AnnounceRequest> requests = user.DrawListed();
  size_t next = 0;
  for (auto _ : state) {
    user.Announce(requests[next], Event::kNone);
    next = (next + 1) % requests.size();
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_Scrape(benchmark::State& state) {
  User user(state);
  RunSteady(state, user, user.DrawListed(), [&](const AnnounceRequest& request) {
    const SwarmCounts counts = user.store().Scrape(request.info_hash);
    benchmark::DoNotOptimize(counts.complete);
  });
}

// Peers that are not in the store come and go again; `before` and `after` are not measured.
template <typename Before, typename Take, typename After>
void RunComing(benchmark::State& state, Before before, Take take, After after) {
  User user(state);
  const std::vector<AnnounceRequest> requests = user.DrawNew();
  while (state.KeepRunningBatch(kRequests)) {
    state.PauseTiming();
    TakeAll(user, requests, [&](const AnnounceRequest& request) { before(user, request); });
    state.ResumeTiming();
    TakeAll(user, requests, [&](const AnnounceRequest& request) { take(user, request); });
    state.PauseTiming();
    TakeAll(user, requests, [&](const AnnounceRequest& request) { after(user, request); });
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}

void Nothing(User&, const AnnounceRequest&) {}
void Start(User& user, const AnnounceRequest& request) { user.Announce(request, Event::kStarted); }
void StartAsLeecher(User& user, AnnounceRequest request) {
  request.role = Role::kLeecher;
  user.Announce(request, Event::kStarted);
}
void Complete(User& user, AnnounceRequest request) {
  request.role = Role::kSeeder;
  user.Announce(request, Event::kCompleted);
}
void Stop(User& user, const AnnounceRequest& request) { user.Announce(request, Event::kStopped); }

void BM_New(benchmark::State& state) { RunComing(state, Nothing, Start, Stop); }
void BM_Stop(benchmark::State& state) { RunComing(state, Start, Stop, Nothing); }
void BM_Complete(benchmark::State& state) { RunComing(state, StartAsLeecher, Complete, Stop); }

// A whole pass over a store in which nobody is over the timeout: an item is a peer. It is
// the last of its shape, for it moves time on; so few passes stay far below the timeout.
constexpr int64_t kSweepPasses = 20;
void BM_Sweep(benchmark::State& state) {
  Filled& filled = Filled::Of(state);
  for (auto _ : state) filled.SweepOnce();
  const StoreUsage usage = filled.store().Usage();
  const auto peers = static_cast<int64_t>(usage.ipv4_peers + usage.ipv6_peers);
  if (peers == 0) state.SkipWithError("everybody was over the timeout");
  state.SetItemsProcessed(state.iterations() * peers);
}

void RegisterAll() {
  constexpr Shape kShapes[] = {{10'000, 1},     {10'000, 4},    {10'000, 40},   {10'000, 1000},
                               {100, 100'000},  {1'000'000, 1}, {1'000'000, 4}, {1'000'000, 40},
                               {10'000'000, 1}, {10'000'000, 4}};
  struct Row {
    const char* name;
    void (*run)(benchmark::State&);
    int threads_max;
    int64_t iterations = 0;  // 0: as many as it takes
  };
  constexpr Row kRows[] = {
      {"Refresh", BM_Refresh, 2},
      {"RefreshWithoutPrefetch", BM_RefreshWithoutPrefetch, 1},
      {"New", BM_New, 2},
      {"Stop", BM_Stop, 2},
      {"Complete", BM_Complete, 2},
      {"Scrape", BM_Scrape, 2},
      {"Sweep", BM_Sweep, 1, kSweepPasses},
  };
  // By shape first, so that each is filled once.
  for (const Shape& shape : kShapes) {
    for (const Row& row : kRows) {
      auto* const benchmark = benchmark::RegisterBenchmark(row.name, row.run);
      benchmark->ArgNames({"torrents", "peers"})->Args({shape.torrents, shape.peers});
      benchmark->ThreadRange(1, row.threads_max);
      if (row.iterations > 0) benchmark->Iterations(row.iterations);
    }
  }
}

const bool kRegistered = [] {
  RegisterAll();
  return true;
}();

}  // namespace
}  // namespace septet::tracker
