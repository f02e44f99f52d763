// Properties of the parser of request heads: it finds what was written, it finds the same
// under any cut, and what it hands out lies within what it was given.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "http/request_head.h"
#include "proptests/http_generators.h"
#include "rapidcheck.h"

namespace septet::http {
namespace {

using absl::string_view;

// A parser that is given growing prefixes, each in memory of exactly its size and of its
// own, as a buffer that moves would.
class Connection {
 public:
  HeadStatus Parse(const std::string& bytes, size_t size) {
    bytes_.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
    bytes_.shrink_to_fit();
    return parser_.Parse(view(), &head_);
  }

  string_view view() const { return string_view(bytes_.data(), bytes_.size()); }
  const RequestHead& head() const { return head_; }

 private:
  std::vector<char> bytes_;
  RequestHeadParser parser_;
  RequestHead head_;
};

struct Outcome {
  HeadStatus status = HeadStatus::kIncomplete;
  std::string text;  // all of the head, as one text
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    return out << static_cast<int>(outcome.status) << ": " << outcome.text;
  }
};

Outcome OutcomeOf(HeadStatus status, const RequestHead& head) {
  Outcome outcome = {status, ""};
  if (status != HeadStatus::kComplete) return outcome;
  const auto add = [&outcome](string_view part) {
    outcome.text += std::to_string(part.size()) + "<" + std::string(part) + ">";
  };
  for (const string_view part : {head.method, head.path, head.query}) add(part);
  for (const uint64_t number :
       {uint64_t{head.has_query}, static_cast<uint64_t>(head.minor_version),
        uint64_t{head.keep_alive}, head.content_length, uint64_t{head.has_transfer_encoding},
        uint64_t{head.head_bytes}, uint64_t{head.header_count}}) {
    outcome.text += " " + std::to_string(number);
  }
  for (size_t i = 0; i < head.header_count; ++i) {
    add(head.headers[i].name);
    add(head.headers[i].value);
  }
  return outcome;
}

Outcome ParseWhole(const std::string& bytes) {
  Connection connection;
  const HeadStatus status = connection.Parse(bytes, bytes.size());
  return OutcomeOf(status, connection.head());
}

// Until the first result that is more than a wish for more bytes.
Outcome ParseInPieces(const std::string& bytes, size_t piece_max) {
  Connection connection;
  size_t size = 0;
  while (size < bytes.size()) {
    const size_t rest = bytes.size() - size;
    size += std::min(rest, *rc::gen::inRange<size_t>(1, piece_max + 1));
    const HeadStatus status = connection.Parse(bytes, size);
    if (status != HeadStatus::kIncomplete) return OutcomeOf(status, connection.head());
  }
  return {};
}

void CheckWithin(string_view part, string_view whole) {
  if (part.empty()) return;
  const std::less_equal<const char*> le;
  // The path of an absolute target that has none is "/".
  if (part == "/" && !(le(whole.data(), part.data()) && le(part.data(), whole.end()))) return;
  RC_ASSERT(le(whole.data(), part.data()));
  RC_ASSERT(le(part.data() + part.size(), whole.data() + whole.size()));
}

void CheckViews(const Connection& connection) {
  const RequestHead& head = connection.head();
  RC_ASSERT(head.head_bytes <= size_t{16} * 1024);
  RC_ASSERT(head.head_bytes <= connection.view().size());
  RC_ASSERT(head.header_count <= size_t{100});
  const string_view whole = connection.view().substr(0, head.head_bytes);
  RC_ASSERT(whole.back() == '\n');
  for (const string_view part : {head.method, head.path, head.query}) CheckWithin(part, whole);
  for (size_t i = 0; i < head.header_count; ++i) {
    RC_ASSERT(!head.headers[i].name.empty());
    CheckWithin(head.headers[i].name, whole);
    CheckWithin(head.headers[i].value, whole);
  }
}

TEST(HttpHeadProperties, FindsWhatWasWritten) {
  EXPECT_TRUE(rc::check([] {
    const HeadCase expected = *GoodHead();
    RC_LOG() << expected.text;
    Connection connection;
    const std::string behind = *rc::gen::string<std::string>();
    const std::string bytes = expected.text + behind;
    RC_ASSERT(connection.Parse(bytes, bytes.size()) == HeadStatus::kComplete);
    CheckViews(connection);
    const RequestHead& head = connection.head();
    RC_ASSERT(head.method == expected.method);
    RC_ASSERT(head.path == expected.path);
    RC_ASSERT(head.has_query == expected.has_query);
    RC_ASSERT(head.query == expected.query);
    RC_ASSERT(head.minor_version == expected.minor_version);
    RC_ASSERT(head.keep_alive == (expected.minor_version > 0));
    RC_ASSERT(head.content_length == 0u);
    RC_ASSERT(head.head_bytes == expected.text.size());
    RC_ASSERT(head.header_count == expected.fields.size());
    for (size_t i = 0; i < expected.fields.size(); ++i) {
      RC_ASSERT(head.headers[i].name == expected.fields[i].first);
      RC_ASSERT(head.headers[i].value == expected.fields[i].second);
    }
  }));
}

TEST(HttpHeadProperties, AGoodHeadIsTheSameUnderAnyCut) {
  EXPECT_TRUE(rc::check([] {
    const std::string bytes = (*GoodHead()).text + "GET /next";
    const auto piece_max = *rc::gen::element<size_t>(1, 2, 7, 100);
    RC_ASSERT(ParseInPieces(bytes, piece_max) == ParseWhole(bytes));
  }));
}

TEST(HttpHeadProperties, AnyBytesAreTheSameUnderAnyCut) {
  EXPECT_TRUE(rc::check([] {
    const std::string bytes = *NearlyAHead();
    const auto piece_max = *rc::gen::element<size_t>(3, 7, 100, 10'000);
    const Outcome whole = ParseWhole(bytes);
    RC_ASSERT(ParseInPieces(bytes, piece_max) == whole);
    RC_CLASSIFY(whole.status == HeadStatus::kComplete, "complete");
    RC_CLASSIFY(whole.status == HeadStatus::kBadRequest, "bad request");
    RC_CLASSIFY(whole.status == HeadStatus::kIncomplete, "incomplete");
    RC_CLASSIFY(whole.status == HeadStatus::kUriTooLong, "line too long");
    RC_CLASSIFY(whole.status == HeadStatus::kHeadTooLarge, "head too large");
  }));
}

TEST(HttpHeadProperties, ViewsOfAnyBytesLieWithinThem) {
  EXPECT_TRUE(rc::check([] {
    const std::string bytes =
        *rc::gen::oneOf(rc::gen::string<std::string>(), NearlyAHead(),
                        rc::gen::map(rc::gen::pair(GoodHead(), NearlyAHead()),
                                     [](const auto& two) { return two.first.text + two.second; }));
    Connection connection;
    const HeadStatus status = connection.Parse(bytes, bytes.size());
    if (status == HeadStatus::kComplete) CheckViews(connection);
    // There is always an end to waiting.
    if (bytes.size() >= size_t{16} * 1024) RC_ASSERT(status != HeadStatus::kIncomplete);
  }));
}

// The next request begins where head_bytes says, however many there are.
TEST(HttpHeadProperties, PipelinedHeadsAreFoundOneByOne) {
  EXPECT_TRUE(rc::check([] {
    const auto heads = *rc::gen::container<std::vector<HeadCase>>(3, GoodHead());
    std::string bytes;
    for (const HeadCase& head : heads) bytes += head.text;
    RequestHeadParser parser;
    RequestHead head;
    string_view rest = bytes;
    for (const HeadCase& expected : heads) {
      RC_ASSERT(parser.Parse(rest, &head) == HeadStatus::kComplete);
      RC_ASSERT(head.query == expected.query);
      RC_ASSERT(head.head_bytes == expected.text.size());
      rest.remove_prefix(head.head_bytes);
    }
    RC_ASSERT(rest.empty());
  }));
}

}  // namespace
}  // namespace septet::http
