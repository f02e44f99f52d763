"""A program started by the test: its output line by line, and its end."""

import subprocess
import threading


class ChildProcess:
  """Runs `command` until stop() or the end of the `with` block.

  Standard output and standard error are read together, so that the child never
  blocks on a full pipe.
  """

  def __init__(self, command, **popen_arguments):
    self._name = command[0]
    self._lines = []
    self._closed = False
    self._changed = threading.Condition()
    self._process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors='replace',
        **popen_arguments)
    self._reader = threading.Thread(target=self._read, daemon=True)
    self._reader.start()

  def __enter__(self):
    return self

  def __exit__(self, *_):
    if self._process.poll() is None:
      self._process.kill()
    self._process.wait()
    self._reader.join()
    self._process.stdout.close()

  def _read(self):
    for line in self._process.stdout:
      with self._changed:
        self._lines.append(line.rstrip('\n'))
        self._changed.notify_all()
    with self._changed:
      self._closed = True
      self._changed.notify_all()

  def output(self):
    with self._changed:
      return '\n'.join(self._lines)

  def wait_for_line(self, text, deadline):
    """Returns the first line of the output that contains `text`."""
    seen = 0
    with self._changed:
      while True:
        for line in self._lines[seen:]:
          if text in line:
            return line
        seen = len(self._lines)
        if self._closed:
          raise AssertionError('%s ended before it said "%s"; it said:\n%s' %
                               (self._name, text, '\n'.join(self._lines)))
        if not self._changed.wait(deadline.remaining()):
          raise AssertionError('%s did not say "%s" in time; it said:\n%s' %
                               (self._name, text, '\n'.join(self._lines)))

  def send_signal(self, signal_number):
    self._process.send_signal(signal_number)

  def wait(self, deadline):
    """Returns the exit status."""
    try:
      return self._process.wait(deadline.remaining())
    except subprocess.TimeoutExpired:
      raise AssertionError('%s did not end in time; it said:\n%s' %
                           (self._name, self.output())) from None
