// Bytes as lines of X-Forwarded-For and Forwarded. Reading them ends, joined lines mean
// what separate ones do, nothing on the left changes what is read on the right, and the
// client is an address that an unbroken chain of trusted proxies vouches for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "http/forwarded.h"
#include "http/ip_address.h"
#include "http/request_head.h"
#include "tracker/endpoint.h"
#include "tracker/http/client_address.h"
#include "tracker/ip_endpoint.h"
#include "tracker/networks.h"

namespace septet::tracker {
namespace {

using absl::string_view;
using http::ForwardedField;
using http::ForwardedHop;
using http::IpAddress;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Hop {
  ForwardedHop kind;
  IpAddress address;
  friend bool operator==(const Hop&, const Hop&) = default;
};

// A head without a parser, so that every byte reaches the fields.
std::unique_ptr<http::RequestHead> HeadOf(string_view name, const std::vector<string_view>& lines) {
  auto head = std::make_unique<http::RequestHead>();
  for (const string_view line : lines) {
    if (head->header_count == head->headers.size()) break;
    head->headers[head->header_count++] = {name, line};
  }
  return head;
}

std::vector<Hop> HopsOf(const http::RequestHead& head, ForwardedField field) {
  http::ForwardedHops hops(head, field);
  std::vector<Hop> found;
  while (true) {
    Hop hop = {ForwardedHop::kEnd, {}};
    hop.kind = hops.Next(&hop.address);
    if (hop.kind == ForwardedHop::kEnd) return found;
    found.push_back(hop);
  }
}

// What two proxies add behind it is read whatever it holds.
void CheckRight(string_view name, ForwardedField field, string_view left) {
  const string_view added = field == ForwardedField::kForwarded
                                ? ", for=192.0.2.1;host=\"a\\\",b\",For=\"[2001:db8::1]:_x\""
                                : ", 192.0.2.1, [2001:db8::1]:80";
  const std::string line = absl::StrCat(left, added);
  const std::vector<Hop> hops = HopsOf(*HeadOf(name, {line}), field);
  Require(hops.size() >= 2);
  Require(hops[0].kind == ForwardedHop::kAddress && hops[1].kind == ForwardedHop::kAddress);
  Require(hops[0].address == *http::ParseIpAddress("2001:db8::1"));
  Require(hops[1].address == *http::ParseIpAddress("192.0.2.1"));
}

void CheckClient(const http::RequestHead& head, const std::vector<Hop>& hops) {
  static const Networks& trusted =
      *new Networks(*Networks::Parse("10.0.0.0/8,192.0.2.0/24,2001:db8::/32,fc00::/7"));
  const Endpoint proxy = MakeEndpoint(*http::ParseIpAddress("10.0.0.1"), 1);
  const Endpoint other = MakeEndpoint(*http::ParseIpAddress("198.51.100.1"), 1);
  Require(ClientOf(other, head, trusted) == other);
  Require(ClientOf(proxy, head, Networks()) == proxy);

  // A hop has port 0, so that this is the proxy only if no hop was believed.
  const Endpoint client = ClientOf(proxy, head, trusted);
  if (client == proxy) return Require(hops.empty() || hops[0].kind == ForwardedHop::kUnknown);
  for (size_t i = 0;; ++i) {
    Require(i < hops.size() && hops[i].kind == ForwardedHop::kAddress);
    const Endpoint at = MakeEndpoint(hops[i].address, 0);
    const bool is_last = i + 1 == hops.size() || hops[i + 1].kind == ForwardedHop::kUnknown;
    if (is_last || !trusted.Contains(at)) return Require(at == client);
  }
}

void Check(ForwardedField field, string_view name, const std::vector<string_view>& lines) {
  const auto head = HeadOf(name, lines);
  const std::vector<Hop> hops = HopsOf(*head, field);
  CheckClient(*head, hops);
  const std::vector<string_view> kept(lines.begin(),
                                      lines.begin() + static_cast<ptrdiff_t>(head->header_count));
  const std::string joined = absl::StrJoin(kept, ",");
  CheckRight(name, field, joined);
  // A quote that is left open ends with its line.
  const bool has_quotes = field == ForwardedField::kForwarded && absl::StrContains(joined, '"');
  if (!has_quotes) Require(HopsOf(*HeadOf(name, {joined}), field) == hops);
  Require(hops.size() <= joined.size());
}

}  // namespace
}  // namespace septet::tracker

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace septet::tracker;
  if (size > septet::http::kHeadBytesMax) return 0;
  const string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<string_view> lines = absl::StrSplit(bytes, '\n');
  Check(ForwardedField::kXForwardedFor, "x-forwarded-for", lines);
  Check(ForwardedField::kForwarded, "FORWARDED", lines);
  return 0;
}
