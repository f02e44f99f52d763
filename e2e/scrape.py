"""What the tracker counts, asked over HTTP (BEP 48)."""

import collections
import time
import urllib.parse
import urllib.request

import libtorrent

Counts = collections.namedtuple('Counts', ['complete', 'incomplete', 'downloaded'])

# The tracker offers no event to wait for.
_POLL_SECONDS = 0.05


def scrape(announce_url, info_hash):
  """Returns the Counts of one torrent; `info_hash` is 20 bytes."""
  url = '%s?info_hash=%s' % (announce_url.replace('/announce', '/scrape'),
                             urllib.parse.quote_from_bytes(info_hash, safe=''))
  with urllib.request.urlopen(url, timeout=10) as reply:
    body = reply.read()
  decoded = libtorrent.bdecode(body)
  try:
    torrent = decoded[b'files'][info_hash]
    return Counts(*(torrent[name.encode()] for name in Counts._fields))
  except (KeyError, TypeError):
    raise AssertionError('no counts for this torrent in the scrape reply %r' % body) from None


def wait_for_counts(announce_url, info_hash, wanted, deadline):
  """Waits until the tracker's counts are `wanted`."""
  while True:
    counts = scrape(announce_url, info_hash)
    if counts == wanted:
      return
    if deadline.passed():
      raise AssertionError('the scrape says %s and should say %s' % (counts, wanted))
    time.sleep(_POLL_SECONDS)
