#include "proptests/simulator/referee.h"

#include <arpa/inet.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "bencode/decoder.h"
#include "proptests/naive_query.h"
#include "proptests/store_check.h"
#include "proptests/udp_check.h"
#include "proptests/udp_packets.h"

namespace septet::simulator {
namespace {

using bencode::Value;
using tracker::AnnounceRequest;
using tracker::Endpoint;
using tracker::Event;
using tracker::Family;
using tracker::FromBigEndian;
using tracker::InfoHash;
using tracker::Role;
using tracker::SwarmCounts;

constexpr size_t kUdpHeaderBytes = 16;
constexpr size_t kUdpAnnounceBytes = 98;
constexpr uint64_t kConnect = 0;
constexpr uint64_t kAnnounce = 1;
constexpr uint64_t kScrape = 2;
constexpr uint64_t kError = 3;
// 1232 bytes, less the 20 before the peers.
constexpr uint32_t kUdpPeersMost[] = {1212 / 6, 1212 / 18};

std::string AddressOf(const Endpoint& source) {
  return std::string(reinterpret_cast<const char*>(source.compact.data()), source.address_bytes());
}

InfoHash HashOf(const std::string& bytes) {
  InfoHash info_hash{};
  std::copy(bytes.begin(), bytes.end(), info_hash.begin());
  return info_hash;
}

// `bytes` in pieces of one size.
std::vector<std::string> Pieces(const std::string& bytes, size_t each) {
  std::vector<std::string> pieces;
  for (size_t at = 0; at + each <= bytes.size(); at += each)
    pieces.push_back(bytes.substr(at, each));
  return pieces;
}

Event UdpEventOf(uint64_t event) {
  if (event == 1) return Event::kCompleted;
  if (event == 2) return Event::kStarted;
  return event == 3 ? Event::kStopped : Event::kNone;
}

Event HttpEventOf(const std::string& event) {
  if (event == "completed") return Event::kCompleted;
  if (event == "started") return Event::kStarted;
  return event == "stopped" ? Event::kStopped : Event::kNone;
}

Role RoleOf(uint64_t left, bool is_paused) {
  if (left == 0) return Role::kSeeder;
  return is_paused ? Role::kPartialSeed : Role::kLeecher;
}

const Value* Find(const Value& dictionary, const std::string& key) {
  const auto found = dictionary.dictionary.find(key);
  return found == dictionary.dictionary.end() ? nullptr : &found->second;
}

// -1: not there, or no number.
int64_t NumberAt(const Value& dictionary, const std::string& key) {
  const Value* const value = Find(dictionary, key);
  return value != nullptr && value->kind == Value::Kind::kInteger ? value->integer : -1;
}

// A peer of a list of dictionaries in compact form; "" if it is none.
std::string CompactOf(const Value& peer) {
  const Value* const ip = Find(peer, "ip");
  const int64_t port = NumberAt(peer, "port");
  if (ip == nullptr || port < 1 || port > 65535) return "";
  char address[16];
  size_t bytes = 0;
  if (inet_pton(AF_INET, ip->string.c_str(), address) == 1) bytes = 4;
  if (bytes == 0 && inet_pton(AF_INET6, ip->string.c_str(), address) == 1) bytes = 16;
  if (bytes == 0) return "";
  return std::string(address, bytes) + tracker::BigEndian(static_cast<uint64_t>(port), 2);
}

std::vector<std::string> PeersOf(const Value& body) {
  std::vector<std::string> peers;
  if (const Value* const list = Find(body, "peers")) {
    peers = Pieces(list->string, tracker::kCompactIpv4Bytes);
    for (const Value& peer : list->list) peers.push_back(CompactOf(peer));
  }
  if (const Value* const list = Find(body, "peers6")) {
    for (std::string& peer : Pieces(list->string, tracker::kCompactIpv6Bytes)) {
      peers.push_back(std::move(peer));
    }
  }
  return peers;
}

// The body of a response of status 200 with the length that it says; nothing if it is not.
absl::optional<absl::string_view> BodyOf(absl::string_view response) {
  constexpr absl::string_view kLength = "\r\nContent-Length: ";
  const size_t end = response.find("\r\n\r\n");
  const size_t length = response.find(kLength);
  if (!absl::StartsWith(response, "HTTP/1.1 200 ") || end == absl::string_view::npos) return {};
  if (length == absl::string_view::npos || length > end) return {};
  const size_t begin = length + kLength.size();
  size_t bytes = 0;
  if (!absl::SimpleAtoi(response.substr(begin, response.find('\r', begin) - begin), &bytes))
    return {};
  const absl::string_view body = response.substr(end + 4);
  if (body.size() != bytes) return {};
  return body;
}

}  // namespace

Referee::Referee(const TrackerOptions& options, int64_t tick_ms)
    : options_(options), bytes_max_(options.store.bytes_max), swarms_(options.store, tick_ms) {}

// --- Connection ids ----------------------------------------------------------------------

// Valid for the validity at least, less than half as long again at most (BEP 15 and
// connection_id.h); and before it was made, on a clock that is behind by half of it.
Referee::IdStanding Referee::StandingOf(uint64_t id, const Endpoint& source,
                                        int64_t wall_ms) const {
  const auto found = ids_.find({AddressOf(source), id});
  if (found == ids_.end()) return IdStanding::kInvalid;
  const int64_t validity_ms = options_.udp.connection_id_validity_ms;
  IdStanding standing = IdStanding::kInvalid;
  for (const int64_t given_ms : found->second) {
    const int64_t age_ms = wall_ms - given_ms;
    if (age_ms >= -validity_ms / 2 && age_ms <= validity_ms) return IdStanding::kValid;
    if (age_ms > -validity_ms && age_ms < validity_ms * 3 / 2) standing = IdStanding::kDoubtful;
  }
  return standing;
}

bool Referee::WasGivenToAnother(uint64_t id, const Endpoint& source) const {
  const auto found = id_addresses_.find(id);
  return found != id_addresses_.end() && found->second != AddressOf(source);
}

uint64_t Referee::SomeConnectionId(uint32_t number) const {
  return given_ids_.empty() ? 0 : given_ids_[number % given_ids_.size()];
}

void Referee::Begin(SwarmBounds swarms, bool keeps_key) {
  swarms_ = std::move(swarms);
  if (!keeps_key) ids_.clear();
}

// --- UDP -----------------------------------------------------------------------------------

std::string Referee::Udp(const std::string& packet, const Endpoint& source, int64_t now_ms,
                         int64_t wall_ms, bool has_memory, const std::string& reply) {
  const bool is_request = packet.size() >= kUdpHeaderBytes;
  const uint64_t id = is_request ? FromBigEndian(packet.substr(0, 8)) : 0;
  const uint64_t action = is_request ? FromBigEndian(packet.substr(8, 4)) : 0;
  const bool needs_id = is_request && (action == kAnnounce || action == kScrape);
  const uint64_t reply_action = reply.size() < 8 ? kError : FromBigEndian(reply.substr(0, 4));
  bool has_valid_id = false;
  if (needs_id) {
    const IdStanding standing = StandingOf(id, source, wall_ms);
    // An error that is longer than the request is one for a request that was read.
    const bool is_read = reply_action != kError || reply.size() > packet.size();
    has_valid_id = standing == IdStanding::kValid || (standing == IdStanding::kDoubtful && is_read);
  }
  if (needs_id && !has_valid_id) {
    ++tally_.refused_ids;
    tally_.lent_ids += WasGivenToAnother(id, source) ? 1 : 0;
    if (reply.empty()) return "";  // over the rate of errors
  }
  const bool is_announce = action == kAnnounce && packet.size() >= kUdpAnnounceBytes;
  if (has_valid_id && is_announce && IsDenied(HashOf(packet.substr(16, 20)))) {
    ++tally_.denied;
    return reply_action == kError && reply.size() > 8 ? "" : "a torrent is served that is denied";
  }
  const auto interval_s = static_cast<uint64_t>(options_.service.interval_s);
  const std::string fault = tracker::UdpFault(packet, source, has_valid_id, reply, interval_s);
  if (!fault.empty()) return fault;
  if (is_request && action == kConnect && !reply.empty()) {
    const uint64_t given = FromBigEndian(reply.substr(8, 8));
    std::vector<int64_t>& times = ids_[{AddressOf(source), given}];
    if (times.empty()) given_ids_.push_back(given);
    times.push_back(wall_ms);
    id_addresses_.emplace(given, AddressOf(source));
    return "";
  }
  if (!has_valid_id || reply_action == kError) return "";
  return is_announce ? UdpAnnounce(packet, source, now_ms, has_memory, reply)
                     : UdpScrape(packet, now_ms, reply);
}

std::string Referee::UdpAnnounce(const std::string& packet, const Endpoint& source, int64_t now_ms,
                                 bool has_memory, const std::string& reply) {
  const uint64_t event = FromBigEndian(packet.substr(80, 4));
  AnnounceRequest request;
  request.info_hash = HashOf(packet.substr(16, 20));
  request.peer = source;
  request.peer.set_port(static_cast<uint16_t>(FromBigEndian(packet.substr(96, 2))));
  request.role = RoleOf(FromBigEndian(packet.substr(64, 8)), event == 4);
  request.event = UdpEventOf(event);
  const auto numwant = static_cast<int32_t>(FromBigEndian(packet.substr(92, 4)));
  const bool is_ipv4 = source.family == Family::kIpv4;
  return Announced(
      request, std::min(Wanted(numwant, request.event), kUdpPeersMost[is_ipv4 ? 0 : 1]),
      {is_ipv4, !is_ipv4}, now_ms, has_memory, Pieces(reply.substr(20), source.compact_bytes()),
      absl::nullopt, static_cast<uint32_t>(FromBigEndian(reply.substr(16, 4))),
      static_cast<uint32_t>(FromBigEndian(reply.substr(12, 4))));
}

std::string Referee::UdpScrape(const std::string& packet, int64_t now_ms,
                               const std::string& reply) {
  const std::vector<std::string> asked = Pieces(packet.substr(kUdpHeaderBytes), 20);
  const std::vector<std::string> entries = Pieces(reply.substr(8), 12);
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto number = [&](size_t at) {
      return static_cast<uint32_t>(FromBigEndian(entries[i].substr(at, 4)));
    };
    // BEP 15: seeders, completed, leechers.
    const std::string fault = ScrapedFault(asked[i], {number(0), number(8), number(4)}, now_ms);
    if (!fault.empty()) return fault;
  }
  return "";
}

