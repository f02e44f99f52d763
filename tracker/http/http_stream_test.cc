#include "tracker/http/http_stream.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/endpoint.h"
#include "tracker/http/http_handler.h"
#include "tracker/random.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Next = HttpStream::Next;

constexpr absl::string_view kScrape =
    "GET /scrape?info_hash=aaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr absl::string_view kScrapeAndClose =
    "GET /scrape?info_hash=aaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\nConnection: close\r\n\r\n";
constexpr absl::string_view kNotFound = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

// What a connection got, and how it ended.
struct Outcome {
  std::string out;
  Next next = Next::kRead;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

size_t CountResponses(absl::string_view out) {
  size_t count = 0;
  for (size_t at = out.find("HTTP/1.1 "); at != absl::string_view::npos;
       at = out.find("HTTP/1.1 ", at + 1)) {
    ++count;
  }
  return count;
}

class HttpStreamTest : public ::testing::Test {
 protected:
  HttpStreamTest() {
    context_.handler = &handler_;
    context_.random = &random_;
    context_.now_ms = 1'000'000;
  }

  // A connection on which the bytes come in pieces of these sizes, the last one again
  // and again. `out_bytes` is the room for responses at each call.
  Outcome Run(absl::string_view in, const std::vector<size_t>& pieces,
              size_t out_bytes = kHttpResponseBytesMax) {
    HttpStream stream;
    Outcome outcome;
    std::string pending;
    std::vector<char> out(out_bytes);
    for (size_t i = 0; !in.empty(); ++i) {
      const size_t size = std::min(in.size(), pieces[std::min(i, pieces.size() - 1)]);
      pending.append(in.data(), size);
      in.remove_prefix(size);
      do {
        // An allocation of exactly its size, so that a sanitizer sees a read past it.
        const std::vector<char> exact(pending.begin(), pending.end());
        const HttpStream::Step step =
            stream.Serve(context_, Endpoint(), absl::string_view(exact.data(), exact.size()),
                         absl::MakeSpan(out));
        EXPECT_LE(step.consumed, pending.size());
        EXPECT_LE(step.written, out.size());
        outcome.out.append(out.data(), step.written);
        pending.erase(0, step.consumed);
        outcome.next = step.next;
        EXPECT_LE(pending.size(), step.next == Next::kRead ? HttpStream::kInputBytesMax : SIZE_MAX);
      } while (outcome.next == Next::kWrite);
      if (outcome.next != Next::kRead) return outcome;
    }
    return outcome;
  }

