// What must hold of the queries of announce and scrape, whatever the bytes: they mean what
// the naive reader takes them for. Shared by the properties and the fuzz target.

#ifndef SEPTET_PROPTESTS_QUERY_CHECK_H_
#define SEPTET_PROPTESTS_QUERY_CHECK_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/query.h"
#include "proptests/naive_query.h"

namespace septet::http {

inline std::string BytesOf(const InfoHash& hash) { return std::string(hash.begin(), hash.end()); }

inline AnnounceEvent EventOf(const std::string& text) {
  static const auto& events = *new std::map<std::string, AnnounceEvent>{
      {"started", AnnounceEvent::kStarted},
      {"stopped", AnnounceEvent::kStopped},
      {"completed", AnnounceEvent::kCompleted},
      {"paused", AnnounceEvent::kPaused},
  };
  const auto found = events.find(text);
  return found == events.end() ? AnnounceEvent::kNone : found->second;
}

// What is wrong with the reason for which a query was refused on account of `parameter`, or
// "". It is a literal that names the parameter, so that it can stand in a reply as it is.
inline std::string ReasonFault(absl::string_view reason, const std::string& parameter) {
  if (reason.substr(0, parameter.size() + 1) != parameter + ":") return "another parameter's fault";
  if (reason.size() >= 200) return "a long reason";
  const bool is_text =
      std::all_of(reason.begin(), reason.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return is_text ? "" : "a reason that is no text";
}

// What is wrong with how the query of an announce is read, or "".
inline std::string AnnounceQueryFault(absl::string_view text) {
  // In memory of exactly its size, so that a sanitizer sees a read past the end.
  const std::vector<char> bytes(text.begin(), text.end());
  AnnounceQuery query;
  const absl::string_view reason =
      ParseAnnounceQuery(absl::string_view(bytes.data(), bytes.size()), &query).reason;
  const NaiveAnnounce naive = NaiveParseAnnounce(std::string(text));
  if (!naive.fault.empty()) return ReasonFault(reason, naive.fault);
  if (!reason.empty()) return "refused";
  if (BytesOf(query.info_hash) != naive.info_hash) return "info_hash";
  if (query.event != EventOf(naive.event)) return "event";
  if (query.port != naive.port) return "port";
  if (query.left != naive.left) return "left";
  if (query.is_seeder != (naive.left == 0)) return "is_seeder";
  if (query.numwant != naive.numwant) return "numwant";
  if (query.compact != naive.compact) return "compact";
  if (query.ip.view() != naive.ip) return "ip";
  if (query.ipv4.view() != naive.ipv4) return "ipv4";
  if (query.ipv6.view() != naive.ipv6) return "ipv6";
  return "";
}

// What is wrong with how the query of a scrape is read, or "".
inline std::string ScrapeQueryFault(absl::string_view text) {
  const std::vector<char> bytes(text.begin(), text.end());
  std::vector<std::string> visited;
  size_t count = 0;
  const absl::string_view reason =
      ParseScrapeQuery(
          absl::string_view(bytes.data(), bytes.size()),
          [&visited](const InfoHash& hash) { visited.push_back(BytesOf(hash)); }, &count)
          .reason;
  const NaiveScrape naive = NaiveParseScrape(std::string(text));
  if (visited != naive.info_hashes) return "other info-hashes";
  if (!naive.is_good) return ReasonFault(reason, "info_hash");
  if (!reason.empty()) return "refused";
  return count == visited.size() ? "" : "another count";
}

}  // namespace septet::http

#endif  // SEPTET_PROPTESTS_QUERY_CHECK_H_
