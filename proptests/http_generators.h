// Random HTTP heads and tracker queries, with what they mean beside what they look like.

#ifndef SEPTET_PROPTESTS_HTTP_GENERATORS_H_
#define SEPTET_PROPTESTS_HTTP_GENERATORS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rapidcheck.h"

namespace septet::http {

// Text of up to `bytes_max` bytes out of `alphabet`.
inline rc::Gen<std::string> TextOf(const std::string& alphabet, size_t bytes_min,
                                   size_t bytes_max) {
  return rc::gen::exec([=] {
    const auto size = *rc::gen::inRange<size_t>(bytes_min, bytes_max + 1);
    return *rc::gen::container<std::string>(size, rc::gen::elementOf(alphabet));
  });
}

// A head that is good, and what a parser has to find in it.
struct HeadCase {
  std::string text;
  std::string method;
  std::string path;
  std::string query;
  bool has_query = false;
  int minor_version = 1;
  std::vector<std::pair<std::string, std::string>> fields;
};

inline std::string LineEnd() { return *rc::gen::element<std::string>("\r\n", "\n"); }

inline rc::Gen<HeadCase> GoodHead() {
  return rc::gen::exec([] {
    static const std::string kToken = "abcXYZ019!#$%&'*+-.^_`|~";
    static const std::string kPath = "/abc.;%41+,";
    // Spaces may stand within, '?' again, and bytes that are no ASCII.
    static const std::string kQuery = "ab=&?%20+,/;<>: !\x01\x7f\x80\xff";
    static const std::string kValue = "ab c\t,;:=\"\x80\xff";
    HeadCase head;
    head.method = *TextOf(kToken, 1, 8);
    head.path = "/" + *TextOf(kPath, 0, 12);
    head.has_query = *rc::gen::arbitrary<bool>();
    // What ends in a space would lose it to the version.
    if (head.has_query) head.query = *TextOf(kQuery, 0, 60) + "z";
    head.minor_version = *rc::gen::inRange(0, 10);
    for (int i = *rc::gen::element(0, 0, 1, 2); i > 0; --i) head.text += LineEnd();
    head.text += head.method + " " + head.path + (head.has_query ? "?" : "") + head.query +
                 " HTTP/1." + std::to_string(head.minor_version) + LineEnd();
    const auto fields = *rc::gen::element<size_t>(0, 1, 2, 5, 20, 100);
    for (size_t i = 0; i < fields; ++i) {
      // The prefix keeps it apart from names that mean something.
      const std::string name = "x" + *TextOf(kToken, 0, 6);
      const std::string value =
          *rc::gen::arbitrary<bool>() ? "v" + *TextOf(kValue, 0, 12) + "w" : "";
      const auto blank = [] { return *rc::gen::element<std::string>("", " ", "\t", " \t "); };
      head.text += name + ":" + blank() + value + blank() + LineEnd();
      head.fields.emplace_back(name, value);
    }
    head.text += LineEnd();
    return head;
  });
}

// Bytes that look like a head or nearly so: pieces of heads in any order.
inline rc::Gen<std::string> NearlyAHead() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "GET ", "GET /announce?a=b HTTP/1.1\r\n", "HEAD http://h", "/", "?", " ", " HTTP/1.0",
          "\r\n", "\n", "\r", ":", "Host: x\r\n", "Connection: close", "Content-Length: 1",
          "Content-Length:", ",", "Transfer-Encoding: chunked\n", std::string(1, '\0'), "\x80",
          "\n\n", "\r\n\r\n", std::string(5000, 'a'))),
      [](const std::vector<std::string>& pieces) {
        std::string text;
        for (const std::string& piece : pieces) text += piece;
        return text;
      });
}

// --- Queries -------------------------------------------------------------------------

struct AnnounceCase {
  std::string query;
  std::string info_hash;
  std::string event;
  uint16_t port = 0;
  uint64_t left = 0;
  int32_t numwant = 0;
  bool compact = true;
};

// Each byte is itself, where it may be, or an escape in digits of either case.
inline std::string RandomlyEscaped(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    const int form = *rc::gen::inRange(0, 3);
    if (form == 0 && c != '%' && c != '&' && c != '?' && c != '=') {
      out += c;
    } else {
      const std::string digits = form == 1 ? "0123456789abcdef" : "0123456789ABCDEF";
      out += {'%', digits[byte / 16], digits[byte % 16]};
    }
  }
  return out;
}

inline rc::Gen<std::string> TwentyBytes() {
  return rc::gen::container<std::string>(20, rc::gen::arbitrary<char>());
}

