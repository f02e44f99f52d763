// Bytes as what comes over a connection: heads one behind the other. They are the same
// however they are cut, and lie within what was given.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/request_head.h"
#include "tracker/random.h"

namespace septet::http {
namespace {

using absl::string_view;
using tracker::Random;

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckWithin(string_view part, string_view whole) {
  const std::less_equal<const char*> le;
  const char* const end = part.data() + part.size();
  const bool is_within = le(whole.data(), part.data()) && le(end, whole.data() + whole.size());
  // The path of an absolute target that has none is "/".
  Require(part.empty() || is_within || part == "/");
}

void CheckHead(const RequestHead& head, string_view bytes) {
  Require(head.head_bytes <= size_t{16} * 1024 && head.head_bytes <= bytes.size());
  Require(head.header_count <= 100);
  Require(head.minor_version >= 0 && head.minor_version <= 9);
  Require(!head.method.empty() && head.method.find(' ') == string_view::npos);
  Require(head.has_query || head.query.empty());
  Require(head.path.find('?') == string_view::npos);
  const string_view whole = bytes.substr(0, head.head_bytes);
  Require(whole.back() == '\n');
  for (const string_view part : {head.method, head.path, head.query}) {
    CheckWithin(part, whole);
    Require(part.find_first_of("\r\n") == string_view::npos);
  }
  for (size_t i = 0; i < head.header_count; ++i) {
    const auto& [name, value] = head.headers[i];
    CheckWithin(name, whole);
    CheckWithin(value, whole);
    Require(!name.empty() && name.find_first_of(" \t\r\n:") == string_view::npos);
    Require(value.find_first_of("\r\n") == string_view::npos);
    Require(value.empty() || string_view(" \t").find(value.front()) == string_view::npos);
    Require(value.empty() || string_view(" \t").find(value.back()) == string_view::npos);
  }
}

void Describe(HeadStatus status, const RequestHead& head, std::string* out) {
  *out += "[" + std::to_string(static_cast<int>(status));
  if (status == HeadStatus::kComplete) {
    for (const uint64_t number :
         {uint64_t{head.has_query}, static_cast<uint64_t>(head.minor_version),
          uint64_t{head.keep_alive}, head.content_length, uint64_t{head.has_transfer_encoding},
          uint64_t{head.head_bytes}, uint64_t{head.header_count}}) {
      *out += " " + std::to_string(number);
    }
    const auto add = [out](string_view part) { *out += "<" + std::string(part) + ">"; };
    for (const string_view part : {head.method, head.path, head.query}) add(part);
    for (size_t i = 0; i < head.header_count; ++i) {
      add(head.headers[i].name);
      add(head.headers[i].value);
    }
  }
  *out += "]";
}

// What the connection was understood as. Bytes come in pieces of up to `piece_max`.
std::string Read(string_view bytes, Random& cuts, uint32_t piece_max) {
  RequestHeadParser parser;
  RequestHead head;
  std::string out;
  size_t begin = 0;
  size_t size = 0;
  while (size < bytes.size()) {
    size += std::min<size_t>(bytes.size() - size, 1 + cuts.Below(piece_max));
    for (;;) {
      // Of exactly its size and in another place each time.
      const std::vector<char> now(bytes.begin() + static_cast<ptrdiff_t>(begin),
                                  bytes.begin() + static_cast<ptrdiff_t>(size));
      const string_view view(now.data(), now.size());
      const HeadStatus status = parser.Parse(view, &head);
      if (status == HeadStatus::kIncomplete) {
        Require(view.size() < size_t{16} * 1024);
        break;
      }
      if (status == HeadStatus::kComplete) CheckHead(head, view);
      Describe(status, head, &out);
      if (status != HeadStatus::kComplete) return out;
      begin += head.head_bytes;
      if (begin == size) break;
    }
  }
  return out;
}

}  // namespace
}  // namespace septet::http

// The first byte chooses the cuts.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace septet::http;
  constexpr size_t kBytesMax = 40 * 1024;
  if (size == 0 || size > kBytesMax) return 0;
  Random cuts(data[0]);
  const string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = Read(bytes, cuts, UINT32_MAX);
  // Copies are quadratic in the number of pieces.
  if (bytes.size() < 600) Require(Read(bytes, cuts, 3) == whole);
  Require(Read(bytes, cuts, 1 + static_cast<uint32_t>(bytes.size()) / 8) == whole);
  return 0;
}
