#!/bin/bash
# README.md names every flag that the tracker has, and none that it has not.
set -euo pipefail

in_help="$(tracker/tracker --help | grep -oE '^  --[a-z_0-9]+' | tr -d ' ' | sort -u)"
in_readme="$(sed -n '/^### Flags/,/^## /p' README.md | grep '^|' | grep -oE -- '--[a-z_0-9]+' | sort -u)"
[[ -n "$in_help" ]] || { echo "--help names no flags"; exit 1; }
diff <(echo "$in_help") <(echo "$in_readme") && exit 0
echo "< only in --help, > only in the table of README.md"
exit 1
