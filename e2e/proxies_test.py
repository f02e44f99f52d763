"""The tracker behind HAProxy knows its clients.

Usage: proxies_test.py TRACKER_BINARY [unittest's arguments]
"""

import http.client
import os
import shutil
import socket
import sys
import tempfile
import unittest
from urllib.parse import urlsplit

from deadline import Deadline
from haproxy_process import HaproxyProcess
from tracker_process import TrackerProcess

_DEADLINE_SECONDS = 30

_PROXY = '127.0.0.1'

# Two clients, which the proxy tells apart by their addresses.
_CLIENTS = ('127.0.0.5', '127.0.0.6')


def _sections(http_port, proxy_http_port):
  """The ways to tell the tracker who the client is, by name."""
  by_http = 'server tracker 127.0.0.1:%d' % http_port
  by_proxy_protocol = 'server tracker 127.0.0.1:%d ' % proxy_http_port
  return {
      'x_forwarded_for': (_PROXY, ['mode http', 'option forwardfor', by_http]),
      'x_forwarded_for_ipv6': ('::1', ['mode http', 'option forwardfor', by_http]),
      'forwarded': (_PROXY, [
          'mode http', r'http-request set-header Forwarded for=\"%[src]:%[src_port]\";proto=http',
          by_http
      ]),
      'forwarded_ipv6': ('::1', [
          'mode http',
          r'http-request set-header Forwarded proto=http;for=\"[%[src]]:%[src_port]\"', by_http
      ]),
      'version_1': (_PROXY, ['mode tcp', by_proxy_protocol + 'send-proxy']),
      'version_1_ipv6': ('::1', ['mode tcp', by_proxy_protocol + 'send-proxy']),
      'version_2': (_PROXY, ['mode tcp', by_proxy_protocol + 'send-proxy-v2']),
      'version_2_ipv6': ('::1', ['mode tcp', by_proxy_protocol + 'send-proxy-v2']),
      'version_2_vectors': (_PROXY, [
          'mode tcp', 'unique-id-format %[src]-%[src_port]',
          by_proxy_protocol + 'send-proxy-v2 proxy-v2-options crc32c,unique-id'
      ]),
      # Behind one that tells by the header comes one that tells by the protocol.
      'chain': (_PROXY, [
          'mode http', 'option forwardfor', 'server next 127.0.0.1:{version_2}'
      ]),
  }


def _announce(address, client, fields=()):
  """Announces from `client`; returns the address that the tracker saw."""
  connection = http.client.HTTPConnection(
      *address, timeout=_DEADLINE_SECONDS, source_address=(client, 0))
  try:
    connection.request(
        'GET', '/announce?info_hash=%s&peer_id=%s&port=6881&left=5' % ('a' * 20, 'b' * 20),
        headers=dict(fields))
    body = connection.getresponse().read()
  finally:
    connection.close()
  for family, key in ((socket.AF_INET, b'external ip4:'), (socket.AF_INET6, b'external ip16:')):
    if key in body:
      at = body.index(key) + len(key)
      return socket.inet_ntop(family, body[at:at + (4 if family == socket.AF_INET else 16)])
  raise AssertionError('no external ip in %r' % body)


class ProxiesTest(unittest.TestCase):

  # Set by main.
  tracker_binary = None

  def setUp(self):
    self.assertIsNotNone(shutil.which('haproxy'), 'haproxy is not installed: run tools/setup')
    folder = self.enterContext(tempfile.TemporaryDirectory())
    self._tracker = self.enterContext(
        TrackerProcess(
            self.tracker_binary,
            _PROXY,
            Deadline(_DEADLINE_SECONDS),
            protocols=('http', 'proxy+http'),
            flags=('--trusted_proxies=' + _PROXY,)))
    ports = [urlsplit(self._tracker.urls[each]).port for each in ('http', 'proxy+http')]
    self._haproxy = self.enterContext(HaproxyProcess(_sections(*ports), folder))

  def _seen(self, section, client, fields=()):
    try:
      return _announce(self._haproxy.addresses[section], client, fields)
    except (AssertionError, OSError, http.client.HTTPException) as error:
      raise AssertionError('%s: %r\n\nHAProxy said:\n%s\n\nThe tracker said:\n%s' %
                           (section, error, self._haproxy.output(),
                            self._tracker.output())) from None

  def test_each_client_is_seen_at_its_own_address(self):
    for section, (host, _) in _sections(0, 0).items():
      for client in ('::1',) if host == '::1' else _CLIENTS:
        with self.subTest(section=section, client=client):
          self.assertEqual(self._seen(section, client), client)

  def test_what_a_client_claims_is_not_believed(self):
    claims = ('203.0.113.9', '127.0.0.1', 'unknown', '"', '203.0.113.9, 127.0.0.1')
    for claim in claims:
      for section in ('x_forwarded_for', 'version_1', 'version_2'):
        with self.subTest(section=section, claim=claim):
          seen = self._seen(section, _CLIENTS[0], {'X-Forwarded-For': claim})
          self.assertEqual(seen, _CLIENTS[0])
      with self.subTest(section='version_2', claim=claim):
        seen = self._seen('version_2', _CLIENTS[0], {'Forwarded': 'for=' + claim})
        self.assertEqual(seen, _CLIENTS[0])
      # The proxy hands on the header that it does not write: neither is believed then.
      with self.subTest(section='x_forwarded_for', both=claim):
        seen = self._seen('x_forwarded_for', _CLIENTS[0], {'Forwarded': 'for=' + claim})
        self.assertEqual(seen, _PROXY)

  def test_who_is_no_trusted_proxy_cannot_use_the_protocol(self):
    url = urlsplit(self._tracker.urls['proxy+http'])
    with socket.create_connection((url.hostname, url.port),
                                  timeout=_DEADLINE_SECONDS,
                                  source_address=(_CLIENTS[0], 0)) as connection:
      try:
        self.assertEqual(connection.recv(1), b'')
      except ConnectionResetError:
        pass


if __name__ == '__main__':
  ProxiesTest.tracker_binary = os.path.abspath(sys.argv.pop(1))
  unittest.main(verbosity=2)
