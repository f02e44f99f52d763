#include "tracker/swarm/torrent_table.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace septet::tracker {
namespace {

// The largest value of TorrentSlot::distance; also the length of the tail.
constexpr size_t kDistanceMax = 255;
constexpr size_t kHomesMin = 64;

// The table grows when more than 27/32 (84 %) of its homes are taken, by an eighth,
// and shrinks when fewer than 18/32 (56 %) are, to 24/32 (75 %). Between them lies
// enough room for the changes that come in while slots move.
constexpr size_t GrowAbove(size_t homes) { return homes * 27 / 32; }
constexpr size_t Grown(size_t homes) { return homes + std::max(homes / 8, kHomesMin / 2); }
constexpr size_t ShrinkBelow(size_t homes) { return homes * 18 / 32; }
constexpr size_t Shrunk(size_t size) { return std::max(kHomesMin, size + size / 3); }

// A move of n homes takes n / kHomesAStep changes of the table: 1/24 of its homes.
constexpr size_t kHomesAStep = 24;

}  // namespace

size_t TorrentTable::Part::positions() const { return homes + kDistanceMax; }

bool TorrentTable::Init(const KeyedHash* hash, Reservation* reservation, MemoryBudget* budget) {
  hash_ = hash;
  for (Part& part : parts_) part.region.Init(reservation, budget);
  Part& part = parts_[old_];
  part.homes = kHomesMin;
  return part.region.Extend(part.positions() * sizeof(TorrentSlot), Purpose::kGrow);
}

const TorrentTable::Part& TorrentTable::PartOf(uint32_t hash) const {
  const Part& old = parts_[old_];
  return moving() && HomeIn(old, hash) < moved_homes_ ? parts_[1 - old_] : old;
}

// Where the search for a torrent begins: at its home, or behind what has moved.
size_t TorrentTable::StartOf(const Part& part, uint32_t hash) const {
  const size_t home = HomeIn(part, hash);
  return &part == &parts_[old_] ? std::max<size_t>(home, moved_position_) : home;
}

TorrentSlot* TorrentTable::Find(const InfoHash& info_hash, uint32_t hash) const {
  const Part& part = PartOf(hash);
  TorrentSlot* slot = part.slots() + StartOf(part, hash);
  // The distance that a torrent of this home would have at `slot`.
  size_t distance = static_cast<size_t>(slot - part.slots()) - HomeIn(part, hash) + 1;
  for (; slot->distance >= distance; ++slot, ++distance) {
    if (SameInfoHash(slot->info_hash, info_hash)) return slot;
  }
  return nullptr;
}

void TorrentTable::Prefetch(uint32_t hash) const {
  const Part& part = PartOf(hash);
  const auto address =
      reinterpret_cast<uintptr_t>(part.region.data()) + StartOf(part, hash) * sizeof(TorrentSlot);
  __builtin_prefetch(reinterpret_cast<const void*>(address));
  __builtin_prefetch(reinterpret_cast<const void*>(address + 2 * sizeof(TorrentSlot)));
}

TorrentSlot* TorrentTable::InsertInto(const Part& part, const InfoHash& info_hash, uint32_t hash) {
  TorrentSlot* const slots = part.slots();
  const size_t home = HomeIn(part, hash);
  size_t position = StartOf(part, hash);
  while (slots[position].distance >= position - home + 1) ++position;
  if (position - home + 1 > kDistanceMax || position >= part.positions()) return nullptr;

  // The run from here to the next empty place moves one place up.
  size_t end = position;
  for (; slots[end].distance != 0; ++end) {
    if (slots[end].distance == kDistanceMax) return nullptr;
  }
  if (end >= part.positions() - 1) return nullptr;  // the last place stays empty: it ends searches
  for (size_t i = end; i > position; --i) {
    slots[i] = slots[i - 1];
    ++slots[i].distance;
  }
  TorrentSlot& slot = slots[position];
  slot = TorrentSlot{};
  slot.info_hash = info_hash;
  slot.distance = static_cast<uint8_t>(position - home + 1);
  return &slot;
}

TorrentSlot* TorrentTable::Insert(const InfoHash& info_hash, uint32_t hash) {
  // At the cap the table may be unable to grow. It then fills up to the point where
  // searches would become long.
  const size_t homes =
      moving() ? std::min<size_t>(parts_[0].homes, parts_[1].homes) : parts_[old_].homes;
  if (size_ >= homes * 15 / 16) return nullptr;
  TorrentSlot* const slot = InsertInto(PartOf(hash), info_hash, hash);
  if (slot != nullptr) ++size_;
  return slot;
}

// Empties the place and moves the rest of its run one place down.
void TorrentTable::CloseGap(TorrentSlot* slot) {
  for (; slot[1].distance > 1; ++slot) {
    slot[0] = slot[1];
    --slot[0].distance;
  }
  *slot = TorrentSlot{};
}

