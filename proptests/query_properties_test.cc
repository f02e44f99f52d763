// Properties of the queries of announce and scrape: what was written is read, and any
// bytes mean what a slow and obvious reader takes them for.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "http/query.h"
#include "proptests/http_generators.h"
#include "proptests/naive_query.h"
#include "proptests/query_check.h"
#include "rapidcheck.h"

namespace septet::http {
namespace {

using absl::string_view;

// In memory of exactly its size, so that a sanitizer sees a read past the end.
std::string Announce(const std::string& query, AnnounceQuery* out) {
  const std::vector<char> bytes(query.begin(), query.end());
  return std::string(ParseAnnounceQuery(string_view(bytes.data(), bytes.size()), out).reason);
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
    RC_CLASSIFY(NaiveParseAnnounce(text).fault.empty(), "good");
    RC_ASSERT(AnnounceQueryFault(text) == "");
  }));
}

TEST(QueryProperties, AnyScrapeIsWhatTheNaiveReaderTakesItFor) {
  EXPECT_TRUE(rc::check([] {
    const auto hashes = *rc::gen::container<std::vector<std::string>>(TwentyBytes());
    std::string text = *rc::gen::element<std::string>("", "x=y&", "?");
    for (const std::string& hash : hashes) text += "info_hash=" + RandomlyEscaped(hash) + "&";
    const bool is_good = *rc::gen::arbitrary<bool>();
    if (!is_good) text += *NearlyAQuery();
    RC_ASSERT(ScrapeQueryFault(text) == "");
    if (is_good) RC_ASSERT(NaiveParseScrape(text).info_hashes == hashes);
  }));
}

}  // namespace
}  // namespace septet::http
