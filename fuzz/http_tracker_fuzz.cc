// Bytes as one HTTP connection to the whole tracker. However the bytes are cut and
// however little room there is for responses, the connection gets the same bytes back
// and ends in the same way.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "http/request_head.h"
#include "tracker/endpoint.h"
#include "tracker/http/http_handler.h"
#include "tracker/http/http_stream.h"
#include "tracker/networks.h"
#include "tracker/random.h"
#include "tracker/service.h"
#include "tracker/swarm_store.h"

namespace septet::tracker {
namespace {

using Next = HttpStream::Next;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::string out;
  bool is_ended = false;
};

// A tracker of its own for each run, so that runs differ by the cuts alone.
class Connection {
 public:
  // `out`: where responses go.
  explicit Connection(absl::Span<char> out) : out_(out) {
    context_.handler = &handler_;
    context_.random = &random_;
    context_.now_ms = 1'000'000;
  }

  void Receive(absl::string_view bytes) {
    if (outcome_.is_ended) return;
    pending_.append(bytes.data(), bytes.size());
    while (Step()) {
    }
  }

  const Outcome& outcome() const { return outcome_; }

 private:
  // False: waits for more, or is at its end.
  bool Step() {
    // Of exactly its size, so that a sanitizer sees a read past the end.
    const std::vector<char> in(pending_.begin(), pending_.end());
    const HttpStream::Step step =
        stream_.Serve(context_, Endpoint(), absl::string_view(in.data(), in.size()), out_);
    Require(step.consumed <= in.size());
    Require(step.written <= out_.size());
    outcome_.out.append(out_.data(), step.written);
    pending_.erase(0, step.consumed);
    if (step.next == Next::kWrite) {
      // It gets on, or the room was too small from the start.
      Require(step.written > 0);
      return true;
    }
    outcome_.is_ended = step.next != Next::kRead;
    // What is left is less than what the server can keep.
    Require(outcome_.is_ended || pending_.size() < HttpStream::kInputBytesMax);
    return false;
  }

  // Everybody is believed, so that headers and ip= are read.
  static const HttpTrust& Believing() {
    static const auto& everybody = *new Networks(*Networks::Parse("0.0.0.0/0"));
    static const auto& trust = *new HttpTrust{everybody, everybody};
    return trust;
  }

  SwarmStore store_{StoreOptions{.shards = 1}};
  Service service_{ServiceOptions(), &store_};
  HttpHandler handler_{&service_, Believing()};
  Random random_{1};
  HttpStreamContext context_;
  HttpStream stream_;
  absl::Span<char> out_;
  std::string pending_;
  Outcome outcome_;
};

// Room for so many responses, which is the same for all runs: to make it would be most of
// the time of one.
template <size_t kResponses>
absl::Span<char> Room() {
  static auto& room = *new std::vector<char>(kResponses * kHttpResponseBytesMax);
  return absl::MakeSpan(room);
}

Outcome RunWhole(absl::string_view bytes) {
  Connection connection(Room<4>());
  connection.Receive(bytes);
  return connection.outcome();
}

Outcome RunCut(absl::string_view bytes, Random& cuts, uint32_t piece_max) {
  Connection connection(Room<1>());
  while (!bytes.empty()) {
    const size_t size = std::min<size_t>(bytes.size(), 1 + cuts.Below(piece_max));
    connection.Receive(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return connection.outcome();
}

void CheckSame(const Outcome& a, const Outcome& b) {
  Require(a.out == b.out);
  Require(a.is_ended == b.is_ended);
}

// Every byte that came back belongs to a response with a head and a length.
void CheckResponses(absl::string_view out) {
  constexpr absl::string_view kLength = "\r\nContent-Length: ";
  while (!out.empty()) {
    Require(out.substr(0, 9) == "HTTP/1.1 ");
    const size_t end = out.find("\r\n\r\n");
    const size_t length = out.find(kLength);
    Require(end != absl::string_view::npos && length < end);
    size_t body_bytes = 0;
    for (size_t i = length + kLength.size(); out[i] != '\r'; ++i) {
      body_bytes = body_bytes * 10 + static_cast<size_t>(out[i] - '0');
    }
    Require(end + 4 <= kHttpResponseBytesMax && body_bytes <= kHttpBodyBytesMax);
    out.remove_prefix(end + 4);
    // After a HEAD there is none.
    if (out.substr(0, 9) != "HTTP/1.1 ") {
      if (out.empty()) return;
      Require(body_bytes <= out.size());
      out.remove_prefix(body_bytes);
    }
  }
}

}  // namespace
}  // namespace septet::tracker

// The first byte chooses the cuts.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace septet::tracker;
  constexpr size_t kBytesMax = 64 * 1024;
  if (size == 0 || size > kBytesMax) return 0;
  Random cuts(data[0]);
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = RunWhole(bytes);
  CheckResponses(whole.out);
  CheckSame(whole, RunCut(bytes, cuts, 4));
  CheckSame(whole, RunCut(bytes, cuts, 1500));
  return 0;
}
