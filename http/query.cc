#include "http/query.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/ascii.h"
#include "http/byte_scan.h"
#include "http/percent.h"

namespace septet::http {
namespace {

using absl::string_view;

enum class Parameter : uint8_t {
  kOther,
  kCompact,
  kEvent,
  kInfoHash,
  kIp,
  kIpv4,
  kIpv6,
  kLeft,
  kNumwant,
  kPeerId,
  kPort,
};

// A comparison with a name of the same size that is known when this is compiled: a few
// words of the machine, no call.
template <size_t kSize>
bool Is(string_view name, const char (&known)[kSize]) {
  return std::memcmp(name.data(), known, kSize - 1) == 0;
}

Parameter LookUp(string_view name) {
  switch (name.size()) {
    case 2:
      return Is(name, "ip") ? Parameter::kIp : Parameter::kOther;
    case 4:
      if (Is(name, "port")) return Parameter::kPort;
      if (Is(name, "left")) return Parameter::kLeft;
      if (Is(name, "ipv4")) return Parameter::kIpv4;
      return Is(name, "ipv6") ? Parameter::kIpv6 : Parameter::kOther;
    case 5:
      return Is(name, "event") ? Parameter::kEvent : Parameter::kOther;
    case 7:
      if (Is(name, "peer_id")) return Parameter::kPeerId;
      if (Is(name, "numwant")) return Parameter::kNumwant;
      return Is(name, "compact") ? Parameter::kCompact : Parameter::kOther;
    case 9:
      return Is(name, "info_hash") ? Parameter::kInfoHash : Parameter::kOther;
    default:
      return Parameter::kOther;
  }
}
constexpr size_t kNameBytesMax = 9;

struct NameAndValue {
  string_view name;
  string_view value;
  bool name_has_escape = false;
};

// The parameter of a name that may be percent-encoded.
Parameter ParameterOf(const NameAndValue& part) {
  if (!part.name_has_escape) return LookUp(part.name);
  uint8_t decoded[kNameBytesMax];
  const Decoded result = PercentDecode(part.name, decoded, sizeof(decoded));
  if (result.is_broken || result.size > sizeof(decoded)) return Parameter::kOther;
  return LookUp(string_view(reinterpret_cast<const char*>(decoded), result.size));
}

// The first '&' or '?', or `end`. Most of a query is values that only need to be passed
// over.
const char* FindSeparator(const char* at, const char* end) {
  return FindFirst(
      at, end, [](Bytes16 bytes) { return bytes.Equal('&') | bytes.Equal('?'); },
      [](char c) { return c == '&' || c == '?'; });
}

NameAndValue Split(string_view part) {
  const string_view name = part.substr(0, part.find('='));
  const string_view value = part.substr(std::min(name.size() + 1, part.size()));
  return {name, value, name.find('%') != string_view::npos};
}

// The bits below the lowest one that is set, or all if none is.
uint32_t BitsBelow(uint32_t mask) { return ~mask & (mask - 1); }

// What most parameters look like: name and '=' among the first 16 bytes, which are then
// looked at once for all that may be in them. False if `rest` does not begin like that.
[[gnu::always_inline]] inline bool TakeShortName(string_view rest, NameAndValue* part,
                                                 const char** part_end) {
  if (rest.size() < Bytes16::kSize) return false;
  const char* const begin = rest.data();
  const Bytes16 bytes(begin);
  const uint32_t separators = bytes.Equal('&') | bytes.Equal('?');
  const uint32_t equals = bytes.Equal('=') & BitsBelow(separators);
  if (equals == 0) return false;
  const char* const name_end = begin + std::countr_zero(equals);
  *part_end = separators != 0 ? begin + std::countr_zero(separators)
                              : FindSeparator(begin + Bytes16::kSize, begin + rest.size());
  part->name = string_view(begin, static_cast<size_t>(name_end - begin));
  part->value = string_view(name_end + 1, static_cast<size_t>(*part_end - name_end) - 1);
  part->name_has_escape = (bytes.Equal('%') & BitsBelow(equals)) != 0;
  return true;
}

// Takes the next parameter off `rest`. A '?' ends one as '&' does.
[[gnu::always_inline]] inline NameAndValue TakeParameter(string_view* rest) {
  const char* const begin = rest->data();
  const char* const end = begin + rest->size();
  const char* part_end;
  NameAndValue part;
  if (!TakeShortName(*rest, &part, &part_end)) {
    part_end = FindSeparator(begin, end);
    part = Split(string_view(begin, static_cast<size_t>(part_end - begin)));
  }
  rest->remove_prefix(static_cast<size_t>(part_end - begin) + (part_end < end ? 1 : 0));
  return part;
}

// The text of a value that is short if it means anything, such as an event.
class ShortText {
 public:
  explicit ShortText(string_view value) : text_(value) {
    if (value.find('%') == string_view::npos) return;
    const Decoded decoded = PercentDecode(value, bytes_, sizeof(bytes_));
    text_ =
        string_view(reinterpret_cast<const char*>(bytes_), std::min(decoded.size, sizeof(bytes_)));
  }
  ShortText(const ShortText&) = delete;
  ShortText& operator=(const ShortText&) = delete;
  string_view text() const { return text_; }

