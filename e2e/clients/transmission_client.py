"""transmission-daemon, a program of its own."""

import ipaddress
import json
import os
import shutil
import signal
import socket
import urllib.error
import urllib.request

from child_process import ChildProcess
from deadline import Deadline

_SETTINGS = {
    'dht-enabled': False,
    'lpd-enabled': False,
    'pex-enabled': False,
    'utp-enabled': False,
    'port-forwarding-enabled': False,
    # It takes any port of the range that is free.
    'peer-port-random-on-start': True,
    'peer-port-random-low': 30000,
    'peer-port-random-high': 32000,
    'rpc-enabled': True,
    'rpc-bind-address': '127.0.0.1',
    'speed-limit-up-enabled': False,
}

_END_SECONDS = 30

# A request without this header is refused with the value to send (a guard against
# web pages that talk to the daemon).
_SESSION_ID_HEADER = 'X-Transmission-Session-Id'


def _free_port():
  """A port that is free now; transmission-daemon does not take 0."""
  with socket.create_server(('127.0.0.1', 0)) as server:
    return server.getsockname()[1]


class Client:

  def __init__(self, torrent, folder, state, address):
    if ipaddress.ip_address(address).is_loopback:
      raise AssertionError('Transmission drops peers with a loopback address such as %s; '
                           'this machine has no other, and does not let the test make a '
                           'network namespace of its own' % address)
    family = ipaddress.ip_address(address).version
    settings = dict(_SETTINGS)
    self._rpc_port = _free_port()
    settings['rpc-port'] = self._rpc_port
    settings['download-dir'] = folder
    settings['bind-address-ipv%d' % family] = address
    with open(os.path.join(state, 'settings.json'), 'w', encoding='utf-8') as file:
      json.dump(settings, file)
    # Torrents of this folder are loaded at the start.
    os.mkdir(os.path.join(state, 'torrents'))
    shutil.copy(torrent, os.path.join(state, 'torrents'))
    self._child = ChildProcess(
        ['transmission-daemon', '--foreground', '--log-debug', '--config-dir', state])

  def __enter__(self):
    return self

  def __exit__(self, *_):
    try:
      # Killed, it would leave a file in /tmp.
      self._child.send_signal(signal.SIGTERM)
      self._child.wait(Deadline(_END_SECONDS))
    finally:
      self._child.__exit__()

  def output(self):
    return self._child.output()

  def wait_until_complete(self, deadline):
    self._child.wait_for_line('to "Complete"', deadline)

  def leave(self, deadline):
    # Not SIGTERM, at which version 3.00 ends without the last announce.
    self._call('torrent-stop', deadline)

  def _call(self, method, deadline):
    """Calls a method of the daemon's remote interface, for all torrents."""
    request = urllib.request.Request(
        'http://127.0.0.1:%d/transmission/rpc' % self._rpc_port,
        data=json.dumps({'method': method}).encode())
    try:
      urllib.request.urlopen(request, timeout=deadline.remaining()).close()
    except urllib.error.HTTPError as refusal:
      request.add_header(_SESSION_ID_HEADER, refusal.headers[_SESSION_ID_HEADER])
      refusal.close()
      urllib.request.urlopen(request, timeout=deadline.remaining()).close()
