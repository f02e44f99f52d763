// What an operator or a program that embeds the server can choose.

#ifndef SEPTET_TRACKER_SERVER_SERVER_OPTIONS_H_
#define SEPTET_TRACKER_SERVER_SERVER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tracker/access/access_lists.h"
#include "tracker/networks.h"
#include "tracker/server/listen_address.h"
#include "tracker/server/system_calls.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"
#include "tracker/udp/udp_handler.h"

namespace septet::tracker {

struct HttpOptions {
  // Connections in all; 0: 90 % of the descriptors that the process may have.
  uint32_t connections_max = 0;
  // Connections from one IPv4 address or one IPv6 /64; 0: no limit. Trusted proxies have
  // none.
  uint32_t connections_per_address_max = 64;
  // Proxies whose X-Forwarded-For and Forwarded name the client, and who alone may connect
  // to a listener of the PROXY protocol.
  Networks trusted_proxies;
  // Clients whose ip=, ipv4= and ipv6= in an announce say where they listen; told from the
  // address behind a trusted proxy.
  Networks honor_ip_param;
  int64_t idle_timeout_ms = 30'000;   // between a response and the next request
  int64_t head_timeout_ms = 10'000;   // for a whole request head
  int64_t write_timeout_ms = 30'000;  // for the client to take a response
  int64_t linger_timeout_ms = 2'000;  // for the client to end after an error response
  // For requests and responses that are in pieces; connections over it are closed.
  uint64_t buffer_bytes_max = 64 * 1024 * 1024;
  // Of a connection in the kernel, in each direction; 0: the kernel's choice.
  int socket_buffer_bytes = 64 * 1024;
};

// What outlives a restart.
struct StateOptions {
  // Where torrents and peers are kept; empty: nowhere.
  std::string file;
  // How often they are written, beside at the stop; at least 1.
  int64_t interval_ms = 5 * 60 * 1000;
};

struct ServerOptions {
  std::vector<ListenAddress> listen;
  uint32_t workers = 0;  // event loops, a thread each; 0: one for each core
  ServiceOptions service;
  // Which torrents are served; none of the files: all.
  AccessOptions access;
  // hash_key: left zero, it is drawn from the kernel.
  StoreOptions store;
  // connection_id_key: likewise.
  UdpOptions udp;
  HttpOptions http;
  StateOptions state;
  int udp_receive_buffer_bytes = 4 * 1024 * 1024;  // 0: the kernel's default
  // UDP errors a second, all workers together, to sources without a valid connection id.
  uint32_t udp_error_rate = 1000;
  int64_t stop_timeout_ms = 3'000;  // for open requests once it stops
  // Another table brings faults about in tests. Must outlive the server.
  const SystemCalls* calls = &RealSystemCalls();
};

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_SERVER_OPTIONS_H_
