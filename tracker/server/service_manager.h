// Tells the service manager that started the process how it is: the protocol of
// sd_notify(3), which is one datagram to a socket in the file system or in the abstract
// namespace. A library for one datagram would be a dependency of every binary.

#ifndef SEPTET_TRACKER_SERVER_SERVICE_MANAGER_H_
#define SEPTET_TRACKER_SERVER_SERVICE_MANAGER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace septet::tracker {

// Sends `state`, lines of NAME=VALUE such as "READY=1", to the socket that the service
// manager gave in the environment as NOTIFY_SOCKET: a path that begins with '/', or with '@'
// for the abstract namespace. Does not wait. InvalidArgument: the name is none of the two, or
// longer than the 107 bytes of unix(7); Unavailable: the system's reason. Thread-safe.
absl::Status NotifyServiceManager(absl::string_view socket_name, absl::string_view state);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_SERVICE_MANAGER_H_
