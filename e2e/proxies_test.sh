#!/bin/bash
# Starts proxies_test.py: proxies_test.sh TRACKER_BINARY
#
# It needs loopback alone.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export PYTHONPATH="$folder" PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 -P "$folder/proxies_test.py" "$@"
