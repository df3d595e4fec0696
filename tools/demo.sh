#!/usr/bin/env bash
# make demo: the 3-D solver on a rank per core (4 at most) with every exchange method, and one table at the end.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh build
preset=$(first_preset)
build "$preset" solver3d
exec "$venv/bin/python" apps/solver3d/demo.py --build "build/$preset"
