#include "proptests/simulator/swarm_bounds.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace septet::simulator {
namespace {

using tracker::AnnounceRequest;
using tracker::Event;
using tracker::InfoHash;
using tracker::Role;

std::string CompactOf(const tracker::Endpoint& peer) {
  return std::string(reinterpret_cast<const char*>(peer.compact.data()), peer.compact_bytes());
}

bool IsIpv6(absl::string_view compact) { return compact.size() == tracker::kCompactIpv6Bytes; }

// A completed download has everything, whatever `left` said.
bool IsSeeder(const AnnounceRequest& request) {
  return request.event == Event::kCompleted || request.role == Role::kSeeder;
}

std::string OneCountFault(absl::string_view name, const Bounds<uint32_t>& bounds, uint32_t count) {
  if (bounds.Contain(count)) return "";
  return absl::StrCat(name, " is ", count, ", should be ", bounds.least, " to ", bounds.most);
}

}  // namespace

std::string CountsFault(const CountBounds& bounds, const tracker::SwarmCounts& counts) {
  const std::string complete = OneCountFault("complete", bounds.complete, counts.complete);
  if (!complete.empty()) return complete;
  const std::string incomplete = OneCountFault("incomplete", bounds.incomplete, counts.incomplete);
  if (!incomplete.empty()) return incomplete;
  return OneCountFault("downloaded", bounds.downloaded, counts.downloaded);
}

SwarmBounds::SwarmBounds(const tracker::StoreOptions& options, int64_t tick_ms)
    : timeout_ms_(options.peer_timeout_ms),
      retention_ms_(options.downloaded_retention_ms),
      tick_ms_(tick_ms) {}

// Sure up to the timeout; from a tick after it on, gone with the sweep of that moment.
SwarmBounds::Presence SwarmBounds::PresenceOf(const Peer& peer, int64_t now_ms) const {
  if (swept_ms_ - peer.newest_ms > timeout_ms_ + tick_ms_) return Presence::kGone;
  const bool is_sure = !peer.may_be_missing && now_ms - peer.oldest_ms <= timeout_ms_;
  return is_sure ? Presence::kSure : Presence::kDoubtful;
}

// From the moment at which it surely had a peer for the last time.
bool SwarmBounds::MayBeForgotten(const Torrent& torrent, int64_t now_ms) const {
  int64_t sure_until_ms = torrent.sure_until_ms;
  for (const auto& [key, peer] : torrent.peers) {
    if (peer.may_be_missing) continue;
    sure_until_ms = std::max(sure_until_ms, std::min(now_ms, peer.oldest_ms + timeout_ms_));
  }
  return now_ms - sure_until_ms > retention_ms_ - tick_ms_;
}

bool SwarmBounds::Refresh(Torrent* torrent, int64_t now_ms) const {
  for (auto at = torrent->peers.begin(); at != torrent->peers.end();) {
    const Peer& peer = at->second;
    torrent->perhaps_until_ms = now_ms;
    if (!peer.may_be_missing) {
      torrent->sure_until_ms =
          std::max(torrent->sure_until_ms, std::min(now_ms, peer.oldest_ms + timeout_ms_));
    }
    at = PresenceOf(peer, now_ms) == Presence::kGone ? torrent->peers.erase(at) : std::next(at);
  }
  if (!torrent->peers.empty()) return true;
  if (torrent->downloaded.most == 0) return false;
  return swept_ms_ - torrent->perhaps_until_ms <= retention_ms_ + 2 * tick_ms_;
}

void SwarmBounds::Announce(const AnnounceRequest& request, bool stored, int64_t now_ms) {
  if (request.peer.port() == 0) return;
  const auto found = torrents_.find(request.info_hash);
  if (found != torrents_.end() && !Refresh(&found->second, now_ms)) torrents_.erase(found);
  if (request.event == Event::kStopped) {
    Unlist(request, now_ms);
  } else {
    List(request, stored, now_ms);
  }
}

void SwarmBounds::List(const AnnounceRequest& request, bool stored, int64_t now_ms) {
  const std::string key = CompactOf(request.peer);
  if (!stored) {
    // What was there may have been changed, or not.
    const auto torrent = torrents_.find(request.info_hash);
    if (torrent == torrents_.end()) return;
    const auto peer = torrent->second.peers.find(key);
    if (peer == torrent->second.peers.end()) return;
    peer->second = {true, true, Counted::kDoubtful, true, peer->second.oldest_ms, now_ms};
    return;
  }
  Torrent& torrent = torrents_[request.info_hash];
  if (MayBeForgotten(torrent, now_ms)) torrent.downloaded.least = 0;
  const auto before = torrent.peers.find(key);
  Counted counted = Counted::kNo;
  if (before != torrent.peers.end()) {
    counted = before->second.counted;
    const bool is_sure = PresenceOf(before->second, now_ms) == Presence::kSure;
    if (!is_sure && counted == Counted::kYes) counted = Counted::kDoubtful;
  }
  const bool is_seeder = IsSeeder(request);
  if (request.event == Event::kCompleted) {
    torrent.downloaded.least += counted == Counted::kNo ? 1 : 0;
    torrent.downloaded.most += counted == Counted::kYes ? 0 : 1;
    counted = Counted::kYes;
  }
  // That it was counted is known only of a seeder.
  if (!is_seeder) counted = Counted::kNo;
  torrent.peers[key] = {is_seeder, !is_seeder, counted, false, now_ms, now_ms};
  torrent.sure_until_ms = now_ms;
  torrent.perhaps_until_ms = now_ms;
}

