#include "bench/load/load_result.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace septet::bench {

uint64_t LoadResult::faulty() const {
  uint64_t sum = 0;
  for (const auto& fault : faults) sum += fault.second;
  return sum;
}

std::string ToText(const LoadResult& result) {
  std::string text = absl::StrFormat(
      "requests     %d sent, %d right replies in %.2f s\n"
      "rate         %.0f a second\n"
      "latency      p50 %.1f us, p99 %.1f us, p99.9 %.1f us, longest %.1f us\n"
      "peers        %.1f a reply\n"
      "errors       %d lost, %d wrong replies, %d strays\n",
      result.sent, result.replies, result.seconds, result.rate(), result.QuantileUs(0.5),
      result.QuantileUs(0.99), result.QuantileUs(0.999),
      static_cast<double>(result.latency.max_ns()) / 1000,
      result.replies == 0
          ? 0
          : static_cast<double>(result.peers_told) / static_cast<double>(result.replies),
      result.lost, result.faulty(), result.strays);
  for (const auto& [fault, count] : result.faults) {
    absl::StrAppendFormat(&text, "  wrong      %d times %s\n", count, fault);
  }
  return text;
}

std::string ToJson(const LoadResult& result) {
  // Faults are literals of this program: they need no escape.
  const std::string faults =
      absl::StrJoin(result.faults, ", ", [](std::string* out, const auto& fault) {
        absl::StrAppendFormat(out, "\"%s\": %d", fault.first, fault.second);
      });
  return absl::StrFormat(
      "{\"sent\": %d, \"replies\": %d, \"lost\": %d, \"strays\": %d, \"seconds\": %.4f, "
      "\"requests_per_second\": %.1f, \"p50_us\": %.2f, \"p99_us\": %.2f, \"p999_us\": %.2f, "
      "\"max_us\": %.2f, \"peers_told\": %d, \"faults\": {%s}}",
      result.sent, result.replies, result.lost, result.strays, result.seconds, result.rate(),
      result.QuantileUs(0.5), result.QuantileUs(0.99), result.QuantileUs(0.999),
      static_cast<double>(result.latency.max_ns()) / 1000, result.peers_told, faults);
}

}  // namespace septet::bench
