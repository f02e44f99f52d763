#include "bench/load/http_response.h"

#include <string>

#include "gtest/gtest.h"

namespace septet::bench {
namespace {

using State = HttpResponse::State;

constexpr absl::string_view kResponse =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nd1:ae";

TEST(HttpResponse, IsReadWhole) {
  const HttpResponse response = ParseHttpResponse(kResponse);
  EXPECT_EQ(response.state, State::kComplete);
  EXPECT_EQ(response.body, "d1:ae");
  EXPECT_EQ(response.bytes, kResponse.size());
}

TEST(HttpResponse, IsIncompleteUntilItsLastByte) {
  for (size_t size = 0; size < kResponse.size(); ++size) {
    EXPECT_EQ(ParseHttpResponse(kResponse.substr(0, size)).state, State::kIncomplete) << size;
  }
}

TEST(HttpResponse, WhatFollowsIsLeft) {
  const std::string two = std::string(kResponse) + "HTTP/1.1";
  const HttpResponse response = ParseHttpResponse(two);
  EXPECT_EQ(response.state, State::kComplete);
  EXPECT_EQ(response.bytes, kResponse.size());
}

TEST(HttpResponse, NamesOfFieldsHaveNoCase) {
  EXPECT_EQ(ParseHttpResponse("HTTP/1.0 200\r\ncontent-LENGTH:0\r\n\r\n").state, State::kComplete);
}

TEST(HttpResponse, WhatIsBrokenIsNamed) {
  EXPECT_EQ(ParseHttpResponse("SSH-2.0\r\n\r\n").fault, "no HTTP response");
  EXPECT_EQ(ParseHttpResponse("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n").fault,
            "a status other than 200");
  EXPECT_EQ(ParseHttpResponse("HTTP/1.1 2000\r\nContent-Length: 0\r\n\r\n").fault,
            "a status other than 200");
  EXPECT_EQ(ParseHttpResponse("HTTP/1.1 200 OK\r\nX: 1\r\n\r\n").fault, "no Content-Length");
  EXPECT_EQ(ParseHttpResponse("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n").fault,
            "no Content-Length");
  EXPECT_EQ(ParseHttpResponse("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n").fault,
            "a body over 1 MiB");
  EXPECT_EQ(ParseHttpResponse(std::string(17000, 'x')).fault, "a response head over 16 KiB");
}

}  // namespace
}  // namespace septet::bench
