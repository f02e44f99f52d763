// How many files the process may have open, which bounds its connections.

#ifndef SEPTET_TRACKER_SERVER_DESCRIPTOR_LIMIT_H_
#define SEPTET_TRACKER_SERVER_DESCRIPTOR_LIMIT_H_

#include <cstdint>

namespace septet::tracker {

// Raises the soft limit of file descriptors (RLIMIT_NOFILE) of the process to the hard
// one, as far as the kernel lets it. Returns the limit that then holds.
uint64_t RaiseDescriptorLimit();

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_DESCRIPTOR_LIMIT_H_
