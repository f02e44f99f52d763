// A list of networks, such as those from which an operator believes more than from others.

#ifndef SEPTET_TRACKER_NETWORKS_H_
#define SEPTET_TRACKER_NETWORKS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tracker/endpoint.h"

namespace septet::tracker {

// A value; reading it is thread-safe. 32 bytes for each network.
class Networks {
 public:
  // Holds no address.
  Networks() = default;

  // Parses a comma-separated list of ADDR or ADDR/BITS, such as
  // "127.0.0.0/8, 192.0.2.1, 2001:db8::/32"; blanks around the parts are skipped. Empty
  // and "none" are the empty list. IPv4-mapped IPv6 (::ffff:10.0.0.0/104) is IPv4.
  //
  // An address with bits set behind its network (10.0.0.1/8) is an error, not masked: it
  // may mean the network or the one address, and to believe too many is the worse of the
  // two mistakes. Errors (InvalidArgument) name the part and what is allowed.
  static absl::StatusOr<Networks> Parse(absl::string_view text);

  bool empty() const { return ranges_[0].empty() && ranges_[1].empty(); }

  // Whether the address of `endpoint` is in one of the networks. Networks of IPv6, ::/0
  // too, hold no IPv4 address. Cost: logarithmic in the number of networks.
  bool Contains(const Endpoint& endpoint) const { return !empty() && Find(endpoint); }

 private:
  // An address in network order; of IPv4 the rest is zero.
  using Address = std::array<uint8_t, 16>;
  struct Range {
    Address first{};
    Address last{};
  };

  bool Find(const Endpoint& endpoint) const;
  void Add(Family family, const Range& range);
  void SortAndMerge();

  // By family; sorted and disjoint.
  std::array<std::vector<Range>, 2> ranges_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_NETWORKS_H_
