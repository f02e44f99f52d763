#include "http/request_head.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "http/byte_scan.h"

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

// Where the token that begins at `at` ends, at `end` at the latest.
const char* TokenEnd(const char* at, const char* end) {
  while (at < end && kIsTokenByte[static_cast<uint8_t>(*at)]) ++at;
  return at;
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

string_view TrimBlanks(string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The end of the head in `bytes`, past the empty line, or npos. Empty lines at `begin`
// must have been skipped. `from`: no line end before it needs to be looked at.
size_t FindHeadEnd(string_view bytes, size_t from) {
  const char* const end = bytes.data() + bytes.size();
  const auto find = [end](const char* at) {
    return FindFirst(
        at, end, [](Bytes16 step) { return step.Equal('\n'); }, [](char c) { return c == '\n'; });
  };
  for (const char* at = find(bytes.data() + from); at < end; at = find(at + 1)) {
    const auto past = static_cast<size_t>(at + 1 - bytes.data());
    if (past < bytes.size() && at[1] == '\n') return past + 1;
    if (past + 1 < bytes.size() && at[1] == '\r' && at[2] == '\n') return past + 2;
  }
  return string_view::npos;
}

struct Line {
  string_view text;  // without its "\n" or "\r\n"
  // It holds neither NUL nor a "\r" elsewhere than before its "\n": nobody sends them who
  // means well, since some who read them take them for an end.
  bool is_clean = true;
};

// Takes the next line off `rest`. There must be one.
Line TakeLine(string_view* rest) {
  const char* const begin = rest->data();
  const char* const end = begin + rest->size();
  const char* at = begin;
  Line line;
  for (;; ++at) {
    at = FindFirst(
        at, end, [](Bytes16 bytes) { return bytes.AtMost('\r'); },
        [](char c) { return static_cast<uint8_t>(c) <= '\r'; });
    if (*at == '\n') break;
    if (*at == '\r' && at[1] == '\n') break;
    line.is_clean &= *at != '\r' && *at != '\0';
  }
  line.text = string_view(begin, static_cast<size_t>(at - begin));
  rest->remove_prefix(line.text.size() + (*at == '\r' ? 2 : 1));
  return line;
}

// "http://host/path?query" is reduced to "/path?query" (RFC 9112, 3.2.2).
string_view WithoutAuthority(string_view target) {
  if (target.front() == '/' || !absl::StartsWithIgnoreCase(target, "http://")) return target;
  const size_t path = target.find_first_of("/?", 7);
  return path == string_view::npos ? string_view("/") : target.substr(path);
}

// Takes "HTTP/1.d" and the space before it off the end of `line`.
bool TakeVersion(string_view* line, int* minor_version) {
  constexpr string_view kVersion = " HTTP/1.";
  if (line->size() <= kVersion.size()) return false;
  const string_view version = line->substr(line->size() - kVersion.size() - 1);
  if (!absl::StartsWith(version, kVersion) || !absl::ascii_isdigit(version.back())) return false;
  *minor_version = version.back() - '0';
  line->remove_suffix(version.size());
  return true;
}

// A target may hold spaces and unescaped bytes, as some clients send them.
bool ParseRequestLine(string_view line, RequestHead* head) {
  const char* const begin = line.data();
  const auto method_size = static_cast<size_t>(TokenEnd(begin, begin + line.size()) - begin);
  if (method_size == 0 || method_size == line.size() || line[method_size] != ' ') return false;
  head->method = line.substr(0, method_size);
  string_view target = TrimBlanks(line.substr(method_size));
  if (!TakeVersion(&target, &head->minor_version)) return false;
  target = TrimBlanks(target);
  if (target.empty()) return false;

  const string_view origin = WithoutAuthority(target);
  const size_t question = origin.find('?');
  head->has_query = question != string_view::npos;
  head->path = TrimBlanks(origin.substr(0, question));
  head->query = head->has_query ? origin.substr(question + 1) : string_view();
  return true;
}

bool ParseField(string_view line, HeaderField* field) {
  const char* const begin = line.data();
  const auto name_size = static_cast<size_t>(TokenEnd(begin, begin + line.size()) - begin);
  // A line that continues the one before (obs-fold) has no token before a colon either.
  if (name_size == 0 || name_size == line.size() || line[name_size] != ':') return false;
  field->name = line.substr(0, name_size);
  field->value = TrimBlanks(line.substr(name_size + 1));
  return true;
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
    // Most fields are none of the three, which their length tells.
    switch (field.name.size()) {
      case kConnection.size():
        if (absl::EqualsIgnoreCase(field.name, kConnection)) TakeOptions(field.value);
        return true;
      case kContentLength.size():
        return !absl::EqualsIgnoreCase(field.name, kContentLength) || TakeLengths(field.value);
      case kTransferEncoding.size():
        has_transfer_encoding_ |= absl::EqualsIgnoreCase(field.name, kTransferEncoding);
        return true;
      default:
        return true;
    }
  }

  void Store(RequestHead* head) const {
    head->keep_alive = !close_ && (head->minor_version >= 1 || keep_alive_);
    head->content_length = length_;
    head->has_transfer_encoding = has_transfer_encoding_;
  }

 private:
  static constexpr string_view kConnection = "Connection";
  static constexpr string_view kContentLength = "Content-Length";
  static constexpr string_view kTransferEncoding = "Transfer-Encoding";

  void TakeOptions(string_view list) {
    ForEachListItem(list, [this](string_view item) {
      close_ |= absl::EqualsIgnoreCase(item, "close");
      keep_alive_ |= absl::EqualsIgnoreCase(item, "keep-alive");
    });
  }

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
  const Line request_line = TakeLine(&text);
  if (!request_line.is_clean || !ParseRequestLine(request_line.text, head)) {
    return HeadStatus::kBadRequest;
  }
  FramingFields framing;
  size_t count = 0;
  for (Line line = TakeLine(&text); !line.text.empty(); line = TakeLine(&text)) {
    if (count == kHeaderFieldsMax) return HeadStatus::kHeadTooLarge;
    HeaderField& field = head->headers[count++];
    if (!line.is_clean || !ParseField(line.text, &field) || !framing.Take(field)) {
      return HeadStatus::kBadRequest;
    }
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
  const size_t from = std::max<size_t>(begin, scanned_ < 2 ? 0 : scanned_ - 2);
  const size_t end = FindHeadEnd(window, from);
  if (end == string_view::npos) {
    if (bytes.size() < kHeadBytesMax) {
      scanned_ = static_cast<uint32_t>(window.size());
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