// --- HTTP ----------------------------------------------------------------------------------

std::string Referee::Http(const HttpRequest& request, const Endpoint& source, int64_t now_ms,
                          bool has_memory, absl::string_view response, bool closes) {
  const absl::optional<absl::string_view> text = BodyOf(response);
  if (!text.has_value()) return "a response of another shape";
  if (closes != request.is_last) return "a connection that should not have been kept, or should";
  const absl::optional<Value> body = bencode::DecodeWhole(*text, bencode::DecoderOptions());
  if (!body.has_value() || body->kind != Value::Kind::kDictionary) {
    return "a body that is no bencoded dictionary";
  }
  return request.is_scrape ? HttpScrape(request.query, now_ms, *body)
                           : HttpAnnounce(request.query, source, now_ms, has_memory, *body);
}

std::string Referee::HttpAnnounce(const std::string& query, const Endpoint& source, int64_t now_ms,
                                  bool has_memory, const Value& body) {
  const http::NaiveAnnounce naive = http::NaiveParseAnnounce(query);
  const bool is_denied = naive.fault.empty() && IsDenied(HashOf(naive.info_hash));
  const bool is_failure = Find(body, "failure reason") != nullptr;
  if (is_failure != (is_denied || !naive.fault.empty())) {
    return is_failure ? "a failure without a reason" : "served what should be refused";
  }
  if (is_failure) {
    tally_.denied += is_denied ? 1 : 0;
    return "";
  }
  AnnounceRequest request;
  request.info_hash = HashOf(naive.info_hash);
  request.peer = source;
  request.peer.set_port(static_cast<uint16_t>(naive.port));
  request.role = RoleOf(naive.left, naive.event == "paused");
  request.event = HttpEventOf(naive.event);
  const std::string interval = IntervalFault(NumberAt(body, "interval"));
  if (!interval.empty()) return interval;
  const Value* const external = Find(body, "external ip");
  if (external == nullptr || external->string != AddressOf(source)) return "another external ip";
  for (const char* const key : {"complete", "downloaded", "incomplete"}) {
    if (NumberAt(body, key) < 0) return absl::StrCat("no \"", key, "\", or a negative one");
  }
  if (Find(body, "peers") == nullptr) return "no \"peers\"";
  return Announced(request, Wanted(naive.numwant, request.event), {true, true}, now_ms, has_memory,
                   PeersOf(body), static_cast<uint32_t>(NumberAt(body, "downloaded")),
                   static_cast<uint32_t>(NumberAt(body, "complete")),
                   static_cast<uint32_t>(NumberAt(body, "incomplete")));
}

