// Bencoding as a tracker uses it; beside each the copying of as many bytes, which is the
// floor.

#include <cstdint>
#include <cstring>
#include <string>

#include "benchmark/benchmark.h"
#include "bencode/decoder.h"
#include "bencode/encoder.h"
#include "bencode/metainfo.h"

namespace septet::bencode {
namespace {

constexpr size_t kPeersBytes = 50 * 6;

size_t WriteReply(absl::string_view peers, char* out, size_t room) {
  Encoder encoder(absl::MakeSpan(out, room));
  encoder.BeginDictionary();
  encoder.Key("complete");
  encoder.Unsigned(500);
  encoder.Key("downloaded");
  encoder.Unsigned(12345);
  encoder.Key("incomplete");
  encoder.Unsigned(500);
  encoder.Key("interval");
  encoder.Unsigned(1800);
  encoder.Key("peers");
  encoder.String(peers);
  encoder.End();
  return encoder.size();
}

void BM_EncodeAnnounceReply(benchmark::State& state) {
  const std::string peers(kPeersBytes, 'p');
  char out[1024];
  for (auto _ : state) {
    benchmark::DoNotOptimize(WriteReply(peers, out, sizeof(out)));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_EncodeAnnounceReply);

void BM_CopyAnnounceReply(benchmark::State& state) {
  char reply[1024];
  const size_t size = WriteReply(std::string(kPeersBytes, 'p'), reply, sizeof(reply));
  char out[1024];
  for (auto _ : state) {
    std::memcpy(out, reply, size);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_CopyAnnounceReply);

void BM_DecodeAnnounceReply(benchmark::State& state) {
  char reply[1024];
  const size_t size = WriteReply(std::string(kPeersBytes, 'p'), reply, sizeof(reply));
  for (auto _ : state) benchmark::DoNotOptimize(Check(absl::string_view(reply, size)));
}
BENCHMARK(BM_DecodeAnnounceReply);

// A torrent of state.range(0) pieces.
void BM_ReadMetainfo(benchmark::State& state) {
  const auto pieces_bytes = static_cast<size_t>(state.range(0)) * 20;
  std::string file(pieces_bytes + 256, '\0');
  Encoder encoder(absl::MakeSpan(&file[0], file.size()));
  encoder.BeginDictionary();
  encoder.Key("info");
  encoder.BeginDictionary();
  encoder.Key("length");
  encoder.Unsigned(pieces_bytes / 20 * 262144);
  encoder.Key("name");
  encoder.String("a file");
  encoder.Key("pieces");
  encoder.String(std::string(pieces_bytes, 'x'));
  encoder.End();
  encoder.End();
  file.resize(encoder.size());
  for (auto _ : state) benchmark::DoNotOptimize(ReadMetainfo(file));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(file.size()));
}
BENCHMARK(BM_ReadMetainfo)->Arg(100)->Arg(10'000);

}  // namespace
}  // namespace septet::bencode
