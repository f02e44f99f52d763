#!/bin/bash
# Starts bencode_test.py with Debian's Python: bencode_test.sh BENCODE_LINES_BINARY CORPUS_FILE...
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 -P "$folder/bencode_test.py" "$1" "$(dirname "$2")"
