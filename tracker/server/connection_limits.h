// How many HTTP connections there may be, in all and from one address.

#ifndef SEPTET_TRACKER_SERVER_CONNECTION_LIMITS_H_
#define SEPTET_TRACKER_SERVER_CONNECTION_LIMITS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tracker/endpoint.h"
#include "tracker/networks.h"

namespace septet::tracker {

// Shared by the workers. Thread-safe. Cost: one lock for each call; the memory is
// bounded by connections_max.
class ConnectionLimits {
 public:
  // per_address_max 0: no limit for an address. Addresses in `exempt` have none in any
  // case: behind a proxy are many clients.
  ConnectionLimits(uint32_t connections_max, uint32_t per_address_max, Networks exempt = {})
      : connections_max_(connections_max),
        per_address_max_(per_address_max),
        exempt_(std::move(exempt)) {}

  enum class Verdict : uint8_t { kAdmitted, kTooMany, kTooManyFromAddress };

  // Counts a connection from `source` unless a limit is reached. If both are, it is
  // kTooManyFromAddress: who may have no more must not cost another one its connection.
  // Of IPv6 addresses
  // the first 64 bits count: that is what one customer is given at least, so that
  // whole addresses would be no limit.
  Verdict Admit(const Endpoint& source);

  // Counts a connection that was admitted from `from` as one from `to` from now on. False:
  // a limit is reached there, and it still counts for `from`.
  bool Reassign(const Endpoint& from, const Endpoint& to);

  // Once for each admitted connection.
  void Release(const Endpoint& source);

  uint32_t connections() const;

 private:
  static uint64_t Key(const Endpoint& source);
  // For one address; mutex_ is held.
  bool Add(const Endpoint& source);
  void Remove(const Endpoint& source);
  bool IsLimited(const Endpoint& source) const {
    return per_address_max_ > 0 && !exempt_.Contains(source);
  }

  const uint32_t connections_max_;
  const uint32_t per_address_max_;
  const Networks exempt_;
  // Guards what follows. Not absl::Mutex: thread sanitizers know std::mutex also where
  // Abseil was built without them.
  mutable std::mutex mutex_;
  uint32_t connections_ = 0;
  // Empty without a limit for an address. By family: an IPv4 address may look like an
  // IPv6 prefix.
  std::array<absl::flat_hash_map<uint64_t, uint32_t>, 2> by_address_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_CONNECTION_LIMITS_H_
