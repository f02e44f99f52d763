#include "tracker/access/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace septet::tracker {
namespace {

absl::Status CannotRead(int error) {
  return absl::InvalidArgumentError(absl::StrCat("cannot be read: ", strerrordesc_np(error)));
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t bytes_max) {
  // Not blocking: a pipe in a file's place would wait for ever for somebody to write.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return CannotRead(errno);
  const absl::Cleanup close_file = [fd] { close(fd); };
  struct stat status;
  if (fstat(fd, &status) != 0) return CannotRead(errno);
  if (!S_ISREG(status.st_mode)) return absl::InvalidArgumentError("is no regular file");

  // One more than is allowed tells that there is more, whatever the size was said to be.
  const size_t limit = bytes_max + 1;
  std::string bytes(std::min(static_cast<size_t>(status.st_size) + 1, limit), '\0');
  size_t size = 0;
  for (;;) {
    if (size == bytes.size()) {
      if (size == limit) break;
      bytes.resize(std::min(2 * size, limit));
    }
    const ssize_t count = read(fd, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CannotRead(errno);
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  if (size > bytes_max) {
    return absl::InvalidArgumentError(absl::StrCat("is too large; allowed: ", bytes_max, " bytes"));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace septet::tracker
