// When a snapshot was made, told so that a later start can say how long ago that was.

#ifndef SEPTET_TRACKER_SNAPSHOT_SNAPSHOT_TIME_H_
#define SEPTET_TRACKER_SNAPSHOT_SNAPSHOT_TIME_H_

#include <array>
#include <cstdint>

namespace septet::tracker {

struct SnapshotTime {
  int64_t wall_ms = 0;  // since 1970, by a clock that may be set: CLOCK_REALTIME
  int64_t boot_ms = 0;  // since the machine started: CLOCK_BOOTTIME
  // Which start that was: another one after each. All zero: not known.
  std::array<uint8_t, 16> boot_id{};

  friend bool operator==(const SnapshotTime&, const SnapshotTime&) = default;
};

// Milliseconds from `before` to `now`, at least 0.
//
// Within one run of the machine the time since its start counts, which nobody sets. Across runs
// there is only the wall clock, and at least the time that the machine runs now has passed: so a
// clock that went back makes peers look younger by the time that it hides, and that once; their
// ages go on growing. A clock that went forward makes them look older, and they have to announce
// again.
int64_t ElapsedMs(const SnapshotTime& before, const SnapshotTime& now);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SNAPSHOT_SNAPSHOT_TIME_H_
