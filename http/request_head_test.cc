#include "http/request_head.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace septet::http {
namespace {

using absl::string_view;

HeadStatus Parse(string_view bytes, RequestHead* head) {
  RequestHeadParser parser;
  return parser.Parse(bytes, head);
}

HeadStatus StatusOf(string_view bytes) {
  RequestHead head;
  return Parse(bytes, &head);
}

TEST(RequestHead, ReadsWhatAClientSends) {
  const string_view request =
      "GET /announce?info_hash=%aa&left=0 HTTP/1.1\r\n"
      "Host: tracker.example:6969\r\n"
      "User-Agent:  libtorrent/2.0.8 \t\r\n"
      "Accept-Encoding: gzip\r\n"
      "\r\n";
  const std::string bytes = absl::StrCat(request, "GET /next");
  RequestHead head;
  ASSERT_EQ(Parse(bytes, &head), HeadStatus::kComplete);
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.path, "/announce");
  EXPECT_TRUE(head.has_query);
  EXPECT_EQ(head.query, "info_hash=%aa&left=0");
  EXPECT_EQ(head.minor_version, 1);
  EXPECT_TRUE(head.keep_alive);
  EXPECT_EQ(head.head_bytes, request.size());
  EXPECT_EQ(head.header_count, 3u);
  EXPECT_EQ(head.Find("user-agent"), "libtorrent/2.0.8");
  EXPECT_EQ(head.Find("HOST"), "tracker.example:6969");
  EXPECT_EQ(head.Find("missing"), "");
}

struct Target {
  const char* line;
  const char* path;
  const char* query;
};

TEST(RequestHead, AcceptsTheTargetsOfTheField) {
  constexpr Target kTargets[] = {
      {"GET /announce HTTP/1.1", "/announce", ""},
      {"GET /announce? HTTP/1.1", "/announce", ""},
      {"GET /announce ?info_hash=x HTTP/1.1", "/announce", "info_hash=x"},
      {"GET  /announce?a=1  HTTP/1.0", "/announce", "a=1"},
      {"GET /announce?x=1?info_hash=y HTTP/1.1", "/announce", "x=1?info_hash=y"},
      {"GET /announce?peer_id=a b c HTTP/1.1", "/announce", "peer_id=a b c"},
      {"GET /announce?peer_id=-XX+,/;<>:!\xff\x80\x01 HTTP/1.1", "/announce",
       "peer_id=-XX+,/;<>:!\xff\x80\x01"},
      {"GET http://host:6969/announce?a=1 HTTP/1.1", "/announce", "a=1"},
      {"GET HTTP://host?a=1 HTTP/1.1", "", "a=1"},
      {"GET http://host HTTP/1.1", "/", ""},
      {"HEAD //announce HTTP/1.1", "//announce", ""},
      {"OPTIONS * HTTP/1.1", "*", ""},
  };
  for (const Target& target : kTargets) {
    const std::string bytes = absl::StrCat(target.line, "\r\n\r\n");
    RequestHead head;
    ASSERT_EQ(Parse(bytes, &head), HeadStatus::kComplete) << target.line;
    EXPECT_EQ(head.path, target.path) << target.line;
    EXPECT_EQ(head.query, target.query) << target.line;
  }
}

TEST(RequestHead, AcceptsBareLineFeedsAndEmptyLinesBefore) {
  RequestHead head;
  ASSERT_EQ(Parse("\r\n\nGET /scrape HTTP/1.1\nHost: x\r\nA: b\n\n", &head), HeadStatus::kComplete);
  EXPECT_EQ(head.path, "/scrape");
  EXPECT_EQ(head.header_count, 2u);
  EXPECT_EQ(head.Find("a"), "b");
  EXPECT_EQ(head.head_bytes, 3 + 21 + 9 + 5 + 1u);
}

struct KeepAlive {
  const char* version;
  const char* fields;
  bool keep_alive;
};

TEST(RequestHead, StaysOpenByVersionAndConnectionField) {
  constexpr KeepAlive kRows[] = {
      {"HTTP/1.1", "", true},
      {"HTTP/1.0", "", false},
      {"HTTP/1.1", "Connection: close\r\n", false},
      {"HTTP/1.1", "connection: Keep-Alive, CLOSE\r\n", false},
      {"HTTP/1.0", "Connection: keep-alive\r\n", true},
      {"HTTP/1.0", "Connection: foo , Keep-Alive\r\n", true},
      {"HTTP/1.1", "Connection: upgrade\r\n", true},
      {"HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n", false},
      {"HTTP/1.1", "X-Connection: close\r\n", true},
      {"HTTP/1.1", "Connection: closed\r\n", true},
  };
  for (const KeepAlive& row : kRows) {
    RequestHead head;
    ASSERT_EQ(Parse(absl::StrCat("GET / ", row.version, "\r\n", row.fields, "\r\n"), &head),
              HeadStatus::kComplete);
    EXPECT_EQ(head.keep_alive, row.keep_alive) << row.version << " " << row.fields;
  }
}

