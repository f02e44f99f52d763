// On what the figures were taken.

#ifndef SEPTET_BENCH_COMPARISON_MACHINE_H_
#define SEPTET_BENCH_COMPARISON_MACHINE_H_

#include <string>

#include "bench/comparison/comparison.h"

namespace septet::bench {

// This machine, now.
Machine ThisMachine();

// The first line that a shell command prints on standard output; empty if there is none.
std::string FirstLineOf(const std::string& command);

}  // namespace septet::bench

#endif  // SEPTET_BENCH_COMPARISON_MACHINE_H_
