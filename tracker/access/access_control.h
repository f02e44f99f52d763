// Which torrents are served.

#ifndef SEPTET_TRACKER_ACCESS_ACCESS_CONTROL_H_
#define SEPTET_TRACKER_ACCESS_ACCESS_CONTROL_H_

#include <array>
#include <memory>
#include <mutex>

#include "tracker/access/info_hash_set.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// A torrent is served if it is not denied, and is allowed where there is a list of allowed
// ones. So both kinds may be given, and the one that denies wins. A set that is null holds
// nothing.
struct AccessRules {
  using Set = std::shared_ptr<const InfoHashSet>;

  bool allows_all = true;  // whatever `allow_list` and `folder` hold
  Set allow_list;
  Set folder;  // allowed too
  Set deny_list;

  bool Allows(const InfoHash& info_hash) const {
    const auto holds = [&](const Set& set) { return set != nullptr && set->Contains(info_hash); };
    return (allows_all || holds(allow_list) || holds(folder)) && !holds(deny_list);
  }
};

// The rules in force. Thread-safe: they may be replaced while others ask, and each answer
// follows the old rules or the new ones. For a moment, torrents of different stripes may
// follow different ones.
//
// The rules are behind one lock of many, by info-hash: two threads that ask seldom meet, and
// whoever replaces the rules holds each lock for the exchange of a pointer only.
class AccessControl {
 public:
  // Allows everything.
  AccessControl();

  bool Allows(const InfoHash& info_hash) const;

  void Replace(AccessRules rules);

 private:
  static constexpr size_t kStripes = 64;
  struct alignas(64) Stripe {
    mutable std::mutex mutex;
    std::shared_ptr<const AccessRules> rules;
  };

  std::array<Stripe, kStripes> stripes_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ACCESS_ACCESS_CONTROL_H_