 private:
  uint8_t bytes_[64];
  string_view text_;
};

// A number as nearly all clients write one: digits, and few enough that 64 bits hold them.
bool ParsePlainNumber(string_view value, uint64_t* number) {
  constexpr size_t kDigitsMax = 19;
  if (value.empty() || value.size() > kDigitsMax) return false;
  uint64_t sum = 0;
  for (const char c : value) {
    const auto digit = static_cast<uint8_t>(c - '0');
    if (digit > 9) return false;
    sum = sum * 10 + digit;
  }
  *number = sum;
  return true;
}

// Reads a number of decimal digits, which saturates at `max`. False if it is none.
bool ParseNumber(string_view value, uint64_t max, uint64_t* number) {
  if (ParsePlainNumber(value, number)) {
    *number = std::min(*number, max);
    return true;
  }
  if (value.empty()) return false;
  uint64_t sum = 0;
  while (!value.empty()) {
    // A digit may be escaped as any byte may; there is no bound on how many there are.
    const size_t written_bytes = value.front() == '%' ? 3 : 1;
    uint8_t c = 0;
    PercentDecode(value.substr(0, written_bytes), &c, 1);
    // A broken escape begins with its '%', which is no digit.
    if (!absl::ascii_isdigit(c)) return false;
    const auto digit = static_cast<uint64_t>(c - '0');
    sum = sum > (max - digit) / 10 ? max : sum * 10 + digit;
    value.remove_prefix(written_bytes);
  }
  *number = sum;
  return true;
}

AnnounceEvent EventOf(string_view value) {
  const ShortText text(value);
  if (text.text() == "started") return AnnounceEvent::kStarted;
  if (text.text() == "stopped") return AnnounceEvent::kStopped;
  if (text.text() == "completed") return AnnounceEvent::kCompleted;
  if (text.text() == "paused") return AnnounceEvent::kPaused;
  return AnnounceEvent::kNone;
}

void SetAddressText(string_view value, AnnounceQuery::AddressText* text) {
  const Decoded decoded =
      PercentDecode(value, reinterpret_cast<uint8_t*>(text->bytes.data()), text->bytes.size());
  text->size = decoded.size > text->bytes.size() ? 0 : static_cast<uint8_t>(decoded.size);
}

bool IsHex(string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isxdigit(c); });
}

constexpr QueryError kNoError;

// Decodes an info-hash, whose faults get an explanation each: it is what people who
// write a client get wrong first.
QueryError ParseInfoHash(string_view value, InfoHash* info_hash) {
  if (value.empty()) return {"info_hash: empty; 20 bytes are needed, percent-encoded"};
  if (value.size() == 40 && IsHex(value)) {
    return {
        "info_hash: 40 hexadecimal digits; the 20 bytes themselves are needed, "
        "percent-encoded"};
  }
  const Decoded decoded = PercentDecode(value, info_hash->data(), info_hash->size());
  if (decoded.is_broken) {
    return {"info_hash: a broken percent escape; each % needs two hexadecimal digits behind it"};
  }
  if (decoded.size != info_hash->size()) {
    return {"info_hash: a wrong length; exactly 20 bytes are needed after percent-decoding"};
  }
  return kNoError;
}

