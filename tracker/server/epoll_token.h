// What an event of epoll is about, as the 64 bits that epoll keeps for each file.

#ifndef SEPTET_TRACKER_SERVER_EPOLL_TOKEN_H_
#define SEPTET_TRACKER_SERVER_EPOLL_TOKEN_H_

#include <cstdint>

namespace septet::tracker {

enum class EventSource : uint8_t { kWakeUp, kHttpListener, kUdpSocket, kConnection };

struct EpollToken {
  EventSource source = EventSource::kWakeUp;
  uint32_t generation = 0;  // of a connection, below 2^24
  uint32_t index = 0;       // of the socket or the slot
};

constexpr uint64_t Pack(const EpollToken& token) {
  return uint64_t{static_cast<uint8_t>(token.source)} << 56 | uint64_t{token.generation} << 32 |
         token.index;
}

constexpr EpollToken Unpack(uint64_t bits) {
  return {static_cast<EventSource>(bits >> 56), static_cast<uint32_t>(bits >> 32) & 0xffffff,
          static_cast<uint32_t>(bits)};
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_EPOLL_TOKEN_H_
