#include "bench/comparison/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace septet::bench {
namespace {

constexpr int kTriesMax = 1000;
constexpr useconds_t kTryUs = 10'000;
constexpr int kEndTriesMax = 500;
constexpr absl::string_view kStartUp = "listening ";

}  // namespace

absl::Status ServerProcess::Spawn(const std::vector<std::string>& command) {
  char path[] = "/tmp/server-log-XXXXXX";
  const int log = mkostemp(path, O_CLOEXEC);
  if (log < 0) return absl::UnavailableError("no temporary file");
  log_path_ = path;
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    // A file, not a pipe: nobody reads it while the server is measured.
    dup2(log, STDERR_FILENO);
    dup2(log, STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(log);
  return pid_ > 0 ? absl::OkStatus() : absl::UnavailableError("no process");
}

std::string ServerProcess::Log() const {
  std::ifstream file(log_path_);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

absl::StatusOr<std::unique_ptr<ServerProcess>> ServerProcess::Start(
    const std::vector<std::string>& command) {
  auto process = std::unique_ptr<ServerProcess>(new ServerProcess);
  const absl::Status status = process->Spawn(command);
  if (!status.ok()) return status;
  for (int i = 0; i < kTriesMax; ++i) {
    const std::string log = process->Log();
    for (const absl::string_view line : absl::StrSplit(log, '\n')) {
      // Its last byte may not be written yet.
      if (!absl::StartsWith(line, kStartUp) || line.data() + line.size() == log.data() + log.size())
        continue;
      process->addresses_ = absl::StrSplit(line.substr(kStartUp.size()), ' ', absl::SkipEmpty());
      return process;
    }
    if (waitpid(process->pid_, nullptr, WNOHANG) == process->pid_) {
      process->pid_ = -1;
      break;
    }
    usleep(kTryUs);
  }
  return absl::UnavailableError(absl::StrCat(command.front(), " did not start: ", process->Log()));
}

absl::StatusOr<std::unique_ptr<ServerProcess>> ServerProcess::StartSilent(
    const std::string& command) {
  auto process = std::unique_ptr<ServerProcess>(new ServerProcess);
  const absl::Status status = process->Spawn({"/bin/sh", "-c", absl::StrCat("exec ", command)});
  if (!status.ok()) return status;
  return process;
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    for (int i = 0; i < kEndTriesMax && pid_ > 0; ++i) {
      if (waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
      if (pid_ > 0) usleep(kTryUs);
    }
  }
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (!log_path_.empty()) unlink(log_path_.c_str());
}

}  // namespace septet::bench
