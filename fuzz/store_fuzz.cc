// Bytes as a program of instructions to the swarm store. The store equals the naive model
// after each of them and keeps its bound on bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/types/span.h"
#include "proptests/naive_store.h"
#include "proptests/store_check.h"
#include "tracker/random.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// Of four bytes: what to do, and three that say to whom.
struct Instruction {
  enum Kind : uint8_t { kAnnounce, kManyAnnounce, kManyStop, kPassTime, kPassLongTime, kKinds };

  explicit Instruction(const uint8_t* bytes)
      : kind(static_cast<Kind>((bytes[0] & 0xf) % kKinds)),
        is_ipv6((bytes[0] & 0x10) != 0),
        role(static_cast<Role>((bytes[0] >> 5) % 3)),
        torrent(static_cast<uint8_t>(bytes[1] & 0x3f)),
        event(static_cast<Event>(bytes[1] >> 6)),
        number(static_cast<uint16_t>(bytes[2] | bytes[3] << 8)) {}

  Kind kind;
  bool is_ipv6;
  Role role;
  uint8_t torrent;
  Event event;
  uint16_t number;
};

class Twins {
 public:
  // Enough for swarms of every form; long histories are the properties' part, and a fuzzer
  // wants many short ones.
  static constexpr uint32_t kAnnouncesMax = 2000;
  bool is_tired() const { return announces_ >= kAnnouncesMax; }

  void Run(const Instruction& instruction) {
    switch (instruction.kind) {
      case Instruction::kManyAnnounce:
      case Instruction::kManyStop:
        return RunMany(instruction);
      case Instruction::kPassTime:
        return PassTime(instruction.number);  // a minute or so: beyond the timeout
      case Instruction::kPassLongTime:
        return PassTime(int64_t{instruction.number} * 10);  // beyond the retention
      default:
        return Announce(RequestOf(instruction, instruction.number), instruction.number % 64);
    }
  }

  void CheckAll() {
    PassTime(0);
    const StoreUsage usage = store_.Usage();
    Require(usage.torrents == naive_.torrents());
    Require(usage.ipv4_peers == naive_.peers(Family::kIpv4));
    Require(usage.ipv6_peers == naive_.peers(Family::kIpv6));
    for (uint8_t torrent = 0; torrent < 64; ++torrent) {
      Require(store_.Scrape(TorrentNumber(torrent)) == naive_.Scrape(TorrentNumber(torrent)));
    }
  }

 private:
  static AnnounceRequest RequestOf(const Instruction& instruction, uint32_t peer) {
    AnnounceRequest request;
    request.info_hash = TorrentNumber(instruction.torrent);
    request.peer = PeerNumber(peer, instruction.is_ipv6);
    if (peer % 41 == 40) request.peer.set_port(0);
    request.role = instruction.role;
    request.event = instruction.event;
    return request;
  }

  // Enough of them that a swarm changes its form.
  void RunMany(const Instruction& instruction) {
    constexpr uint32_t kMany = 60;
    for (uint32_t i = 0; i + 1 < kMany; ++i) {
      const AnnounceRequest request = OneOfMany(instruction, i);
      ++announces_;
      Require(store_.Announce(request, now_ms_, random_, {}).stored);
      naive_.Update(request, now_ms_);
    }
    Announce(OneOfMany(instruction, kMany - 1), 0);
  }

  static AnnounceRequest OneOfMany(const Instruction& instruction, uint32_t i) {
    AnnounceRequest request = RequestOf(instruction, instruction.number + i);
    if (instruction.kind == Instruction::kManyStop) request.event = Event::kStopped;
    return request;
  }

  void Announce(AnnounceRequest request, uint32_t numwant) {
    request.numwant = numwant;
    ++announces_;
    std::vector<uint8_t> ipv4(numwant * kCompactIpv4Bytes);
    std::vector<uint8_t> ipv6(numwant * kCompactIpv6Bytes);
    store_.Prefetch(request.info_hash);
    const AnnounceResult result =
        store_.Announce(request, now_ms_, random_, {absl::MakeSpan(ipv4), absl::MakeSpan(ipv6)});
    const NaiveStore::Result naive = naive_.Announce(request, now_ms_);
    Require(result.stored);
    Require(result.counts == naive.counts);
    Require(result.has_ipv6 == naive.has_ipv6);
    Require(ChosenFault(ipv4, result.ipv4_peers, kCompactIpv4Bytes, naive.eligible.ipv4).empty());
    Require(ChosenFault(ipv6, result.ipv6_peers, kCompactIpv6Bytes, naive.eligible.ipv6).empty());
    const size_t eligible = naive.eligible.ipv4.size() + naive.eligible.ipv6.size();
    Require(result.ipv4_peers + result.ipv6_peers == std::min<size_t>(numwant, eligible));
    Require(store_.Scrape(request.info_hash) == naive_.Scrape(request.info_hash));
    CheckBytes();
  }

  // All of it is swept, in steps below the lag at which the store sweeps by itself: when a
  // torrent became empty is when the sweep came by, and so the same in both.
  void PassTime(int64_t ms) {
    constexpr int64_t kStepMs = 10'000;
    do {
      const int64_t step_ms = std::min(ms, kStepMs);
      ms -= step_ms;
      now_ms_ += step_ms;
      while (!store_.Sweep(now_ms_, 1000)) {
      }
      naive_.Sweep(now_ms_);
      CheckBytes();
    } while (ms > 0);
  }

  void CheckBytes() const { Require(BytesFault(store_.Usage(), 1).empty()); }

  SwarmStore store_{ShortLivedStore(1)};
  NaiveStore naive_{ShortLivedStore(1), store_.tick_ms()};
  Random random_{1};
  int64_t now_ms_ = 10'000'000;
  uint32_t announces_ = 0;
};

}  // namespace
}  // namespace septet::tracker

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace septet::tracker;
  constexpr size_t kInstructionBytes = 4;
  constexpr size_t kInstructionsMax = 200;
  Twins twins;
  const size_t instructions = std::min(size / kInstructionBytes, kInstructionsMax);
  for (size_t i = 0; i < instructions && !twins.is_tired(); ++i) {
    twins.Run(Instruction(data + i * kInstructionBytes));
  }
  twins.CheckAll();
  return 0;
}