std::string Referee::HttpScrape(const std::string& query, int64_t now_ms, const Value& body) {
  const http::NaiveScrape naive = http::NaiveParseScrape(query);
  const Value* const files = Find(body, "files");
  const std::set<std::string> asked(naive.info_hashes.begin(), naive.info_hashes.end());
  if (!naive.is_good || asked.empty()) return files == nullptr ? "" : "a scrape of nothing";
  if (files == nullptr || files->dictionary.size() != asked.size()) return "a scrape of others";
  for (const std::string& info_hash : asked) {
    const Value* const entry = Find(*files, info_hash);
    if (entry == nullptr) return "a scrape of others";
    const auto number = [&](const char* key) {
      return static_cast<uint32_t>(NumberAt(*entry, key));
    };
    const std::string fault = ScrapedFault(
        info_hash, {number("complete"), number("incomplete"), number("downloaded")}, now_ms);
    if (!fault.empty()) return fault;
  }
  return "";
}

// --- Both -----------------------------------------------------------------------------------

uint32_t Referee::Wanted(int64_t numwant, Event event) const {
  if (event == Event::kStopped) return 0;
  if (numwant < 0) numwant = options_.service.numwant_default;
  return static_cast<uint32_t>(std::min<int64_t>(numwant, options_.service.numwant_max));
}

