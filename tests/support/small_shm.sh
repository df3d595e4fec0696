#!/bin/sh
# Usage: small_shm.sh <size> <command> [<argument>...]
# Runs the command with its own /dev/shm of <size> (in the format of `mount -o size=`, such as 64m), as in a container.
# Prints the reason and exits with code 77 if the system does not permit this.
set -eu
size=$1
shift
for namespace in --mount "--user --map-root-user --mount"; do
  # shellcheck disable=SC2086
  if unshare $namespace mount -t tmpfs -o "size=$size" tmpfs /dev/shm 2>/dev/null; then
    # shellcheck disable=SC2016,SC2086
    exec unshare $namespace sh -c 'mount -t tmpfs -o "size=$0" tmpfs /dev/shm && exec "$@"' "$size" "$@"
  fi
done
echo "skipped: this user may not mount a /dev/shm of its own (unshare --mount, as root or in a user namespace)"
exit 77
