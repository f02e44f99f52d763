#include "tracker/flags/flags.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "tracker/flags/byte_size.h"
#include "tracker/flags/secret_file.h"
#include "tracker/http/http_handler.h"
#include "tracker/networks.h"
#include "tracker/server/listen_address.h"
#include "tracker/server/state_file.h"
#include "tracker/swarm_store.h"

using septet::tracker::ByteSize;

// --- What is served, and where -------------------------------------------------

ABSL_FLAG(std::string, listen, "0.0.0.0:6969,[::]:6969",
          "Addresses for HTTP and UDP, comma-separated; http://ADDR:PORT or udp://ADDR:PORT is for "
          "one of the two. proxy+http://ADDR:PORT is for HTTP behind the PROXY protocol, version 1 "
          "or 2, and for --trusted_proxies alone. Port 0 takes a free one, which the start-up line "
          "names.");
ABSL_FLAG(int64_t, workers, 0, "Event loops, one thread each. 0: one for each core.");
ABSL_FLAG(bool, allow_noncompact, true,
          "Answer compact=0 over HTTP with a list of dictionaries, which is several times longer.");
ABSL_FLAG(bool, allow_scrape, true, "Answer scrapes.");

// --- Which torrents --------------------------------------------------------------

ABSL_FLAG(std::string, allow_list, "",
          "File of info-hashes: only these torrents are served, and those of --torrents_dir. One a "
          "line, 40 hexadecimal digits of version 1 or 64 of version 2; # begins a comment. SIGHUP "
          "has it read again.");
ABSL_FLAG(std::string, deny_list, "",
          "File of info-hashes that are not served, whatever allows them. As --allow_list.");
ABSL_FLAG(std::string, torrents_dir, "",
          "Folder of .torrent files: only their torrents are served, and those of --allow_list. It "
          "is watched for changes.");

// --- Announces -------------------------------------------------------------------

ABSL_FLAG(absl::Duration, interval, absl::Minutes(30),
          "How long peers are asked to wait until the next announce; spread at random by 10 %.");
ABSL_FLAG(absl::Duration, min_interval, absl::Minutes(15),
          "How long peers have to wait at least, at most --interval. Not given: half of "
          "--interval.");
ABSL_FLAG(absl::Duration, peer_timeout, absl::Minutes(65),
          "A peer that has not announced for this long is gone. Not given: twice --interval and 5 "
          "minutes.");
ABSL_FLAG(int64_t, numwant_default, 50,
          "Peers in a reply if the request does not say how many, at most --numwant_max. Not given "
          "and --numwant_max is less: that.");
ABSL_FLAG(
    int64_t, numwant_max, 200,
    "Peers in a reply at most. A UDP reply holds no more than 200 IPv4 or 67 IPv6 peers in any "
    "case.");

// --- Memory ----------------------------------------------------------------------

ABSL_FLAG(
    ByteSize, max_memory, ByteSize{},
    "Bytes that swarms and their peers may take. When they are in use, peers that are new are "
    "answered but not listed.");
ABSL_FLAG(absl::Duration, downloaded_retention, absl::Hours(24),
          "How long a torrent without peers keeps its count of downloads.");

// --- State -----------------------------------------------------------------------

ABSL_FLAG(std::string, state_file, "",
          "File that keeps torrents and peers over a restart: read at the start, written every "
          "--state_interval and at the stop. A damaged one gets another name, and the tracker "
          "starts empty. Empty: a restart begins without peers.");
ABSL_FLAG(absl::Duration, state_interval, absl::Minutes(5),
          "How often --state_file is written, which is what a crash may lose.");

// --- UDP -------------------------------------------------------------------------

ABSL_FLAG(
    std::string, connection_id_secret_file, "",
    "File of secret bytes that make the key of connection ids, so that ids outlive a restart "
    "and machines can stand in for each other. Empty: a new key from the kernel at each start.");
ABSL_FLAG(absl::Duration, connection_id_validity, absl::Minutes(2),
          "How long a connection id is valid at least; it ends within one and a half times this.");
ABSL_FLAG(
    ByteSize, udp_receive_buffer, ByteSize{4 << 20},
    "Bytes of packets that the kernel keeps for each socket while the tracker is busy, as far "
    "as net.core.rmem_max allows. none: the kernel's default.");
