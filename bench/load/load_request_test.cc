#include "bench/load/load_request.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace septet::bench {
namespace {

tracker::InfoHash CountingHash() {
  tracker::InfoHash hash;
  for (size_t i = 0; i < hash.size(); ++i) hash[i] = static_cast<uint8_t>(0xa0 + i);
  return hash;
}

LoadRequest Announce() {
  LoadRequest request;
  request.place.port = 0x1a2b;
  request.event = LoadEvent::kStarted;
  request.numwant = 50;
  return request;
}

// The offsets are those of the table in BEP 15.
TEST(LoadRequest, UdpAnnounceHasTheFieldsOfBep15) {
  uint8_t packet[kUdpRequestBytesMax];
  ASSERT_EQ(WriteUdpRequest(Announce(), CountingHash(), 0x1122334455667788, 0x01020304, packet),
            98u);
  const uint8_t head[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0,
                          0,    0,    1,    1,    2,    3,    4,    0xa0};
  EXPECT_TRUE(std::equal(std::begin(head), std::end(head), packet));
  EXPECT_EQ(packet[35], 0xb3);  // the end of the info-hash
  EXPECT_EQ(packet[70], 0x40);  // left: 16384
  EXPECT_EQ(packet[71], 0x00);
  EXPECT_EQ(packet[83], 2);   // event: started
  EXPECT_EQ(packet[95], 50);  // numwant
  EXPECT_EQ(packet[96], 0x1a);
  EXPECT_EQ(packet[97], 0x2b);
}

TEST(LoadRequest, ASeederHasNothingLeft) {
  LoadRequest request = Announce();
  request.is_seeder = true;
  uint8_t packet[kUdpRequestBytesMax];
  WriteUdpRequest(request, CountingHash(), 0, 0, packet);
  for (int i = 64; i < 72; ++i) EXPECT_EQ(packet[i], 0) << i;
  std::string text;
  WriteHttpRequest(request, "%aa", true, &text);
  EXPECT_TRUE(absl::StrContains(text, "&left=0&"));
}

TEST(LoadRequest, UdpScrapeIsOneHash) {
  LoadRequest request;
  request.is_scrape = true;
  uint8_t packet[kUdpRequestBytesMax];
  ASSERT_EQ(WriteUdpRequest(request, CountingHash(), 0, 7, packet), 36u);
  EXPECT_EQ(packet[11], 2);
  EXPECT_EQ(packet[15], 7);
  EXPECT_EQ(packet[35], 0xb3);
}

TEST(LoadRequest, HashesAreEscaped) {
  EXPECT_EQ(EscapedHash(CountingHash()),
            "%a0%a1%a2%a3%a4%a5%a6%a7%a8%a9%aa%ab%ac%ad%ae%af%b0%b1%b2%b3");
}

TEST(LoadRequest, HttpAnnounceSaysTheSame) {
  std::string text = "what was there before";
  WriteHttpRequest(Announce(), "%aa%bb", false, &text);
  EXPECT_TRUE(absl::StartsWith(text, "GET /announce?info_hash=%aa%bb&peer_id="));
  EXPECT_TRUE(absl::StrContains(text, "&port=6699&"));
  EXPECT_TRUE(absl::StrContains(text, "&left=16384&"));
  EXPECT_TRUE(absl::StrContains(text, "&event=started&"));
  EXPECT_TRUE(absl::StrContains(text, "&numwant=50&compact=1"));
  EXPECT_TRUE(absl::EndsWith(text, "\r\nConnection: close\r\n\r\n"));
}

TEST(LoadRequest, KeepAliveIsTheDefaultOfHttp11) {
  std::string text;
  WriteHttpRequest(Announce(), "%aa", true, &text);
  EXPECT_FALSE(absl::StrContains(text, "Connection"));
  EXPECT_TRUE(absl::EndsWith(text, "\r\n\r\n"));
}

}  // namespace
}  // namespace septet::bench
