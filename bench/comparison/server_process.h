// A server in a process of its own, started from a command.

#ifndef SEPTET_BENCH_COMPARISON_SERVER_PROCESS_H_
#define SEPTET_BENCH_COMPARISON_SERVER_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace septet::bench {

// Not thread-safe.
class ServerProcess {
 public:
  // Starts `command` (a path and arguments) and waits for its start-up line on standard
  // error, `listening SCHEME://ADDR:PORT ...`, up to ten seconds. Unavailable: it did not
  // come; the message holds what came instead.
  static absl::StatusOr<std::unique_ptr<ServerProcess>> Start(
      const std::vector<std::string>& command);

  // Starts a server that says nothing, through the shell. It may not listen yet.
  static absl::StatusOr<std::unique_ptr<ServerProcess>> StartSilent(const std::string& command);

  // Ends it: SIGTERM, and after five seconds SIGKILL.
  ~ServerProcess();

  pid_t pid() const { return pid_; }
  // What the start-up line names, such as "udp://127.0.0.1:40123".
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  ServerProcess() = default;
  absl::Status Spawn(const std::vector<std::string>& command);
  std::string Log() const;

  pid_t pid_ = -1;
  std::string log_path_;  // its standard error
  std::vector<std::string> addresses_;
};

}  // namespace septet::bench

#endif  // SEPTET_BENCH_COMPARISON_SERVER_PROCESS_H_
