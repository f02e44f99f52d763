#include "http/request_head.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace septet::http {
namespace {

using absl::string_view;

// tchar of RFC 9110: what a method and the name of a field are made of.
constexpr std::array<bool, 256> kIsTokenByte = [] {
  std::array<bool, 256> is{};
  for (int c = '0'; c <= '9'; ++c) is[c] = true;
  for (int c = 'A'; c <= 'Z'; ++c) is[c] = is[c + 32] = true;
  for (const char c :
       {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'}) {
    is[static_cast<uint8_t>(c)] = true;
  }
  return is;
}();

bool IsToken(string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return kIsTokenByte[static_cast<uint8_t>(c)]; });
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

string_view TrimBlanks(string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Takes the next line off `rest`, without its "\n" or "\r\n". There must be one.
string_view TakeLine(string_view* rest) {
  const size_t end = rest->find('\n');
  string_view line = rest->substr(0, end);
  rest->remove_prefix(end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// The end of the head in `bytes`, past the empty line, or npos. Empty lines at `begin`
// must have been skipped. `from`: no line end before it needs to be looked at.
size_t FindHeadEnd(string_view bytes, size_t from) {
  for (size_t at = bytes.find('\n', from); at != string_view::npos; at = bytes.find('\n', at + 1)) {
    if (bytes.substr(at + 1, 1) == "\n") return at + 2;
    if (bytes.substr(at + 1, 2) == "\r\n") return at + 3;
  }
  return string_view::npos;
}

// "http://host/path?query" is reduced to "/path?query" (RFC 9112, 3.2.2).
string_view WithoutAuthority(string_view target) {
  if (!absl::StartsWithIgnoreCase(target, "http://")) return target;
  const size_t path = target.find_first_of("/?", 7);
  return path == string_view::npos ? string_view("/") : target.substr(path);
}

// A target may hold spaces and unescaped bytes, as some clients send them.
bool IsTarget(string_view target) {
  return !target.empty() && target.find('\0') == string_view::npos &&
         target.find('\r') == string_view::npos;
}

bool ParseRequestLine(string_view line, RequestHead* head) {
  const size_t method_end = line.find(' ');
  if (method_end == string_view::npos) return false;
  head->method = line.substr(0, method_end);
  line = TrimBlanks(line.substr(method_end));

  constexpr string_view kVersion = "HTTP/1.";
  const size_t version_begin = line.find_last_of(' ');
  if (version_begin == string_view::npos) return false;
  const string_view version = line.substr(version_begin + 1);
  const bool is_known = version.size() == kVersion.size() + 1 &&
                        absl::StartsWith(version, kVersion) && absl::ascii_isdigit(version.back());
  const string_view target = TrimBlanks(line.substr(0, version_begin));
  if (!IsToken(head->method) || !is_known || !IsTarget(target)) return false;
  head->minor_version = version.back() - '0';

  const string_view origin = WithoutAuthority(target);
  const size_t question = origin.find('?');
  head->has_query = question != string_view::npos;
  head->path = TrimBlanks(origin.substr(0, question));
  head->query = head->has_query ? origin.substr(question + 1) : string_view();
  return true;
}

bool ParseField(string_view line, HeaderField* field) {
  const size_t colon = line.find(':');
  if (colon == string_view::npos) return false;
  field->name = line.substr(0, colon);
  field->value = TrimBlanks(line.substr(colon + 1));
  // A line that continues the one before (obs-fold) has no token before a colon either.
  return IsToken(field->name) && field->value.find('\0') == string_view::npos &&
         field->value.find('\r') == string_view::npos;
}

// Digits only; a value that does not fit in 64 bits is no length that anybody has.
bool ParseLength(string_view text, uint64_t* length) {
  if (text.empty() || text.size() > 18) return false;
  *length = 0;
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) return false;
    *length = *length * 10 + static_cast<uint64_t>(c - '0');
  }
  return true;
}

// Calls `visit` with each token of a comma-separated list.
template <typename Visit>
void ForEachListItem(string_view list, Visit visit) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    visit(TrimBlanks(list.substr(0, comma)));
    list = comma == string_view::npos ? string_view() : list.substr(comma + 1);
  }
}