inline rc::Gen<AnnounceCase> GoodAnnounce() {
  return rc::gen::exec([] {
    AnnounceCase announce;
    announce.info_hash = *TwentyBytes();
    announce.event = *rc::gen::element<std::string>("", "none", "started", "stopped", "completed",
                                                    "paused", "unknown");
    announce.port = *rc::gen::arbitrary<uint16_t>();
    announce.left = *rc::gen::oneOf(rc::gen::just<uint64_t>(0), rc::gen::just<uint64_t>(UINT64_MAX),
                                    rc::gen::arbitrary<uint64_t>());
    announce.numwant =
        *rc::gen::oneOf(rc::gen::inRange<int32_t>(0, 300), rc::gen::just<int32_t>(INT32_MAX));
    announce.compact = *rc::gen::arbitrary<bool>();
    std::vector<std::pair<std::string, std::string>> parameters = {
        {"info_hash", announce.info_hash},
        {"peer_id", *TwentyBytes()},
        {"port", std::to_string(announce.port)},
        {"left", std::to_string(announce.left)},
        {"event", announce.event},
        {"numwant", std::to_string(announce.numwant)},
        {"compact", announce.compact ? "1" : "0"},
    };
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
      // No name that means something begins with an x.
      parameters.emplace_back("x" + *rc::gen::string<std::string>(),
                              *rc::gen::string<std::string>());
    }
    // A Fisher-Yates shuffle.
    for (size_t i = parameters.size(); i > 1; --i) {
      std::swap(parameters[i - 1], parameters[*rc::gen::inRange<size_t>(0, i)]);
    }
    for (const auto& [name, value] : parameters) {
      const bool plain = *rc::gen::arbitrary<bool>() && name[0] != 'x';
      announce.query += (plain ? name : RandomlyEscaped(name)) + "=" + RandomlyEscaped(value) +
                        *rc::gen::element<std::string>("&", "?", "&&", "&=&");
    }
    return announce;
  });
}

struct ScrapeCase {
  std::string query;
  std::vector<std::string> info_hashes;  // in their order
};

// Of up to `torrents_max` torrents, some twice, and with parameters that mean nothing between.
inline rc::Gen<ScrapeCase> GoodScrape(size_t torrents_max = 70) {
  return rc::gen::exec([=] {
    ScrapeCase scrape;
    for (size_t i = *rc::gen::inRange<size_t>(1, torrents_max + 1); i > 0; --i) {
      const bool again = !scrape.info_hashes.empty() && *rc::gen::inRange(0, 8) == 7;
      scrape.info_hashes.push_back(again ? scrape.info_hashes.front() : *TwentyBytes());
      if (*rc::gen::inRange(0, 8) == 7) scrape.query += "xyz=1&";
      scrape.query += "info_hash=" + RandomlyEscaped(scrape.info_hashes.back()) + "&";
    }
    return scrape;
  });
}

// The query of a good announce or scrape in which a few bytes were changed, removed or doubled.
inline rc::Gen<std::string> MutatedQuery() {
  return rc::gen::exec([] {
    std::string query =
        *rc::gen::arbitrary<bool>() ? (*GoodAnnounce()).query : (*GoodScrape()).query;
    for (int i = *rc::gen::inRange(1, 4); i > 0 && !query.empty(); --i) {
      const auto at = *rc::gen::inRange<size_t>(0, query.size());
      switch (*rc::gen::inRange(0, 3)) {
        case 0:
          query[at] = *rc::gen::elementOf(std::string("%&=?0f-+\x80"));
          break;
        case 1:
          query.erase(at, 1);
          break;
        default:
          query.insert(at, query.substr(at, 12));
      }
    }
    return query;
  });
}

// Bytes that look like a query or nearly so: pieces of queries in any order.
inline rc::Gen<std::string> NearlyAQuery() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "info_hash=aaaaaaaaaaaaaaaaaaaa&", "peer_id=bbbbbbbbbbbbbbbbbbbb&",
          "info_hash=", "info%5fhash=", "peer_id=", "port=", "left=", "event=", "numwant=",
          "compact=", "ip=", "ipv4=", "ipv6=", "&", "?", "=", "%", "%3", "%30", "%zz", "+", "-",
          "0", "1", "65535", "65536", "18446744073709551615", "2147483647", "2147483648", "started",
          "stopped", "completed", "paused", "aaaaaaaaaaaaaaaaaaaa", std::string(1, '\0'), "\xff",
          "0123456789abcdef0123456789abcdef01234567", std::string(64, 'y'))),
      [](const std::vector<std::string>& pieces) {
        std::string text;
        for (const std::string& piece : pieces) text += piece;
        return text;
      });
}

}  // namespace septet::http

#endif  // SEPTET_PROPTESTS_HTTP_GENERATORS_H_
