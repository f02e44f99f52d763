// The tracker as a server: sockets, threads and the tracker behind them.
//
//   absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
//   ... server is running ...
//   (*server)->Stop();

#ifndef SEPTET_TRACKER_SERVER_SERVER_H_
#define SEPTET_TRACKER_SERVER_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tracker/server/listen_address.h"
#include "tracker/server/server_options.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {

// Whether Start would take the options, without a look at the system. InvalidArgument
// names the option and what is allowed.
absl::Status CheckServerOptions(const ServerOptions& options);

// Thread-safe. It touches nothing of the process but its own threads and files, and
// raises the limit of descriptors (RLIMIT_NOFILE).
class Server {
 public:
  // Returns when the lists are read, the store is filled from the state file, all sockets are bound
  // and every worker serves. InvalidArgument: an option, or a list or state that cannot be read;
  // Unavailable: an address or another thing of the system, named. An address of all of IPv6 on a
  // host without IPv6 is left out, if others are there.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);

  // Stops.
  ~Server();

  // Where it listens, in the order asked for; in place of port 0, the port chosen.
  const std::vector<ListenAddress>& addresses() const;

  // "listening http://127.0.0.1:6969 udp://127.0.0.1:6969"
  std::string StartUpLine() const;

  // No new connections; answers the open requests, for stop_timeout_ms at most, and
  // returns when all threads have ended and the state is saved. Later calls do nothing.
  void Stop();

  // Has the lists of served torrents read again by a thread of the server; returns at once.
  // The log says what came of it. False: there are no lists.
  bool ReloadLists();

  // HTTP connections that are open now.
  uint32_t connections() const;

  SwarmStore& store();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_SERVER_H_
