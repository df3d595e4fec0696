"""Slows down a link while a program runs, and restores it later: the reaction of a program that monitors its winner.

    sudo .venv/bin/python testbed/slowed_link.py build/openmpi/bin/live_decisions FILE

Creates an emulated cluster, starts halo exchanges of all its ranks with ADCL_MONITOR, changes the rate of a host's link
after a third of the time, and restores the rate after two thirds. Prints for each quarter of a second the mean time of
an exchange and the codelet that ran last, and writes them to FILE as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from adcl.launch import Job, Placement, detect, run
from adcl.testbed import Records, on_cluster, running_clusters, slow

__all__ = ["main", "phases"]

_CODELETS = (
    "IsIr_aao,IsIr_pair,IsIr_aao_pack,IsIr_pair_pack,SIr_aao,SIr_pair,SIr_aao_pack,SIr_pair_pack,"
    "S_R_pair,Sr_pair,S_R_pair_pack,Sr_pair_pack"
)
_STARTING_S = 0.5
"""Approximate seconds until the ranks have started."""


def phases(windows: list[dict[str, Any]], slowed_s: float, restored_s: float) -> list[dict[str, Any]]:
    """Return each third's state: the codelet that ran longest, and the mean time of its settled windows."""
    ends = [0.0, slowed_s, restored_s, float("inf")]
    found = []
    for name, begin, end in zip(("before", "slowed", "restored"), ends, ends[1:], strict=False):
        own = [one for one in windows if begin <= one["begin"] < end]
        settled = [one for one in own if one["settled"]] or own
        last = settled[-1]["codelet"] if settled else ""
        times = [one["seconds"] for one in settled if one["codelet"] == last]
        searched = sum(not one["settled"] for one in own)
        mean_s = sum(times) / len(times) if times else 0.0
        codelets = list(dict.fromkeys(one["codelet"] for one in own))
        found.append({"phase": name, "codelet": last, "seconds": mean_s, "searching": searched, "codelets": codelets})
    return found


def _run(program: Path, options: argparse.Namespace, file: Path) -> list[dict[str, Any]]:
    """Run the program on the cluster, and change the link during the run."""
    records = Records()
    with on_cluster(options.platform, Placement(), records=records) as (placement, ranks):
        instance = next(
            one.instance for one in running_clusters(records) if one.instance.startswith(Path(options.platform).stem)
        )
        third = options.seconds / 3
        changes = [
            threading.Timer(_STARTING_S + third, slow, (records, instance, options.host, options.rate)),
            threading.Timer(_STARTING_S + 2 * third, slow, (records, instance, options.host, options.restored)),
        ]
        watched = f"watch={options.search},{options.check}"
        words = (options.operation, str(options.size), "0", str(options.seconds), options.codelets, str(file), watched)
        job = Job(str(program.absolute()), words, ranks=ranks, placement=placement, timeout_s=3 * options.seconds + 60)
        for change in changes:
            change.start()
        try:
            run(job, detect("openmpi4", program=program)).check()
        finally:
            for change in changes:
                change.cancel()
                change.join()
    return list(json.loads(file.read_text(encoding="utf-8"))["context"]["results"][0]["windows"])


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--platform", default="hierarchical")
    parser.add_argument("--host", default="h3")
    parser.add_argument("--rate", default="10mbit")
    parser.add_argument("--restored", default="1gbit")
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--operation", default="halo", choices=["halo", "alltoall"])
    parser.add_argument("--size", type=int, default=16)
    parser.add_argument("--search", default="brute_force")
    parser.add_argument("--check", type=int, default=50, help="starts between two checks, ADCL_MONITOR")
    parser.add_argument("--codelets", default=_CODELETS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        windows = _run(options.program, options, Path(folder) / "report.json")
    for one in windows:
        state = "" if one["settled"] else "  searching"
        print(f"{one['begin']:6.1f} s  {1e3 * one['seconds']:9.3f} ms  {one['codelet']}{state}")
    third = options.seconds / 3
    told = phases(windows, third, 2 * third)
    for one in told:
        searched = f", {one['searching']} windows of search" if one["searching"] else ""
        print(f"{one['phase']:9} {1e3 * one['seconds']:9.3f} ms  {one['codelet']}{searched}")
    options.file.write_text(json.dumps({"phases": told, "windows": windows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