// What the fields say of the connection and of a body.
class FramingFields {
 public:
  // False if the field is one of them and its value is wrong.
  bool Take(const HeaderField& field) {
    if (absl::EqualsIgnoreCase(field.name, "Connection")) {
      ForEachListItem(field.value, [this](string_view item) {
        close_ |= absl::EqualsIgnoreCase(item, "close");
        keep_alive_ |= absl::EqualsIgnoreCase(item, "keep-alive");
      });
    } else if (absl::EqualsIgnoreCase(field.name, "Content-Length")) {
      return TakeLengths(field.value);
    } else if (absl::EqualsIgnoreCase(field.name, "Transfer-Encoding")) {
      has_transfer_encoding_ = true;
    }
    return true;
  }

  void Store(RequestHead* head) const {
    head->keep_alive = !close_ && (head->minor_version >= 1 || keep_alive_);
    head->content_length = length_;
    head->has_transfer_encoding = has_transfer_encoding_;
  }

 private:
  // The same length may be given more than once; different ones, or an empty one beside
  // them, are an attack on whoever reads the other one (RFC 9112, 6.3).
  bool TakeLengths(string_view list) {
    for (;;) {
      const size_t comma = list.find(',');
      if (!TakeLength(TrimBlanks(list.substr(0, comma)))) return false;
      if (comma == string_view::npos) return true;
      list.remove_prefix(comma + 1);
    }
  }

  bool TakeLength(string_view text) {
    uint64_t length = 0;
    if (!ParseLength(text, &length) || (has_length_ && length != length_)) return false;
    has_length_ = true;
    length_ = length;
    return true;
  }

  bool close_ = false;
  bool keep_alive_ = false;
  bool has_transfer_encoding_ = false;
  bool has_length_ = false;
  uint64_t length_ = 0;
};

// `text` is a whole head, from the request line to the empty line.
HeadStatus ParseWholeHead(string_view text, RequestHead* head) {
  if (!ParseRequestLine(TakeLine(&text), head)) return HeadStatus::kBadRequest;
  FramingFields framing;
  size_t count = 0;
  for (string_view line = TakeLine(&text); !line.empty(); line = TakeLine(&text)) {
    if (count == kHeaderFieldsMax) return HeadStatus::kHeadTooLarge;
    HeaderField& field = head->headers[count++];
    if (!ParseField(line, &field) || !framing.Take(field)) return HeadStatus::kBadRequest;
  }
  head->header_count = count;
  framing.Store(head);
  return HeadStatus::kComplete;
}

// The empty lines that may come before a request line (RFC 9112, 2.2): few, so that
// looking at them again costs nothing.
size_t EmptyLinesBytes(string_view bytes) {
  constexpr int kEmptyLinesMax = 2;
  size_t at = 0;
  for (int i = 0; i < kEmptyLinesMax; ++i) {
    if (bytes.substr(at, 1) == "\n") {
      at += 1;
    } else if (bytes.substr(at, 2) == "\r\n") {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

string_view RequestHead::Find(string_view name) const {
  for (size_t i = 0; i < header_count; ++i) {
    if (absl::EqualsIgnoreCase(headers[i].name, name)) return headers[i].value;
  }
  return {};
}

HeadStatus RequestHeadParser::Parse(string_view bytes, RequestHead* head) {
  const string_view window = bytes.substr(0, kHeadBytesMax);
  const size_t begin = EmptyLinesBytes(window);
  // The line end that was last may turn out to be that of the last line.
  const size_t from = std::max(begin, scanned_ < 2 ? 0 : scanned_ - 2);
  const size_t end = FindHeadEnd(window, from);
  if (end == string_view::npos) {
    if (bytes.size() < kHeadBytesMax) {
      scanned_ = window.size();
      return HeadStatus::kIncomplete;
    }
    Reset();
    return window.find('\n', begin) == string_view::npos ? HeadStatus::kUriTooLong
                                                         : HeadStatus::kHeadTooLarge;
  }
  Reset();
  const HeadStatus status = ParseWholeHead(window.substr(begin, end - begin), head);
  head->head_bytes = end;
  return status;
}

void RequestHeadParser::Reset() { scanned_ = 0; }

}  // namespace septet::http
