// The tracker as a process, for tests at its edge. They need //tracker:tracker as data.

#ifndef SEPTET_TRACKER_FLAGS_TEST_PROCESS_H_
#define SEPTET_TRACKER_FLAGS_TEST_PROCESS_H_

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tracker/endpoint.h"

extern char** environ;

namespace septet::tracker {

// Below the runfiles, where a test is started.
inline constexpr char kTrackerBinary[] = "tracker/tracker";

// The tracker with these arguments. It is killed at the end if it still runs.
class TestProcess {
 public:
  explicit TestProcess(std::vector<std::string> arguments) {
    int out[2], error[2];
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(error, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, error[1], STDERR_FILENO);
    arguments.insert(arguments.begin(), kTrackerBinary);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&pid_, kTrackerBinary, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(error[1]);
    out_ = fdopen(out[0], "r");
    error_ = fdopen(error[0], "r");
  }
  TestProcess(const TestProcess&) = delete;
  TestProcess& operator=(const TestProcess&) = delete;
  ~TestProcess() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    fclose(out_);
    fclose(error_);
  }

  std::string ReadErrorLine() { return ReadLine(error_); }
  std::string ReadOut() { return ReadAll(out_); }
  std::string ReadError() { return ReadAll(error_); }
  void Signal(int number) { kill(pid_, number); }

  // The exit status; -1: a signal ended it.
  int Wait() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  static std::string ReadLine(FILE* file) {
    std::string line;
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
      line += static_cast<char>(c);
      if (c == '\n') break;
    }
    return line;
  }
  static std::string ReadAll(FILE* file) {
    std::string all;
    for (std::string line = ReadLine(file); !line.empty(); line = ReadLine(file)) all += line;
    return all;
  }

  pid_t pid_ = -1;
  FILE* out_ = nullptr;
  FILE* error_ = nullptr;
};

// The address that a start-up line of "listening SCHEME://127.0.0.1:PORT" names.
inline Endpoint ListeningAt(absl::string_view line) {
  const uint8_t loopback[] = {127, 0, 0, 1};
  const int port = std::atoi(std::string(line.substr(line.rfind(':') + 1)).c_str());
  return MakeIpv4(loopback, static_cast<uint16_t>(port));
}

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_FLAGS_TEST_PROCESS_H_
