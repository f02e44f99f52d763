#include "tracker/server/descriptor_limit.h"

#include <sys/resource.h>

namespace septet::tracker {

uint64_t RaiseDescriptorLimit() {
  constexpr uint64_t kPosixLeast = 20;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kPosixLeast;
  const rlimit raised = {limit.rlim_max, limit.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return raised.rlim_cur;
  return limit.rlim_cur;
}

}  // namespace septet::tracker
