// Bytes as a snapshot. The first byte says how: 0: they are the file; otherwise they are the
// payloads of its blocks, cut into so many, under checksums that are right.
//
// Whatever is taken is counted as it should be, and what the store then exports is a snapshot
// that another store reads to the same content.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tracker/snapshot/decoder.h"
#include "tracker/snapshot/encoder.h"
#include "tracker/snapshot/format.h"
#include "tracker/snapshot/snapshot.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

StoreOptions Options(uint64_t key) {
  StoreOptions options;
  options.shards = 1;
  options.hash_key = {key, 2};
  return options;
}

constexpr int64_t kNowMs = 100'000'000;

template <typename T>
void Append(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendBlock(BlockKind kind, absl::Span<const uint8_t> payload, uint64_t* checksum,
                 std::string* out) {
  const BlockHead head = {kind, static_cast<uint32_t>(payload.size())};
  *checksum = BlockChecksum(*checksum, head, payload);
  Append(head, out);
  out->append(reinterpret_cast<const char*>(payload.data()), payload.size());
  Append(*checksum, out);
}

// The payloads as a snapshot, up to its end, which depends on what they hold.
std::string Framed(absl::Span<const uint8_t> payloads, size_t blocks, uint64_t* checksum) {
  std::string bytes;
  SnapshotEncoder().Begin({}, {1'000'000, 0}, &bytes);
  std::memcpy(checksum, bytes.data() + bytes.size() - kChecksumBytes, kChecksumBytes);
  const size_t size = std::clamp<size_t>(payloads.size() / blocks, 1, kPayloadBytesMax);
  for (; !payloads.empty(); payloads.remove_prefix(std::min(size, payloads.size()))) {
    AppendBlock(BlockKind::kTorrents, payloads.subspan(0, size), checksum, &bytes);
  }
  return bytes;
}

// Torrents by info-hash: peers with their states, and downloads.
using Content = std::map<InfoHash, std::pair<std::map<std::string, uint8_t>, uint32_t>>;

void AddTo(const SwarmBatch& batch, Content* content) {
  const uint8_t* ipv4 = batch.ipv4.data();
  const uint8_t* ipv6 = batch.ipv6.data();
  const auto add = [&](const InfoHash& info_hash, const uint8_t** peer, size_t key_bytes) {
    const std::string key(reinterpret_cast<const char*>(*peer), key_bytes);
    (*content)[info_hash].first[key] = (*peer)[key_bytes];
    *peer += key_bytes + 1;
  };
  for (const SwarmBatch::Torrent& torrent : batch.torrents) {
    uint32_t& downloaded = (*content)[torrent.info_hash].second;
    downloaded = std::max(downloaded, torrent.downloaded);
    for (uint32_t i = 0; i < torrent.ipv4_peers; ++i) {
      add(torrent.info_hash, &ipv4, kCompactIpv4Bytes);
    }
    for (uint32_t i = 0; i < torrent.ipv6_peers; ++i) {
      add(torrent.info_hash, &ipv6, kCompactIpv6Bytes);
    }
  }
  Require(ipv4 == batch.ipv4.data() + batch.ipv4.size());
  Require(ipv6 == batch.ipv6.data() + batch.ipv6.size());
}

// Decodes it all; what was decoded before an error is in *content.
absl::Status Decode(absl::string_view bytes, SnapshotDecoder* decoder, Content* content,
                    SnapshotEncoder* again, std::string* again_bytes) {
  absl::Span<const uint8_t> left(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  SwarmBatch batch;
  bool is_header = true;
  while (decoder->wanted() > 0) {
    const size_t wanted = decoder->wanted();
    Require(wanted <= SnapshotDecoder::kPieceBytesMax);
    if (left.size() < wanted) return decoder->EndsTooEarly(left.size());
    const absl::Status status = decoder->Take(left.subspan(0, wanted), &batch);
    if (!status.ok()) {
      Require(decoder->wanted() == 0 && batch.torrents.empty());
      return status;
    }
    // No more memory than the bytes justify.
    const size_t taken = batch.torrents.capacity() * sizeof(batch.torrents[0]) +
                         batch.ipv4.capacity() + batch.ipv6.capacity();
    Require(taken <= 4 * SnapshotDecoder::kPieceBytesMax);
    if (is_header) again->Begin(decoder->time(), decoder->ages(), again_bytes);
    is_header = false;
    again->Add(batch, again_bytes);
    AddTo(batch, content);
    left.remove_prefix(wanted);
  }
  again->Finish(again_bytes);
  Require(decoder->counts() == again->counts());
  return left.empty() ? absl::OkStatus() : decoder->EndsTooLate();
}

Content ContentOf(SwarmStore* store, std::string* bytes) {
  SnapshotWriter writer(store, {}, kNowMs);
  while (writer.Step(kNowMs, bytes)) {
  }
  Content content;
  SnapshotDecoder decoder;
  SnapshotEncoder again;
  std::string again_bytes;
  Require(Decode(*bytes, &decoder, &content, &again, &again_bytes).ok());
  Require(again_bytes == *bytes);
  return content;
}

void Check(absl::string_view bytes) {
  Content content;
  SnapshotDecoder decoder;
  SnapshotEncoder again;
  std::string again_bytes;
  const absl::Status status = Decode(bytes, &decoder, &content, &again, &again_bytes);

  SwarmStore store(Options(1));
  SnapshotReader reader(&store, decoder.time(), kNowMs);
  Require(ReadSnapshot(bytes, &reader) == status);
  uint64_t peers = 0;
  for (const auto& [info_hash, torrent] : content) peers += torrent.first.size();
  const StoreUsage usage = store.Usage();
  // A peer that comes twice is one.
  Require(usage.ipv4_peers + usage.ipv6_peers <= peers);
  Require(reader.result().not_stored == 0);
  Require(status.ok() || absl::IsDataLoss(status));
  Require(status.ok() || !status.message().empty());

  std::string first;
  const Content exported = ContentOf(&store, &first);
  SwarmStore other(Options(3));
  SnapshotReader other_reader(&other, {}, kNowMs);
  Require(ReadSnapshot(first, &other_reader).ok());
  Require(other_reader.result().expired == 0);
  std::string second;
  Require(ContentOf(&other, &second) == exported);
  for (const auto& [info_hash, torrent] : exported) {
    Require(content.contains(info_hash));
    Require(torrent.second == content[info_hash].second);
  }
}

void CheckFramed(absl::Span<const uint8_t> payloads, size_t blocks) {
  uint64_t checksum = 0;
  const std::string framed = Framed(payloads, blocks, &checksum);
  // Without an end it is read as far as it goes.
  Check(framed);
  Content content;
  SnapshotDecoder decoder;
  SnapshotEncoder again;
  std::string again_bytes;
  Decode(framed, &decoder, &content, &again, &again_bytes).IgnoreError();
  std::string end;
  Append(decoder.counts().torrents, &end);
  Append(decoder.counts().ipv4_peers, &end);
  Append(decoder.counts().ipv6_peers, &end);
  std::string whole = framed;
  AppendBlock(BlockKind::kEnd, {reinterpret_cast<const uint8_t*>(end.data()), end.size()},
              &checksum, &whole);
  Check(whole);
}

}  // namespace
}  // namespace septet::tracker

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace septet::tracker;
  if (size == 0) return 0;
  const absl::Span<const uint8_t> rest(data + 1, size - 1);
  if (data[0] == 0) {
    Check({reinterpret_cast<const char*>(rest.data()), rest.size()});
  } else {
    CheckFramed(rest, data[0]);
  }
  return 0;
}
