#include "http/response_head.h"

#include <charconv>
#include <cstring>

namespace septet::http {
namespace {

using absl::string_view;

struct Phrase {
  StatusCode code;
  string_view text;
};
constexpr Phrase kPhrases[] = {
    {StatusCode::kOk, "OK"},
    {StatusCode::kBadRequest, "Bad Request"},
    {StatusCode::kNotFound, "Not Found"},
    {StatusCode::kMethodNotAllowed, "Method Not Allowed"},
    {StatusCode::kContentTooLarge, "Content Too Large"},
    {StatusCode::kUriTooLong, "Request-URI Too Long"},
    {StatusCode::kHeaderFieldsTooLarge, "Request Header Fields Too Large"},
    {StatusCode::kInternalError, "Internal Server Error"},
    {StatusCode::kServiceUnavailable, "Service Unavailable"},
};

class Appender {
 public:
  explicit Appender(char* out) : begin_(out), at_(out) {}
  void Text(string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void Number(size_t number) { at_ = std::to_chars(at_, at_ + 20, number).ptr; }
  size_t size() const { return static_cast<size_t>(at_ - begin_); }

 private:
  char* const begin_;
  char* at_;
};

}  // namespace

string_view ReasonPhrase(StatusCode code) {
  for (const Phrase& phrase : kPhrases) {
    if (phrase.code == code) return phrase.text;
  }
  return "Unknown";
}

size_t WriteResponseHead(const ResponseHead& head, char* out) {
  Appender appender(out);
  if (head.code == StatusCode::kOk) {
    appender.Text("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ");
  } else {
    appender.Text("HTTP/1.1 ");
    appender.Number(static_cast<size_t>(head.code));
    appender.Text(" ");
    appender.Text(ReasonPhrase(head.code));
    if (head.code == StatusCode::kMethodNotAllowed) appender.Text("\r\nAllow: GET, HEAD");
    appender.Text("\r\nContent-Type: text/plain\r\nContent-Length: ");
  }
  appender.Number(head.content_length);
  if (!head.keep_alive) {
    appender.Text("\r\nConnection: close\r\n\r\n");
  } else if (head.minor_version == 0) {
    // An HTTP/1.0 client closes unless it is told that it may stay.
    appender.Text("\r\nConnection: keep-alive\r\n\r\n");
  } else {
    appender.Text("\r\n\r\n");
  }
  return appender.size();
}

}  // namespace septet::http