std::string Referee::IntervalFault(int64_t interval_s) const {
  const int64_t asked_s = options_.service.interval_s;
  const bool is_good = interval_s >= asked_s - asked_s / 10 && interval_s <= asked_s + asked_s / 10;
  return is_good ? "" : "an interval out of its bounds";
}

std::string Referee::Announced(const AnnounceRequest& request, uint32_t numwant_most,
                               SwarmBounds::Families families, int64_t now_ms, bool has_memory,
                               const std::vector<std::string>& peers,
                               absl::optional<uint32_t> downloaded, uint32_t complete,
                               uint32_t incomplete) {
  ++tally_.announces;
  tally_.peers_told += peers.size();
  tally_.not_stored += has_memory ? 0 : 1;
  tally_.downloads += request.event == Event::kCompleted ? 1 : 0;
  swarms_.Announce(request, has_memory, now_ms);
  const CountBounds bounds = swarms_.Counts(request.info_hash, now_ms);
  const std::string counts =
      CountsFault(bounds, {complete, incomplete, downloaded.value_or(bounds.downloaded.least)});
  if (!counts.empty()) return absl::StrCat("announce: ", counts);
  if (peers.size() > numwant_most) return "more peers than wanted";
  const uint32_t least = std::min(numwant_most, swarms_.OthersLeast(request, families, now_ms));
  if (peers.size() < least) {
    return absl::StrCat("told of ", peers.size(), " peers, should be at least ", least);
  }
  std::set<std::string> told;
  for (const std::string& peer : peers) {
    const bool is_ipv4 = peer.size() == tracker::kCompactIpv4Bytes;
    if (!(is_ipv4 ? families.ipv4 : families.ipv6)) return "a peer of another family";
    if (!told.insert(peer).second) return "a peer twice";
    if (!swarms_.MayBeTold(request, peer, now_ms))
      return "told of a peer that it may not be told of";
  }
  return "";
}

std::string Referee::ScrapedFault(const std::string& info_hash, const SwarmCounts& counts,
                                  int64_t now_ms) {
  ++tally_.scrapes;
  const InfoHash hash = HashOf(info_hash);
  const CountBounds bounds = IsDenied(hash) ? CountBounds() : swarms_.Counts(hash, now_ms);
  const std::string fault = CountsFault(bounds, counts);
  return fault.empty() ? "" : absl::StrCat("scrape: ", fault);
}

std::string Referee::Usage(const tracker::StoreUsage& usage, int64_t now_ms) {
  const std::string bytes = tracker::BytesFault(usage, options_.store.shards);
  if (!bytes.empty()) return bytes;
  if (bytes_max_ != 0 && usage.bytes_total > bytes_max_) return "more bytes than the cap";
  if (usage.torrents > swarms_.TorrentsMost()) return "more torrents than there can be";
  for (const Family family : {Family::kIpv4, Family::kIpv6}) {
    const uint64_t peers = family == Family::kIpv4 ? usage.ipv4_peers : usage.ipv6_peers;
    const Bounds<uint64_t> bounds = swarms_.Peers(family, now_ms);
    if (!bounds.Contain(peers)) {
      return absl::StrCat("peers are ", peers, ", should be ", bounds.least, " to ", bounds.most);
    }
  }
  return "";
}

}  // namespace septet::simulator
