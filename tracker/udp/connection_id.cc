#include "tracker/udp/connection_id.h"

#include <algorithm>
#include <cstring>

namespace septet::tracker {
namespace {

// An id holds from the period it was made in to this many periods later. With periods
// of half the validity it lives two to three of them.
constexpr int64_t kPeriodsBack = 2;

// One made where the clock is a little ahead may be of the next period here.
constexpr int64_t kPeriodsAhead = 1;

}  // namespace

ConnectionIds::ConnectionIds(const SipHashKey& key, int64_t validity_ms)
    : key_(key), period_ms_(std::max<int64_t>(1, (validity_ms + 1) / 2)) {}

uint64_t ConnectionIds::At(const Endpoint& source, int64_t period) const {
  // The family is in the length of the message.
  uint8_t message[16 + sizeof(period)];
  const size_t address_bytes = source.address_bytes();
  std::memcpy(message, source.compact.data(), address_bytes);
  for (size_t i = 0; i < sizeof(period); ++i) {
    message[address_bytes + i] = static_cast<uint8_t>(static_cast<uint64_t>(period) >> (8 * i));
  }
  const uint64_t id = SipHash24(key_, {message, address_bytes + sizeof(period)});
  return id == 0 ? 1 : id;
}

uint64_t ConnectionIds::Make(const Endpoint& source, int64_t wall_ms) const {
  return At(source, PeriodAt(wall_ms));
}

bool ConnectionIds::IsValid(uint64_t id, const Endpoint& source, int64_t wall_ms) const {
  const int64_t now = PeriodAt(wall_ms);
  for (int64_t back = 0; back <= kPeriodsBack; ++back) {
    if (At(source, now - back) == id) return true;
  }
  return At(source, now + kPeriodsAhead) == id;
}

}  // namespace septet::tracker
