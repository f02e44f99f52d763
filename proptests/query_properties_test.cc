// Properties of the queries of announce and scrape: what was written is read, and any
// bytes mean what a slow and obvious reader takes them for.

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "http/query.h"
#include "proptests/http_generators.h"
#include "proptests/naive_query.h"
#include "rapidcheck.h"

namespace septet::http {
namespace {

using absl::string_view;

// In memory of exactly its size, so that a sanitizer sees a read past the end.
std::string Announce(const std::string& query, AnnounceQuery* out) {
  const std::vector<char> bytes(query.begin(), query.end());
  return std::string(ParseAnnounceQuery(string_view(bytes.data(), bytes.size()), out).reason);
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

TEST(QueryProperties, AnAnnounceIsReadHoweverItIsWritten) {
  EXPECT_TRUE(rc::check([] {
    const AnnounceCase expected = *GoodAnnounce();
    RC_LOG() << expected.query;
    AnnounceQuery query;
    RC_ASSERT(Announce(expected.query, &query) == "");
    RC_ASSERT(BytesOf(query.info_hash) == expected.info_hash);
    RC_ASSERT(query.event == EventOf(expected.event));
    RC_ASSERT(query.port == expected.port);
    RC_ASSERT(query.left == expected.left);
    RC_ASSERT(query.is_seeder == (expected.left == 0));
    RC_ASSERT(query.numwant == expected.numwant);
    RC_ASSERT(query.compact == expected.compact);
  }));
}

TEST(QueryProperties, AnyAnnounceIsWhatTheNaiveReaderTakesItFor) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *rc::gen::oneOf(
        NearlyAQuery(), rc::gen::string<std::string>(),
        rc::gen::map(NearlyAQuery(), [](const std::string& rest) {
          return "info_hash=aaaaaaaaaaaaaaaaaaaa&peer_id=bbbbbbbbbbbbbbbbbbbb&" + rest;
        }));
    RC_LOG() << text;
    AnnounceQuery query;
    const std::string reason = Announce(text, &query);
    const NaiveAnnounce naive = NaiveParseAnnounce(text);
    RC_CLASSIFY(reason.empty(), "good");
    RC_ASSERT(reason.substr(0, reason.find(':')) == naive.fault);
    if (!reason.empty()) return;
    RC_ASSERT(BytesOf(query.info_hash) == naive.info_hash);
    RC_ASSERT(query.event == EventOf(naive.event));
    RC_ASSERT(query.port == naive.port);
    RC_ASSERT(query.left == naive.left);
    RC_ASSERT(query.is_seeder == (naive.left == 0));
    RC_ASSERT(query.numwant == naive.numwant);
    RC_ASSERT(query.compact == naive.compact);
    RC_ASSERT(query.ip.view() == naive.ip);
    RC_ASSERT(query.ipv4.view() == naive.ipv4);
    RC_ASSERT(query.ipv6.view() == naive.ipv6);
  }));
}

TEST(QueryProperties, AnyScrapeIsWhatTheNaiveReaderTakesItFor) {
  EXPECT_TRUE(rc::check([] {
    const auto hashes = *rc::gen::container<std::vector<std::string>>(TwentyBytes());
    std::string text = *rc::gen::element<std::string>("", "x=y&", "?");
    for (const std::string& hash : hashes) text += "info_hash=" + RandomlyEscaped(hash) + "&";
    const bool is_good = *rc::gen::arbitrary<bool>();
    if (!is_good) text += *NearlyAQuery();
    const std::vector<char> bytes(text.begin(), text.end());
    std::vector<std::string> visited;
    size_t count = 0;
    const QueryError error = ParseScrapeQuery(
        string_view(bytes.data(), bytes.size()),
        [&](const InfoHash& hash) { visited.push_back(BytesOf(hash)); }, &count);
    const NaiveScrape naive = NaiveParseScrape(text);
    RC_ASSERT(error.reason.empty() == naive.is_good);
    RC_ASSERT(visited == naive.info_hashes);
    if (!naive.is_good) return;
    RC_ASSERT(count == visited.size());
    if (is_good) RC_ASSERT(visited == hashes);
  }));
}

}  // namespace
}  // namespace septet::http
