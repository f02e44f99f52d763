"""Prints `N passed, N failed` for one `bazel test`.

Usage: count_results.py BAZEL_EXIT_STATUS BUILD_EVENT_JSON_FILE

The file is what `bazel test --build_event_json_file` writes: one JSON object a
line (Bazel's build_event_stream.proto). Counted are targets, by label.
"""

import json
import sys

# A flaky test failed at least once and passed in the end; nothing of ours is
# marked flaky, so that it occurs only if a caller asks for --flaky_test_attempts.
PASSED = {'PASSED', 'FLAKY'}


def count(events):
  """Returns (passed, failed): the test targets that passed, and all that failed.

  A target that does not build has failed, whether it is a test or not.
  """
  passed = set()
  failed = set()
  for event in events:
    event_id = event.get('id', {})
    if 'testSummary' in event_id:
      label = event_id['testSummary']['label']
      status = event.get('testSummary', {}).get('overallStatus')
      (passed if status in PASSED else failed).add(label)
    elif 'targetCompleted' in event_id:
      if not event.get('completed', {}).get('success'):
        failed.add(event_id['targetCompleted']['label'])
  return len(passed - failed), len(failed)


def read_events(path):
  with open(path, encoding='utf-8') as lines:
    for line in lines:
      yield json.loads(line)


def main():
  bazel_status = int(sys.argv[1])
  passed, failed = count(read_events(sys.argv[2]))
  if bazel_status != 0 and failed == 0:
    # Such as a BUILD file that cannot be read, or no test found at all.
    print('bazel ended with status %d before any result' % bazel_status, file=sys.stderr)
    failed = 1
  print('%d passed, %d failed' % (passed, failed))


if __name__ == '__main__':
  main()
