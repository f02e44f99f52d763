// A copy of bytes between pages that cannot be read, so that a read past either end ends the
// test, also without a sanitizer.

#ifndef SEPTET_PROPTESTS_GUARDED_BYTES_H_
#define SEPTET_PROPTESTS_GUARDED_BYTES_H_

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "absl/strings/string_view.h"

namespace septet {

class GuardedBytes {
 public:
  enum class Against { kBegin, kEnd };  // the guard that the bytes lie next to

  GuardedBytes(absl::string_view bytes, Against against) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inside = (bytes.size() + page - 1) / page * page;
    mapped_bytes_ = inside + 2 * page;
    mapped_ = static_cast<char*>(
        mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (mapped_ == MAP_FAILED) std::abort();
    char* const first = mapped_ + page;
    if (inside > 0 && mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) std::abort();
    char* const copy = against == Against::kEnd ? first + inside - bytes.size() : first;
    std::copy(bytes.begin(), bytes.end(), copy);
    view_ = absl::string_view(copy, bytes.size());
  }
  ~GuardedBytes() { munmap(mapped_, mapped_bytes_); }

  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  absl::string_view view() const { return view_; }

 private:
  char* mapped_;
  size_t mapped_bytes_;
  absl::string_view view_;
};

}  // namespace septet

#endif  // SEPTET_PROPTESTS_GUARDED_BYTES_H_
