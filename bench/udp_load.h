// Announces over UDP (BEP 15) to a tracker on this machine, many at a time.

#ifndef SEPTET_BENCH_UDP_LOAD_H_
#define SEPTET_BENCH_UDP_LOAD_H_

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/swarm_shape.h"

namespace septet::bench {

// A client that keeps up to kWindow announces under way and checks every reply: a right
// length, the transaction asked for, no error. Lost packets are sent again.
//
// All peers come from one address, with the port that the announce names, which is what
// tells them apart. Not thread-safe.
class UdpLoad {
 public:
  static constexpr uint32_t kWindow = 32;

  // `port` of 127.0.0.1, or of ::1 if `ipv6`. Gets a connection id.
  static absl::StatusOr<std::unique_ptr<UdpLoad>> Connect(uint16_t port, bool ipv6);
  ~UdpLoad();

  struct Request {
    uint32_t torrent = 0;
    uint32_t peer = 0;  // its port is 1 + peer
    uint32_t numwant = 0;
    uint32_t event = 0;
  };

  // Adds an announce; when kWindow of them are there, sends them and awaits all replies.
  absl::Status Announce(const Request& request);
  // Sends and awaits what is left.
  absl::Status Flush();

  uint64_t replies() const { return replies_; }
  uint64_t peers_told() const { return peers_told_; }
  uint64_t sent_again() const { return sent_again_; }

 private:
  static constexpr size_t kAnnounceBytes = 98;

  UdpLoad(int fd, bool ipv6) : fd_(fd), ipv6_(ipv6) {}
  absl::Status GetConnectionId();
  bool Send(uint64_t wanted);
  absl::Status TakeReplies(uint64_t* wanted);

  const int fd_;
  const bool ipv6_;
  std::array<uint8_t, 8> connection_id_{};
  std::array<std::array<uint8_t, kAnnounceBytes>, kWindow> packets_{};
  uint32_t count_ = 0;
  uint32_t round_ = 0;
  uint64_t replies_ = 0;
  uint64_t peers_told_ = 0;
  uint64_t sent_again_ = 0;
};

// Announces every peer of the shape once, torrent by torrent within each peer, as swarms
// grow side by side.
absl::Status LoadShape(UdpLoad* load, const SwarmShape& shape);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_UDP_LOAD_H_
