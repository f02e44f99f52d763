"""Real clients fetch a file from each other, introduced by the tracker alone.

Usage: real_clients_test.py TRACKER_BINARY [unittest's arguments]
"""

import collections
import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import unittest

import libtorrent

import network
from clients import aria2_client
from clients import libtorrent_client
from clients import transmission_client
from deadline import Deadline
from scrape import Counts
from scrape import wait_for_counts
from tracker_process import TrackerProcess

# For each step; only a failing test waits that long.
_DEADLINE_SECONDS = 30

# Several pieces, the last one not full.
_CONTENT_BYTES = 3 * 1024 * 1024 + 12345
_PIECE_BYTES = 64 * 1024

Case = collections.namedtuple('Case', ['client', 'protocol', 'family'])

# Each row is one test. Two rows are missing: aria2 1.36 and Transmission 3.00 send
# nothing to a UDP tracker that has only an IPv6 address.
CASES = [
    Case(libtorrent_client, 'http', 'IPv4'),
    Case(libtorrent_client, 'http', 'IPv6'),
    Case(libtorrent_client, 'udp', 'IPv4'),
    Case(libtorrent_client, 'udp', 'IPv6'),
    Case(aria2_client, 'http', 'IPv4'),
    Case(aria2_client, 'http', 'IPv6'),
    Case(aria2_client, 'udp', 'IPv4'),
    Case(transmission_client, 'http', 'IPv4'),
    Case(transmission_client, 'http', 'IPv6'),
    Case(transmission_client, 'udp', 'IPv4'),
]

# The program without which a client cannot run. A client that is not installed
# is a failure: a test that is skipped promises nothing.
_PROGRAMS = {aria2_client: 'aria2c', transmission_client: 'transmission-daemon'}


def _deadline():
  return Deadline(_DEADLINE_SECONDS)


def _sha256(path):
  with open(path, 'rb') as file:
    return hashlib.sha256(file.read()).digest()


def _make_torrent(content, announce_url, path):
  """Writes a .torrent for the file `content`; returns the info-hash."""
  files = libtorrent.file_storage()
  files.add_file(os.path.basename(content), os.path.getsize(content))
  # The other clients know version 1 alone.
  torrent = libtorrent.create_torrent(files, _PIECE_BYTES, libtorrent.create_torrent.v1_only)
  # Private (BEP 27): a client takes peers from the tracker alone.
  torrent.set_priv(True)
  torrent.add_tracker(announce_url)
  libtorrent.set_piece_hashes(torrent, os.path.dirname(content))
  with open(path, 'wb') as file:
    file.write(libtorrent.bencode(torrent.generate()))
  return libtorrent.torrent_info(path).info_hashes().v1.to_bytes()


def _make_folder(*path):
  folder = os.path.join(*path)
  os.mkdir(folder)
  return folder


class RealClientsTest(unittest.TestCase):

  # Set by main.
  tracker_binary = None
  addresses = None

  def check_transfer(self, case):
    program = _PROGRAMS.get(case.client)
    if program:
      self.assertIsNotNone(shutil.which(program), '%s is not installed: run tools/setup' % program)
    address = self.addresses[case.family]
    host = '[%s]' % address if case.family == 'IPv6' else address
    with TrackerProcess(self.tracker_binary, host, _deadline()) as tracker:
      try:
        self._transfer(case.client, address, tracker.urls[case.protocol], tracker.urls['http'])
        self.assertEqual(tracker.stop(_deadline()), 0)
      except AssertionError as error:
        raise AssertionError('%s\n\nThe tracker said:\n%s' % (error, tracker.output())) from None

  def _transfer(self, client, address, announce_url, scrape_url):
    """A seeder, then a leecher; counts before, between and after."""
    with contextlib.ExitStack() as stack:
      root = stack.enter_context(tempfile.TemporaryDirectory())
      content = os.path.join(_make_folder(root, 'seeder'), 'content.bin')
      received = os.path.join(_make_folder(root, 'leecher'), 'content.bin')
      with open(content, 'wb') as file:
        file.write(os.urandom(_CONTENT_BYTES))
      torrent = os.path.join(root, 'content.torrent')
      info_hash = _make_torrent(content, announce_url, torrent)
      clients = []

      def start(role):
        state = _make_folder(root, role + '_state')
        clients.append(
            stack.enter_context(client.Client(torrent, os.path.join(root, role), state, address)))
        return clients[-1]

      def wait_for(**counts):
        try:
          wait_for_counts(scrape_url, info_hash, Counts(**counts), _deadline())
        except AssertionError as error:
          said = ''.join('\n\nA client said:\n' + each.output() for each in clients)
          raise AssertionError('%s%s' % (error, said)) from None

      wait_for(complete=0, incomplete=0, downloaded=0)
      seeder = start('seeder')
      wait_for(complete=1, incomplete=0, downloaded=0)
      leecher = start('leecher')
      leecher.wait_until_complete(_deadline())
      wait_for(complete=2, incomplete=0, downloaded=1)
      self.assertEqual(_sha256(received), _sha256(content))
      leecher.leave(_deadline())
      wait_for(complete=1, incomplete=0, downloaded=1)
      seeder.leave(_deadline())
      wait_for(complete=0, incomplete=0, downloaded=1)


def _add_test(case):
  name = case.client.__name__.split('.')[-1].replace('_client', '')
  test_name = 'test_%s_%s_%s' % (name, case.protocol, case.family)
  setattr(RealClientsTest, test_name, lambda self: self.check_transfer(case))


def _cases_of_this_shard():
  """Bazel runs the test several times side by side; each takes its share.

  See "Test sharding" in Bazel's test encyclopedia.
  """
  status_file = os.environ.get('TEST_SHARD_STATUS_FILE')
  if status_file:
    with open(status_file, 'w', encoding='utf-8'):
      pass
  return CASES[int(os.environ.get('TEST_SHARD_INDEX', 0))::int(
      os.environ.get('TEST_TOTAL_SHARDS', 1))]


for _case in _cases_of_this_shard():
  _add_test(_case)

if __name__ == '__main__':
  RealClientsTest.tracker_binary = os.path.abspath(sys.argv.pop(1))
  RealClientsTest.addresses = network.addresses()
  unittest.main(verbosity=2)
