#include "proptests/simulator/habits.h"

namespace septet::simulator {
namespace {

// A URL data option of "/announce", then the end of the options (BEP 41).
constexpr absl::string_view kUrlData("\x02\x09/announce\x00", 12);

constexpr Habits kHabits[] = {
    {.name = "libtorrent over UDP",
     .over_udp = true,
     .numwant_first = 200,
     .numwant_later = 200,
     .stops_percent = 90,
     .says_paused = true,
     .options = kUrlData},
    {.name = "Transmission over UDP",
     .over_udp = true,
     .numwant_first = 80,
     .numwant_later = 80,
     .scrape_every = 2,
     .stops_percent = 90},
    {.name = "uTorrent over UDP",
     .over_udp = true,
     .numwant_first = 200,
     .numwant_later = 200,
     .scrape_every = 4,
     .stops_percent = 70,
     .says_paused = true,
     .options = kUrlData},
    {.name = "webtorrent over UDP",  // a connection id for each announce
     .over_udp = true,
     .numwant_first = 50,
     .numwant_later = 50,
     .stops_percent = 50,
     .id_reuse_ms = 0,
     .attempts_max = 1},
    {.name = "careless over UDP",  // keeps a connection id for ever, and gives up never
     .over_udp = true,
     .stops_percent = 0,
     .id_reuse_ms = INT64_MAX / 4,
     .attempts_max = 6},
    {.name = "libtorrent over HTTP",
     .numwant_first = 200,
     .numwant_later = 200,
     .stops_percent = 90,
     .says_paused = true,
     .extra_query = "&key=5A1B2C3D&corrupt=0&supportcrypto=1&redundant=0&no_peer_id=1",
     .extra_fields = "Accept-Encoding: gzip\r\n"},
    {.name = "Transmission over HTTP",
     .numwant_first = 80,
     .numwant_later = 80,
     .scrape_every = 2,
     .stops_percent = 90,
     .keeps_alive = true,
     .extra_query = "&key=7f3a&supportcrypto=1",
     .extra_fields = "Accept: */*\r\nAccept-Encoding: deflate, gzip, br, zstd\r\n"},
    {.name = "aria2 over HTTP",
     .numwant_first = 50,
     .numwant_later = 50,
     .stops_percent = 80,
     .extra_query = "&key=abcdefgh&supportcrypto=1",
     .extra_fields = "Accept: */*\r\nPragma: no-cache\r\nCache-Control: no-cache\r\n"},
    {.name = "rtorrent over HTTP",
     .numwant_first = 200,
     .numwant_later = -1,
     .stops_percent = 80,
     .keeps_alive = true,
     .extra_query = "&key=1a2b3c4d&trackerid=none"},
    {.name = "uTorrent over HTTP",
     .numwant_first = 200,
     .numwant_later = 200,
     .scrape_every = 3,
     .stops_percent = 70,
     .says_paused = true,
     .extra_query = "&corrupt=0&key=DEADBEEF&no_peer_id=1&ipv6=2001%3adb8%3a%3a1",
     .extra_fields = "Accept-Encoding: gzip\r\n"},
    {.name = "seedbox over HTTP",  // many torrents, all at once
     .numwant_first = 0,
     .numwant_later = 0,
     .scrape_every = 1,
     .stops_percent = 100,
     .keeps_alive = true,
     .pipelines = true},
    {.name = "old over HTTP",
     .stops_percent = 20,
     .is_compact = false,
     .extra_query = "&ip=10.0.0.1"},
};

}  // namespace

absl::Span<const Habits> AllHabits() { return kHabits; }

}  // namespace septet::simulator
