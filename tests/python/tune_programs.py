"""A launcher, a program and a tuning file to run `adcl tune` without an MPI library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

# Answers a version request like poe, and starts one process.
POE = """#!/bin/sh
if [ "$1" = --version ]; then echo 'ERROR: 0031-808 Hostfile or pool must be used to request nodes'; exit 1; fi
exec "$@"
"""

# Reports its settings like IBM MPI on request, and takes the time that they determine.
PROGRAM = """#!/bin/sh
report() { if [ "$MP_PRINTENV" = yes ] && [ -n "$2" ]; then echo "Setting ($1): $2"; fi; }
report MP_PROCS "$MP_PROCS"
report MP_EAGER_LIMIT "$MP_EAGER_LIMIT"
report MP_POLLING_INTERVAL "$MP_POLLING_INTERVAL"
if [ "$1" != deaf ]; then report MP_WAIT_MODE "$MP_WAIT_MODE"; fi
case $1:$MP_EAGER_LIMIT in
  flat:*) time=2.0;;
  small:1024) time=0.5;;
  *:32768) time=1.0;;
  crashing:1024) exit 3;;
  hanging:1024) sleep 600;;
  printing:1024) echo 'Time in seconds = many'; exit 0;;
  *) time=2.0;;
esac
if [ "$1" = slow ]; then sleep 0.2; fi
echo "Time in seconds = $time"
"""

TUNING_FILE = """mpi = "ibm"
search = "exhaustive"

[parameters]
eager_limit = [1024, 32768]
wait_mode = ["poll", "nopoll"]

[objective]
pattern = 'Time in seconds = (.*)'
"""


def result_of(tmp_path: Path, study: str = "t.study") -> dict[str, Any]:
    document: dict[str, Any] = json.loads((tmp_path / study / "result.json").read_text(encoding="utf-8"))
    return document
