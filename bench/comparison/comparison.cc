#include "bench/comparison/comparison.h"

#include <algorithm>

namespace septet::bench {
namespace {

double CpuOf(const Comparison& comparison, absl::string_view server, absl::string_view load,
             uint32_t round) {
  for (const Measurement& m : comparison.measurements) {
    if (m.server == server && m.load == load && m.round == round) return m.cpu_us();
  }
  return 0;
}

template <typename Get>
double MedianOf(const std::vector<const Measurement*>& rounds, Get get) {
  std::vector<double> values;
  for (const Measurement* m : rounds) values.push_back(get(*m));
  return Median(std::move(values));
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

absl::optional<Figures> FiguresOf(const Comparison& comparison, absl::string_view server,
                                  const ComparedLoad& load) {
  std::vector<const Measurement*> rounds;
  std::vector<double> ratios;
  Figures figures;
  for (const Measurement& m : comparison.measurements) {
    if (m.server != server || m.load != load.name) continue;
    rounds.push_back(&m);
    figures.errors += m.errors;
    const double floor = CpuOf(comparison, load.floor, load.name, m.round);
    if (floor > 0) ratios.push_back(m.cpu_us() / floor);
  }
  if (rounds.empty()) return absl::nullopt;
  const auto by_cpu = [](const Measurement* a, const Measurement* b) {
    return a->cpu_us() < b->cpu_us();
  };
  const auto ends = std::minmax_element(rounds.begin(), rounds.end(), by_cpu);
  figures.rounds = static_cast<uint32_t>(rounds.size());
  figures.requests_a_second = MedianOf(rounds, [](auto& m) { return m.requests_a_second; });
  figures.user_us = MedianOf(rounds, [](auto& m) { return m.user_us; });
  figures.system_us = MedianOf(rounds, [](auto& m) { return m.system_us; });
  figures.cpu_us = MedianOf(rounds, [](auto& m) { return m.cpu_us(); });
  figures.cpu_us_least = (*ends.first)->cpu_us();
  figures.cpu_us_greatest = (*ends.second)->cpu_us();
  figures.switches = MedianOf(rounds, [](auto& m) { return m.switches; });
  figures.p50_us = MedianOf(rounds, [](auto& m) { return m.p50_us; });
  figures.p99_us = MedianOf(rounds, [](auto& m) { return m.p99_us; });
  figures.p999_us = MedianOf(rounds, [](auto& m) { return m.p999_us; });
  if (!ratios.empty()) figures.to_floor = Median(std::move(ratios));
  return figures;
}

}  // namespace septet::bench
