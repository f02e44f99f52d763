#include "tracker/server/connection_limits.h"

#include <algorithm>
#include <cstring>

namespace septet::tracker {

uint64_t ConnectionLimits::Key(const Endpoint& source) {
  constexpr size_t kPrefixBytes = 8;
  uint64_t key = 0;
  std::memcpy(&key, source.compact.data(), std::min(source.address_bytes(), kPrefixBytes));
  return key;
}

bool ConnectionLimits::Add(const Endpoint& source) {
  if (!IsLimited(source)) return true;
  uint32_t& count = by_address_[static_cast<size_t>(source.family)][Key(source)];
  if (count >= per_address_max_) return false;
  ++count;
  return true;
}

void ConnectionLimits::Remove(const Endpoint& source) {
  if (!IsLimited(source)) return;
  auto& counts = by_address_[static_cast<size_t>(source.family)];
  const auto found = counts.find(Key(source));
  if (--found->second == 0) counts.erase(found);
}

ConnectionLimits::Verdict ConnectionLimits::Admit(const Endpoint& source) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!Add(source)) return Verdict::kTooManyFromAddress;
  if (connections_ >= connections_max_) {
    Remove(source);
    return Verdict::kTooMany;
  }
  ++connections_;
  return Verdict::kAdmitted;
}

bool ConnectionLimits::Reassign(const Endpoint& from, const Endpoint& to) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!Add(to)) return false;
  Remove(from);
  return true;
}

void ConnectionLimits::Release(const Endpoint& source) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --connections_;
  Remove(source);
}

uint32_t ConnectionLimits::connections() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return connections_;
}

}  // namespace septet::tracker
