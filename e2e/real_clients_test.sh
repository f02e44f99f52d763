#!/bin/bash
# Starts real_clients_test.py with Debian's Python, for which python3-libtorrent
# is: real_clients_test.sh TRACKER_BINARY
#
# In a network namespace of its own where the machine allows one (see network.py).
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export PYTHONPATH="$folder" PYTHONDONTWRITEBYTECODE=1
command=(/usr/bin/python3 -P "$folder/real_clients_test.py" "$@")

# Without the first, as in a chroot, root can still do the second.
for options in '--map-root-user --net' '--net'; do
  read -ra own_network <<<"unshare $options"
  if "${own_network[@]}" true 2>/dev/null; then
    OWN_NETWORK=1 exec "${own_network[@]}" "${command[@]}"
  fi
done
exec "${command[@]}"
