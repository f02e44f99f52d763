// One event loop: its own sockets, its own connections, one thread.

#ifndef SEPTET_TRACKER_SERVER_WORKER_H_
#define SEPTET_TRACKER_SERVER_WORKER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "tracker/http/http_handler.h"
#include "tracker/networks.h"
#include "tracker/random.h"
#include "tracker/server/connection_limits.h"
#include "tracker/server/file_descriptor.h"
#include "tracker/server/http_connections.h"
#include "tracker/server/listening_socket.h"
#include "tracker/server/log.h"
#include "tracker/server/sweeper.h"
#include "tracker/server/system_calls.h"
#include "tracker/server/udp_backlog.h"
#include "tracker/server/udp_batch.h"
#include "tracker/swarm_store.h"
#include "tracker/udp/udp_handler.h"

namespace septet::tracker {

// What the workers share. All of it outlives them.
struct WorkerEnvironment {
  const SystemCalls* calls = nullptr;
  SwarmStore* store = nullptr;
  const HttpHandler* http_handler = nullptr;
  UdpHandler* udp_handler = nullptr;
  ConnectionLimits* limits = nullptr;
  const Networks* trusted_proxies = nullptr;
  Log* log = nullptr;
};

struct WorkerOptions {
  HttpConnectionOptions http;
  // How long open requests have to be finished after Stop.
  int64_t stop_timeout_ms = 0;
  // Of this worker: see ServerOptions.
  uint32_t udp_error_rate = 0;
  bool sweeps = false;  // exactly one worker of a store does
  uint64_t random_seed = 0;
};

class Worker {
 public:
  // Errors say what the kernel lacks.
  static absl::StatusOr<std::unique_ptr<Worker>> Create(const WorkerEnvironment& environment,
                                                        const WorkerOptions& options,
                                                        std::vector<ListeningSocket> sockets);
  ~Worker();

  // Serves until Stop was called and the open requests are answered, or their time is
  // over. Called once, on the thread of the worker.
  void Run();

  // May be called from any thread, more than once. Does not wait.
  void Stop();

 private:
  struct UdpSocket {
    FileDescriptor fd;
    bool tells_destination = false;
    UdpBacklog backlog = {};
    uint32_t watched_events = 0;
    // When to try again what epoll does not tell of; INT64_MAX: never.
    int64_t retry_ms = INT64_MAX;
  };

  Worker(const WorkerEnvironment& environment, const WorkerOptions& options, FileDescriptor epoll,
         FileDescriptor wake_up, std::vector<ListeningSocket> sockets);
  absl::Status WatchSockets();
  void ReadClock();
  void OnEvent(uint64_t token);
  void ServeUdp(uint32_t index);
  void WatchUdp(uint32_t index);
  void OnTimer();
  int64_t NextTimerMs();
  void BeginStop();
  bool is_stopping() const { return stop_deadline_ms_ != INT64_MAX; }
  bool IsDone() const;

  const WorkerEnvironment environment_;
  const WorkerOptions options_;
  const SystemCalls& calls_;
  const FileDescriptor epoll_;
  const FileDescriptor wake_up_;
  Random random_;
  std::vector<UdpSocket> udp_sockets_;
  std::unique_ptr<UdpBatch> udp_batch_;  // null without UDP sockets
  absl::optional<HttpConnections> http_;
  absl::optional<Sweeper> sweeper_;
  int64_t now_ms_ = 0;
  std::atomic<bool> stop_is_asked_{false};
  int64_t stop_deadline_ms_ = INT64_MAX;  // INT64_MAX: not stopping
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_WORKER_H_
