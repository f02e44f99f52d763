// The contract of the queries of announce and scrape, written the obvious way with
// strings and copies: what the real parser is compared with.

#ifndef SEPTET_PROPTESTS_NAIVE_QUERY_H_
#define SEPTET_PROPTESTS_NAIVE_QUERY_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace septet::http {

struct NaiveText {
  std::string bytes;
  bool is_broken = false;
};

inline NaiveText NaiveDecode(const std::string& text) {
  static const std::string kDigits = "0123456789abcdef0123456789ABCDEF";
  NaiveText out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digit_at = [&](size_t at) {
      return at < text.size() ? kDigits.find(text[at]) : std::string::npos;
    };
    if (text[i] != '%') {
      out.bytes += text[i];
    } else if (digit_at(i + 1) == std::string::npos || digit_at(i + 2) == std::string::npos) {
      out.is_broken = true;
      out.bytes += '%';
    } else {
      out.bytes += static_cast<char>(digit_at(i + 1) % 16 * 16 + digit_at(i + 2) % 16);
      i += 2;
    }
  }
  return out;
}

// Names are decoded, values are as sent. A name that is broken is "".
inline std::vector<std::pair<std::string, std::string>> NaiveParameters(std::string query) {
  std::replace(query.begin(), query.end(), '?', '&');
  std::vector<std::pair<std::string, std::string>> parameters;
  for (size_t begin = 0; begin <= query.size();) {
    const size_t end = std::min(query.find('&', begin), query.size());
    const std::string part = query.substr(begin, end - begin);
    const size_t equals = std::min(part.find('='), part.size());
    const NaiveText name = NaiveDecode(part.substr(0, equals));
    parameters.emplace_back(name.is_broken ? "" : name.bytes,
                            equals == part.size() ? "" : part.substr(equals + 1));
    begin = end + 1;
  }
  return parameters;
}

struct NaiveAnnounce {
  std::string fault;  // the parameter that is wrong; empty: none is
  std::string info_hash;
  std::string event;  // as sent
  std::string ip, ipv4, ipv6;
  uint64_t left = UINT64_MAX;
  int64_t numwant = -1;
  uint64_t port = 0;
  bool compact = true;
};

// False if `text` is no number.
inline bool NaiveNumber(const std::string& text, uint64_t max, uint64_t* number) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return false;
  std::string digits = text.substr(std::min(text.find_first_not_of('0'), text.size()));
  if (digits.empty()) digits = "0";
  const std::string most = std::to_string(max);
  // Decimal numbers of one length compare as text does.
  const bool is_over = digits.size() != most.size() ? digits.size() > most.size() : digits > most;
  *number = is_over ? max : std::stoull(digits);
  return true;
}

inline NaiveAnnounce NaiveParseAnnounce(const std::string& query) {
  NaiveAnnounce out;
  std::map<std::string, int> seen;
  for (const auto& [name, value] : NaiveParameters(query)) {
    const NaiveText decoded = NaiveDecode(value);
    const std::string& text = decoded.bytes;
    uint64_t number = 0;
    ++seen[name];
    bool is_good = true;
    if (name == "info_hash") {
      is_good = seen[name] == 1 && !decoded.is_broken && text.size() == 20;
      out.info_hash = text;
    } else if (name == "peer_id") {
      is_good = text.size() == 20;
    } else if (name == "port") {
      is_good = NaiveNumber(text, 65536, &number) && number < 65536;
      out.port = number;
    } else if (name == "left") {
      out.left = NaiveNumber(text, UINT64_MAX, &number) ? number : UINT64_MAX;
    } else if (name == "numwant") {
      out.numwant = NaiveNumber(text, INT32_MAX, &number) ? static_cast<int64_t>(number) : -1;
    } else if (name == "compact") {
      out.compact = text != "0";
    } else if (name == "event") {
      out.event = text;
    } else if (name == "ip") {
      out.ip = text.size() > 64 ? "" : text;
    } else if (name == "ipv4") {
      out.ipv4 = text.size() > 64 ? "" : text;
    } else if (name == "ipv6") {
      out.ipv6 = text.size() > 64 ? "" : text;
    }
    if (!is_good) {
      out.fault = name;
      return out;
    }
  }
  if (seen["info_hash"] == 0) {
    out.fault = "info_hash";
  } else if (seen["peer_id"] == 0) {
    out.fault = "peer_id";
  }
  return out;
}

struct NaiveScrape {
  bool is_good = true;
  std::vector<std::string> info_hashes;  // in the order given
};

inline NaiveScrape NaiveParseScrape(const std::string& query) {
  NaiveScrape out;
  for (const auto& [name, value] : NaiveParameters(query)) {
    if (name != "info_hash") continue;
    const NaiveText decoded = NaiveDecode(value);
    if (decoded.is_broken || decoded.bytes.size() != 20) return {false, {}};
    out.info_hashes.push_back(decoded.bytes);
  }
  return out;
}

}  // namespace septet::http

#endif  // SEPTET_PROPTESTS_NAIVE_QUERY_H_
