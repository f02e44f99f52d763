// The open HTTP connections of one worker, and in which order their time runs out.
//
// A connection is in one phase, and each phase has one list. All connections of a
// phase have the same timeout, counted from when they came into the list, and come
// in at its back: so the front is always the next one to run out, and nothing has to
// be sorted or searched.

#ifndef SEPTET_TRACKER_SERVER_CONNECTION_TABLE_H_
#define SEPTET_TRACKER_SERVER_CONNECTION_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tracker/endpoint.h"
#include "tracker/http/http_stream.h"
#include "tracker/server/byte_buffer.h"

namespace septet::tracker {

enum class Phase : uint8_t {
  kNew,     // was accepted and has sent nothing yet; holds no buffer
  kIdle,    // answered a request and waits for the next one; holds no buffer
  kHead,    // has sent a part of a request, and waits for the rest
  kWrite,   // waits until the client takes the response; nothing is read meanwhile
  kLinger,  // has shut its side down and reads until the client does
};
inline constexpr size_t kPhaseCount = 5;

// Of Connection::generation.
inline constexpr uint32_t kGenerations = 1 << 24;

struct Connection {
  int fd = -1;
  uint32_t index = 0;  // of its slot
  // Tells connections apart that had the same slot one after the other. It goes round
  // at kGenerations: an event is never that late.
  uint32_t generation = 0;
  uint32_t previous = 0;
  uint32_t next = 0;
  Phase phase = Phase::kNew;
  HttpStream::Next after_write = HttpStream::Next::kRead;  // in kWrite: what comes then
  uint32_t watched_events = 0;  // that epoll waits for; 0: epoll does not know it yet
  Endpoint source;
  // A header of the PROXY protocol comes before the first request.
  bool awaits_proxy_header = false;
  int64_t since_ms = 0;  // when it came into the list of its phase
  HttpStream stream;
  ByteBuffer input;
  ByteBuffer output;
};

// Not thread-safe. Addresses of connections are stable. The memory grows to the most
// connections that were ever open at once. Every member has constant cost.
class ConnectionTable {
 public:
  // Its phase is kNew.
  Connection& Add(int fd, const Endpoint& source, int64_t now_ms);

  // The caller has closed its descriptor and cleared its buffers.
  void Remove(Connection& connection);

  // To the back of the list of `phase`, also if it is there already.
  void Move(Connection& connection, Phase phase, int64_t now_ms);

  // Null if there is none.
  Connection* Oldest(Phase phase);

  // Null if that connection is gone.
  Connection* Find(uint32_t index, uint32_t generation);

  size_t size() const { return size_; }

  // Every index is below this. Slots without a connection have no descriptor.
  uint32_t slots() const { return static_cast<uint32_t>(slots_.size()); }
  Connection& slot(uint32_t index) { return slots_[index]; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct List {
    uint32_t front = kNone;
    uint32_t back = kNone;
  };

  void Link(Connection& connection);
  void Unlink(Connection& connection);

  std::deque<Connection> slots_;
  std::vector<uint32_t> free_;
  std::array<List, kPhaseCount> lists_;
  size_t size_ = 0;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_CONNECTION_TABLE_H_
