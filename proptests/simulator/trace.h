// What happened in a run: a hash of all of it, and the last of it in words.

#ifndef SEPTET_PROPTESTS_SIMULATOR_TRACE_H_
#define SEPTET_PROPTESTS_SIMULATOR_TRACE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace septet::simulator {

class Trace {
 public:
  // `lines_max`: of the text that is kept; 0: none is made.
  explicit Trace(size_t lines_max) : lines_max_(lines_max) {}

  // FNV-1a of 64 bits.
  void Mix(absl::string_view bytes) {
    for (const char c : bytes) MixByte(static_cast<uint8_t>(c));
    Mix(bytes.size());
  }
  void Mix(uint64_t number) {
    for (int i = 0; i < 8; ++i) MixByte(static_cast<uint8_t>(number >> (8 * i)));
  }

  bool wants_text() const { return lines_max_ > 0; }
  void Say(std::string line) {
    if (!wants_text()) return;
    lines_.push_back(std::move(line));
    if (lines_.size() > lines_max_) lines_.pop_front();
  }

  uint64_t hash() const { return hash_; }
  const std::deque<std::string>& lines() const { return lines_; }

 private:
  void MixByte(uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

  const size_t lines_max_;
  uint64_t hash_ = 0xcbf29ce484222325;
  std::deque<std::string> lines_;
};

}  // namespace septet::simulator

#endif  // SEPTET_PROPTESTS_SIMULATOR_TRACE_H_
