#include "tracker/server/server.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "tracker/http/http_handler.h"
#include "tracker/random.h"
#include "tracker/server/access_watcher.h"
#include "tracker/server/connection_limits.h"
#include "tracker/server/descriptor_limit.h"
#include "tracker/server/listening_socket.h"
#include "tracker/server/log.h"
#include "tracker/server/state_file.h"
#include "tracker/server/state_saver.h"
#include "tracker/server/worker.h"
#include "tracker/siphash.h"
#include "tracker/udp/udp_handler.h"

namespace septet::tracker {
namespace {

constexpr uint32_t kWorkersMax = 256;

struct Secrets {
  std::array<uint64_t, 2> hash_key;
  SipHashKey connection_id_key;
  uint64_t seed;
};

absl::StatusOr<Secrets> DrawSecrets(const SystemCalls& calls) {
  Secrets secrets;
  ssize_t drawn = 0;
  do {
    drawn = calls.getrandom(&secrets, sizeof(secrets), 0);
  } while (drawn < 0 && errno == EINTR);
  if (drawn == sizeof(secrets)) return secrets;
  return absl::UnavailableError(
      absl::StrCat("the kernel gives no random numbers: getrandom: ", strerrordesc_np(errno)));
}

uint32_t WorkersFor(uint32_t asked) {
  if (asked > 0) return asked;
  return std::clamp<uint32_t>(std::thread::hardware_concurrency(), 1, kWorkersMax);
}

uint32_t ConnectionsMaxFor(uint32_t asked) {
  const uint64_t limit = RaiseDescriptorLimit();
  if (asked > 0) return asked;
  return static_cast<uint32_t>(std::clamp<uint64_t>(limit / 10 * 9, 1, UINT32_MAX));
}

// Blocks all signals for the time of a scope, so that threads started in it never run
// a signal handler of the program.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

absl::Status CheckServerOptions(const ServerOptions& options) {
  if (options.listen.empty()) return absl::InvalidArgumentError("no address to listen on");
  for (const ListenAddress& address : options.listen) {
    if (!address.proxy_protocol || !options.http.trusted_proxies.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(ToString(address),
                     ": nobody may connect there, as trusted_proxies is none; "
                     "allowed: trusted_proxies with at least one network"));
  }
  if (options.workers > kWorkersMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("workers is ", options.workers, "; allowed: 0 to ", kWorkersMax));
  }
  if (options.state.interval_ms < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("state.interval_ms is ", options.state.interval_ms, "; allowed: at least 1"));
  }
  if (options.service.numwant_max > kHttpNumwantLimit) {
    return absl::InvalidArgumentError(absl::StrCat("numwant_max is ", options.service.numwant_max,
                                                   "; allowed: 0 to ", kHttpNumwantLimit));
  }
  const uint64_t store_bytes_min = SwarmStore::MinBytesMax(options.store.shards);
  if (options.store.bytes_max > 0 && options.store.bytes_max < store_bytes_min) {
    return absl::InvalidArgumentError(absl::StrCat("max_memory is ", options.store.bytes_max,
                                                   " bytes; allowed: none, or at least ",
                                                   store_bytes_min));
  }
  return absl::OkStatus();
}

class Server::Impl {
 public:
  Impl(const ServerOptions& options, const Secrets& secrets)
      : options_(options),
        calls_(*options.calls),
        store_options_(WithKey(options.store, secrets)),
        store_(absl::in_place, store_options_),
        service_(options.service, &*store_, options.access.any() ? &access_ : nullptr),
        http_handler_(&service_, {options.http.trusted_proxies, options.http.honor_ip_param}),
        udp_handler_(WithKey(options.udp, secrets), &service_),
        limits_(ConnectionsMaxFor(options.http.connections_max),
                options.http.connections_per_address_max, options.http.trusted_proxies),
        seeds_(secrets.seed) {}

  ~Impl() { Stop(); }

  absl::Status Start();
  void Stop();

  const std::vector<ListenAddress>& addresses() const { return addresses_; }
  uint32_t connections() const { return limits_.connections(); }
  SwarmStore& store() { return *store_; }
  bool ReloadLists() {
    if (access_watcher_ == nullptr) return false;
    access_watcher_->Reload();
    return true;
  }

