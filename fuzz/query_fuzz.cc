// Bytes as the query of an announce and of a scrape: they mean what a slow and obvious
// reader takes them for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/query.h"
#include "proptests/naive_query.h"

namespace septet::http {
namespace {

using absl::string_view;

void Require(bool condition) {
  if (!condition) std::abort();
}

std::string BytesOf(const InfoHash& hash) { return std::string(hash.begin(), hash.end()); }

AnnounceEvent EventOf(const std::string& text) {
  static const std::map<std::string, AnnounceEvent> kEvents = {
      {"started", AnnounceEvent::kStarted},
      {"stopped", AnnounceEvent::kStopped},
      {"completed", AnnounceEvent::kCompleted},
      {"paused", AnnounceEvent::kPaused},
  };
  const auto found = kEvents.find(text);
  return found == kEvents.end() ? AnnounceEvent::kNone : found->second;
}

// A literal that names a parameter: it can stand in a reply as it is.
void CheckReason(string_view reason, const std::string& parameter) {
  Require(reason.substr(0, parameter.size() + 1) == parameter + ":");
  Require(reason.size() < 200);
  Require(std::all_of(reason.begin(), reason.end(), [](char c) { return c >= ' ' && c <= '~'; }));
}

void CheckAnnounce(string_view text) {
  AnnounceQuery query;
  const string_view reason = ParseAnnounceQuery(text, &query).reason;
  const NaiveAnnounce naive = NaiveParseAnnounce(std::string(text));
  if (!naive.fault.empty()) return CheckReason(reason, naive.fault);
  Require(reason.empty());
  Require(BytesOf(query.info_hash) == naive.info_hash);
  Require(query.event == EventOf(naive.event));
  Require(query.port == naive.port);
  Require(query.left == naive.left);
  Require(query.is_seeder == (naive.left == 0));
  Require(query.numwant == naive.numwant);
  Require(query.compact == naive.compact);
  Require(query.ip.view() == naive.ip);
  Require(query.ipv4.view() == naive.ipv4);
  Require(query.ipv6.view() == naive.ipv6);
}

void CheckScrape(string_view text) {
  std::vector<std::string> visited;
  size_t count = 0;
  const string_view reason =
      ParseScrapeQuery(
          text, [&visited](const InfoHash& hash) { visited.push_back(BytesOf(hash)); }, &count)
          .reason;
  const NaiveScrape naive = NaiveParseScrape(std::string(text));
  Require(visited == naive.info_hashes);
  if (!naive.is_good) return CheckReason(reason, "info_hash");
  Require(reason.empty());
  Require(count == visited.size());
}

}  // namespace
}  // namespace septet::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace septet::http;
  const string_view text(reinterpret_cast<const char*>(data), size);
  CheckAnnounce(text);
  CheckScrape(text);
  return 0;
}
