#!/bin/bash
# Each example stands in README.md as it is compiled: what follows its first comment and
# its includes, in a block of its own.
set -euo pipefail

readme=README.md
failed=0
for example in examples/*_test.cc; do
  body="$(sed -n '/^TEST(/,$p' "$example")"
  [[ -n "$body" ]] || { echo "$example: no TEST in it"; failed=1; continue; }
  if [[ "$(<"$readme")" != *"$body"* ]]; then
    echo "$example: README.md does not show it as it is"
    failed=1
  fi
done
exit "$failed"
