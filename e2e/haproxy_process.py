"""HAProxy in front of the tracker."""

import os
import socket

from child_process import ChildProcess

_DEFAULTS = '''
global
  maxconn 100
defaults
  timeout connect 10s
  timeout client 10s
  timeout server 10s
'''


class HaproxyProcess:
  """Runs HAProxy with one listener for each of some sections; a context manager.

  Attributes:
    addresses: a dictionary from the name of a section to the (host, port) it listens on.
  """

  def __init__(self, sections, folder):
    """`sections`: a dictionary from a name to (host, lines of its configuration)."""
    self.addresses = {}
    # HAProxy gets sockets that listen already: their ports are free and known, and
    # whoever connects before it is ready waits.
    sockets = []
    text = _DEFAULTS
    for name, (host, lines) in sections.items():
      family = socket.AF_INET6 if ':' in host else socket.AF_INET
      listener = socket.create_server((host, 0), family=family)
      sockets.append(listener)
      self.addresses[name] = listener.getsockname()[:2]
      text += 'listen %s\n  bind fd@%d\n' % (name, listener.fileno())
      text += ''.join('  %s\n' % line.format(**self._ports()) for line in lines)
    config = os.path.join(folder, 'haproxy.cfg')
    with open(config, 'w', encoding='utf-8') as file:
      file.write(text)
    self._child = ChildProcess(['haproxy', '-db', '-f', config],
                               pass_fds=[each.fileno() for each in sockets])
    for each in sockets:
      each.close()

  def _ports(self):
    return {name: port for name, (_, port) in self.addresses.items()}

  def __enter__(self):
    return self

  def __exit__(self, *_):
    self._child.__exit__()

  def output(self):
    return self._child.output()
