// How the clients of the field speak to a tracker, as far as a tracker can tell them apart.

#ifndef SEPTET_PROPTESTS_SIMULATOR_HABITS_H_
#define SEPTET_PROPTESTS_SIMULATOR_HABITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace septet::simulator {

struct Habits {
  absl::string_view name;
  bool over_udp = false;
  int32_t numwant_first = -1;  // of the announce that says started; -1: it does not say
  int32_t numwant_later = -1;
  uint32_t scrape_every = 0;   // announces; 0: never. It asks for all of its torrents at once
  uint32_t stops_percent = 0;  // says so when it leaves
  bool says_paused = false;    // BEP 21

  // UDP (BEP 15).
  int64_t id_reuse_ms = 60'000;  // how long it uses a connection id
  uint32_t attempts_max = 4;     // 15 s, 30 s, 60 s, ... for each
  absl::string_view options;     // what it sends behind an announce (BEP 41)

  // HTTP.
  bool keeps_alive = false;
  bool pipelines = false;
  bool is_compact = true;
  absl::string_view extra_query;
  absl::string_view extra_fields;
};

// By their sources and by what they send: no client in particular, but what trackers meet.
absl::Span<const Habits> AllHabits();

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_HABITS_H_