TEST(RequestHead, KnowsOfABody) {
  RequestHead head;
  ASSERT_EQ(Parse("POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\n", &head), HeadStatus::kComplete);
  EXPECT_EQ(head.content_length, 12u);
  ASSERT_EQ(Parse("POST / HTTP/1.1\r\nContent-Length: 7, 7\r\ncontent-length: 7\r\n\r\n", &head),
            HeadStatus::kComplete);
  EXPECT_EQ(head.content_length, 7u);
  ASSERT_EQ(Parse("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", &head),
            HeadStatus::kComplete);
  EXPECT_TRUE(head.has_transfer_encoding);
  // Nothing of it is left for the next request.
  ASSERT_EQ(Parse("GET / HTTP/1.1\r\n\r\n", &head), HeadStatus::kComplete);
  EXPECT_FALSE(head.has_transfer_encoding);
  EXPECT_EQ(head.content_length, 0u);
}

TEST(RequestHead, RefusesWhatIsNoHttp) {
  const std::string nul("GET /a\0b HTTP/1.1\r\n\r\n", 22);
  const std::string nul_value("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", 26);
  const string_view kBad[] = {
      "GET\r\n\r\n",
      "GET /announce\r\n\r\n",  // HTTP/0.9
      "GET /announce HTTP/2.0\r\n\r\n",
      "GET /announce HTTP/0.9\r\n\r\n",
      "GET /announce HTTP/1\r\n\r\n",
      "GET /announce HTTP/1.\r\n\r\n",
      "GET /announce HTTP/1.x\r\n\r\n",
      "GET /announce HTTP/1.10\r\n\r\n",
      "GET /announce http/1.1\r\n\r\n",
      "GET HTTP/1.1\r\n\r\n",
      " /announce HTTP/1.1\r\n\r\n",
      "G(T /announce HTTP/1.1\r\n\r\n",
      "\x16\x03\x01\x02\n\n",  // TLS
      "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\n: no name\r\n\r\n",
      "GET / HTTP/1.1\r\nName : value\r\n\r\n",
      "GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\n A: b\r\n\r\n",
      "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: \r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: 1,\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: ,1\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length:\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "\n\n\n\n",
      nul,
      nul_value,
  };
  for (const string_view bytes : kBad) {
    EXPECT_EQ(StatusOf(bytes), HeadStatus::kBadRequest) << bytes;
  }
}

TEST(RequestHead, EveryCutIsIncompleteAndThenGoesOn) {
  const std::string request = "\r\nGET /announce?a=b HTTP/1.1\r\nHost: x\n\r\n";
  for (size_t step = 1; step <= request.size(); ++step) {
    RequestHeadParser parser;
    RequestHead head;
    for (size_t size = step; size < request.size(); size += step) {
      // Other memory each time.
      const std::string part = request.substr(0, size);
      ASSERT_EQ(parser.Parse(part, &head), HeadStatus::kIncomplete) << size;
    }
    ASSERT_EQ(parser.Parse(request, &head), HeadStatus::kComplete) << step;
    EXPECT_EQ(head.query, "a=b");
    EXPECT_EQ(head.head_bytes, request.size());
  }
}

TEST(RequestHead, IsReadyForTheNextRequestAfterAnyResult) {
  RequestHeadParser parser;
  RequestHead head;
  ASSERT_EQ(parser.Parse("GET /a HTTP/1.1\r\n", &head), HeadStatus::kIncomplete);
  ASSERT_EQ(parser.Parse("GET /a HTTP/1.1\r\n\r\n", &head), HeadStatus::kComplete);
  ASSERT_EQ(parser.Parse("x\n\n", &head), HeadStatus::kBadRequest);
  ASSERT_EQ(parser.Parse("GET /b HTTP/1.1\r\n\r\n", &head), HeadStatus::kComplete);
  EXPECT_EQ(head.path, "/b");
}

TEST(RequestHead, LimitsBytes) {
  const std::string line_end = " HTTP/1.1\r\n";
  const auto request = [&](size_t target, size_t value) {
    return absl::StrCat("GET /", std::string(target, 'a'), line_end, "A: ", std::string(value, 'b'),
                        "\r\n\r\n");
  };
  const size_t overhead = request(0, 0).size();
  EXPECT_EQ(StatusOf(request(kHeadBytesMax - overhead, 0)), HeadStatus::kComplete);
  EXPECT_EQ(StatusOf(request(0, kHeadBytesMax - overhead)), HeadStatus::kComplete);
  EXPECT_EQ(StatusOf(request(0, kHeadBytesMax - overhead + 1)), HeadStatus::kHeadTooLarge);
  EXPECT_EQ(StatusOf(request(kHeadBytesMax, 0)), HeadStatus::kUriTooLong);
  EXPECT_EQ(StatusOf(std::string(kHeadBytesMax - 1, 'a')), HeadStatus::kIncomplete);
  EXPECT_EQ(StatusOf(std::string(kHeadBytesMax, 'a')), HeadStatus::kUriTooLong);
  // Empty lines before it count.
  EXPECT_EQ(StatusOf("\r\n" + request(0, kHeadBytesMax - overhead - 2)), HeadStatus::kComplete);
  EXPECT_EQ(StatusOf("\r\n" + request(0, kHeadBytesMax - overhead - 1)), HeadStatus::kHeadTooLarge);
}

TEST(RequestHead, LimitsFields) {
  std::string request = "GET / HTTP/1.1\r\n";
  for (size_t i = 0; i < kHeaderFieldsMax; ++i) absl::StrAppend(&request, "A: b\r\n");
  EXPECT_EQ(StatusOf(request + "\r\n"), HeadStatus::kComplete);
  EXPECT_EQ(StatusOf(request + "A: b\r\n\r\n"), HeadStatus::kHeadTooLarge);
}

}  // namespace
}  // namespace septet::http
