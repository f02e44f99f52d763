// What access lists cost: reading a million info-hashes, and asking whether one is allowed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "bench/swarm_shape.h"
#include "benchmark/benchmark.h"
#include "tracker/access/access_control.h"
#include "tracker/access/hash_list.h"
#include "tracker/access/info_hash_set.h"
#include "tracker/random.h"

namespace septet::bench {
namespace {

constexpr uint32_t kEntries = 1'000'000;

std::string ListText() {
  std::string text;
  for (uint32_t i = 0; i < kEntries; ++i) {
    const tracker::InfoHash info_hash = TorrentHash(i);
    text += absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(info_hash.data()), info_hash.size()));
    text += '\n';
  }
  return text;
}

tracker::AccessRules::Set SetOfAll() {
  std::vector<tracker::InfoHash> hashes;
  for (uint32_t i = 0; i < kEntries; ++i) hashes.push_back(TorrentHash(i));
  return std::make_shared<const tracker::InfoHashSet>(std::move(hashes));
}

// From the text of the file to the set that is asked.
void BM_ReadList(benchmark::State& state) {
  const std::string text = ListText();
  size_t bytes = 0;
  for (auto _ : state) {
    auto hashes = tracker::ParseHashList(text);
    const tracker::InfoHashSet set(*std::move(hashes));
    if (set.size() != kEntries) state.SkipWithError("an entry is missing");
    bytes = set.bytes();
  }
  state.counters["bytes_an_entry"] = static_cast<double>(bytes) / kEntries;
}
BENCHMARK(BM_ReadList)->Unit(benchmark::kMillisecond);

// Half of them are on the list.
void BM_Allows(benchmark::State& state) {
  static auto& control = *[] {
    auto* const made = new tracker::AccessControl;
    made->Replace({.allows_all = false, .allow_list = SetOfAll()});
    return made;
  }();
  tracker::Random random(static_cast<uint64_t>(state.thread_index()));
  std::vector<tracker::InfoHash> asked;
  for (int i = 0; i < 1 << 14; ++i) asked.push_back(TorrentHash(random.Below(2 * kEntries)));
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(control.Allows(asked[next]));
    next = (next + 1) % asked.size();
  }
}
BENCHMARK(BM_Allows)->ThreadRange(1, 2);

}  // namespace
}  // namespace septet::bench
