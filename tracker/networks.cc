#include "tracker/networks.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "http/ip_address.h"
#include "tracker/endpoint_text.h"
#include "tracker/ip_endpoint.h"

namespace septet::tracker {
namespace {

constexpr absl::string_view kAllowed =
    "allowed: none, or a list of addresses and networks such as "
    "127.0.0.1,10.0.0.0/8,2001:db8::/32";

// Of the text of an IPv4-mapped IPv6 address.
constexpr uint32_t kMappedBits = 96;

absl::Status Wrong(absl::string_view part, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("'", part, "': ", what, "; ", kAllowed));
}

absl::optional<uint32_t> ParseBits(absl::string_view text) {
  const absl::optional<uint16_t> number = http::ParsePort(text);
  if (!number.has_value() || text.size() > 3) return absl::nullopt;
  return *number;
}

// The address with the bits behind the first `bits` all 0 or all 1.
template <typename Address>
Address WithTail(Address address, size_t address_bytes, uint32_t bits, bool ones) {
  for (uint32_t i = 0; i < address_bytes; ++i) {
    const uint32_t kept = std::clamp<uint32_t>(bits, 8 * i, 8 * i + 8) - 8 * i;
    const auto tail = static_cast<uint8_t>(0xff >> kept);
    address[i] = static_cast<uint8_t>(ones ? address[i] | tail : address[i] & ~tail);
  }
  return address;
}

std::string AddressText(const Endpoint& endpoint) {
  char text[kAddressTextBytesMax];
  return std::string(text, WriteAddressText(endpoint, text));
}

struct Network {
  Endpoint endpoint;
  uint32_t bits = 0;
};

absl::StatusOr<Network> ParseNetwork(absl::string_view part) {
  const size_t slash = part.find('/');
  const absl::string_view address_text = part.substr(0, slash);
  const absl::optional<http::IpAddress> address = http::ParseIpAddress(address_text);
  if (!address.has_value()) return Wrong(part, "the address is wrong");

  Network network;
  network.endpoint = MakeEndpoint(*address, 0);
  const auto address_bits = static_cast<uint32_t>(8 * network.endpoint.address_bytes());
  network.bits = address_bits;
  if (slash == absl::string_view::npos) return network;

  const bool is_mapped = !address->is_ipv6 && address_text.find(':') != absl::string_view::npos;
  const uint32_t hidden_bits = is_mapped ? kMappedBits : 0;
  const absl::optional<uint32_t> bits = ParseBits(part.substr(slash + 1));
  if (!bits.has_value() || *bits < hidden_bits || *bits > hidden_bits + address_bits) {
    return Wrong(part, absl::StrCat("the bits of the network are wrong, ", hidden_bits, " to ",
                                    hidden_bits + address_bits, " here"));
  }
  network.bits = *bits - hidden_bits;
  return network;
}

// A network whose address goes on behind it could be meant in two ways.
absl::Status CheckHostBits(absl::string_view part, const Network& network) {
  Endpoint first = network.endpoint;
  first.compact = WithTail(first.compact, first.address_bytes(), network.bits, false);
  if (first == network.endpoint) return absl::OkStatus();
  return Wrong(
      part, absl::StrCat("the address has bits set behind the network: write ", AddressText(first),
                         "/", network.bits, " or ", AddressText(network.endpoint)));
}

}  // namespace

absl::StatusOr<Networks> Networks::Parse(absl::string_view text) {
  Networks networks;
  text = absl::StripAsciiWhitespace(text);
  if (text.empty() || text == "none") return networks;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) return Wrong(part, "an entry is empty");
    const absl::StatusOr<Network> network = ParseNetwork(part);
    if (!network.ok()) return network.status();
    const absl::Status status = CheckHostBits(part, *network);
    if (!status.ok()) return status;

    const Endpoint& endpoint = network->endpoint;
    Range range;
    std::copy_n(endpoint.compact.begin(), endpoint.address_bytes(), range.first.begin());
    range.last = WithTail(range.first, endpoint.address_bytes(), network->bits, true);
    networks.Add(endpoint.family, range);
  }
  networks.SortAndMerge();
  return networks;
}

void Networks::Add(Family family, const Range& range) {
  ranges_[static_cast<size_t>(family)].push_back(range);
}

// Two networks are apart, or one holds the other.
void Networks::SortAndMerge() {
  for (std::vector<Range>& ranges : ranges_) {
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
      return a.first != b.first ? a.first < b.first : a.last > b.last;
    });
    const auto is_inside = [](const Range& outer, const Range& inner) {
      return inner.last <= outer.last;
    };
    ranges.erase(std::unique(ranges.begin(), ranges.end(), is_inside), ranges.end());
  }
}

bool Networks::Find(const Endpoint& endpoint) const {
  const std::vector<Range>& ranges = ranges_[static_cast<size_t>(endpoint.family)];
  Address address{};
  std::copy_n(endpoint.compact.begin(), endpoint.address_bytes(), address.begin());
  const auto behind =
      std::upper_bound(ranges.begin(), ranges.end(), address,
                       [](const Address& a, const Range& range) { return a < range.first; });
  return behind != ranges.begin() && address <= std::prev(behind)->last;
}

}  // namespace septet::tracker
