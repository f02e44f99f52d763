// The socket of a null server: that of a worker of the tracker, option for option.

#ifndef SEPTET_BENCH_NULL_LISTENER_H_
#define SEPTET_BENCH_NULL_LISTENER_H_

#include <string>

namespace septet::bench {

// Binds one `scheme`://ADDR:PORT address ("http" or "udp") and prints the start-up line
// `listening SCHEME://ADDR:PORT` on standard error, as the tracker does. The socket does not
// block unless `blocks`. Ends the process with status 2 if that cannot be done.
int ListenOrExit(const std::string& scheme, const std::string& address, bool blocks);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_NULL_LISTENER_H_
