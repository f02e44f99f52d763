#include "tracker/snapshot/snapshot_time.h"

#include <algorithm>

namespace septet::tracker {

int64_t ElapsedMs(const SnapshotTime& before, const SnapshotTime& now) {
  const bool is_known = before.boot_id != std::array<uint8_t, 16>{};
  if (is_known && before.boot_id == now.boot_id && now.boot_ms >= before.boot_ms) {
    return now.boot_ms - before.boot_ms;
  }
  const int64_t by_wall_ms = now.wall_ms - before.wall_ms;
  const bool is_later_start =
      is_known && now.boot_id != std::array<uint8_t, 16>{} && before.boot_id != now.boot_id;
  return std::max({int64_t{0}, by_wall_ms, is_later_start ? now.boot_ms : 0});
}

}  // namespace septet::tracker
