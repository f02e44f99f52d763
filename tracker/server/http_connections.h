// The HTTP connections of one worker: accepts them, moves their bytes, ends them.
//
// What the bytes mean is HttpStream's; this is about sockets and time. A request that
// comes in one piece and whose response the kernel takes in one piece, as nearly all
// do, costs one recv and one send from buffers that all connections share: a
// connection has memory of its own only while a request or a response is in pieces.

#ifndef SEPTET_TRACKER_SERVER_HTTP_CONNECTIONS_H_
#define SEPTET_TRACKER_SERVER_HTTP_CONNECTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "http/proxy_protocol.h"
#include "tracker/http/http_handler.h"
#include "tracker/http/http_stream.h"
#include "tracker/networks.h"
#include "tracker/random.h"
#include "tracker/server/byte_buffer.h"
#include "tracker/server/connection_limits.h"
#include "tracker/server/connection_table.h"
#include "tracker/server/file_descriptor.h"
#include "tracker/server/log.h"
#include "tracker/server/system_calls.h"

namespace septet::tracker {

// What the connections use and do not own.
struct HttpEnvironment {
  const SystemCalls* calls = nullptr;
  int epoll = -1;
  const HttpHandler* handler = nullptr;
  ConnectionLimits* limits = nullptr;
  // Whose headers of the PROXY protocol are read.
  const Networks* trusted_proxies = nullptr;
  Log* log = nullptr;
  Random* random = nullptr;
};

struct HttpConnectionOptions {
  // By Phase: how long a connection may be in it.
  std::array<int64_t, kPhaseCount> timeout_ms{};
  uint64_t buffer_bytes_max = 0;
};

struct HttpListener {
  FileDescriptor fd;
  bool proxy_protocol = false;
};

// Not thread-safe: used by one worker.
class HttpConnections {
 public:
  // What `environment` points to must outlive the connections.
  HttpConnections(const HttpEnvironment& environment, const HttpConnectionOptions& options,
                  std::vector<HttpListener> listeners);
  ~HttpConnections();
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  // Starts to watch the listeners. False: epoll does not take them; errno says why.
  bool Listen() { return WatchListeners(EPOLLIN, EPOLL_CTL_ADD); }

  // The time for all that follows.
  void set_now_ms(int64_t now_ms) { context_.now_ms = now_ms; }

  // Listener `index` can be accepted from.
  void OnAcceptable(uint32_t index);

  // epoll has something of a connection, which may be gone.
  void OnEvent(uint32_t index, uint32_t generation);

  // Ends connections whose time has run out.
  void OnTimer();

  // When OnTimer has something to do next; INT64_MAX: never.
  int64_t NextTimerMs();

  // Takes the connections that are already in the queue of the kernel, then no more;
  // ends those without an open request, and the others after their next response.
  void BeginStop();

  size_t size() const { return table_.size(); }

 private:
  enum class AcceptResult : uint8_t { kAccepted, kNoneWaits, kPaused };

  AcceptResult AcceptOne(const HttpListener& listener);
  void Start(int fd, const Endpoint& source, bool proxy_protocol);
  bool Admit(const Endpoint& source);
  bool EvictOldest(absl::Span<const Phase> phases);
  bool EvictForBuffers(const Connection& asking);
  AcceptResult PauseAccepting();
  bool WatchListeners(uint32_t events, int operation);

  void Read(Connection& connection);
  bool TakeProxyHeader(Connection& connection, absl::string_view* in);
  bool TakeSource(Connection& connection, const http::ProxyHeader& header);
  void Serve(Connection& connection, absl::string_view in);
  bool Send(Connection& connection, absl::string_view out, absl::string_view in,
            HttpStream::Next next);
  void Flush(Connection& connection);
  void Drain(Connection& connection);
  bool Keep(Connection& connection, ByteBuffer Connection::* buffer, absl::string_view bytes);
  void Await(Connection& connection);
  void Linger(Connection& connection);
  void Watch(Connection& connection, uint32_t events);
  void Close(Connection& connection);
  void Report(Fault fault, int error) { environment_.log->Report(fault, error, context_.now_ms); }

  const HttpEnvironment environment_;
  const SystemCalls& calls_;
  const HttpConnectionOptions options_;
  std::vector<HttpListener> listeners_;
  // Connections that the next call of OnAcceptable takes at most. It follows the rate,
  // so that few calls end with an accept that finds nothing.
  uint32_t accept_burst_ = 1;
  int64_t accept_paused_until_ms_ = INT64_MAX;  // INT64_MAX: not paused
  ConnectionTable table_;
  BufferBudget budget_;
  HttpStreamContext context_;
  std::unique_ptr<char[]> in_;
  std::unique_ptr<char[]> out_;
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_HTTP_CONNECTIONS_H_