QueryError CheckPeerId(string_view value) {
  uint8_t decoded[20];
  const Decoded result = PercentDecode(value, decoded, sizeof(decoded));
  if (result.size == sizeof(decoded)) return kNoError;
  return {"peer_id: a wrong length; exactly 20 bytes are needed after percent-decoding"};
}

QueryError ParsePort(string_view value, uint16_t* port) {
  constexpr uint64_t kPortMax = 65535;
  uint64_t number = 0;
  if (!ParseNumber(value, kPortMax + 1, &number)) {
    return {
        "port: not a number; allowed are 1 to 65535, and 0 for a peer that cannot be "
        "connected to"};
  }
  if (number > kPortMax) return {"port: too large; allowed are 0 to 65535"};
  *port = static_cast<uint16_t>(number);
  return kNoError;
}

// What ParseAnnounceQuery has seen so far.
struct Seen {
  bool info_hash = false;
  bool peer_id = false;
};

QueryError TakeAnnounceParameter(Parameter parameter, string_view value, Seen* seen,
                                 AnnounceQuery* out) {
  uint64_t number = 0;
  switch (parameter) {
    case Parameter::kInfoHash:
      if (seen->info_hash)
        return {"info_hash: given more than once; an announce is of one torrent"};
      seen->info_hash = true;
      return ParseInfoHash(value, &out->info_hash);
    case Parameter::kPeerId:
      seen->peer_id = true;
      return CheckPeerId(value);
    case Parameter::kPort:
      return ParsePort(value, &out->port);
    case Parameter::kLeft:
      out->left = ParseNumber(value, UINT64_MAX, &number) ? number : UINT64_MAX;
      return kNoError;
    case Parameter::kEvent:
      out->event = EventOf(value);
      return kNoError;
    case Parameter::kNumwant:
      out->numwant = ParseNumber(value, INT32_MAX, &number) ? static_cast<int32_t>(number) : -1;
      return kNoError;
    case Parameter::kCompact:
      out->compact = ShortText(value).text() != "0";
      return kNoError;
    case Parameter::kIp:
      SetAddressText(value, &out->ip);
      return kNoError;
    case Parameter::kIpv4:
      SetAddressText(value, &out->ipv4);
      return kNoError;
    case Parameter::kIpv6:
      SetAddressText(value, &out->ipv6);
      return kNoError;
    case Parameter::kOther:
      return kNoError;
  }
  return kNoError;
}

}  // namespace

QueryError ParseAnnounceQuery(string_view query, AnnounceQuery* out) {
  *out = AnnounceQuery{};
  Seen seen;
  while (!query.empty()) {
    const NameAndValue part = TakeParameter(&query);
    const QueryError error = TakeAnnounceParameter(ParameterOf(part), part.value, &seen, out);
    if (!error.reason.empty()) return error;
  }
  if (!seen.info_hash) return {"info_hash: missing; 20 bytes are needed, percent-encoded"};
  if (!seen.peer_id) return {"peer_id: missing; 20 bytes are needed, percent-encoded"};
  out->is_seeder = out->left == 0;
  return kNoError;
}

QueryError ParseScrapeQuery(string_view query, absl::FunctionRef<void(const InfoHash&)> visit,
                            size_t* count) {
  // All are checked before the first is visited.
  *count = 0;
  InfoHash info_hash{};
  for (string_view rest = query; !rest.empty();) {
    const NameAndValue part = TakeParameter(&rest);
    if (ParameterOf(part) != Parameter::kInfoHash) continue;
    const QueryError error = ParseInfoHash(part.value, &info_hash);
    if (!error.reason.empty()) return error;
    ++*count;
  }
  for (string_view rest = query; !rest.empty();) {
    const NameAndValue part = TakeParameter(&rest);
    if (ParameterOf(part) != Parameter::kInfoHash) continue;
    ParseInfoHash(part.value, &info_hash);
    visit(info_hash);
  }
  return kNoError;
}

}  // namespace septet::http
