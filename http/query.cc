#include "http/query.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/ascii.h"
#include "http/percent.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

struct ParameterName {
  string_view name;
  Parameter parameter;
};
constexpr ParameterName kParameterNames[] = {
    {"info_hash", Parameter::kInfoHash}, {"peer_id", Parameter::kPeerId},
    {"port", Parameter::kPort},          {"left", Parameter::kLeft},
    {"event", Parameter::kEvent},        {"numwant", Parameter::kNumwant},
    {"compact", Parameter::kCompact},    {"ip", Parameter::kIp},
    {"ipv4", Parameter::kIpv4},          {"ipv6", Parameter::kIpv6},
};

Parameter LookUp(string_view name) {
  for (const ParameterName& row : kParameterNames) {
    if (name == row.name) return row.parameter;
  }
  return Parameter::kOther;
}

// The parameter of a name that may be percent-encoded.
Parameter ParameterOf(string_view name) {
  const Parameter as_it_stands = LookUp(name);
  if (as_it_stands != Parameter::kOther || name.find('%') == string_view::npos) {
    return as_it_stands;
  }
  uint8_t decoded[16];
  const Decoded result = PercentDecode(name, decoded, sizeof(decoded));
  if (result.is_broken || result.size > sizeof(decoded)) return Parameter::kOther;
  return LookUp(string_view(reinterpret_cast<const char*>(decoded), result.size));
}

struct NameAndValue {
  string_view name;
  string_view value;
};

// The first '&' or '?', or `end`. Most of a query is values that only need to be passed
// over.
const char* FindSeparator(const char* at, const char* end) {
#if defined(__SSE2__)
  const __m128i ampersand = _mm_set1_epi8('&');
  const __m128i question_mark = _mm_set1_epi8('?');
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto found = static_cast<uint32_t>(_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, ampersand), _mm_cmpeq_epi8(bytes, question_mark))));
    if (found != 0) return at + std::countr_zero(found);
  }
#endif
  while (at < end && *at != '&' && *at != '?') ++at;
  return at;
}

// Takes the next parameter off `rest`. A '?' ends one as '&' does.
NameAndValue TakeParameter(string_view* rest) {
  const char* const begin = rest->data();
  const char* const end = begin + rest->size();
  const char* const part_end = FindSeparator(begin, end);
  rest->remove_prefix(static_cast<size_t>(part_end - begin) + (part_end < end ? 1 : 0));
  const char* const name_end = std::find(begin, part_end, '=');
  const char* const value = name_end == part_end ? part_end : name_end + 1;
  return {string_view(begin, static_cast<size_t>(name_end - begin)),
          string_view(value, static_cast<size_t>(part_end - value))};
}

// The text of a value that is short if it means anything, such as an event.
class ShortText {
 public:
  explicit ShortText(string_view value) {
    const Decoded decoded = PercentDecode(value, bytes_, sizeof(bytes_));
    size_ = std::min(decoded.size, sizeof(bytes_));
  }
  string_view text() const { return string_view(reinterpret_cast<const char*>(bytes_), size_); }

 private:
  uint8_t bytes_[64];
  size_t size_ = 0;
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
    const QueryError error = TakeAnnounceParameter(ParameterOf(part.name), part.value, &seen, out);
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
    if (ParameterOf(part.name) != Parameter::kInfoHash) continue;
    const QueryError error = ParseInfoHash(part.value, &info_hash);
    if (!error.reason.empty()) return error;
    ++*count;
  }
  for (string_view rest = query; !rest.empty();) {
    const NameAndValue part = TakeParameter(&rest);
    if (ParameterOf(part.name) != Parameter::kInfoHash) continue;
    ParseInfoHash(part.value, &info_hash);
    visit(info_hash);
  }
  return kNoError;
}

}  // namespace septet::http
