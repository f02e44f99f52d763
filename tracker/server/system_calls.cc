#include "tracker/server/system_calls.h"

namespace septet::tracker {

const SystemCalls& RealSystemCalls() {
  static constexpr SystemCalls kCalls;
  return kCalls;
}

}  // namespace septet::tracker
