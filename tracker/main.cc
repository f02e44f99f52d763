// The tracker as a program: flags, signals, exit status.
//
// Exit status: 0 after SIGTERM or SIGINT, 1 if the system does not let it start, 2 for a
// wrong flag.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tracker/access/access_lists.h"
#include "tracker/flags/command_line.h"
#include "tracker/flags/flags.h"
#include "tracker/server/server.h"
#include "tracker/server/service_manager.h"
#include "tracker/version.h"

namespace septet::tracker {
namespace {

constexpr int kStatusFailed = 1;
constexpr int kStatusWrongFlag = 2;

int Fail(const absl::Status& status) {
  fprintf(stderr, "septet: %s\n", std::string(status.message()).c_str());
  return absl::IsInvalidArgument(status) ? kStatusWrongFlag : kStatusFailed;
}

sigset_t SignalsToWaitFor() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

void Reload(Server& server) {
  if (server.ReloadLists()) return;
  fputs("septet: SIGHUP: there is no list to read again\n", stderr);
}

void ServeUntilStopped(Server& server) {
  const sigset_t signals = SignalsToWaitFor();
  int number = 0;
  while (sigwait(&signals, &number) == 0 && number == SIGHUP) Reload(server);
  // A second one ends the process at once.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// Serving goes on if it cannot be told: that is for the log.
void TellServiceManager(absl::string_view state) {
  const char* socket_name = getenv("NOTIFY_SOCKET");
  if (socket_name == nullptr) return;
  const absl::Status status = NotifyServiceManager(socket_name, state);
  if (status.ok()) return;
  fprintf(stderr, "septet: %s\n", std::string(status.message()).c_str());
}

int Serve(const ServerOptions& options) {
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
  if (!server.ok()) return Fail(server.status());
  const std::string line = (*server)->StartUpLine();
  fprintf(stderr, "%s\n", line.c_str());
  TellServiceManager(absl::StrCat("READY=1\nSTATUS=", line));
  ServeUntilStopped(**server);
  TellServiceManager("STOPPING=1");
  (*server)->Stop();
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  const absl::StatusOr<GivenFlags> given = ParseCommandLine(arguments, AllowedValues);
  if (!given.ok()) return Fail(given.status());
  if (absl::GetFlag(FLAGS_help)) {
    fputs(HelpText().c_str(), stdout);
    return 0;
  }
  if (absl::GetFlag(FLAGS_version)) {
    printf("septet %s\n", kVersion);
    return 0;
  }
  const absl::StatusOr<ServerOptions> options = OptionsFromFlags(*given);
  if (!options.ok()) return Fail(options.status());
  absl::Status status = CheckServerOptions(*options);
  if (!status.ok()) return Fail(status);
  if (absl::GetFlag(FLAGS_check_config)) {
    status = CheckAccessLists(options->access);
    if (!status.ok()) return Fail(status);
    puts("the configuration is valid");
    return 0;
  }
  return Serve(*options);
}

}  // namespace
}  // namespace septet::tracker

int main(int argc, char** argv) {
  // Blocked from the start, so that none is lost before it is waited for.
  const sigset_t signals = septet::tracker::SignalsToWaitFor();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A closed log or connection is an error of the write, not the end of the process.
  signal(SIGPIPE, SIG_IGN);
  return septet::tracker::Main(std::vector<std::string>(argv + 1, argv + argc));
}