  SwarmStore store_{StoreOptions()};
  Service service_{ServiceOptions(), &store_};
  HttpHandler handler_{&service_};
  Random random_{1};
  HttpStreamContext context_;
};

TEST_F(HttpStreamTest, AKeptConnectionWaitsForMore) {
  const Outcome outcome = Run(kScrape, {1000});
  EXPECT_THAT(outcome.out, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(outcome.next, Next::kRead);
}

TEST_F(HttpStreamTest, AnAskedCloseCloses) {
  const Outcome outcome = Run(kScrapeAndClose, {1000});
  EXPECT_THAT(outcome.out, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(outcome.next, Next::kClose);
}

TEST_F(HttpStreamTest, Version10Closes) {
  EXPECT_EQ(Run("GET /announce HTTP/1.0\r\n\r\n", {1000}).next, Next::kClose);
  const Outcome kept = Run("GET /announce HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", {1000});
  EXPECT_THAT(absl::AsciiStrToLower(kept.out), HasSubstr("connection: keep-alive\r\n"));
  EXPECT_EQ(kept.next, Next::kRead);
}

TEST_F(HttpStreamTest, PipelinedRequestsAreAnsweredInOrder) {
  const std::string in = absl::StrCat(kScrape, kNotFound, kScrape, kScrapeAndClose);
  const Outcome outcome = Run(in, {10'000}, 2 * kHttpResponseBytesMax);
  EXPECT_EQ(CountResponses(outcome.out), 4u);
  EXPECT_LT(outcome.out.find("200 OK"), outcome.out.find("404 Not Found"));
  EXPECT_EQ(outcome.next, Next::kClose);
}

TEST_F(HttpStreamTest, RepliesAreTheSameHoweverTheRequestsAreCut) {
  const std::string in = absl::StrCat(kScrape, "\r\n", kNotFound,
                                      "GET /scrape HTTP/1.1\nHost: y\n\n", kScrapeAndClose);
  const Outcome whole = Run(in, {in.size()}, 4 * kHttpResponseBytesMax);
  ASSERT_EQ(CountResponses(whole.out), 4u);
  for (size_t first = 1; first < in.size(); ++first) {
    ASSERT_EQ(Run(in, {first, in.size()}), whole) << first;
  }
  for (size_t size = 1; size < 50; ++size) ASSERT_EQ(Run(in, {size}), whole) << size;
}

TEST_F(HttpStreamTest, AFullOutputIsNoLoss) {
  std::string in;
  for (int i = 0; i < 100; ++i) absl::StrAppend(&in, kScrape);
  const Outcome outcome = Run(in, {in.size()});
  EXPECT_EQ(CountResponses(outcome.out), 100u);
  EXPECT_EQ(outcome.next, Next::kRead);
}

TEST_F(HttpStreamTest, LongResponsesWaitForRoom) {
  std::string scrape = "GET /scrape?x";
  for (int i = 0; i < 500; ++i) {
    absl::StrAppend(&scrape, "&info_hash=", 100 + i, std::string(17, 'b'));
  }
  absl::StrAppend(&scrape, " HTTP/1.1\r\n\r\n");
  const std::string in = absl::StrCat(scrape, scrape, scrape);
  const Outcome outcome = Run(in, {in.size()});
  EXPECT_EQ(CountResponses(outcome.out), 3u);
  EXPECT_EQ(outcome, Run(in, {in.size()}, 4 * kHttpResponseBytesMax));
}

TEST_F(HttpStreamTest, NothingIsServedAfterAClose) {
  const Outcome outcome = Run(absl::StrCat(kScrapeAndClose, kScrape), {1000});
  EXPECT_EQ(CountResponses(outcome.out), 1u);
  // The client is still sending.
  EXPECT_EQ(outcome.next, Next::kLinger);
}

TEST_F(HttpStreamTest, ARequestWithABodyIsTheLastOne) {
  for (const absl::string_view field : {"Content-Length: 5", "Transfer-Encoding: chunked"}) {
    const Outcome outcome =
        Run(absl::StrCat("GET /scrape HTTP/1.1\r\n", field, "\r\n\r\nhello", kScrape), {1000});
    EXPECT_EQ(CountResponses(outcome.out), 1u) << field;
    EXPECT_THAT(outcome.out, HasSubstr("Connection: close\r\n")) << field;
    EXPECT_EQ(outcome.next, Next::kLinger) << field;
  }
  EXPECT_EQ(Run("GET /scrape HTTP/1.1\r\nContent-Length: 0\r\n\r\n", {1000}).next, Next::kRead);
}

TEST_F(HttpStreamTest, BadRequestsAreRefusedAndTheConnectionEnds) {
  std::string fields;
  for (int i = 0; i < 101; ++i) absl::StrAppend(&fields, "A: b\r\n");
  const struct {
    std::string in;
    absl::string_view status;
  } kCases[] = {
      {"nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
      {absl::StrCat("GET /", std::string(17'000, 'a'), " HTTP/1.1\r\n\r\n"), "HTTP/1.1 414 "},
      {absl::StrCat("GET / HTTP/1.1\r\nA: ", std::string(17'000, 'a'), "\r\n\r\n"),
       "HTTP/1.1 431 "},
      {absl::StrCat("GET / HTTP/1.1\r\n", fields, "\r\n"), "HTTP/1.1 431 "},
      // Without an end.
      {std::string(20'000, 'a'), "HTTP/1.1 414 "},
      {absl::StrCat("GET / HTTP/1.1\r\n", std::string(20'000, 'a')), "HTTP/1.1 431 "},
  };
  for (const auto& test : kCases) {
    for (const size_t piece : {size_t{100'000}, size_t{1000}}) {
      const Outcome outcome = Run(absl::StrCat(test.in, kScrape), {piece});
      EXPECT_THAT(outcome.out, StartsWith(test.status));
      EXPECT_THAT(outcome.out, HasSubstr("Connection: close\r\n"));
      EXPECT_EQ(CountResponses(outcome.out), 1u);
      EXPECT_EQ(outcome.next, Next::kLinger);
    }
  }
  EXPECT_THAT(Run("nonsense\r\n\r\n", {100}).out, HasSubstr("\r\n\r\nBad Request"));
  EXPECT_THAT(Run(std::string(20'000, 'a'), {20'000}).out,
              HasSubstr("\r\n\r\nRequest-URI Too Long"));
}

TEST_F(HttpStreamTest, AStoppingServerClosesAfterTheResponse) {
  context_.stopping = true;
  const Outcome outcome = Run(kScrape, {1000});
  EXPECT_THAT(outcome.out, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(outcome.next, Next::kClose);
}

}  // namespace
}  // namespace septet::tracker