ABSL_FLAG(int64_t, udp_error_rate, 1000,
          "UDP errors a second that are sent for connection ids that are not valid, whose source "
          "may be forged; all workers share it. 0: none is sent.");

// --- HTTP ------------------------------------------------------------------------

ABSL_FLAG(int64_t, max_connections, 0,
          "HTTP connections in all; at the limit the oldest idle one is closed for a new one. 0: "
          "90 % of the descriptors that the process may have.");
ABSL_FLAG(int64_t, max_connections_per_address, 64,
          "HTTP connections from one IPv4 address or one IPv6 /64; more are refused. 0: no limit.");
ABSL_FLAG(std::string, trusted_proxies, "none",
          "Networks of proxies whose X-Forwarded-For or Forwarded header names the client; from "
          "all others the headers are ignored. They may have any number of connections.");
ABSL_FLAG(std::string, honor_ip_param, "none",
          "Networks of clients that may say in an HTTP announce where they listen: ipv4= or ipv6= "
          "of the family they announce over, else ip=. From all others these are ignored, as host "
          "names are. Behind a trusted proxy the address of the client counts.");
ABSL_FLAG(absl::Duration, http_idle_timeout, absl::Seconds(30),
          "How long an HTTP connection may stay between a response and the next request.");
ABSL_FLAG(absl::Duration, http_head_timeout, absl::Seconds(10),
          "How long a request head may take to come.");
ABSL_FLAG(absl::Duration, http_write_timeout, absl::Seconds(30),
          "How long a client may take to receive a response.");
ABSL_FLAG(absl::Duration, http_linger_timeout, absl::Seconds(2),
          "How long a client that still sends is read from after the last response, so that the "
          "response is not lost.");
ABSL_FLAG(ByteSize, http_buffer_memory, ByteSize{64 << 20},
          "Bytes for requests and responses that are in pieces; when they are in use, the "
          "connection that has been in pieces for longest is closed.");
ABSL_FLAG(
    ByteSize, http_socket_buffer, ByteSize{64 << 10},
    "Bytes that the kernel keeps of an HTTP connection in each direction, which bounds what a "
    "client costs that sends requests and takes no responses. The kernel doubles it for "
    "what it needs itself. none: the kernel's choice, which grows to megabytes.");

// --- The process -----------------------------------------------------------------

ABSL_FLAG(absl::Duration, stop_timeout, absl::Seconds(3),
          "How long open requests have to end after SIGTERM or SIGINT.");
ABSL_FLAG(std::string, flagfile, "",
          "File with one flag a line, such as --interval=30m; lines that begin with # are skipped. "
          "Of a flag given twice the last one counts.");
ABSL_FLAG(bool, check_config, false, "Check the flags and the files that they name, and exit.");
ABSL_FLAG(bool, version, false, "Print the version and exit.");
ABSL_FLAG(bool, help, false, "Print this and exit.");

