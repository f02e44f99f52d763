#include "tracker/access/info_hash_set.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace septet::tracker {
namespace {

constexpr size_t kEntriesAPart = 8;
constexpr int kPrefixBits = 32;

}  // namespace

uint64_t InfoHashSet::FirstBits(const InfoHash& info_hash) {
  uint64_t bits = 0;
  for (size_t i = 0; i < kPrefixBits / 8; ++i) bits = bits << 8 | info_hash[i];
  return bits;
}

InfoHashSet::InfoHashSet(std::vector<InfoHash> hashes) : sorted_(std::move(hashes)) {
  if (sorted_.empty()) return;
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  sorted_.shrink_to_fit();

  const size_t parts = std::bit_floor(std::max<size_t>(1, sorted_.size() / kEntriesAPart));
  shift_ = kPrefixBits - std::countr_zero(parts);
  part_begins_.assign(parts + 1, 0);
  for (const InfoHash& info_hash : sorted_) ++part_begins_[PartOf(info_hash) + 1];
  for (size_t i = 1; i <= parts; ++i) part_begins_[i] += part_begins_[i - 1];
}

bool InfoHashSet::Contains(const InfoHash& info_hash) const {
  if (sorted_.empty()) return false;
  const size_t part = PartOf(info_hash);
  const auto begin = sorted_.begin() + part_begins_[part];
  const auto end = sorted_.begin() + part_begins_[part + 1];
  return std::binary_search(begin, end, info_hash);
}

size_t InfoHashSet::bytes() const {
  return sorted_.capacity() * sizeof(InfoHash) + part_begins_.capacity() * sizeof(uint32_t);
}

}  // namespace septet::tracker
