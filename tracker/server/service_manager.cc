#include "tracker/server/service_manager.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "absl/strings/str_cat.h"
#include "tracker/server/file_descriptor.h"
#include "tracker/server/system_calls.h"

namespace septet::tracker {
namespace {

absl::Status Failed(absl::string_view socket_name) {
  const int error = errno;
  return absl::UnavailableError(
      absl::StrCat("NOTIFY_SOCKET=", socket_name, ": ", strerrordesc_np(error)));
}

}  // namespace

absl::Status NotifyServiceManager(absl::string_view socket_name, absl::string_view state) {
  sockaddr_un address = {};
  const bool is_abstract = !socket_name.empty() && socket_name[0] == '@';
  const bool is_path = !socket_name.empty() && socket_name[0] == '/';
  if (!(is_abstract || is_path) || socket_name.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("NOTIFY_SOCKET=", socket_name,
                                                   ": allowed: a path from / or a name after @, ",
                                                   sizeof(address.sun_path) - 1, " bytes at most"));
  }
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, socket_name.data(), socket_name.size());
  if (is_abstract) address.sun_path[0] = '\0';
  // A name of the abstract namespace ends with the length, not with a zero.
  const size_t length = offsetof(sockaddr_un, sun_path) + socket_name.size();

  const FileDescriptor fd(RealSystemCalls(), socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.is_open()) return Failed(socket_name);
  const ssize_t sent =
      sendto(fd.get(), state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(length));
  return sent < 0 ? Failed(socket_name) : absl::OkStatus();
}

}  // namespace septet::tracker
