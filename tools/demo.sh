#!/usr/bin/env bash
# make demo: the 3-D solver on a rank per core (4 at most) with every exchange method, and one table; then once more with
# a trace, where it may be on an emulated cluster too, and the page of that.
set -euo pipefail
source "$(dirname "$0")/common.sh"

tools/setup.sh build
preset=$(first_preset)
build "$preset" solver3d
"$venv/bin/python" apps/solver3d/demo.py --build "build/$preset"
exec "$venv/bin/python" apps/solver3d/demo_report.py --build "build/$preset"
