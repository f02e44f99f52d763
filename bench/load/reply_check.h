// Whether a reply is what was asked for. A fast server that answers nonsense is not fast.

#ifndef SEPTET_BENCH_LOAD_REPLY_CHECK_H_
#define SEPTET_BENCH_LOAD_REPLY_CHECK_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tracker/swarm_store.h"

namespace septet::bench {

// What was asked, as far as the reply depends on it.
struct ExpectedReply {
  bool is_scrape = false;
  bool ipv6 = false;  // UDP tells only of peers of this family
  uint32_t numwant = 0;
  // A reply may hold fewer peers than its own counts promise: the peer has stopped, or the
  // swarm has peers of a family that is not told of.
  bool may_be_short = false;
  // Of an HTTP scrape; null: any info-hash will do, as a null server knows none.
  const tracker::InfoHash* hash = nullptr;
};

struct CheckedReply {
  absl::string_view fault;  // what is wrong, a literal; empty: nothing
  uint32_t peers = 0;       // told
};

// A packet of BEP 15 with the right transaction id. Counts have to be plausible: no more
// peers than wanted and than are in the swarm; as many as wanted, if the swarm has that many
// leechers beside the asker (a seeder need not hear of seeders). No port may be 0.
CheckedReply CheckUdpReply(absl::Span<const uint8_t> packet, uint32_t transaction_id,
                           const ExpectedReply& expected);

// The body of a response: bencoded, strictly; with the keys of BEP 3, 7, 23 and 48; counts
// as above.
CheckedReply CheckHttpBody(absl::string_view body, const ExpectedReply& expected);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_LOAD_REPLY_CHECK_H_
