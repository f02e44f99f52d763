#include "bench/comparison/machine.h"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace septet::bench {
namespace {

// What follows the separator in the first line of a file that begins with `key`.
std::string ValueIn(const char* path, absl::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t at = line.find(separator);
    if (!absl::StartsWith(line, key) || at == std::string::npos) continue;
    std::string value(absl::StripAsciiWhitespace(line.substr(at + 1)));
    if (value.size() > 1 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return value;
  }
  return "unknown";
}

std::string Today() {
  const time_t now = time(nullptr);
  tm parts;
  gmtime_r(&now, &parts);
  std::array<char, 32> text;
  const size_t size = strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return std::string(text.data(), size);
}

}  // namespace

std::string FirstLineOf(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::array<char, 256> line{};
  const bool has_line = std::fgets(line.data(), line.size(), pipe) != nullptr;
  pclose(pipe);
  return has_line ? std::string(absl::StripAsciiWhitespace(line.data())) : "";
}

Machine ThisMachine() {
  utsname name;
  uname(&name);
  std::ifstream load("/proc/loadavg");
  Machine machine;
  load >> machine.load_average;
  machine.date = Today();
  machine.cpu = ValueIn("/proc/cpuinfo", "model name", ':');
  machine.cores = static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.kernel = absl::StrCat(name.sysname, " ", name.release);
  machine.distribution = ValueIn("/etc/os-release", "PRETTY_NAME", '=');
#ifdef __clang__
  machine.compiler = absl::StrCat("clang ", __clang_version__);
#else
  machine.compiler = absl::StrCat("gcc ", __VERSION__);
#endif
  return machine;
}

}  // namespace septet::bench
