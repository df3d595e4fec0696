#!/usr/bin/env bash
# Usage: processor_time.sh <seconds> <command> [<argument>...]
# Runs the command with a limit on the processor time of each of its processes. The system ends a process that exceeds
# the limit with SIGXCPU. On an idle machine, a process that computes or spins reaches the limit after <seconds> of wall
# time; on a busy machine, it takes longer, like the test itself.
set -eu
ulimit -S -t "$1"
shift
exec "$@"
