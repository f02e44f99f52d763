#include "tracker/server/byte_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace septet::tracker {

// Moves what is there to memory of at least `capacity` bytes.
bool ByteBuffer::Reserve(size_t capacity, BufferBudget* budget) {
  capacity = std::max(capacity, kCapacityMin);
  if (!budget->Take(capacity)) return false;
  // Not value-initialized: the bytes are written before they are read.
  std::unique_ptr<char[]> bytes(new char[capacity]);
  const size_t size = end_ - begin_;
  if (size > 0) std::memcpy(bytes.get(), bytes_.get() + begin_, size);
  budget->Return(capacity_);
  bytes_ = std::move(bytes);
  begin_ = 0;
  end_ = static_cast<uint32_t>(size);
  capacity_ = static_cast<uint32_t>(capacity);
  return true;
}

void ByteBuffer::MoveToFront() {
  if (begin_ == 0) return;
  std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

bool ByteBuffer::Assign(absl::string_view rest, BufferBudget* budget) {
  if (rest.empty()) {
    Clear(budget);
    return true;
  }
  // An own part is never longer than the capacity, so it does not move away.
  if (rest.size() > capacity_ && !Reserve(rest.size(), budget)) return false;
  std::memmove(bytes_.get(), rest.data(), rest.size());
  begin_ = 0;
  end_ = static_cast<uint32_t>(rest.size());
  return true;
}

absl::Span<char> ByteBuffer::Extend(size_t total_max, BufferBudget* budget) {
  MoveToFront();
  if (end_ >= total_max) return {};
  if (end_ == capacity_ && !Reserve(std::min<size_t>(total_max, capacity_ * 2), budget)) return {};
  return {bytes_.get() + end_, std::min<size_t>(capacity_, total_max) - end_};
}

void ByteBuffer::RemovePrefix(size_t count, BufferBudget* budget) {
  begin_ += static_cast<uint32_t>(count);
  if (empty()) Clear(budget);
}

void ByteBuffer::Clear(BufferBudget* budget) {
  budget->Return(capacity_);
  bytes_.reset();
  begin_ = end_ = capacity_ = 0;
}

}  // namespace septet::tracker
