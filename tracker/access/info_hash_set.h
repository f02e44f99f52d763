// A set of info-hashes that does not change: what an access list is made of.

#ifndef SEPTET_TRACKER_ACCESS_INFO_HASH_SET_H_
#define SEPTET_TRACKER_ACCESS_INFO_HASH_SET_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracker/swarm_store.h"

namespace septet::tracker {

// The hashes in order, and for each value of their first bits where those begin. Info-hashes
// are spread evenly, so that a part holds a few of them; where somebody made many that begin
// alike, a search takes the logarithm of their number, whatever he asks for.
//
// At most 24 bytes an entry. A search among a million: about two loads from memory. Threads
// may search at once.
class InfoHashSet {
 public:
  InfoHashSet() = default;

  // In any order, duplicates too; at most 2^32 - 2.
  explicit InfoHashSet(std::vector<InfoHash> hashes);

  bool Contains(const InfoHash& info_hash) const;

  size_t size() const { return sorted_.size(); }
  size_t bytes() const;  // taken from the allocator

 private:
  static uint64_t FirstBits(const InfoHash& info_hash);
  size_t PartOf(const InfoHash& info_hash) const {
    return static_cast<size_t>(FirstBits(info_hash) >> shift_);
  }

  std::vector<InfoHash> sorted_;
  std::vector<uint32_t> part_begins_;  // and the end of the last one; empty if there is none
  int shift_ = 32;                     // what is left of the first 32 bits is the part
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_ACCESS_INFO_HASH_SET_H_
