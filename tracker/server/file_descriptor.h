// An open file descriptor that is closed with its owner.

#ifndef SEPTET_TRACKER_SERVER_FILE_DESCRIPTOR_H_
#define SEPTET_TRACKER_SERVER_FILE_DESCRIPTOR_H_

#include <utility>

#include "tracker/server/system_calls.h"

namespace septet::tracker {

// A value that can be moved. `calls` must outlive it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  FileDescriptor(const SystemCalls& calls, int fd) : calls_(&calls), fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : calls_(other.calls_), fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this == &other) return *this;
    Close();
    calls_ = other.calls_;
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) calls_->close(std::exchange(fd_, -1));
  }

 private:
  const SystemCalls* calls_ = nullptr;
  int fd_ = -1;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_FILE_DESCRIPTOR_H_
