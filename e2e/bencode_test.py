"""Our bencoding beside that of others, on the same inputs: who accepts what, and as which value.

The others are fastbencode (Python, of the Breezy project), Bencode (Perl) and libtorrent. The first two
are strict, so our strict decoder has to accept what they accept; libtorrent is lenient, and so is
ours when asked. Where they differ on purpose a row below says so.

Usage: bencode_test.py BENCODE_LINES_BINARY CORPUS_FOLDER [unittest's arguments]
"""

import os
import random
import re
import subprocess
import sys
import unittest

import fastbencode
import libtorrent

# Inputs beside the corpus: values, values and seeds with a few bytes changed, and the bytes of which
# bencoding is made in any order.
_VALUES = 2000
_MUTANTS = 6000
_SOUPS = 6000
_SOUP_BYTES = 'eeeeiiddll1110023::::-a'

# What ours refuses though a strict decoder takes it: integers that do not fit 64 bits, and more
# levels than 128. Both are limits of ours.
_LARGE_INTEGER = re.compile(rb'i-?\d{19,}e')
_DEPTH_MAX = 128

# Whether Bencode accepts it; the value is not compared, since Perl tells no number from its digits.
_PERL = r'''
no warnings qw(recursion uninitialized);
use Bencode qw(bdecode);
while (<STDIN>) {
  chomp;
  my $levels_max = 1000;
  print defined eval { bdecode(pack("H*", $_), 0, $levels_max) } ? "+" : "-", "\n";
}
'''


def _depth(data):
  """More levels than there can be, cheaply: what is open at most if strings hold none."""
  depth = most = 0
  for byte in data:
    depth += (byte in b'ld') - (byte == ord('e'))
    most = max(most, depth)
  return most


def _is_over_our_limits(data):
  return bool(_LARGE_INTEGER.search(data)) or _depth(data) > _DEPTH_MAX


def _lines_through(command, inputs):
  sent = '\n'.join(data.hex() for data in inputs) + '\n'
  done = subprocess.run(command, input=sent, capture_output=True, text=True, check=True)
  lines = done.stdout.splitlines()
  assert len(lines) == len(inputs), '%s gave %d lines for %d' % (command[0], len(lines), len(inputs))
  return lines


def _mutated(rng, data):
  data = bytearray(data)
  for _ in range(rng.randint(1, 3)):
    at = rng.randint(0, len(data))
    kind = rng.randrange(4)
    if kind == 0 and at < len(data):
      data[at] = ord(rng.choice('eidl0123456789:-\n'))
    elif kind == 1:
      del data[at:at + 1]
    elif kind == 2:
      data[at:at] = rng.choice('eidl0123456789:-').encode()
    else:
      data[at:at] = data[at:at + 8]
  return bytes(data)


def _encoded(rng, depth=3):
  """A value in its one encoding, written the obvious way."""
  kind = rng.randrange(4 if depth else 2)
  if kind == 0:
    return b'i%de' % rng.choice([0, 1, -1, 10, 2**63 - 1, -2**63, rng.randrange(-10**9, 10**9)])
  if kind == 1:
    data = rng.randbytes(rng.choice([0, 1, 9, 10, 11, 99, 100]))
    return b'%d:%s' % (len(data), data)
  values = [_encoded(rng, depth - 1) for _ in range(rng.randrange(4))]
  if kind == 2:
    return b'l' + b''.join(values) + b'e'
  keys = sorted({rng.randbytes(rng.randrange(4)) for _ in values})
  return b'd' + b''.join(b'%d:%s%s' % (len(key), key, value)
                         for key, value in zip(keys, values)) + b'e'


def _read(path):
  with open(path, 'rb') as file:
    return file.read()


def _inputs(corpus, seed):
  rng = random.Random(seed)
  seeds = [_read(os.path.join(corpus, name)) for name in sorted(os.listdir(corpus))]
  seeds += [_encoded(rng) for _ in range(_VALUES)]
  soups = [
      ''.join(rng.choices(_SOUP_BYTES, k=rng.randrange(16))).encode() for _ in range(_SOUPS)
  ]
  return seeds + [_mutated(rng, rng.choice(seeds)) for _ in range(_MUTANTS)] + soups


class BencodeTest(unittest.TestCase):

  @classmethod
  def setUpClass(cls):
    seed = int(os.environ.get('SEED') or random.randrange(2**32))
    print('to repeat it: bazel test //e2e:bencode_test --test_env=SEED=%d' % seed)
    cls.inputs = _inputs(_corpus, seed)
    words = [line.split() for line in _lines_through([_binary], cls.inputs)]
    cls.strict = [None if word == '-' else bytes.fromhex(word) for word, _ in words]
    cls.lenient = [None if word == '-' else bytes.fromhex(word) for _, word in words]

  def _compare(self, mine, theirs):
    accepted = refused = 0
    for data, ours, other in zip(self.inputs, mine, theirs):
      if not ours and _is_over_our_limits(data):
        continue
      self.assertEqual(ours, other, 'of the input %r' % data)
      accepted += bool(ours)
      refused += not ours
    # Else nothing was compared.
    self.assertGreater(accepted, 500)
    self.assertGreater(refused, 500)

  def test_strict_as_fastbencode(self):

    def again(data):
      try:
        return fastbencode.bencode(fastbencode.bdecode(data))
      # The last, where it cannot say which byte is wrong.
      except (ValueError, RecursionError, OverflowError):
        return None

    self._compare(self.strict, [again(data) for data in self.inputs])

  def test_strict_as_perl(self):
    lines = _lines_through(['perl', '-e', _PERL], self.inputs)
    self._compare([value is not None for value in self.strict], [line == '+' for line in lines])

  def test_strict_is_the_one_encoding(self):
    for data, mine in zip(self.inputs, self.strict):
      self.assertIn(mine, (None, data))

  def test_lenient_as_libtorrent(self):
    compared = 0
    for data, mine in zip(self.inputs, self.lenient):
      try:
        theirs = libtorrent.bencode(libtorrent.bdecode(data))
      except RuntimeError:
        continue
      # Its limit on depth is lower, and a large integer is 0 to it.
      if _is_over_our_limits(data):
        continue
      self.assertEqual(mine, theirs, 'of the input %r' % data)
      compared += 1
    self.assertGreater(compared, 500)


if __name__ == '__main__':
  _binary, _corpus = sys.argv[1:3]
  unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
