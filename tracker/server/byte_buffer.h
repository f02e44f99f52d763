// The bytes that a connection has to keep: of a request that is not whole yet, or of a
// response that the client has not taken yet. Most connections have none.

#ifndef SEPTET_TRACKER_SERVER_BYTE_BUFFER_H_
#define SEPTET_TRACKER_SERVER_BYTE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace septet::tracker {

// The memory that the buffers of one worker may take in all. Not thread-safe.
class BufferBudget {
 public:
  explicit BufferBudget(uint64_t bytes_max) : bytes_max_(bytes_max) {}

  bool Take(uint64_t bytes) {
    if (bytes > bytes_max_ - bytes_taken_) return false;
    bytes_taken_ += bytes;
    return true;
  }
  void Return(uint64_t bytes) { bytes_taken_ -= bytes; }
  uint64_t bytes_taken() const { return bytes_taken_; }

 private:
  const uint64_t bytes_max_;
  uint64_t bytes_taken_ = 0;
};

// A queue of bytes: they come in at the back and go at the front. An empty one holds
// no memory. Every member that takes memory says from which budget; a buffer uses one
// budget only, and is cleared before it is destroyed.
class ByteBuffer {
 public:
  bool empty() const { return begin_ == end_; }
  absl::string_view view() const { return {bytes_.get() + begin_, end_ - begin_}; }

  // Makes the bytes be `rest`, which may be a part of view() or lie elsewhere. False:
  // the budget is used up, and the buffer is as before.
  bool Assign(absl::string_view rest, BufferBudget* budget);

  // Room for more bytes after those that are there: at least one, and room for
  // `total_max` bytes in all at last, growing by doubling. Empty: the budget is used
  // up, or total_max bytes are there.
  absl::Span<char> Extend(size_t total_max, BufferBudget* budget);

  // `count` bytes of what Extend returned are now part of the buffer.
  void Commit(size_t count) { end_ += static_cast<uint32_t>(count); }

  // Forgets bytes at the front. Frees the memory if none is left.
  void RemovePrefix(size_t count, BufferBudget* budget);

  void Clear(BufferBudget* budget);

 private:
  static constexpr size_t kCapacityMin = 1024;

  bool Reserve(size_t capacity, BufferBudget* budget);
  void MoveToFront();

  std::unique_ptr<char[]> bytes_;
  uint32_t begin_ = 0;
  uint32_t end_ = 0;
  uint32_t capacity_ = 0;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_BYTE_BUFFER_H_
