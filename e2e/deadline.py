"""A point in time by which something must have happened."""

import time


class Deadline:

  def __init__(self, seconds):
    self._end = time.monotonic() + seconds

  def remaining(self):
    """Seconds left, never negative."""
    return max(0.0, self._end - time.monotonic())

  def passed(self):
    return self.remaining() == 0
