#include "bench/process_stats.h"

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace septet::bench {
namespace {

uint64_t SwitchesOfThread(const std::string& folder) {
  constexpr absl::string_view kKey = "voluntary_ctxt_switches:";
  std::ifstream status(absl::StrCat(folder, "/status"));
  for (std::string line; std::getline(status, line);) {
    uint64_t count = 0;
    if (absl::StartsWith(line, kKey) && absl::SimpleAtoi(line.substr(kKey.size()), &count)) {
      return count;
    }
  }
  return 0;
}

uint64_t SwitchesOf(pid_t pid) {
  const std::string tasks = absl::StrCat("/proc/", pid, "/task");
  DIR* const folder = opendir(tasks.c_str());
  if (folder == nullptr) return 0;
  uint64_t sum = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') {
      sum += SwitchesOfThread(absl::StrCat(tasks, "/", entry->d_name));
    }
  }
  closedir(folder);
  return sum;
}

}  // namespace

ProcessStats StatsOf(pid_t pid) {
  ProcessStats stats;
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  uint64_t pages = 0;
  statm >> pages >> pages;
  stats.resident_bytes = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));

  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  const size_t name_end = text.rfind(')');  // the name, in parentheses, may hold spaces
  if (name_end == std::string::npos) return {};
  const std::vector<std::string> fields = absl::StrSplit(text.substr(name_end + 2), ' ');
  if (fields.size() > 12) {
    const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
    stats.user_s = std::strtod(fields[11].c_str(), nullptr) / ticks_a_second;
    stats.system_s = std::strtod(fields[12].c_str(), nullptr) / ticks_a_second;
  }
  stats.voluntary_switches = SwitchesOf(pid);
  return stats;
}

}  // namespace septet::bench
