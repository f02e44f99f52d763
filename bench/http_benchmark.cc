// What a request over HTTP costs before and after the store: head, query, response head.

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "benchmark/benchmark.h"
#include "http/query.h"
#include "http/request_head.h"
#include "http/response_head.h"

namespace septet::http {
namespace {

constexpr absl::string_view kQuery =
    "info_hash=%124Vx%9A%BC%DE%F1%23Eg%89%AB%CD%EF%124Vx%9A&peer_id=-TR4060-abcdefghijkl"
    "&port=51413&uploaded=0&downloaded=0&left=9223372036854775807&numwant=80&key=7C4B&compact=1"
    "&supportcrypto=1&event=started";

constexpr absl::string_view kHead =
    "GET /announce?info_hash=%124Vx%9A%BC%DE%F1%23Eg%89%AB%CD%EF%124Vx%9A"
    "&peer_id=-TR4060-abcdefghijkl&port=51413&uploaded=0&downloaded=0&left=9223372036854775807"
    "&numwant=80&key=7C4B&compact=1&supportcrypto=1&event=started HTTP/1.1\r\n"
    "Host: t.example:6969\r\n"
    "User-Agent: Transmission/4.0.6\r\n"
    "Accept: */*\r\n"
    "Accept-Encoding: deflate, gzip\r\n"
    "\r\n";

// Stops the run: a benchmark of a refusal says nothing.
void Expect(bool condition, benchmark::State& state) {
  if (!condition) state.SkipWithError("not what was meant to be measured");
}

void BM_RequestHead(benchmark::State& state) {
  RequestHeadParser parser;
  RequestHead head;
  for (auto _ : state) {
    absl::string_view bytes = kHead;
    benchmark::DoNotOptimize(bytes);
    HeadStatus status = parser.Parse(bytes, &head);
    benchmark::DoNotOptimize(status);
    benchmark::ClobberMemory();
  }
  Expect(head.head_bytes == kHead.size(), state);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kHead.size()));
}
BENCHMARK(BM_RequestHead);

void BM_AnnounceQuery(benchmark::State& state) {
  AnnounceQuery query;
  for (auto _ : state) {
    absl::string_view text = kQuery;
    benchmark::DoNotOptimize(text);
    QueryError error = ParseAnnounceQuery(text, &query);
    benchmark::DoNotOptimize(error);
    benchmark::ClobberMemory();
  }
  Expect(query.port == 51413, state);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kQuery.size()));
}
BENCHMARK(BM_AnnounceQuery);

void BM_ResponseHead(benchmark::State& state) {
  char out[kResponseHeadBytesMax];
  ResponseHead head;
  head.content_length = 423;
  size_t size = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(head);
    size = WriteResponseHead(head, out);
    benchmark::DoNotOptimize(size);
    benchmark::ClobberMemory();
  }
  Expect(size > 0, state);
}
BENCHMARK(BM_ResponseHead);

}  // namespace
}  // namespace septet::http
