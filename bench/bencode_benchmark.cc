// Bencoding as a tracker uses it. Beside each the floor: a copy of as many bytes for what is
// written, the hash of as many bytes for what is hashed.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "bencode/decoder.h"
#include "bencode/encoder.h"
#include "bencode/metainfo.h"

namespace septet::bencode {
namespace {

constexpr size_t kReplyBytesMax = 1024;
constexpr size_t kPeersBytes = 50 * 6;

// Numbers come from memory, as in a tracker, so that their digits are not constants.
struct Reply {
  uint64_t complete = 500;
  uint64_t downloaded = 12345;
  uint64_t incomplete = 480;
  uint64_t interval_s = 1759;
  uint64_t min_interval_s = 900;
  std::string address = std::string(4, 'a');
  std::string peers = std::string(kPeersBytes, 'p');
};

size_t Encode(const Reply& reply, absl::Span<char> out) {
  Encoder encoder(out);
  encoder.BeginDictionary();
  encoder.Key("complete");
  encoder.Unsigned(reply.complete);
  encoder.Key("downloaded");
  encoder.Unsigned(reply.downloaded);
  encoder.Key("external ip");
  encoder.String(reply.address);
  encoder.Key("incomplete");
  encoder.Unsigned(reply.incomplete);
  encoder.Key("interval");
  encoder.Unsigned(reply.interval_s);
  encoder.Key("min interval");
  encoder.Unsigned(reply.min_interval_s);
  encoder.Key("peers");
  encoder.String(reply.peers);
  encoder.End();
  return encoder.size();
}

std::string EncodedReply() {
  std::string bytes(kReplyBytesMax, '\0');
  bytes.resize(Encode(Reply(), absl::MakeSpan(&bytes[0], bytes.size())));
  return bytes;
}

void BM_EncodeAnnounceReply(benchmark::State& state) {
  Reply reply;
  char out[kReplyBytesMax];
  for (auto _ : state) {
    benchmark::DoNotOptimize(&reply);
    benchmark::ClobberMemory();
    benchmark::DoNotOptimize(Encode(reply, absl::MakeSpan(out)));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_EncodeAnnounceReply);

void BM_CopyAnnounceReply(benchmark::State& state) {
  const std::string reply = EncodedReply();
  char out[kReplyBytesMax];
  for (auto _ : state) {
    size_t size = reply.size();
    benchmark::DoNotOptimize(size);
    std::memcpy(out, reply.data(), size);
    benchmark::DoNotOptimize(&out);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_CopyAnnounceReply);

void BM_DecodeAnnounceReply(benchmark::State& state) {
  const std::string reply = EncodedReply();
  for (auto _ : state) benchmark::DoNotOptimize(Check(reply));
}
BENCHMARK(BM_DecodeAnnounceReply);

// A torrent of `pieces` pieces and `files` files.
std::string Torrent(size_t pieces, size_t files) {
  std::string bytes(pieces * 20 + files * 64 + 256, '\0');
  Encoder encoder(absl::MakeSpan(&bytes[0], bytes.size()));
  encoder.BeginDictionary();
  encoder.Key("info");
  encoder.BeginDictionary();
  encoder.Key("files");
  encoder.BeginList();
  for (size_t i = 0; i < files; ++i) {
    encoder.BeginDictionary();
    encoder.Key("length");
    encoder.Unsigned(262144 + i);
    encoder.Key("path");
    encoder.BeginList();
    encoder.String("a folder");
    encoder.String("a file");
    encoder.End();
    encoder.End();
  }
  encoder.End();
  encoder.Key("name");
  encoder.String("a torrent");
  encoder.Key("pieces");
  encoder.String(std::string(pieces * 20, 'x'));
  encoder.End();
  encoder.End();
  bytes.resize(encoder.size());
  return bytes;
}

void CountBytes(const std::string& bytes, benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes.size()));
}

void BM_ReadMetainfo(benchmark::State& state) {
  const std::string torrent =
      Torrent(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)));
  if (!ReadMetainfo(torrent).ok()) state.SkipWithError("not read");
  for (auto _ : state) benchmark::DoNotOptimize(ReadMetainfo(torrent));
  CountBytes(torrent, state);
}
BENCHMARK(BM_ReadMetainfo)->Args({1000, 1})->Args({1000, 1000})->Args({100'000, 1});

// The same without the hash: what reading the structure costs.
void BM_CheckMetainfo(benchmark::State& state) {
  const std::string torrent =
      Torrent(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(Check(torrent));
  CountBytes(torrent, state);
}
BENCHMARK(BM_CheckMetainfo)->Args({1000, 1})->Args({1000, 1000})->Args({100'000, 1});

}  // namespace
}  // namespace septet::bencode
