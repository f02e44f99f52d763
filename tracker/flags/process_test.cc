// The tracker at the edge of its process: flags, output, signals, exit status.

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/endpoint.h"
#include "tracker/flags/test_process.h"
#include "tracker/server/test_client.h"

namespace {

using septet::tracker::ListeningAt;
using septet::tracker::TestClient;
using Process = septet::tracker::TestProcess;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::string WriteFile(absl::string_view name, absl::string_view text) {
  const std::string path = absl::StrCat(getenv("TEST_TMPDIR"), "/", name);
  std::ofstream(path) << text;
  return path;
}

TEST(ProcessTest, AWrongValueIsNamedWithWhatIsAllowed) {
  const struct {
    absl::string_view argument;
    absl::string_view named;  // flag and value
    absl::string_view allowed;
  } kCases[] = {
      {"--interval=3x", "--interval=3x", "from 1s to 24h"},
      {"--interval=30", "--interval=30", "such as 90s, 30m"},
      {"--interval=0s", "--interval=0", "from 1s to 24h"},
      {"--interval=-5m", "--interval=-5m", "from 1s to 24h"},
      {"--interval=inf", "--interval=inf", "from 1s to 24h"},
      {"--min_interval=31m", "--min_interval=31m", "at most --interval, 30m"},
      {"--peer_timeout=8000h", "--peer_timeout=8000h", "to 168h"},
      {"--workers=-1", "--workers=-1", "from 0 to 256"},
      {"--workers=257", "--workers=257", "from 0 to 256"},
      {"--workers=two", "--workers=two", "from 0 to 256"},
      {"--numwant_max=1001", "--numwant_max=1001", "from 0 to 1000"},
      {"--numwant_default=201", "--numwant_default=201", "at most --numwant_max, 200"},
      {"--max_memory=5GB", "--max_memory=5GB", "512MiB or 4GiB"},
      {"--max_memory=1KiB", "--max_memory=1KiB", "none, or a number of bytes"},
      {"--http_buffer_memory=none", "--http_buffer_memory=none", "from 1MiB"},
      {"--max_connections=-1", "--max_connections=-1", "whole number"},
      {"--max_connections_per_address=x", "--max_connections_per_address=x", "whole number"},
      {"--allow_scrape=maybe", "--allow_scrape=maybe", "true or false"},
      {"--listen=localhost:6969", "--listen: 'localhost:6969'", "ADDR:PORT"},
      {"--listen=", "--listen", "ADDR:PORT"},
      {"--listen=proxy+udp://127.0.0.1:6969", "--listen: 'proxy+udp://127.0.0.1:6969'",
       "proxy+http://ADDR:PORT"},
      {"--listen=proxy+http://127.0.0.1:6969", "proxy+http://127.0.0.1:6969",
       "trusted_proxies with at least one network"},
      {"--trusted_proxies=10.0.0.1/8", "--trusted_proxies: '10.0.0.1/8'", "10.0.0.0/8 or 10.0.0.1"},
      {"--trusted_proxies=127.0.0.1,proxy", "--trusted_proxies: 'proxy'", "none, or a list"},
      {"--trusted_proxies", "--trusted_proxies", "none, or a list"},
      {"--honor_ip_param=true", "--honor_ip_param: 'true'", "none, or a list"},
      {"--honor_ip_param=2001:db8::1/32", "--honor_ip_param: '2001:db8::1/32'", "2001:db8::/32"},
      {"--udp_error_rate=-1", "--udp_error_rate=-1", "from 0 to 1000000000"},
      {"--http_socket_buffer=1KiB", "--http_socket_buffer=1KiB", "none, or a number of bytes"},
      {"--http_idle_timeout=1ms", "--http_idle_timeout=1ms", "from 100ms"},
      {"--connection_id_validity=0s", "--connection_id_validity=0", "from 1s"},
      {"--connection_id_secret_file=/nonexistent", "--connection_id_secret_file=/nonexistent",
       "No such file"},
      {"--allow_list=/nonexistent", "--allow_list=/nonexistent", "No such file"},
      {"--deny_list=/nonexistent", "--deny_list=/nonexistent", "No such file"},
      {"--torrents_dir=/nonexistent", "--torrents_dir=/nonexistent", "No such file"},
      {"--torrents_dir=/proc/self/status", "--torrents_dir=/proc/self/status", "Not a directory"},
      {"--allow_list=/proc/self", "--allow_list=/proc/self", "no regular file"},
      {"--flagfile=/nonexistent", "--flagfile=/nonexistent", "No such file"},
      {"--intervall=30m", "--intervall", "--help"},
      {"--nointerval", "--nointerval", "--help"},
      {"--interval", "--interval", "from 1s to 24h"},
      {"announce", "'announce'", "--help"},
      {"--", "'--'", "--help"},
  };
  for (const auto& test : kCases) {
    Process process({std::string(test.argument)});
    const std::string error = process.ReadError();
    EXPECT_EQ(process.Wait(), 2) << test.argument;
    EXPECT_EQ(process.ReadOut(), "") << test.argument;
    EXPECT_THAT(error, StartsWith(absl::StrCat("septet: ", test.named))) << test.argument;
    EXPECT_THAT(error, HasSubstr(std::string(test.allowed))) << test.argument;
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  }
}

TEST(ProcessTest, GoodValuesPassTheCheck) {
  const std::vector<std::string> kCases[] = {
      {},
      {"--interval=5m"},
      {"--interval", "5m", "--min_interval", "1m30s"},
      {"-workers=1", "--noallow_scrape", "--allow_noncompact=false"},
      {"--numwant_max=10"},
      {"--max_memory=64MiB", "--max_connections=10", "--max_connections_per_address=0"},
      {"--listen=127.0.0.1:0,udp://[::1]:7000"},
      {"--peer_timeout=2s"},
      {"--udp_error_rate=0", "--http_socket_buffer=none"},
      {"--trusted_proxies="},
      {"--trusted_proxies=none"},
      {"--honor_ip_param=none"},
      {"--honor_ip_param=10.0.0.0/8,::1"},
      {"--trusted_proxies=127.0.0.0/8, ::1"},
      {"--listen=proxy+http://127.0.0.1:0,127.0.0.1:0", "--trusted_proxies=127.0.0.1"},
      // The last one counts.
      {"--workers=1", "--workers=2"},
  };
  for (std::vector<std::string> arguments : kCases) {
    arguments.push_back("--check_config");
    Process process(arguments);
    EXPECT_EQ(process.ReadError(), "");
    EXPECT_EQ(process.ReadOut(), "the configuration is valid\n");
    EXPECT_EQ(process.Wait(), 0);
  }
}

TEST(ProcessTest, FlagsStandInAFile) {
  const std::string good =
      WriteFile("good", "# a comment\n\n  --interval=5m  \n--noallow_scrape\n");
  Process process({"--flagfile=" + good, "--check_config"});
  EXPECT_EQ(process.ReadError(), "");
  EXPECT_EQ(process.Wait(), 0);

  const std::string bad = WriteFile("bad", "--interval=5m\n--workers=x\n");
  Process wrong({"--flagfile", bad});
  EXPECT_THAT(wrong.ReadError(), HasSubstr(bad + ":2: --workers=x: allowed: "));
  EXPECT_EQ(wrong.Wait(), 2);

  const std::string loop = WriteFile("loop", "");
  std::ofstream(loop) << "--flagfile=" << loop << "\n";
  Process endless({"--flagfile=" + loop});
  EXPECT_THAT(endless.ReadError(), HasSubstr("8 files"));
  EXPECT_EQ(endless.Wait(), 2);
}

TEST(ProcessTest, HelpListsEveryFlagWithDefaultAndRange) {
  Process process({"--help"});
  const std::string help = process.ReadOut();
  EXPECT_EQ(process.Wait(), 0);
  for (const absl::string_view flag : {"listen",
                                       "workers",
                                       "interval",
                                       "min_interval",
                                       "peer_timeout",
                                       "numwant_default",
                                       "numwant_max",
                                       "max_memory",
                                       "allow_list",
                                       "deny_list",
                                       "torrents_dir",
                                       "state_file",
                                       "state_interval",
                                       "allow_noncompact",
                                       "allow_scrape",
                                       "connection_id_secret_file",
                                       "connection_id_validity",
                                       "max_connections",
                                       "max_connections_per_address",
                                       "trusted_proxies",
                                       "honor_ip_param",
                                       "flagfile",
                                       "check_config",
                                       "version",
                                       "help"}) {
    EXPECT_THAT(help, HasSubstr(absl::StrCat("\n  --", flag, "\n")));
  }
  EXPECT_THAT(help, HasSubstr("Default: 30m. Allowed: a duration from 1s to 24h"));
  EXPECT_THAT(help, HasSubstr("Default: 0.0.0.0:6969,[::]:6969. Allowed: "));
}

TEST(ProcessTest, VersionIsOneLine) {
  Process process({"--version"});
  EXPECT_THAT(process.ReadOut(), MatchesRegex("septet [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(process.Wait(), 0);
}

TEST(ProcessTest, ServesUntilASignal) {
  for (const int signal_number : {SIGTERM, SIGINT}) {
    Process process({"--listen=127.0.0.1:0"});
    EXPECT_THAT(process.ReadErrorLine(),
                MatchesRegex("listening http://127\\.0\\.0\\.1:[1-9][0-9]* "
                             "udp://127\\.0\\.0\\.1:[1-9][0-9]*\n"));
    process.Signal(SIGHUP);
    process.Signal(SIGPIPE);
    process.Signal(signal_number);
    EXPECT_EQ(process.ReadError(), "septet: SIGHUP: there is no list to read again\n");
    EXPECT_EQ(process.Wait(), 0);
  }
}

// An announce over the connection, and what the reply says of its address (BEP 24).
std::string AskedAddress(TestClient* client, absl::string_view before_request,
                         absl::string_view fields) {
  const std::string reply = client->Ask(absl::StrCat(
      before_request,
      "GET /announce?info_hash=aaaaaaaaaaaaaaaaaaaa&peer_id=-XX0000-012345678901&port=1&left=5 "
      "HTTP/1.1\r\n",
      fields, "\r\n"));
  constexpr absl::string_view kKey = "11:external ip4:";
  const size_t at = reply.find(std::string(kKey));
  if (at == std::string::npos) return reply;
  const auto* bytes = reinterpret_cast<const uint8_t*>(reply.data()) + at + kKey.size();
  return absl::StrCat(bytes[0], ".", bytes[1], ".", bytes[2], ".", bytes[3]);
}

TEST(ProcessTest, TrustedProxiesAreBelievedAndNobodyElse) {
  constexpr absl::string_view kField = "X-Forwarded-For: 198.51.100.1\r\n";
  for (const bool is_trusted : {true, false}) {
    Process process({"--listen=http://127.0.0.1:0",
                     is_trusted ? "--trusted_proxies=127.0.0.0/8" : "--trusted_proxies=none"});
    TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
    EXPECT_EQ(AskedAddress(&client, "", kField), is_trusted ? "198.51.100.1" : "127.0.0.1");
  }
}

TEST(ProcessTest, TheIpParameterIsHonoredWhereAllowed) {
  constexpr absl::string_view kAnnounce =
      "/announce?info_hash=aaaaaaaaaaaaaaaaaaaa&peer_id=-XX0000-012345678901&left=5&port=";
  for (const bool is_allowed : {true, false}) {
    Process process({"--listen=http://127.0.0.1:0",
                     is_allowed ? "--honor_ip_param=127.0.0.1" : "--honor_ip_param=127.0.0.2"});
    TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_STREAM);
    client.Ask(absl::StrCat("GET ", kAnnounce, "6881&ip=198.51.100.1 HTTP/1.1\r\n\r\n"));
    const std::string reply = client.Ask(absl::StrCat("GET ", kAnnounce, "6882 HTTP/1.1\r\n\r\n"));
    const std::string peer = is_allowed ? std::string("\xc6\x33\x64\x01\x1a\xe1", 6)
                                        : std::string("\x7f\0\0\x01\x1a\xe1", 6);
    EXPECT_THAT(reply, HasSubstr("5:peers6:" + peer));
  }
}

TEST(ProcessTest, ProxyHttpReadsTheProxyProtocol) {
  Process process({"--listen=proxy+http://127.0.0.1:0", "--trusted_proxies=127.0.0.1"});
  const std::string line = process.ReadErrorLine();
  EXPECT_THAT(line, MatchesRegex("listening proxy\\+http://127\\.0\\.0\\.1:[1-9][0-9]*\n"));
  TestClient client(ListeningAt(line), SOCK_STREAM);
  EXPECT_EQ(AskedAddress(&client, "PROXY TCP4 198.51.100.1 192.0.2.1 50000 80\r\n", ""),
            "198.51.100.1");
  // One line for many connections without a header.
  for (int i = 0; i < 10; ++i) {
    TestClient broken(ListeningAt(line), SOCK_STREAM);
    EXPECT_TRUE(broken.Send("GET / HTTP/1.1\r\n\r\n"));
    EXPECT_TRUE(broken.IsEnded());
  }
  process.Signal(SIGTERM);
  EXPECT_EQ(process.ReadError(),
            "septet: connection to proxy+http closed: its PROXY protocol header is missing or "
            "broken\n");
  EXPECT_EQ(process.Wait(), 0);
}

TEST(ProcessTest, UdpErrorsAreSentAtTheRateAllowed) {
  for (const bool is_allowed : {true, false}) {
    Process process({"--listen=udp://127.0.0.1:0", "--workers=1",
                     is_allowed ? "--udp_error_rate=1" : "--udp_error_rate=0"});
    TestClient client(ListeningAt(process.ReadErrorLine()), SOCK_DGRAM);
    // BEP 15: an announce with an id that was never given out, then a connect.
    ASSERT_TRUE(client.Send(absl::StrCat(std::string(8, 'x'), absl::string_view("\0\0\0\x01", 4),
                                         "abcd", std::string(82, '\0'))));
    ASSERT_TRUE(
        client.Send(std::string("\0\0\x04\x17\x27\x10\x19\x80\0\0\0\0"
                                "efgh",
                                16)));
    if (is_allowed) {
      EXPECT_EQ(client.ReceivePacket().substr(0, 8), std::string("\0\0\0\x03"
                                                                 "abcd",
                                                                 8));
    }
    EXPECT_EQ(client.ReceivePacket().substr(0, 8), std::string("\0\0\0\0"
                                                               "efgh",
                                                               8));
    process.Signal(SIGTERM);
    EXPECT_EQ(absl::StrContains(process.ReadError(), "--udp_error_rate"), !is_allowed);
    EXPECT_EQ(process.Wait(), 0);
  }
}

TEST(ProcessTest, AnAddressInUseIsStatusOne) {
  Process first({"--listen=http://127.0.0.1:0"});
  const std::string line = first.ReadErrorLine();
  ASSERT_THAT(line, StartsWith("listening http://"));
  const std::string address = line.substr(10, line.size() - 11);
  Process second({"--listen=" + address});
  EXPECT_THAT(second.ReadError(),
              StartsWith("septet: cannot listen on " + address + ": Address already in use"));
  EXPECT_EQ(second.Wait(), 1);
}

}  // namespace
