// Connection ids of the UDP protocol (BEP 15), without state.
//
// A client proves by an id that it receives at its address. The id is a keyed hash of
// the address and of a coarse time, so nothing is stored for it, and whoever has the key
// can check it: the same tracker after a restart, or another machine.

#ifndef SEPTET_TRACKER_UDP_CONNECTION_ID_H_
#define SEPTET_TRACKER_UDP_CONNECTION_ID_H_

#include <cstdint>

#include "tracker/endpoint.h"
#include "tracker/siphash.h"

namespace septet::tracker {

// Thread-safe: immutable.
class ConnectionIds {
 public:
  // An id is accepted for at least `validity_ms` after it was made, and for less than
  // one and a half times as long. If it is checked by another clock, or the clock was
  // set, by how much it differs comes off or on; a clock that is behind by up to half
  // the validity accepts it at once. validity_ms: 1 s to 1 day; BEP 15 asks for 2 minutes.
  ConnectionIds(const SipHashKey& key, int64_t validity_ms);

  // `wall_ms`: wall-clock time since 1970, which machines and restarts share. The port
  // of `source` does not count: address translators change it between packets. Never 0.
  uint64_t Make(const Endpoint& source, int64_t wall_ms) const;
  bool IsValid(uint64_t id, const Endpoint& source, int64_t wall_ms) const;

 private:
  uint64_t At(const Endpoint& source, int64_t period) const;
  int64_t PeriodAt(int64_t wall_ms) const { return wall_ms / period_ms_; }

  const SipHashKey key_;
  const int64_t period_ms_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_UDP_CONNECTION_ID_H_
