#!/bin/sh
# Usage: apart.sh <command> [<argument>...]
# Runs the command, whose processes are to run under `unshare --pid --fork --mount-proc`, each in a namespace of its own as
# in containers that share no more than a network. Ends with code 77 and says why where this user may not do that.
set -eu
if ! unshare --pid --fork --mount-proc true 2>/dev/null; then
  echo "skipped: this user may not make namespaces for processes (unshare --pid --mount-proc, as root)"
  exit 77
fi
exec "$@"
