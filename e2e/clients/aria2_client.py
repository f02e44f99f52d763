"""aria2c, a program of its own."""

import ipaddress
import os
import signal

from child_process import ChildProcess

_OPTIONS = [
    '--no-conf=true',
    '--enable-dht6=false',
    '--dht-listen-port=20000-20999',
    '--enable-peer-exchange=false',
    '--bt-enable-lpd=false',
    # It tries ports of the range until one is free.
    '--listen-port=20000-20999',
    # Checks content that is there already, to seed it.
    '--check-integrity=true',
    # Seeds until it is told to stop.
    '--seed-ratio=0.0',
    '--file-allocation=none',
    '--show-console-readout=false',
    '--enable-color=false',
    '--summary-interval=0',
    # Seeding goes on, so that it prints nothing itself: the hook gets, and prints,
    # the download's identifier, the number of files and the path of the first.
    '--on-bt-download-complete=/bin/echo',
]


class Client:

  def __init__(self, torrent, folder, state, address):
    # Its UDP tracker client works on the socket of the IPv4 DHT. The DHT has no
    # node to begin with, so that it introduces nobody.
    dht = 'true' if ipaddress.ip_address(address).version == 4 else 'false'
    self._folder = folder
    self._child = ChildProcess([
        'aria2c', *_OPTIONS, '--enable-dht=' + dht,
        '--dht-file-path=' + os.path.join(state, 'dht.dat'), '--interface=' + address,
        '--dir=' + folder, torrent
    ])

  def __enter__(self):
    return self

  def __exit__(self, *_):
    self._child.__exit__()

  def output(self):
    return self._child.output()

  def wait_until_complete(self, deadline):
    self._child.wait_for_line(' 1 %s/' % self._folder, deadline)

  def leave(self, deadline):
    # At SIGTERM it ends without the last announce.
    self._child.send_signal(signal.SIGINT)
    self._child.wait(deadline)
