#include "http/proxy_protocol.h"

#include <arpa/inet.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace septet::http {
namespace {

// "incomplete", "broken", or the bytes of the header and the source.
std::string Parse(absl::string_view bytes) {
  // Of exactly its size, so that a sanitizer sees a read past the end.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  ProxyHeader header;
  const ProxyHeaderStatus status =
      ParseProxyHeader(absl::string_view(exact.data(), exact.size()), &header);
  if (status == ProxyHeaderStatus::kIncomplete) return "incomplete";
  if (status == ProxyHeaderStatus::kBroken) return "broken";
  if (!header.has_source) return absl::StrCat(header.header_bytes, " none");
  char text[INET6_ADDRSTRLEN];
  inet_ntop(header.source.is_ipv6 ? AF_INET6 : AF_INET, header.source.bytes.data(), text,
            sizeof(text));
  return absl::StrCat(header.header_bytes, " ", text, " ", header.source_port);
}

// Bytes with their zeros.
template <size_t kSize>
std::string Bytes(const char (&text)[kSize]) {
  return std::string(text, kSize - 1);
}

// Version, command, family and transport, then what follows its length.
std::string Version2(char command, char family, absl::string_view rest) {
  std::string header = Bytes("\r\n\r\n\0\r\nQUIT\n");
  header += command;
  header += family;
  header += static_cast<char>(rest.size() >> 8);
  header += static_cast<char>(rest.size() & 0xff);
  return absl::StrCat(header, rest);
}

const std::string& Ipv4Addresses() {
  // 198.51.100.1 port 50000 to 192.0.2.1 port 80.
  static const std::string& bytes =
      *new std::string(Bytes("\xc6\x33\x64\x01\xc0\x00\x02\x01\xc3\x50\x00\x50"));
  return bytes;
}

const std::string& Ipv6Addresses() {
  // 2001:db8::1 port 50000 to 2001:db8::2 port 80.
  static const std::string& bytes =
      *new std::string(Bytes("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01"
                             "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02\xc3\x50\x00\x50"));
  return bytes;
}

// --- Version 1 -------------------------------------------------------------------

TEST(ProxyProtocolTest, Version1NamesTheSource) {
  // The example of the specification, with the request behind it.
  EXPECT_EQ(Parse("PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\nGET / HTTP/1.1\r\n\r\n"),
            "47 192.168.0.1 56324");
  EXPECT_EQ(Parse("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n"),
            "56 255.255.255.255 65535");
  EXPECT_EQ(Parse("PROXY TCP6 2001:db8::1 2001:DB8::2 0 65535\r\n"), "44 2001:db8::1 0");
  EXPECT_EQ(Parse("PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
                  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n"),
            "104 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535");
  EXPECT_EQ(Parse("PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2\r\n"), "37 192.0.2.1 1");
}

TEST(ProxyProtocolTest, Version1OfUnknownHasNoSource) {
  EXPECT_EQ(Parse("PROXY UNKNOWN\r\n"), "15 none");
  EXPECT_EQ(Parse("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\nGET"), "59 none");
  EXPECT_EQ(Parse("PROXY UNKNOWN \n \r \x80\r\n"), "21 none");
  EXPECT_EQ(Parse("PROXY UNKNOWN " + std::string(91, 'x') + "\r\n"), "107 none");
}

TEST(ProxyProtocolTest, Version1HasToBeExact) {
  for (const absl::string_view bytes : {"GET / HTTP/1.1\r\n\r\n",
                                        "proxy TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
                                        "PROXY\r\n",
                                        "PROXY \r\n",
                                        "PROXY  TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
                                        "PROXY TCP4\r\n",
                                        "PROXY TCP5 192.0.2.1 192.0.2.2 1 2\r\n",
                                        "PROXY tcp4 192.0.2.1 192.0.2.2 1 2\r\n",
                                        "PROXY UDP4 192.0.2.1 192.0.2.2 1 2\r\n",
                                        "PROXY UNKNOWNS\r\n",
                                        "PROXY unknown\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 1 2 \r\n",
                                        "PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n",
                                        "PROXY TCP4\t192.0.2.1 192.0.2.2 1 2\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n\r\n",
                                        "PROXY TCP4 192.0.2.01 192.0.2.2 1 2\r\n",
                                        "PROXY TCP4 192.0.2.256 192.0.2.2 1 2\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2 1 2\r\n",
                                        "PROXY TCP4 192.0.2.1 tracker.example 1 2\r\n",
                                        "PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n",
                                        "PROXY TCP4 ::ffff:192.0.2.1 192.0.2.2 1 2\r\n",
                                        "PROXY TCP6 192.0.2.1 2001:db8::2 1 2\r\n",
                                        "PROXY TCP6 2001:db8::1 192.0.2.2 1 2\r\n",
                                        "PROXY TCP6 [2001:db8::1] [2001:db8::2] 1 2\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 1 65536\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 1 02\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2 +1 2\r\n",
                                        "PROXY TCP4 192.0.2.1 192.0.2.2  2\r\n"}) {
    EXPECT_EQ(Parse(bytes), "broken") << bytes;
  }
  EXPECT_EQ(Parse("PROXY UNKNOWN " + std::string(92, 'x') + "\r\n"), "broken");
  EXPECT_EQ(Parse("PROXY UNKNOWN " + std::string(93, 'x')), "broken");
  EXPECT_EQ(Parse("PROXY UNKNOWN " + std::string(92, 'x')), "incomplete");
}

// --- Version 2 -------------------------------------------------------------------

TEST(ProxyProtocolTest, Version2NamesTheSource) {
  EXPECT_EQ(Parse(Version2(0x21, 0x11, Ipv4Addresses())), "28 198.51.100.1 50000");
  EXPECT_EQ(Parse(Version2(0x21, 0x21, Ipv6Addresses()) + "GET"), "52 2001:db8::1 50000");
  const std::string mapped = Bytes("\0\0\0\0\0\0\0\0\0\0\xff\xff\xc6\x33\x64\x01");
  EXPECT_EQ(Parse(Version2(0x21, 0x21, mapped + mapped + Bytes("\0\x01\0\x02"))),
            "52 198.51.100.1 1");
}

TEST(ProxyProtocolTest, Version2VectorsAreSkipped) {
  // ALPN, a checksum that is wrong, NOOP, and one that is cut short.
  const std::string vectors = Bytes("\x01\0\x08http/1.1\x03\0\x04\0\0\0\0\x04\0\0\x02\xff\xff");
  EXPECT_EQ(Parse(Version2(0x21, 0x11, Ipv4Addresses() + vectors) + "GET"),
            "52 198.51.100.1 50000");
  EXPECT_EQ(Parse(Version2(0x21, 0x21, Ipv6Addresses() + vectors)), "76 2001:db8::1 50000");
}

TEST(ProxyProtocolTest, Version2WithoutASource) {
  // LOCAL, whatever the rest says.
  for (const char family : {'\0', '\x11', '\x21', '\x31', '\x77', '\xff'}) {
    EXPECT_EQ(Parse(Version2(0x20, family, "")), "16 none");
    EXPECT_EQ(Parse(Version2(0x20, family, Ipv4Addresses())), "28 none");
  }
  // UNSPEC, datagrams, AF_UNIX.
  for (const char family :
       {'\0', '\1', '\2', '\x10', '\x12', '\x20', '\x22', '\x30', '\x31', '\x32'}) {
    EXPECT_EQ(Parse(Version2(0x21, family, "")), "16 none");
    EXPECT_EQ(Parse(Version2(0x21, family, std::string(216, 'x'))), "232 none");
  }
}

TEST(ProxyProtocolTest, Version2HasToBeKnown) {
  // Version or command.
  for (const char command : {'\x22', '\x2f', '\x00', '\x01', '\x10', '\x11', '\x31', '\xff'}) {
    EXPECT_EQ(Parse(Version2(command, 0x11, Ipv4Addresses())), "broken");
  }
  // Family or transport.
  for (const char family : {'\x41', '\x13', '\x23', '\x03', '\xf1', '\xff'}) {
    EXPECT_EQ(Parse(Version2(0x21, family, Ipv6Addresses())), "broken");
  }
  // No room for the addresses.
  EXPECT_EQ(Parse(Version2(0x21, 0x11, Ipv4Addresses().substr(1))), "broken");
  EXPECT_EQ(Parse(Version2(0x21, 0x21, Ipv6Addresses().substr(1))), "broken");
  EXPECT_EQ(Parse(Version2(0x21, 0x11, "")), "broken");
  // The signature.
  for (size_t i = 0; i < 12; ++i) {
    std::string bytes = Version2(0x21, 0x11, Ipv4Addresses());
    bytes[i] ^= 1;
    EXPECT_EQ(Parse(bytes), "broken") << i;
    EXPECT_EQ(Parse(bytes.substr(0, i + 1)), "broken") << i;
  }
}

TEST(ProxyProtocolTest, Version2HasALimit) {
  const std::string longest = Version2(0x21, 0x11, Ipv4Addresses() + std::string(16356, 'x'));
  EXPECT_EQ(longest.size(), 16u * 1024);
  EXPECT_EQ(Parse(longest), "16384 198.51.100.1 50000");
  EXPECT_EQ(Parse(absl::string_view(longest).substr(0, 16383)), "incomplete");
  // Known from its first 16 bytes.
  const std::string longer = Version2(0x21, 0x11, Ipv4Addresses() + std::string(16357, 'x'));
  EXPECT_EQ(Parse(longer.substr(0, 16)), "broken");
  EXPECT_EQ(Parse(longer.substr(0, 15)), "incomplete");
}

// --- Both ------------------------------------------------------------------------

TEST(ProxyProtocolTest, CutsDoNotMatter) {
  const std::string kHeaders[] = {"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
                                  "PROXY TCP6 2001:db8::1 ::1 1 2\r\n",
                                  "PROXY UNKNOWN anything\r\n",
                                  Version2(0x21, 0x11, Ipv4Addresses()),
                                  Version2(0x21, 0x21, Ipv6Addresses() + "vectors"),
                                  Version2(0x20, 0, "")};
  for (const std::string& header : kHeaders) {
    for (size_t size = 0; size < header.size(); ++size) {
      EXPECT_EQ(Parse(header.substr(0, size)), "incomplete") << header << " " << size;
    }
    EXPECT_EQ(Parse(header), Parse(header + "\r\n\r\nGET /announce"));
    EXPECT_EQ(Parse(header).find(absl::StrCat(header.size(), " ")), 0u) << header;
  }
}

}  // namespace
}  // namespace septet::http
