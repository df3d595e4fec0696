# set-up: build
# built first: fish_school cg is
"""The comparison of search strategies of the paper on tuning MPI's parameters, redone: ``make bench NAME=tune_table1``.

A. Sikora, E. Cesar, I. Compres and M. Gerndt, Autotuning of MPI Applications Using PTF, SEM4HPC 2016: table 1 and
figures 4 to 7 compare the time with the defaults and with what each search found, the number of trials and the time
that tuning took, for a fish-school simulation of two sizes and for NAS CG and IS. Here the same is done with
`adcl tune`, the programs of `apps`, and the MPI library that they were built with. Studies and their pages, which have
what the figures show, are left in ``tune_table1`` beside the result.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["main"]

_WORKLOADS = {
    "fish_1000": ("fish_school", "--fish", "1000", "--steps", "30"),
    "fish_4000": ("fish_school", "--fish", "4000", "--steps", "8"),
    "cg_S": ("cg", "--class", "S"),
    "is_W": ("is", "--class", "W"),
}
_SEARCHES = {"gde3": 30, "individual": None, "random": 20, "gp": 20, "exhaustive": None}
"""With how many trials at most, as far as a search does not end by itself."""

_OUTPUT = r"Time in seconds *= *([0-9.eE+-]+)"
_FILE = """mpi = "openmpi"

[parameters]
btl_vader_eager_limit = {{ from = 1024, to = 65536, factor = 2 }}
btl_vader_max_send_size = [32768, 131072]
btl_vader_fbox_size = [4096, 32768]
btl_vader_single_copy_mechanism = ["cma", "none"]

[objective]
measure = "output"
pattern = '{pattern}'
"""


def _tune(file: Path, search: str, trials: int | None, *, ranks: int, program: list[str]) -> dict[str, Any]:
    """Run one study; returns what `adcl tune` wrote about it."""
    study = file.parent / search
    if not (study / "result.json").is_file():
        shutil.rmtree(study, ignore_errors=True)
        budget = [] if trials is None else ["--trials", str(trials)]
        command = [sys.executable, "-m", "adcl", "tune", "run", str(file), "--search", search, *budget]
        command += ["-n", str(ranks), "--study", str(study), "--", *program]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    document: dict[str, Any] = json.loads((study / "result.json").read_text(encoding="utf-8"))
    return document


def _row(document: dict[str, Any]) -> dict[str, float]:
    """What the paper's table has: times with the defaults and with the best, trials, and the time of tuning."""
    name = document["objectives"][0]
    ok = [run for run in document["runs"] if run["status"] == "ok"]
    search = [run for run in document["runs"] if run["kind"] in ("trial", "repetition")]
    default = [run["objectives"][name] for run in ok if not run["configuration"] and run["kind"] != "warm-up"]
    by_scenario: dict[str, list[float]] = {}
    for run in ok:
        if run["configuration"]:
            by_scenario.setdefault(json.dumps(run["configuration"]), []).append(run["objectives"][name])
    conclusion = document["conclusion"]
    return {
        "default": statistics.geometric_mean(default),
        "best": min((statistics.geometric_mean(one) for one in by_scenario.values()), default=math.nan),
        "gain": conclusion["ratio"] if conclusion["settings"] else 1.0,
        "trials": len({json.dumps(run["configuration"]) for run in search}),
        "runs": len(document["runs"]),
        "tuning": document["elapsed_s"],
    }


_UNITS = {"default": "s", "best": "s", "gain": "ratio", "trials": "scenarios", "runs": "runs", "tuning": "s"}


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="where the programs of apps were built")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--workloads", default=",".join(_WORKLOADS))
    parser.add_argument("--searches", default=",".join(_SEARCHES))
    given = parser.parse_args(arguments)
    top = given.output.resolve().parent / "tune_table1"
    figures, settings = [], {}
    for workload in given.workloads.split(","):
        program, *rest = _WORKLOADS[workload]
        folder = top / workload
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "tuning.toml"
        file.write_text(_FILE.format(pattern=_OUTPUT), encoding="utf-8")
        for search in given.searches.split(","):
            command = [str((given.build / "bin" / program).resolve()), *rest]
            document = _tune(file, search, _SEARCHES[search], ranks=given.ranks, program=command)
            advised = {one["name"]: one["value"] for one in document["conclusion"]["settings"]}
            settings[f"{workload}: {search}"] = advised or "defaults"
            for name, value in _row(document).items():
                figures.append(
                    {"name": f"{workload}, {search}: {name}", "value": value, "unit": _UNITS[name], "target": None}
                )
    context = {"machine": platform.machine(), "ranks": given.ranks, "advice": settings, "studies": str(top)}
    given.output.write_text(json.dumps({"context": context, "figures": figures}, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
