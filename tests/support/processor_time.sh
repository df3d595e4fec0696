#!/usr/bin/env bash
# Usage: processor_time.sh <seconds> <command> [<argument>...]
# Runs the command with a limit of processor time for each of its processes. The system ends a process that exceeds it by
# SIGXCPU. On a machine that does nothing else, a process that computes or spins reaches the limit after as many seconds;
# beside other programs it takes longer, as the test itself does.
set -eu
ulimit -S -t "$1"
shift
exec "$@"
