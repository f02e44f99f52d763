#include "bench/load/http_response.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace septet::bench {
namespace {

constexpr absl::string_view kLineEnd = "\r\n";
constexpr size_t kHeadBytesMax = 16 * 1024;
constexpr uint64_t kBodyBytesMax = 1 << 20;
constexpr absl::string_view kContentLength = "content-length:";

HttpResponse Broken(absl::string_view fault) {
  return {HttpResponse::State::kBroken, fault, {}, 0};
}

// "HTTP/1.x 200", then a blank or the end of the line.
bool IsOk(absl::string_view head) {
  return head.size() > 12 && absl::StartsWith(head, "HTTP/1.") && head.substr(8, 4) == " 200" &&
         (head[12] == ' ' || head[12] == '\r');
}

// False: the head has none, or one that is no number.
bool FindContentLength(absl::string_view head, uint64_t* length) {
  for (size_t at = head.find(kLineEnd); at != absl::string_view::npos;
       at = head.find(kLineEnd, at)) {
    at += kLineEnd.size();
    const absl::string_view line = head.substr(at, head.find(kLineEnd, at) - at);
    if (!absl::StartsWithIgnoreCase(line, kContentLength)) continue;
    return absl::SimpleAtoi(absl::StripAsciiWhitespace(line.substr(kContentLength.size())), length);
  }
  return false;
}

}  // namespace

HttpResponse ParseHttpResponse(absl::string_view bytes) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == absl::string_view::npos) {
    return bytes.size() > kHeadBytesMax ? Broken("a response head over 16 KiB") : HttpResponse{};
  }
  const absl::string_view head = bytes.substr(0, end + kLineEnd.size());
  if (!absl::StartsWith(head, "HTTP/1.")) return Broken("no HTTP response");
  if (!IsOk(head)) return Broken("a status other than 200");
  uint64_t length = 0;
  if (!FindContentLength(head, &length)) return Broken("no Content-Length");
  if (length > kBodyBytesMax) return Broken("a body over 1 MiB");
  const size_t body = end + 2 * kLineEnd.size();
  if (bytes.size() - body < length) return {};
  return {HttpResponse::State::kComplete, {}, bytes.substr(body, length), body + length};
}

}  // namespace septet::bench
