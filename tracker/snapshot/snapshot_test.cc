// The form of a snapshot, byte by byte, and what is refused.

#include "tracker/snapshot/snapshot.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tracker/snapshot/format.h"

namespace septet::tracker {
namespace {

using ::testing::HasSubstr;

// Made by a Python program from what format.h says. Three torrents, of "aaaa...", "bbbb...",
// "cccc...": with 300 downloads and 192.0.2.1:6881 (seeder, 0 ticks), 192.0.2.2:51413 (leecher, 5
// ticks), [2001:db8::1]:6881 (counted seeder, 7 ticks); with 2^30 - 1 downloads and no peers for
// 128 ticks; with 198.51.100.7:1 (partial seed, 10 ticks).
std::string Golden() {
  return absl::HexStringToBytes(
      "53657074657453740100000000000000983fcada9a010000005c260500000000"
      "0102030405060708090a0b0c0d0e0f1040420f0000000000e05ef8ffffffffff"
      "87c89df8d74486ae010000007400000061616161616161616161616161616161"
      "61616161ac020201c00002011ae102c0000202c8d51420010db8000000000000"
      "0000000000011ae11f6262626262626262626262626262626262626262ffffff"
      "ff03000080016363636363636363636363636363636363636363000100c63364"
      "07000129d9679b7a84e88b9e0200000018000000030000000000000003000000"
      "0000000001000000000000007d57076f8c4b3b82");
}

SnapshotTime GoldenTime() {
  SnapshotTime time;
  time.wall_ms = 1'764'607'279'000;
  time.boot_ms = 86'400'000;
  for (uint8_t i = 0; i < 16; ++i) time.boot_id[i] = static_cast<uint8_t>(i + 1);
  return time;
}
constexpr SwarmAges kGoldenAges = {1'000'000, -500'000};

InfoHash HashOf(char letter) {
  InfoHash info_hash;
  info_hash.fill(static_cast<uint8_t>(letter));
  return info_hash;
}

StoreOptions Options() {
  StoreOptions options;
  options.peer_timeout_ms = 48'000;
  options.downloaded_retention_ms = 500'000;
  options.shards = 1;
  options.hash_key = {1, 2};
  return options;
}

SwarmBatch GoldenBatch() {
  SwarmBatch batch;
  batch.torrents = {{HashOf('a'), 300, 0, 2, 1},
                    {HashOf('b'), kDownloadedMax, 128, 0, 0},
                    {HashOf('c'), 0, 0, 1, 0}};
  batch.ipv4 = {192,  0,    2,      1,   0x1a, 0xe1, 2, 192, 0, 2,          2,
                0xc8, 0xd5, 5 << 2, 198, 51,   100,  7, 0,   1, 1 | 10 << 2};
  batch.ipv6 = {0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x1a, 0xe1, 3 | 7 << 2};
  return batch;
}

// Reads it into a store that nobody looks at.
absl::Status Read(absl::string_view bytes) {
  static SwarmStore& store = *new SwarmStore(Options());
  SnapshotReader reader(&store, GoldenTime(), 0);
  return ReadSnapshot(bytes, &reader);
}

TEST(SnapshotEncoder, WritesTheFormat) {
  SnapshotEncoder encoder;
  std::string bytes;
  encoder.Begin(GoldenTime(), kGoldenAges, &bytes);
  encoder.Add(GoldenBatch(), &bytes);
  encoder.Finish(&bytes);
  EXPECT_EQ(absl::BytesToHexString(bytes), absl::BytesToHexString(Golden()));
  EXPECT_EQ(encoder.counts(), (SnapshotCounts{3, 3, 1}));
}

TEST(SnapshotDecoder, ReadsTheFormat) {
  const std::string golden = Golden();
  absl::Span<const uint8_t> left(reinterpret_cast<const uint8_t*>(golden.data()), golden.size());
  SnapshotDecoder decoder;
  SwarmBatch all;
  while (decoder.wanted() > 0) {
    ASSERT_LE(decoder.wanted(), left.size());
    const absl::Span<const uint8_t> piece = left.subspan(0, decoder.wanted());
    left.remove_prefix(piece.size());
    SwarmBatch batch;
    ASSERT_TRUE(decoder.Take(piece, &batch).ok());
    if (!batch.torrents.empty()) all = batch;
  }
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(decoder.time(), GoldenTime());
  EXPECT_EQ(decoder.ages(), kGoldenAges);
  EXPECT_EQ(decoder.counts(), (SnapshotCounts{3, 3, 1}));
  const SwarmBatch expected = GoldenBatch();
  EXPECT_EQ(all.ipv4, expected.ipv4);
  EXPECT_EQ(all.ipv6, expected.ipv6);
  ASSERT_EQ(all.torrents.size(), expected.torrents.size());
  for (size_t i = 0; i < expected.torrents.size(); ++i) {
    EXPECT_EQ(all.torrents[i].info_hash, expected.torrents[i].info_hash);
    EXPECT_EQ(all.torrents[i].downloaded, expected.torrents[i].downloaded);
    EXPECT_EQ(all.torrents[i].ticks_empty, expected.torrents[i].ticks_empty);
    EXPECT_EQ(all.torrents[i].ipv4_peers, expected.torrents[i].ipv4_peers);
    EXPECT_EQ(all.torrents[i].ipv6_peers, expected.torrents[i].ipv6_peers);
  }
}

TEST(SnapshotReader, FillsTheStore) {
  SwarmStore store(Options());
  // 41 s later in the same run of the machine, whatever the wall clock says.
  SnapshotTime time = GoldenTime();
  time.boot_ms += 41'000;
  time.wall_ms -= 5'000'000;
  SnapshotReader reader(&store, time, 1'000'000);
  ASSERT_TRUE(ReadSnapshot(Golden(), &reader).ok());
  EXPECT_EQ(reader.elapsed_ms(), 41'000);
  EXPECT_EQ(reader.result().peers, 3u);
  // 10 ticks and 41 s are more than the timeout of 48 s.
  EXPECT_EQ(reader.result().expired, 1u);
  EXPECT_EQ(store.Scrape(HashOf('a')), (SwarmCounts{2, 1, 300}));
  EXPECT_EQ(store.Scrape(HashOf('b')), (SwarmCounts{0, 0, kDownloadedMax}));
  EXPECT_EQ(store.Scrape(HashOf('c')), SwarmCounts{});
}

TEST(SnapshotReader, RefusesEveryPrefix) {
  const std::string golden = Golden();
  for (size_t size = 0; size < golden.size(); ++size) {
    const absl::Status status = Read(golden.substr(0, size));
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(status.message(),
              absl::StrCat("damaged: it ends after ", size, " bytes, before its end"));
  }
}

TEST(SnapshotReader, RefusesEveryFlippedBit) {
  for (size_t bit = 0; bit < Golden().size() * 8; ++bit) {
    std::string bytes = Golden();
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    EXPECT_EQ(Read(bytes).code(), absl::StatusCode::kDataLoss) << bit;
  }
}

TEST(SnapshotReader, RefusesWhatIsNoSnapshot) {
  EXPECT_THAT(Read(std::string(4096, '\0')).message(), HasSubstr("not a snapshot"));
  EXPECT_THAT(Read(std::string(4096, '\n')).message(), HasSubstr("not a snapshot"));
  std::string newer = Golden();
  newer[8] = 2;
  EXPECT_EQ(Read(newer).message(), "a snapshot of version 2; this program reads version 1");
  EXPECT_THAT(Read(Golden() + '\0').message(), HasSubstr("more follows after its end"));
  EXPECT_THAT(Read(Golden() + Golden()).message(), HasSubstr("more follows after its end"));
}

// --- Blocks in the wrong place, each right by itself ---------------------------------

// The pieces of a snapshot of three blocks.
std::vector<std::string> Pieces(char letter) {
  SnapshotEncoder encoder;
  std::vector<std::string> pieces(1);
  encoder.Begin(GoldenTime(), kGoldenAges, &pieces.back());
  SwarmBatch batch;
  batch.torrents = {{HashOf(letter), 1, 1, 0, 0}};
  std::string bytes;
  while (pieces.size() < 4) {
    encoder.Add(batch, &bytes);
    if (bytes.empty()) continue;
    pieces.push_back(bytes);
    bytes.clear();
  }
  encoder.Finish(&bytes);
  // The rest of a block, and the end.
  const size_t end = kBlockHeadBytes + kEndPayloadBytes + kChecksumBytes;
  pieces.push_back(bytes.substr(0, bytes.size() - end));
  pieces.push_back(bytes.substr(bytes.size() - end));
  return pieces;
}

std::string Join(const std::vector<std::string>& pieces) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  return all;
}

TEST(SnapshotReader, RefusesBlocksThatAreMissingDoubledOrElsewhere) {
  const std::vector<std::string> good = Pieces('x');
  ASSERT_EQ(good.size(), 6u);
  ASSERT_TRUE(Read(Join(good)).ok());
  for (size_t i = 0; i < good.size(); ++i) {
    std::vector<std::string> pieces = good;
    pieces.erase(pieces.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_FALSE(Read(Join(pieces)).ok()) << "without " << i;
    pieces = good;
    pieces.insert(pieces.begin() + static_cast<ptrdiff_t>(i), good[i]);
    EXPECT_FALSE(Read(Join(pieces)).ok()) << "twice " << i;
    if (i + 1 == good.size()) break;
    pieces = good;
    std::swap(pieces[i], pieces[i + 1]);
    EXPECT_FALSE(Read(Join(pieces)).ok()) << "swapped " << i;
    if (i == 0) continue;
    // What another snapshot has there.
    pieces = good;
    pieces[i] = Pieces('y')[i];
    EXPECT_FALSE(Read(Join(pieces)).ok()) << "of another " << i;
  }
}

// --- Content that no encoder writes, under right checksums ---------------------------

template <typename T>
void Append(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string WithPayload(absl::string_view payload, uint64_t torrents, uint64_t ipv4,
                        uint64_t ipv6) {
  std::string bytes = Golden().substr(0, kSnapshotHeaderBytes);
  uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + bytes.size() - kChecksumBytes, kChecksumBytes);
  std::string end;
  for (const uint64_t count : {torrents, ipv4, ipv6}) Append(count, &end);
  const struct {
    BlockKind kind;
    absl::string_view payload;
  } kBlocks[] = {{BlockKind::kTorrents, payload}, {BlockKind::kEnd, end}};
  for (const auto& block : kBlocks) {
    const BlockHead head = {block.kind, static_cast<uint32_t>(block.payload.size())};
    checksum = BlockChecksum(
        checksum, head,
        {reinterpret_cast<const uint8_t*>(block.payload.data()), block.payload.size()});
    Append(head, &bytes);
    bytes.append(block.payload.data(), block.payload.size());
    Append(checksum, &bytes);
  }
  return bytes;
}

TEST(SnapshotReader, RefusesWhatNoStoreHolds) {
  const std::string hash(20, 'h');
  const std::string peer("\xc0\0\2\1\x1a\xe1\0", 7);
  const std::string peer6 = std::string(15, '\1') + std::string("\2\x1a\xe1\0", 4);
  const std::string mapped = std::string(10, '\0') + std::string("\xff\xff\xc0\0\2\1\x1a\xe1\0", 9);
  const std::string one("\0\1\0", 3);
  EXPECT_TRUE(Read(WithPayload(hash + one + peer, 1, 1, 0)).ok());
  EXPECT_TRUE(Read(WithPayload(hash + std::string("\0\0\1", 3) + peer6, 1, 0, 1)).ok());
  EXPECT_TRUE(Read(WithPayload(hash + std::string("\x7f\0\0\0", 4), 1, 0, 0)).ok());

  EXPECT_THAT(Read(WithPayload(hash + one + peer, 1, 2, 0)).message(), HasSubstr("counts"));
  EXPECT_THAT(Read(WithPayload(hash + one + peer, 1, 1, 1)).message(), HasSubstr("counts"));
  EXPECT_THAT(Read(WithPayload(hash + one + peer, 0, 1, 0)).message(), HasSubstr("counts"));
  const struct {
    absl::string_view what;
    std::string payload;
  } kCases[] = {
      {"port 0", hash + one + std::string("\xc0\0\2\1\0\0\0", 7)},
      {"an IPv4-mapped address", hash + std::string("\0\0\1", 3) + mapped},
      {"a varint with a byte too many", hash + std::string("\x80\0\1\0", 4) + peer},
      {"a varint of six bytes", hash + std::string("\xff\xff\xff\xff\xff\1\1\0", 8) + peer},
      {"2^30 downloads", hash + std::string("\x80\x80\x80\x80\4\1\0", 7) + peer},
      {"2^31 ticks", hash + std::string("\1\0\0\x80\x80\x80\x80\x08", 8)},
      {"more peers than there are", hash + std::string("\0\2\0", 3) + peer},
      {"more peers than a block has", hash + std::string("\0\xff\xff\xff\xff\x0f\0", 7) + peer},
      {"half an info-hash", hash + one + peer + "hhhh"},
      {"no ticks without peers", hash + std::string("\1\0\0", 3)},
      {"a peer cut short", hash + one + peer.substr(0, 6)},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(Read(WithPayload(test.payload, 1, 1, 0)).message(),
              "damaged at byte 80: a torrent of the block is malformed")
        << test.what;
  }
  EXPECT_THAT(Read(WithPayload("", 0, 0, 0)).message(), HasSubstr("there should be a block"));
  EXPECT_THAT(Read(WithPayload(std::string(kPayloadBytesMax + 1, 'x'), 0, 0, 0)).message(),
              HasSubstr("there should be a block"));
}

// --- Time ---------------------------------------------------------------------------

SnapshotTime At(int64_t wall_ms, int64_t boot_ms, uint8_t boot) {
  SnapshotTime time;
  time.wall_ms = wall_ms;
  time.boot_ms = boot_ms;
  time.boot_id.fill(boot);
  return time;
}

TEST(SnapshotTime, InOneRunOfTheMachineTheWallClockDoesNotMatter) {
  EXPECT_EQ(ElapsedMs(At(5000, 100, 1), At(5000, 350, 1)), 250);
  EXPECT_EQ(ElapsedMs(At(5000, 100, 1), At(0, 350, 1)), 250);
  EXPECT_EQ(ElapsedMs(At(5000, 100, 1), At(9'000'000, 350, 1)), 250);
}

TEST(SnapshotTime, AfterAnotherStartTheWallClockCounts) {
  EXPECT_EQ(ElapsedMs(At(5000, 100, 1), At(7500, 50, 2)), 2500);
  EXPECT_EQ(ElapsedMs(At(5000, 100, 0), At(7500, 500, 0)), 2500);
}

TEST(SnapshotTime, AClockThatWentBackHidesNoMoreThanItsStep) {
  // The machine has run for 50 ms: as much has passed at least.
  EXPECT_EQ(ElapsedMs(At(5000, 100, 1), At(3000, 50, 2)), 50);
  EXPECT_EQ(ElapsedMs(At(5000, 100, 0), At(3000, 50, 0)), 0);
  // A boot clock cannot go back in one run, so it is not believed.
  EXPECT_EQ(ElapsedMs(At(5000, 100, 1), At(6000, 50, 1)), 1000);
}

}  // namespace
}  // namespace septet::tracker
