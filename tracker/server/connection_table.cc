#include "tracker/server/connection_table.h"

namespace septet::tracker {

Connection& ConnectionTable::Add(int fd, const Endpoint& source, int64_t now_ms) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Connection& connection = slots_[index];
  connection.fd = fd;
  connection.index = index;
  connection.source = source;
  connection.awaits_proxy_header = false;
  connection.since_ms = now_ms;
  connection.phase = Phase::kNew;
  Link(connection);
  ++size_;
  return connection;
}

void ConnectionTable::Remove(Connection& connection) {
  Unlink(connection);
  connection.fd = -1;
  connection.watched_events = 0;
  connection.stream = HttpStream();
  connection.generation = (connection.generation + 1) % kGenerations;
  free_.push_back(connection.index);
  --size_;
}

void ConnectionTable::Move(Connection& connection, Phase phase, int64_t now_ms) {
  Unlink(connection);
  connection.phase = phase;
  connection.since_ms = now_ms;
  Link(connection);
}

Connection* ConnectionTable::Oldest(Phase phase) {
  const uint32_t front = lists_[static_cast<size_t>(phase)].front;
  return front == kNone ? nullptr : &slots_[front];
}

Connection* ConnectionTable::Find(uint32_t index, uint32_t generation) {
  if (index >= slots_.size()) return nullptr;
  Connection& connection = slots_[index];
  const bool is_same = connection.fd >= 0 && connection.generation == generation;
  return is_same ? &connection : nullptr;
}

void ConnectionTable::Link(Connection& connection) {
  List& list = lists_[static_cast<size_t>(connection.phase)];
  connection.previous = list.back;
  connection.next = kNone;
  (list.back == kNone ? list.front : slots_[list.back].next) = connection.index;
  list.back = connection.index;
}

void ConnectionTable::Unlink(Connection& connection) {
  List& list = lists_[static_cast<size_t>(connection.phase)];
  const uint32_t previous = connection.previous;
  const uint32_t next = connection.next;
  (previous == kNone ? list.front : slots_[previous].next) = next;
  (next == kNone ? list.back : slots_[next].previous) = previous;
}

}  // namespace septet::tracker