void TorrentTable::Erase(TorrentSlot* slot) {
  CloseGap(slot);
  --size_;
}

void TorrentTable::BeginMove(size_t homes) {
  Part& target = parts_[1 - old_];
  target.homes = homes;
  moved_homes_ = 0;
  moved_position_ = 0;
}

// Moves the slots of the lowest home that has not moved. False when there is no memory.
bool TorrentTable::MoveHome() {
  Part& old = parts_[old_];
  Part& target = parts_[1 - old_];
  // Every hash of this home is below that of the next one.
  const uint64_t next_hash = (((uint64_t{moved_homes_} + 1) << 32) + old.homes - 1) / old.homes;
  const size_t target_end = static_cast<size_t>((next_hash * target.homes) >> 32) + 1;
  const Purpose purpose = target.homes < old.homes ? Purpose::kShrink : Purpose::kGrow;
  if (!target.region.Extend((target_end + kDistanceMax) * sizeof(TorrentSlot), purpose))
    return false;

  const size_t begin = std::max<size_t>(moved_homes_, moved_position_);
  size_t end = begin;
  for (;; ++end) {
    const TorrentSlot& slot = old.slots()[end];
    if (slot.distance == 0 || end - slot.distance + 1 != moved_homes_) break;
    TorrentSlot* const copy = InsertInto(target, slot.info_hash, HashOf(slot.info_hash));
    if (copy == nullptr) {
      while (end > begin) RemoveCopy(target, old.slots()[--end]);
      return false;
    }
    const uint8_t distance = copy->distance;
    *copy = slot;
    copy->distance = distance;
  }
  std::memset(static_cast<void*>(old.slots() + begin), 0, (end - begin) * sizeof(TorrentSlot));
  moved_homes_ = moved_homes_ + 1;
  moved_position_ = std::max<size_t>(end, moved_homes_);
  return true;
}

// Takes back what InsertInto put into the target of a move.
void TorrentTable::RemoveCopy(const Part& target, const TorrentSlot& original) {
  TorrentSlot* copy = target.slots() + HomeIn(target, HashOf(original.info_hash));
  while (copy->info_hash != original.info_hash) ++copy;
  CloseGap(copy);
}

bool TorrentTable::MoveHomes(size_t count) {
  Part& old = parts_[old_];
  for (; count > 0 && moved_homes_ < old.homes; --count) {
    if (!MoveHome()) return false;
  }
  constexpr size_t kDropBytes = 4 * kPageBytes;
  const size_t free_bytes = moved_position_ * sizeof(TorrentSlot) / kDropBytes * kDropBytes;
  old.region.DropBefore(free_bytes);
  if (moved_homes_ == old.homes) EndMove();
  return true;
}

void TorrentTable::EndMove() {
  Part& old = parts_[old_];
  old.region.Clear();
  old.homes = 0;
  old_ = 1 - old_;
  moved_homes_ = 0;
  moved_position_ = 0;
}

void TorrentTable::Step() {
  if (!moving()) {
    const size_t homes = parts_[old_].homes;
    if (size_ > GrowAbove(homes)) {
      BeginMove(Grown(homes));
    } else if (homes > kHomesMin && size_ < ShrinkBelow(homes)) {
      BeginMove(Shrunk(size_));
    } else {
      return;
    }
  }
  MoveHomes(kHomesAStep);
}

TorrentSlot* TorrentTable::First(uint32_t hash) const {
  const Part& part = PartOf(hash);
  const size_t home = HomeIn(part, hash);
  TorrentSlot* slot = part.slots() + StartOf(part, hash);
  // Slots of earlier homes may have been pushed past this one.
  while (slot->distance != 0 &&
         static_cast<size_t>(slot - part.slots()) - slot->distance + 1 < home) {
    ++slot;
  }
  return SameOrNext(slot);
}

TorrentSlot* TorrentTable::SameOrNext(TorrentSlot* place) const {
  const Part& old = parts_[old_];
  const Part& target = parts_[1 - old_];
  const auto in = [&](const Part& part) {
    return place >= part.slots() && place <= part.slots() + part.positions();
  };
  if (moving() && in(target)) {
    // Beyond the pages that the target has there are no slots yet.
    TorrentSlot* const end =
        target.slots() + std::min(target.positions(), target.region.end() / sizeof(TorrentSlot));
    for (; place < end; ++place) {
      if (place->distance != 0) return place;
    }
    place = old.slots() + moved_position_;
  }
  TorrentSlot* const end = old.slots() + old.positions();
  for (; place < end; ++place) {
    if (place->distance != 0) return place;
  }
  return nullptr;
}

}  // namespace septet::tracker
