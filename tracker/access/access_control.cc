#include "tracker/access/access_control.h"

#include <utility>

namespace septet::tracker {

AccessControl::AccessControl() { Replace(AccessRules{}); }

bool AccessControl::Allows(const InfoHash& info_hash) const {
  // By the last byte: it is spread as evenly as any other, and an attacker who sends hashes
  // of one stripe meets his own requests.
  const Stripe& stripe = stripes_[info_hash.back() % kStripes];
  const std::lock_guard<std::mutex> guard(stripe.mutex);
  return stripe.rules->Allows(info_hash);
}

void AccessControl::Replace(AccessRules rules) {
  const auto shared = std::make_shared<const AccessRules>(std::move(rules));
  for (Stripe& stripe : stripes_) {
    std::shared_ptr<const AccessRules> next = shared;
    const std::lock_guard<std::mutex> guard(stripe.mutex);
    stripe.rules.swap(next);
    // What was there before goes with `next`, after the lock: the guard was made later.
  }
}

}  // namespace septet::tracker
