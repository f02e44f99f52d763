// How many HTTP connections there may be, in all and from one address.

#ifndef SEPTET_TRACKER_SERVER_CONNECTION_LIMITS_H_
#define SEPTET_TRACKER_SERVER_CONNECTION_LIMITS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "tracker/endpoint.h"

namespace septet::tracker {

// Shared by the workers. Thread-safe. Cost: one lock for each call; the memory is
// bounded by connections_max.
class ConnectionLimits {
 public:
  // per_address_max 0: no limit for an address.
  ConnectionLimits(uint32_t connections_max, uint32_t per_address_max)
      : connections_max_(connections_max), per_address_max_(per_address_max) {}

  enum class Verdict : uint8_t { kAdmitted, kTooMany, kTooManyFromAddress };

  // Counts a connection from `source` unless a limit is reached. Of IPv6 addresses
  // the first 64 bits count: that is what one customer is given at least, so that
  // whole addresses would be no limit.
  Verdict Admit(const Endpoint& source);

  // Once for each admitted connection.
  void Release(const Endpoint& source);

  uint32_t connections() const;

 private:
  static uint64_t Key(const Endpoint& source);

  const uint32_t connections_max_;
  const uint32_t per_address_max_;
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