namespace septet::tracker {
namespace {

struct DurationRange {
  absl::string_view name;
  const absl::Flag<absl::Duration>* flag;
  absl::Duration min;
  absl::Duration max;
};

const std::vector<DurationRange>& DurationRanges() {
  const absl::Duration day = absl::Hours(24);
  static const auto& ranges = *new std::vector<DurationRange>{
      {"interval", &FLAGS_interval, absl::Seconds(1), day},
      {"min_interval", &FLAGS_min_interval, absl::Seconds(1), day},
      {"peer_timeout", &FLAGS_peer_timeout, absl::Seconds(1), 7 * day},
      {"downloaded_retention", &FLAGS_downloaded_retention, absl::ZeroDuration(), 366 * day},
      {"state_interval", &FLAGS_state_interval, absl::Milliseconds(100), day},
      {"connection_id_validity", &FLAGS_connection_id_validity, absl::Seconds(1), day},
      {"http_idle_timeout", &FLAGS_http_idle_timeout, absl::Milliseconds(100), day},
      {"http_head_timeout", &FLAGS_http_head_timeout, absl::Milliseconds(100), day},
      {"http_write_timeout", &FLAGS_http_write_timeout, absl::Milliseconds(100), day},
      {"http_linger_timeout", &FLAGS_http_linger_timeout, absl::ZeroDuration(), absl::Minutes(1)},
      {"stop_timeout", &FLAGS_stop_timeout, absl::ZeroDuration(), absl::Hours(1)},
  };
  return ranges;
}

struct IntegerRange {
  absl::string_view name;
  const absl::Flag<int64_t>* flag;
  int64_t min;
  int64_t max;
};

const IntegerRange kIntegerRanges[] = {
    {"workers", &FLAGS_workers, 0, 256},
    {"udp_error_rate", &FLAGS_udp_error_rate, 0, 1'000'000'000},
    {"numwant_default", &FLAGS_numwant_default, 0, kHttpNumwantLimit},
    {"numwant_max", &FLAGS_numwant_max, 0, kHttpNumwantLimit},
    {"max_connections", &FLAGS_max_connections, 0, 100'000'000},
    {"max_connections_per_address", &FLAGS_max_connections_per_address, 0, 100'000'000},
};

struct SizeRange {
  absl::string_view name;
  const absl::Flag<ByteSize>* flag;
  bool may_be_none;
  ByteSize min;
  ByteSize max;
};

const std::vector<SizeRange>& SizeRanges() {
  static const auto& ranges = *new std::vector<SizeRange>{
      {"max_memory", &FLAGS_max_memory, true,
       ByteSize{std::max<uint64_t>(SwarmStore::MinBytesMax(StoreOptions().shards), 1 << 20)},
       ByteSize{uint64_t{64} << 40}},
      {"udp_receive_buffer", &FLAGS_udp_receive_buffer, true, ByteSize{64 << 10},
       ByteSize{1 << 30}},
      {"http_buffer_memory", &FLAGS_http_buffer_memory, false, ByteSize{1 << 20},
       ByteSize{uint64_t{64} << 40}},
      {"http_socket_buffer", &FLAGS_http_socket_buffer, true, ByteSize{4 << 10},
       ByteSize{64 << 20}},
  };
  return ranges;
}

struct AllowedRow {
  absl::string_view name;
  absl::string_view allowed;
};
constexpr absl::string_view kNetworksAllowed =
    "none, or a list of addresses and networks, such as 127.0.0.1,10.0.0.0/8,2001:db8::/32";
constexpr AllowedRow kOtherAllowed[] = {
    {"listen",
     "a list of ADDR:PORT, http://ADDR:PORT, udp://ADDR:PORT or proxy+http://ADDR:PORT, such as "
     "0.0.0.0:6969,[::]:6969"},
    {"trusted_proxies", kNetworksAllowed},
    {"honor_ip_param", kNetworksAllowed},
    {"allow_list", "a file that can be read, or empty"},
    {"deny_list", "a file that can be read, or empty"},
    {"torrents_dir", "a folder that can be read, or empty"},
    {"connection_id_secret_file", "a file of 16 to 4096 bytes, or empty"},
    {"state_file", "a file, there or not, in a folder that can be written, or empty"},
    {"flagfile", "a file that can be read"},
    {"allow_noncompact", "true or false"},
    {"allow_scrape", "true or false"},
    {"check_config", "true or false"},
    {"version", "true or false"},
    {"help", "true or false"},
};

template <typename Range>
const Range* FindRange(absl::Span<const Range> ranges, absl::string_view name) {
  for (const Range& range : ranges) {
    if (range.name == name) return &range;
  }
  return nullptr;
}

std::string Allowed(const DurationRange& range) {
  return absl::StrCat("a duration from ", absl::FormatDuration(range.min), " to ",
                      absl::FormatDuration(range.max), ", such as 90s, 30m or 1h30m");
}

std::string Allowed(const IntegerRange& range) {
  return absl::StrCat("a whole number from ", range.min, " to ", range.max);
}

std::string Allowed(const SizeRange& range) {
  return absl::StrCat(range.may_be_none ? "none, or a" : "a", " number of bytes from ",
                      AbslUnparseFlag(range.min), " to ", AbslUnparseFlag(range.max),
                      ", such as 512MiB or 4GiB");
}

absl::Status NotAllowed(absl::string_view name, absl::string_view value,
                        absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("--", name, "=", value, ": allowed: ", allowed));
}

absl::Status CheckRange(const DurationRange& range) {
  const absl::Duration value = absl::GetFlag(*range.flag);
  if (value >= range.min && value <= range.max) return absl::OkStatus();
  return NotAllowed(range.name, absl::FormatDuration(value), Allowed(range));
}

absl::Status CheckRange(const IntegerRange& range) {
  const int64_t value = absl::GetFlag(*range.flag);
  if (value >= range.min && value <= range.max) return absl::OkStatus();
  return NotAllowed(range.name, absl::StrCat(value), Allowed(range));
}

absl::Status CheckRange(const SizeRange& range) {
  const ByteSize value = absl::GetFlag(*range.flag);
  if (value.bytes == 0 && range.may_be_none) return absl::OkStatus();
  if (value.bytes >= range.min.bytes && value.bytes <= range.max.bytes) return absl::OkStatus();
  return NotAllowed(range.name, AbslUnparseFlag(value), Allowed(range));
}

template <typename Ranges>
absl::Status CheckRanges(const Ranges& ranges) {
  for (const auto& range : ranges) {
    const absl::Status status = CheckRange(range);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckAllRanges() {
  absl::Status status = CheckRanges(DurationRanges());
  if (status.ok()) status = CheckRanges(kIntegerRanges);
  if (status.ok()) status = CheckRanges(SizeRanges());
  return status;
}

int64_t Milliseconds(const absl::Flag<absl::Duration>& flag) {
  return absl::ToInt64Milliseconds(absl::GetFlag(flag));
}

int32_t Seconds(absl::Duration duration) {
  return static_cast<int32_t>(absl::ToInt64Seconds(duration));
}

absl::Status SetService(const GivenFlags& given, ServiceOptions* options) {
  const absl::Duration interval = absl::GetFlag(FLAGS_interval);
  absl::Duration min_interval = absl::GetFlag(FLAGS_min_interval);
  if (!given.contains("min_interval")) min_interval = std::max(interval / 2, absl::Seconds(1));
  if (min_interval > interval) {
    return NotAllowed("min_interval", absl::FormatDuration(min_interval),
                      absl::StrCat("at most --interval, ", absl::FormatDuration(interval)));
  }
  const int64_t numwant_max = absl::GetFlag(FLAGS_numwant_max);
  int64_t numwant_default = absl::GetFlag(FLAGS_numwant_default);
  if (!given.contains("numwant_default")) numwant_default = std::min(numwant_default, numwant_max);
  if (numwant_default > numwant_max) {
    return NotAllowed("numwant_default", absl::StrCat(numwant_default),
                      absl::StrCat("at most --numwant_max, ", numwant_max));
  }
  options->interval_s = Seconds(interval);
  options->min_interval_s = Seconds(min_interval);
  options->numwant_default = static_cast<uint32_t>(numwant_default);
  options->numwant_max = static_cast<uint32_t>(numwant_max);
  options->allow_noncompact = absl::GetFlag(FLAGS_allow_noncompact);
  options->allow_scrape = absl::GetFlag(FLAGS_allow_scrape);
  return absl::OkStatus();
}

void SetStore(const GivenFlags& given, StoreOptions* options) {
  absl::Duration timeout = absl::GetFlag(FLAGS_peer_timeout);
  if (!given.contains("peer_timeout")) {
    timeout = 2 * absl::GetFlag(FLAGS_interval) + absl::Minutes(5);
  }
  options->peer_timeout_ms = absl::ToInt64Milliseconds(timeout);
  options->downloaded_retention_ms = Milliseconds(FLAGS_downloaded_retention);
  options->bytes_max = absl::GetFlag(FLAGS_max_memory).bytes;
}

absl::Status SetNetworks(absl::string_view name, const absl::Flag<std::string>& flag,
                         Networks* networks) {
  absl::StatusOr<Networks> parsed = Networks::Parse(absl::GetFlag(flag));
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", name, ": ", parsed.status().message()));
  }
  *networks = *std::move(parsed);
  return absl::OkStatus();
}

absl::Status SetHttp(HttpOptions* options) {
  options->connections_max = static_cast<uint32_t>(absl::GetFlag(FLAGS_max_connections));
  options->connections_per_address_max =
      static_cast<uint32_t>(absl::GetFlag(FLAGS_max_connections_per_address));
  options->idle_timeout_ms = Milliseconds(FLAGS_http_idle_timeout);
  options->head_timeout_ms = Milliseconds(FLAGS_http_head_timeout);
  options->write_timeout_ms = Milliseconds(FLAGS_http_write_timeout);
  options->linger_timeout_ms = Milliseconds(FLAGS_http_linger_timeout);
  options->buffer_bytes_max = absl::GetFlag(FLAGS_http_buffer_memory).bytes;
  options->socket_buffer_bytes = static_cast<int>(absl::GetFlag(FLAGS_http_socket_buffer).bytes);
  const absl::Status status =
      SetNetworks("trusted_proxies", FLAGS_trusted_proxies, &options->trusted_proxies);
  if (!status.ok()) return status;
  return SetNetworks("honor_ip_param", FLAGS_honor_ip_param, &options->honor_ip_param);
}

absl::Status SetUdp(UdpOptions* options) {
  options->connection_id_validity_ms = Milliseconds(FLAGS_connection_id_validity);
  const std::string path = absl::GetFlag(FLAGS_connection_id_secret_file);
  if (path.empty()) return absl::OkStatus();
  const absl::StatusOr<SipHashKey> key = ReadSecretFile(path);
  if (!key.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--connection_id_secret_file=", path, ": ", key.status().message()));
  }
  options->connection_id_key = *key;
  return absl::OkStatus();
}

void SetAccess(AccessOptions* options) {
  options->allow_list = absl::GetFlag(FLAGS_allow_list);
  options->deny_list = absl::GetFlag(FLAGS_deny_list);
  options->torrents_dir = absl::GetFlag(FLAGS_torrents_dir);
}

absl::Status SetState(StateOptions* options) {
  options->interval_ms = Milliseconds(FLAGS_state_interval);
  options->file = absl::GetFlag(FLAGS_state_file);
  if (options->file.empty()) return absl::OkStatus();
  const absl::Status status = CheckStateFile(options->file);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat("--state_file=", options->file, ": ",
                                                 status.message(),
                                                 "; allowed: ", AllowedValues("state_file")));
}

absl::Status SetListen(std::vector<ListenAddress>* listen) {
  absl::StatusOr<std::vector<ListenAddress>> addresses =
      ParseListenAddresses(absl::GetFlag(FLAGS_listen));
  if (!addresses.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--listen: ", addresses.status().message()));
  }
  *listen = *std::move(addresses);
  return absl::OkStatus();
}

// The flags of this file, in the order of their names.
std::vector<const absl::CommandLineFlag*> OwnFlags() {
  std::vector<const absl::CommandLineFlag*> flags;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (!AllowedValues(name).empty()) flags.push_back(flag);
  }
  std::sort(flags.begin(), flags.end(),
            [](const auto* a, const auto* b) { return a->Name() < b->Name(); });
  return flags;
}

}  // namespace

