// Runs a fuzz target over the files named on the command line, without
// libFuzzer, so that each corpus is also an ordinary test. Every file is run
// whole and cut short at each of its first kCutsMax bytes: parsers go wrong
// where input ends early.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kCutsMax = 2048;

// The input lies in an allocation of exactly its size, so that a sanitizer sees
// a read past its end.
void RunOne(const std::vector<uint8_t>& bytes, size_t size) {
  const std::vector<uint8_t> exact(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FILE...: no corpus file was given\n", argv[0]);
    return 2;
  }
  size_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                                     std::istreambuf_iterator<char>());
    RunOne(bytes, bytes.size());
    for (size_t size = 0; size < bytes.size() && size < kCutsMax; ++size) RunOne(bytes, size);
    runs += 1 + (bytes.size() < kCutsMax ? bytes.size() : kCutsMax);
  }
  std::printf("%d seeds, %zu runs\n", argc - 1, runs);
  return 0;
}
