#include "http/forwarded.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/types/optional.h"

namespace septet::http {
namespace {

using absl::string_view;

// An address in brackets with a port, and some. What is longer is none.
constexpr size_t kNodeBytesMax = 64;

string_view NameOf(ForwardedField field) {
  return field == ForwardedField::kXForwardedFor ? "X-Forwarded-For" : "Forwarded";
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

string_view TrimBlanks(string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Whether the byte at `at` is taken literally, as an odd number of backslashes before
// it says.
bool IsEscaped(string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && text[begin - 1] == '\\') --begin;
  return (at - begin) % 2 == 1;
}

// The last comma that is not inside a quoted string, or npos. Quotes are paired from the
// right: one that is left open by whoever wrote the left part opens nothing here.
size_t FindLastComma(string_view text) {
  bool is_quoted = false;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == '"' && !IsEscaped(text, i)) is_quoted = !is_quoted;
    if (text[i] == ',' && !is_quoted) return i;
  }
  return string_view::npos;
}

// A value with its escapes resolved.
class Node {
 public:
  bool Append(char c) {
    if (size_ == bytes_.size()) return false;
    bytes_[size_++] = c;
    return true;
  }
  string_view text() const { return string_view(bytes_.data(), size_); }

 private:
  std::array<char, kNodeBytesMax> bytes_;
  size_t size_ = 0;
};

// Takes a quoted string off `rest`, which begins with its quote. False: it does not end,
// or is longer than a node.
bool TakeQuoted(string_view* rest, Node* node) {
  bool fits = true;
  for (size_t i = 1; i < rest->size(); ++i) {
    char c = (*rest)[i];
    if (c == '"') {
      rest->remove_prefix(i + 1);
      return fits;
    }
    if (c == '\\') {
      if (++i == rest->size()) return false;
      c = (*rest)[i];
    }
    fits = fits && node->Append(c);
  }
  return false;
}

// Takes a value without quotes off `rest`.
bool TakePlain(string_view* rest, Node* node) {
  const string_view value = rest->substr(0, rest->find_first_of("; \t"));
  rest->remove_prefix(value.size());
  return value.find('"') == string_view::npos &&
         std::all_of(value.begin(), value.end(), [node](char c) { return node->Append(c); });
}

// The value of "for" in an element such as `for=192.0.2.1;proto=http`. None: it is not
// there, is there twice, or the element is broken up to where that can be told.
absl::optional<Node> FindFor(string_view element) {
  absl::optional<Node> found;
  while (true) {
    element = TrimBlanks(element);
    if (element.empty()) return found;
    if (element.front() == ';') {
      element.remove_prefix(1);
      continue;
    }
    const size_t equals = element.find_first_of("=;\" \t");
    if (equals == string_view::npos || element[equals] != '=') return absl::nullopt;
    const bool is_for = absl::EqualsIgnoreCase(element.substr(0, equals), "for");
    element.remove_prefix(equals + 1);
    Node node;
    const bool is_quoted = !element.empty() && element.front() == '"';
    const bool fits = is_quoted ? TakeQuoted(&element, &node) : TakePlain(&element, &node);
    if (is_for && (!fits || found.has_value())) return absl::nullopt;
    if (is_for) found = node;
    element = TrimBlanks(element);
    if (!element.empty() && element.front() != ';') return absl::nullopt;
  }
}

// A port may be obfuscated too: "192.0.2.1:_gazonk" (RFC 7239, 6.2).
string_view WithoutObfuscatedPort(string_view node) {
  const size_t colon = node.rfind(":_");
  if (colon == string_view::npos) return node;
  const string_view host = node.substr(0, colon);
  const string_view port = node.substr(colon + 2);
  const bool is_port = !port.empty() && std::all_of(port.begin(), port.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  });
  const bool is_host = absl::EndsWith(host, "]") || host.find(':') == string_view::npos;
  return is_port && is_host ? host : node;
}

absl::optional<IpAddress> AddressOf(string_view node) {
  const absl::optional<IpAddressAndPort> parsed =
      ParseIpAddressAndPort(WithoutObfuscatedPort(node));
  if (!parsed.has_value()) return absl::nullopt;
  return parsed->address;
}

absl::optional<IpAddress> ParseElement(ForwardedField field, string_view element) {
  if (field == ForwardedField::kXForwardedFor) return AddressOf(element);
  const absl::optional<Node> node = FindFor(element);
  return node.has_value() ? AddressOf(node->text()) : absl::nullopt;
}

}  // namespace

ForwardedHops::ForwardedHops(const RequestHead& head, ForwardedField field)
    : head_(head), field_(field), lines_left_(head.header_count) {}

// The next element that is not empty; empty: there are no more.
string_view ForwardedHops::NextElement() {
  while (true) {
    while (line_.empty()) {
      if (lines_left_ == 0) return {};
      const HeaderField& line = head_.headers[--lines_left_];
      if (absl::EqualsIgnoreCase(line.name, NameOf(field_))) line_ = line.value;
    }
    const size_t comma =
        field_ == ForwardedField::kForwarded ? FindLastComma(line_) : line_.rfind(',');
    const bool is_first = comma == string_view::npos;
    const string_view element = TrimBlanks(is_first ? line_ : line_.substr(comma + 1));
    line_ = is_first ? string_view() : line_.substr(0, comma);
    if (!element.empty()) return element;
  }
}

ForwardedHop ForwardedHops::Next(IpAddress* address) {
  const string_view element = NextElement();
  if (element.empty()) return ForwardedHop::kEnd;
  const absl::optional<IpAddress> parsed = ParseElement(field_, element);
  if (!parsed.has_value()) return ForwardedHop::kUnknown;
  *address = *parsed;
  return ForwardedHop::kAddress;
}

}  // namespace septet::http
