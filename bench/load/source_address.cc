#include "bench/load/exchange.h"

namespace septet::bench {

tracker::Endpoint SourceAddress(uint32_t source) {
  const uint32_t address = 0x7f000001 + source;
  uint8_t bytes[4];
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<uint8_t>(address >> (24 - 8 * i));
  return tracker::MakeIpv4(bytes, 0);
}

}  // namespace septet::bench
