// Virtual time: what is to happen, in the order in which it does.

#ifndef SEPTET_PROPTESTS_SIMULATOR_EVENT_QUEUE_H_
#define SEPTET_PROPTESTS_SIMULATOR_EVENT_QUEUE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace septet::simulator {

// Time passes only here, from one event to the next. Events of one moment happen in the order in
// which they were added, so that a run depends on nothing but what it was made from.
class EventQueue {
 public:
  int64_t now_ms() const { return now_ms_; }

  // `delay_ms` below 0 counts as 0.
  void After(int64_t delay_ms, std::function<void()> happen) {
    events_.emplace(std::make_pair(now_ms_ + std::max<int64_t>(delay_ms, 0), added_++),
                    std::move(happen));
  }

  // The next event until `end_ms`. False: there is none, and it is `end_ms` now.
  bool RunNext(int64_t end_ms) {
    const auto next = events_.begin();
    if (next == events_.end() || next->first.first > end_ms) {
      now_ms_ = end_ms;
      return false;
    }
    now_ms_ = next->first.first;
    const std::function<void()> happen = std::move(next->second);
    events_.erase(next);
    happen();
    return true;
  }

 private:
  int64_t now_ms_ = 0;
  uint64_t added_ = 0;
  std::map<std::pair<int64_t, uint64_t>, std::function<void()>> events_;
};

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_EVENT_QUEUE_H_