 private:
  using Sockets = std::vector<ListeningSocket>;

  static StoreOptions WithKey(StoreOptions options, const Secrets& secrets) {
    if (options.hash_key == std::array<uint64_t, 2>{}) options.hash_key = secrets.hash_key;
    return options;
  }

  static UdpOptions WithKey(UdpOptions options, const Secrets& secrets) {
    if (options.connection_id_key == SipHashKey{}) {
      options.connection_id_key = secrets.connection_id_key;
    }
    return options;
  }

  absl::Status StartAccess();
  absl::Status OpenSockets(std::vector<Sockets>* by_worker);
  absl::Status OpenAddress(const ListenAddress& address, std::vector<Sockets>* by_worker);
  absl::Status CreateWorker(Sockets sockets);
  absl::Status StartThreads();
  absl::Status RestoreState();

  const ServerOptions options_;
  const SystemCalls& calls_;
  Log log_;
  const StoreOptions store_options_;
  absl::optional<SwarmStore> store_;
  AccessControl access_;
  Service service_;
  const HttpHandler http_handler_;
  UdpHandler udp_handler_;
  ConnectionLimits limits_;
  Random seeds_;
  std::vector<ListenAddress> addresses_;
  std::unique_ptr<AccessWatcher> access_watcher_;  // null: there are no lists
  std::unique_ptr<StateSaver> saver_;              // null without a state file
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex stop_mutex_;  // guards threads_
  std::vector<std::thread> threads_;
};

absl::Status Server::Impl::OpenAddress(const ListenAddress& address,
                                       std::vector<Sockets>* by_worker) {
  ListenOptions options;
  options.shared = by_worker->size() > 1;
  options.udp_receive_buffer_bytes = options_.udp_receive_buffer_bytes;
  options.http_socket_buffer_bytes = options_.http.socket_buffer_bytes;
  if (options.shared) {
    const absl::Status status = CheckAddressIsFree(calls_, address);
    if (!status.ok()) return status;
  }
  // Port 0 is chosen for the first worker; the others share it.
  ListenAddress bound = address;
  for (Sockets& sockets : *by_worker) {
    absl::StatusOr<ListeningSocket> socket = OpenListeningSocket(calls_, bound, options);
    if (!socket.ok()) return socket.status();
    bound = socket->address;
    sockets.push_back(*std::move(socket));
  }
  addresses_.push_back(bound);
  return absl::OkStatus();
}

absl::Status Server::Impl::OpenSockets(std::vector<Sockets>* by_worker) {
  absl::Status last;
  for (const ListenAddress& address : options_.listen) {
    const absl::Status status = OpenAddress(address, by_worker);
    // This host has no IPv6, so there is nothing to listen on there.
    if (absl::IsUnimplemented(status)) {
      last = status;
      continue;
    }
    if (!status.ok()) return status;
  }
  return addresses_.empty() ? last : absl::OkStatus();
}

absl::Status Server::Impl::CreateWorker(Sockets sockets) {
  const WorkerEnvironment environment = {.calls = &calls_,
                                         .store = &*store_,
                                         .http_handler = &http_handler_,
                                         .udp_handler = &udp_handler_,
                                         .limits = &limits_,
                                         .trusted_proxies = &options_.http.trusted_proxies,
                                         .log = &log_};
  WorkerOptions options;
  auto& timeout_ms = options.http.timeout_ms;
  timeout_ms[static_cast<size_t>(Phase::kIdle)] = options_.http.idle_timeout_ms;
  timeout_ms[static_cast<size_t>(Phase::kNew)] = options_.http.head_timeout_ms;
  timeout_ms[static_cast<size_t>(Phase::kHead)] = options_.http.head_timeout_ms;
  timeout_ms[static_cast<size_t>(Phase::kWrite)] = options_.http.write_timeout_ms;
  timeout_ms[static_cast<size_t>(Phase::kLinger)] = options_.http.linger_timeout_ms;
  const uint32_t workers = WorkersFor(options_.workers);
  options.http.buffer_bytes_max = options_.http.buffer_bytes_max / workers;
  options.udp_error_rate = options_.udp_error_rate / workers;
  if (options_.udp_error_rate % workers > 0) ++options.udp_error_rate;
  options.stop_timeout_ms = options_.stop_timeout_ms;
  options.sweeps = workers_.empty();
  options.random_seed = seeds_.Next();
  absl::StatusOr<std::unique_ptr<Worker>> worker =
      Worker::Create(environment, options, std::move(sockets));
  if (!worker.ok()) return worker.status();
  workers_.push_back(*std::move(worker));
  return absl::OkStatus();
}

