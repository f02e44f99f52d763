// The hash table from info-hash to torrent slot, of one shard.

#ifndef SEPTET_TRACKER_SWARM_TORRENT_TABLE_H_
#define SEPTET_TRACKER_SWARM_TORRENT_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracker/swarm/keyed_hash.h"
#include "tracker/swarm/region.h"
#include "tracker/swarm/torrent_slot.h"

namespace septet::tracker {

// Open addressing with linear probing, in the order of the hash. The home of a torrent
// with hash h (32 bits) in a table of n homes is h * n / 2^32, which rises with h;
// slots are kept sorted by home ("Robin Hood" order), so that the whole table is sorted
// by hash, and a search ends at the first slot whose home is further on. A run that
// passes the last home goes on into a tail.
//
// The order is what makes growth smooth. To change its size, the table copies its slots
// from the lowest hash upwards into a second region: the new one fills from its front
// while the old one empties from its front, and pages follow. A few homes move with
// each change of the table, so no call waits for a whole rehash, and the memory taken
// is never that of two tables.
//
// While it moves: homes before moved_homes_ of the old table are in the new one, and
// what is left of the old one lies at or after moved_position_.
//
// Pointers to slots stay valid until the next Insert, Erase or Step. Not thread-safe.
class TorrentTable {
 public:
  // Takes kRegions of the reservation. False if the system refuses the memory. All three
  // must outlive the table.
  static constexpr size_t kRegions = 2;
  bool Init(const KeyedHash* hash, Reservation* reservation, MemoryBudget* budget);

  uint32_t HashOf(const InfoHash& info_hash) const {
    return static_cast<uint32_t>(hash_->OfInfoHash(info_hash));
  }

  // Null if there is none. `hash` is HashOf(info_hash), here and below.
  TorrentSlot* Find(const InfoHash& info_hash, uint32_t hash) const;

  // Starts loading what Find will read. May be called without the lock that guards all
  // else: it reads nothing but the cells below, and a stale one costs no more than the
  // loading of a useless line.
  void Prefetch(uint32_t hash) const;

  // Adds a torrent that Find does not know, with no peers. Null when there is no memory
  // for it.
  TorrentSlot* Insert(const InfoHash& info_hash, uint32_t hash);

  // Removes the slot; slots after it may move one place down, into its place too.
  void Erase(TorrentSlot* slot);

  // Goes on with a move that is under way, by a bounded number of slots, and begins one
  // where the table is too full or too empty. Call it after each Insert and Erase.
  void Step();

  // Calls `visit` with each slot of the home of `hash` until it returns true.
  template <typename Visit>
  void VisitHome(uint32_t hash, Visit visit) const {
    const Part& part = PartOf(hash);
    size_t position = StartOf(part, hash);
    const size_t home = HomeIn(part, hash);
    for (;; ++position) {
      TorrentSlot& slot = part.slots()[position];
      const size_t distance = position - home + 1;
      if (slot.distance < distance) return;
      if (slot.distance == distance && visit(&slot)) return;
    }
  }

  // In the order of the hash: the first slot whose home is that of `hash` or after it,
  // and the slot that follows `slot`; null at the end. A sweep goes over the table by
  // these; it may Erase the slot it is at, and then looks at the same place again.
  TorrentSlot* First(uint32_t hash) const;
  TorrentSlot* SameOrNext(TorrentSlot* place) const;
  TorrentSlot* Next(TorrentSlot* slot) const { return SameOrNext(slot + 1); }

  size_t size() const { return size_; }
  size_t bytes() const { return parts_[0].region.bytes() + parts_[1].region.bytes(); }

 private:
  // A number that is written under the lock and may be read without it.
  class Cell {
   public:
    operator size_t() const { return value_.load(std::memory_order_relaxed); }
    void operator=(size_t value) { value_.store(value, std::memory_order_relaxed); }

   private:
    std::atomic<size_t> value_{0};
  };

  // One region of slots.
  struct Part {
    Region region;
    Cell homes;  // 0: not in use
    TorrentSlot* slots() const { return reinterpret_cast<TorrentSlot*>(region.data()); }
    size_t positions() const;  // homes and tail
  };

  bool moving() const { return parts_[1 - old_].homes != 0; }
  static size_t HomeIn(const Part& part, uint32_t hash) {
    return static_cast<size_t>((uint64_t{hash} * part.homes) >> 32);
  }
  const Part& PartOf(uint32_t hash) const;
  size_t StartOf(const Part& part, uint32_t hash) const;
  TorrentSlot* InsertInto(const Part& part, const InfoHash& info_hash, uint32_t hash);
  void BeginMove(size_t homes);
  bool MoveHomes(size_t count);
  bool MoveHome();
  void RemoveCopy(const Part& target, const TorrentSlot& original);
  static void CloseGap(TorrentSlot* slot);
  void EndMove();

  const KeyedHash* hash_ = nullptr;
  Part parts_[kRegions];
  Cell old_;  // which of the parts is the table; the other one is in use while moving
  size_t size_ = 0;
  Cell moved_homes_;
  Cell moved_position_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SWARM_TORRENT_TABLE_H_