void SwarmBounds::Unlist(const AnnounceRequest& request, int64_t now_ms) {
  const auto torrent = torrents_.find(request.info_hash);
  if (torrent == torrents_.end()) return;
  torrent->second.peers.erase(CompactOf(request.peer));
  if (!Refresh(&torrent->second, now_ms)) torrents_.erase(torrent);
}

void SwarmBounds::SweepIsDone(int64_t now_ms) {
  swept_ms_ = now_ms;
  // What goes goes with the ticks.
  if (now_ms - refreshed_ms_ < tick_ms_ / 4) return;
  refreshed_ms_ = now_ms;
  for (auto at = torrents_.begin(); at != torrents_.end();) {
    at = Refresh(&at->second, now_ms) ? std::next(at) : torrents_.erase(at);
  }
}

void SwarmBounds::Restored(int64_t then_ms, int64_t elapsed_ms, bool some_missing, int64_t now_ms) {
  // By how much older everything looks than it is.
  const int64_t older_ms = elapsed_ms - (now_ms - then_ms);
  const auto earliest = [&](int64_t ms) { return ms - older_ms - tick_ms_; };
  const auto latest = [&](int64_t ms) { return std::min(now_ms, ms - older_ms + tick_ms_); };
  swept_ms_ = std::numeric_limits<int64_t>::min() / 4;
  refreshed_ms_ = now_ms;
  for (auto& [info_hash, torrent] : torrents_) {
    torrent.sure_until_ms = earliest(torrent.sure_until_ms);
    torrent.perhaps_until_ms = latest(torrent.perhaps_until_ms);
    if (some_missing) torrent.downloaded.least = 0;
    for (auto& [key, peer] : torrent.peers) {
      peer.oldest_ms = earliest(peer.oldest_ms);
      peer.newest_ms = latest(peer.newest_ms);
      peer.may_be_missing |= some_missing;
    }
  }
}

CountBounds SwarmBounds::Counts(const InfoHash& info_hash, int64_t now_ms) const {
  CountBounds counts;
  const auto found = torrents_.find(info_hash);
  if (found == torrents_.end()) return counts;
  const Torrent& torrent = found->second;
  counts.downloaded = torrent.downloaded;
  if (MayBeForgotten(torrent, now_ms)) counts.downloaded.least = 0;
  for (const auto& [key, peer] : torrent.peers) {
    const Presence presence = PresenceOf(peer, now_ms);
    if (presence == Presence::kGone) continue;
    const bool is_sure = presence == Presence::kSure;
    counts.complete.most += peer.may_be_seeder ? 1 : 0;
    counts.incomplete.most += peer.may_be_other ? 1 : 0;
    counts.complete.least += is_sure && !peer.may_be_other ? 1 : 0;
    counts.incomplete.least += is_sure && !peer.may_be_seeder ? 1 : 0;
  }
  return counts;
}

uint32_t SwarmBounds::OthersLeast(const AnnounceRequest& request, Families families,
                                  int64_t now_ms) const {
  const auto found = torrents_.find(request.info_hash);
  if (found == torrents_.end()) return 0;
  const std::string asker = CompactOf(request.peer);
  uint32_t others = 0;
  for (const auto& [key, peer] : found->second.peers) {
    if (key == asker || !(IsIpv6(key) ? families.ipv6 : families.ipv4)) continue;
    if (IsSeeder(request) && peer.may_be_seeder) continue;
    others += PresenceOf(peer, now_ms) == Presence::kSure ? 1 : 0;
  }
  return others;
}

bool SwarmBounds::MayBeTold(const AnnounceRequest& request, absl::string_view peer,
                            int64_t now_ms) const {
  const auto torrent = torrents_.find(request.info_hash);
  if (torrent == torrents_.end() || peer == CompactOf(request.peer)) return false;
  const auto found = torrent->second.peers.find(std::string(peer));
  if (found == torrent->second.peers.end()) return false;
  if (PresenceOf(found->second, now_ms) == Presence::kGone) return false;
  return !IsSeeder(request) || found->second.may_be_other;
}

Bounds<uint64_t> SwarmBounds::Peers(tracker::Family family, int64_t now_ms) const {
  Bounds<uint64_t> peers;
  for (const auto& [info_hash, torrent] : torrents_) {
    for (const auto& [key, peer] : torrent.peers) {
      if (IsIpv6(key) != (family == tracker::Family::kIpv6)) continue;
      const Presence presence = PresenceOf(peer, now_ms);
      peers.least += presence == Presence::kSure ? 1 : 0;
      peers.most += presence == Presence::kGone ? 0 : 1;
    }
  }
  return peers;
}

}  // namespace septet::simulator