// Before anybody uses the store. What holds no state is set aside, and the store is empty.
absl::Status Server::Impl::RestoreState() {
  if (options_.state.file.empty()) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<StateFile>> file = StateFile::Open(calls_, options_.state.file);
  if (!file.ok()) return file.status();
  const absl::StatusOr<std::string> loaded = (*file)->Load(&*store_);
  if (loaded.ok() && !loaded->empty()) log_.Tell(*loaded);
  if (absl::IsDataLoss(loaded.status())) {
    store_.emplace(store_options_);
    const absl::StatusOr<std::string> kept_as = (*file)->SetAside();
    if (!kept_as.ok()) return kept_as.status();
    log_.Tell(absl::StrCat(loaded.status().message(), "; it is kept as ", *kept_as,
                           ", and the tracker starts empty"));
  } else if (!loaded.ok()) {
    return loaded.status();
  }
  saver_ =
      std::make_unique<StateSaver>(*std::move(file), &*store_, &log_, options_.state.interval_ms);
  return absl::OkStatus();
}

absl::Status Server::Impl::StartThreads() {
  const BlockedSignals blocked;
  const std::lock_guard<std::mutex> lock(stop_mutex_);
  for (const std::unique_ptr<Worker>& worker : workers_) {
    try {
      threads_.emplace_back([&worker = *worker] { worker.Run(); });
    } catch (const std::system_error& error) {
      return absl::UnavailableError(
          absl::StrCat("the thread of a worker cannot be started: ", error.what()));
    }
  }
  return saver_ == nullptr ? absl::OkStatus() : saver_->Start();
}

absl::Status Server::Impl::StartAccess() {
  if (!options_.access.any()) return absl::OkStatus();
  const BlockedSignals blocked;
  absl::StatusOr<std::unique_ptr<AccessWatcher>> watcher =
      AccessWatcher::Start(options_.access, &access_, &log_, calls_);
  if (!watcher.ok()) return watcher.status();
  access_watcher_ = *std::move(watcher);
  return absl::OkStatus();
}

absl::Status Server::Impl::Start() {
  absl::Status status = StartAccess();
  if (!status.ok()) return status;
  std::vector<Sockets> by_worker(WorkersFor(options_.workers));
  // Sockets first: who may not listen should not touch the state of who does. What comes in
  // until the workers start waits in their buffers.
  status = OpenSockets(&by_worker);
  if (status.ok()) status = RestoreState();
  if (!status.ok()) return status;
  for (Sockets& sockets : by_worker) {
    status = CreateWorker(std::move(sockets));
    if (!status.ok()) return status;
  }
  return StartThreads();
}

void Server::Impl::Stop() {
  const std::lock_guard<std::mutex> lock(stop_mutex_);
  for (const std::unique_ptr<Worker>& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (saver_ != nullptr) saver_->Stop();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  absl::Status status = CheckServerOptions(options);
  if (!status.ok()) return status;
  const absl::StatusOr<Secrets> secrets = DrawSecrets(*options.calls);
  if (!secrets.ok()) return secrets.status();
  auto impl = std::make_unique<Impl>(options, *secrets);
  status = impl->Start();
  if (!status.ok()) return status;
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

const std::vector<ListenAddress>& Server::addresses() const { return impl_->addresses(); }
void Server::Stop() { impl_->Stop(); }
bool Server::ReloadLists() { return impl_->ReloadLists(); }
uint32_t Server::connections() const { return impl_->connections(); }
SwarmStore& Server::store() { return impl_->store(); }

std::string Server::StartUpLine() const {
  std::string line = "listening";
  for (const ListenAddress& address : addresses()) absl::StrAppend(&line, " ", ToString(address));
  return line;
}

}  // namespace septet::tracker
