"""The addresses that tracker and clients use.

real_clients_test.sh starts the test in a network namespace of its own where the
machine allows it: nothing outside can be reached or can interfere, and the test
may give the loopback interface addresses that look like a real network's.
Elsewhere loopback serves: nothing is ever sent to a real network.
"""

import os
import subprocess

# Addresses for documentation (RFC 5737, RFC 3849): clients take them for public
# ones. Transmission drops peers with a loopback address.
_PUBLIC = {'IPv4': '192.0.2.1', 'IPv6': '2001:db8::1'}
_PREFIX_LENGTH = {'IPv4': '24', 'IPv6': '64'}
_LOOPBACK = {'IPv4': '127.0.0.1', 'IPv6': '::1'}


def addresses():
  """Returns one address for each family, 'IPv4' and 'IPv6'."""
  if 'OWN_NETWORK' in os.environ:
    return _set_up_own_network()
  return _LOOPBACK


def _set_up_own_network():
  _ip('link', 'set', 'lo', 'up')
  for family, address in _PUBLIC.items():
    # nodad: usable at once.
    options = ['nodad'] if family == 'IPv6' else []
    _ip('address', 'add', '%s/%s' % (address, _PREFIX_LENGTH[family]), 'dev', 'lo', *options)
  return _PUBLIC


def _ip(*arguments):
  subprocess.run(['ip', *arguments], check=True, stdin=subprocess.DEVNULL)

