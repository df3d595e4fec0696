#!/usr/bin/env bash
# make demo: runs a solver with every hand-written exchange and with ADCL, on this node and, as root, on emulated clusters.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh compile clusters
# The installation of Python packages mostly waits for the network, so compile at the same time.
tools/setup.sh python &
python=$!
preset=$(first_preset)
build "$preset" demo unstructured
wait "$python" || fail "the Python environment is incomplete; its message is above"
exec "$venv/bin/python" apps/demo/demo.py --build "build/$preset"
