// Bytes as a sequence of packets from several sources to the tracker over UDP: every
// reply has the shape that BEP 15 gives it, and none is longer than its request before a
// valid connection id was shown.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "proptests/udp_check.h"
#include "proptests/udp_packets.h"
#include "tracker/random.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"
#include "tracker/udp/connection_id.h"
#include "tracker/udp/udp_handler.h"

namespace septet::tracker {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// Takes bytes off the input; zeros when there are none left.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}

  bool empty() const { return at_ == end_; }
  uint8_t Byte() { return empty() ? uint8_t{0} : *at_++; }
  std::string Bytes(size_t size) {
    const size_t taken = std::min(size, static_cast<size_t>(end_ - at_));
    const std::string bytes(at_, at_ + taken);
    at_ += taken;
    return bytes;
  }

 private:
  const uint8_t* at_;
  const uint8_t* const end_;
};

class Tracker {
 public:
  // A packet of the input: a byte of flags, its source, its length, its bytes.
  void TakePacket(Input& input) {
    const uint8_t flags = input.Byte();
    const Endpoint source = SourceNumber(input.Byte() % 16u);
    std::string packet = input.Bytes(input.Byte() + (flags & kIsLong ? 256u : 0u));
    if (flags & kTimePasses) PassTime(int64_t{1000} * input.Byte());
    if (flags & kHasValidId) packet.replace(0, 8, BigEndian(Connect(source), 8));
    Check(packet, source);
  }

 private:
  enum : uint8_t { kHasValidId = 1, kIsLong = 2, kTimePasses = 4 };

  void Check(const std::string& packet, const Endpoint& source) {
    const bool has_valid_id = HasValidId(packet, source);
    const StoreUsage before = store_.Usage();
    const std::string reply = Handle(packet, source);
    const StoreUsage after = store_.Usage();
    Require(UdpFault(packet, source, has_valid_id, reply).empty());
    if (!has_valid_id) Require(after.bytes_total == before.bytes_total);
    Require(after.torrents <= before.torrents + 1);
  }

  // A new one, or one that the input holds from up to two minutes ago.
  bool HasValidId(const std::string& packet, const Endpoint& source) {
    if (packet.size() < 8) return false;
    const uint64_t id = FromBigEndian(packet.substr(0, 8));
    return id == Connect(source) || ids_.IsValid(id, source, times_.wall_ms);
  }

  std::string Handle(const std::string& packet, const Endpoint& source) {
    // Of exactly its size, so that a sanitizer sees a read past the end.
    const std::vector<uint8_t> request(packet.begin(), packet.end());
    std::vector<uint8_t> out(kUdpReplyBytesMax);
    handler_.Prefetch(request);
    const size_t size = handler_.Handle(request, source, times_, random_, absl::MakeSpan(out));
    Require(size <= out.size());
    return std::string(out.begin(), out.begin() + static_cast<ptrdiff_t>(size));
  }

  uint64_t Connect(const Endpoint& source) {
    return FromBigEndian(Handle(ConnectPacket(1), source).substr(8));
  }

  void PassTime(int64_t ms) {
    times_.now_ms += ms;
    times_.wall_ms += ms;
  }

  SwarmStore store_{StoreOptions{.shards = 1}};
  Service service_{ServiceOptions(), &store_};
  UdpHandler handler_{UdpOptions(), &service_};
  ConnectionIds ids_{UdpOptions().connection_id_key, UdpOptions().connection_id_validity_ms};
  Random random_{1};
  UdpTimes times_{1'000'000, 1'700'000'000'000};
};

}  // namespace
}  // namespace septet::tracker

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace septet::tracker;
  constexpr size_t kBytesMax = 16 * 1024;
  if (size > kBytesMax) return 0;
  Input input(data, size);
  Tracker tracker;
  while (!input.empty()) tracker.TakePacket(input);
  return 0;
}
