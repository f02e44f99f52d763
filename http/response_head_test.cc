#include "http/response_head.h"

#include <array>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace septet::http {
namespace {

std::string Write(const ResponseHead& head) {
  std::array<char, kResponseHeadBytesMax> out;
  const size_t size = WriteResponseHead(head, out.data());
  EXPECT_LE(size, out.size());
  return std::string(out.data(), size);
}

TEST(ResponseHead, SaysLengthAndType) {
  EXPECT_EQ(Write({.content_length = 17}),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 17\r\n\r\n");
}

TEST(ResponseHead, SaysWhetherTheConnectionStaysWhereThatIsNotUsual) {
  EXPECT_NE(Write({.keep_alive = false}).find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(Write({}).find("Connection"), std::string::npos);
  EXPECT_NE(Write({.minor_version = 0}).find("Connection: keep-alive\r\n"), std::string::npos);
}

TEST(ResponseHead, NamesWhatIsAllowedWithEvery405) {
  EXPECT_EQ(Write({.code = StatusCode::kMethodNotAllowed, .content_length = 1}),
            "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nContent-Type: text/plain\r\n"
            "Content-Length: 1\r\n\r\n");
}

TEST(ResponseHead, NoHeadIsLongerThanTheLimit) {
  for (const StatusCode code : {StatusCode::kOk, StatusCode::kBadRequest, StatusCode::kNotFound,
                                StatusCode::kMethodNotAllowed, StatusCode::kContentTooLarge,
                                StatusCode::kUriTooLong, StatusCode::kHeaderFieldsTooLarge,
                                StatusCode::kInternalError, StatusCode::kServiceUnavailable}) {
    const std::string head = Write({.code = code, .content_length = SIZE_MAX, .keep_alive = false});
    EXPECT_NE(head.find(std::string(ReasonPhrase(code))), std::string::npos);
    EXPECT_EQ(head.substr(head.size() - 4), "\r\n\r\n");
  }
}

}  // namespace
}  // namespace septet::http
