#!/bin/sh
# Usage: apart.sh <command> [<argument>...]
# Runs the command. It must start its processes under `unshare --pid --fork --mount-proc`, so that each has its own
# namespace, as in containers that share only a network. Prints the reason and exits with code 77 if this user lacks the
# permission.
set -eu
if ! unshare --pid --fork --mount-proc true 2>/dev/null; then
  echo "skipped: this user may not make namespaces for processes (unshare --pid --mount-proc, as root)"
  exit 77
fi
exec "$@"
