"""The tracker under test, as an operator starts it."""

import signal

from child_process import ChildProcess

_START_UP_LINE = 'listening '


class TrackerProcess:
  """Runs the tracker on free ports of one address; a context manager.

  Attributes:
    host: the address as it stands in a URL (an IPv6 one in brackets).
    urls: a dictionary from each of `protocols` to the announce URL.
  """

  def __init__(self, binary, host, deadline, protocols=('http', 'udp'), flags=()):
    self.host = host
    listen = ','.join('%s://%s:0' % (protocol, host) for protocol in protocols)
    self._child = ChildProcess([binary, '--listen=' + listen, *flags])
    try:
      line = self._child.wait_for_line(_START_UP_LINE, deadline)
    except BaseException:
      self._child.__exit__()
      raise
    addresses = line[line.index(_START_UP_LINE) + len(_START_UP_LINE):].split()
    self.urls = {
        address.split('://')[0]: address + '/announce' for address in addresses
    }

  def __enter__(self):
    return self

  def __exit__(self, *_):
    self._child.__exit__()

  def output(self):
    return self._child.output()

  def stop(self, deadline):
    """Asks the tracker to end; returns its exit status."""
    self._child.send_signal(signal.SIGTERM)
    return self._child.wait(deadline)
