#!/usr/bin/env bash
# make demo: one solver with every hand-written exchange and with ADCL, on this node and, as root, on emulated clusters.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh compile clusters
# Installing Python packages waits for the network most of the time: the compiler runs meanwhile.
tools/setup.sh python &
python=$!
preset=$(first_preset)
build "$preset" demo unstructured
wait "$python" || fail "the Python environment is incomplete; its message is above"
exec "$venv/bin/python" apps/demo/demo.py --build "build/$preset"