std::string AllowedValues(absl::string_view name) {
  if (const auto* range = FindRange<DurationRange>(DurationRanges(), name)) return Allowed(*range);
  if (const auto* range = FindRange<IntegerRange>(kIntegerRanges, name)) return Allowed(*range);
  if (const auto* range = FindRange<SizeRange>(SizeRanges(), name)) return Allowed(*range);
  for (const AllowedRow& row : kOtherAllowed) {
    if (row.name == name) return std::string(row.allowed);
  }
  return "";
}

std::string HelpText() {
  std::string text =
      "septet: a BitTorrent tracker over HTTP and UDP.\n"
      "\n"
      "Flags (--name=value):\n";
  for (const absl::CommandLineFlag* flag : OwnFlags()) {
    const std::string initial = flag->DefaultValue();
    absl::StrAppend(&text, "\n  --", flag->Name(), "\n      ", flag->Help(),
                    "\n      Default: ", initial.empty() ? "empty" : initial,
                    ". Allowed: ", AllowedValues(flag->Name()), ".\n");
  }
  return text;
}

absl::StatusOr<ServerOptions> OptionsFromFlags(const GivenFlags& given) {
  ServerOptions options;
  absl::Status status = CheckAllRanges();
  if (status.ok()) status = SetListen(&options.listen);
  if (status.ok()) status = SetService(given, &options.service);
  if (status.ok()) status = SetState(&options.state);
  if (status.ok()) status = SetUdp(&options.udp);
  if (status.ok()) status = SetHttp(&options.http);
  if (!status.ok()) return status;
  SetAccess(&options.access);
  SetStore(given, &options.store);
  options.workers = static_cast<uint32_t>(absl::GetFlag(FLAGS_workers));
  options.udp_receive_buffer_bytes =
      static_cast<int>(absl::GetFlag(FLAGS_udp_receive_buffer).bytes);
  options.udp_error_rate = static_cast<uint32_t>(absl::GetFlag(FLAGS_udp_error_rate));
  options.stop_timeout_ms = Milliseconds(FLAGS_stop_timeout);
  return options;
}

}  // namespace septet::tracker
