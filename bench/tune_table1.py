# set-up: build impi openmpi4
# built first: fish_school cg is
"""The comparison of search strategies of the paper on tuning MPI's parameters, redone: ``make bench NAME=tune_table1``.

A. Sikora, E. Cesar, I. Compres and M. Gerndt, Autotuning of MPI Applications Using PTF, SEM4HPC 2016: table 1 and
figures 4 to 7 compare the time with the defaults and with what each search found, the number of trials and the time
that tuning took, for a fish-school simulation of two sizes and for NAS CG and IS. Here the same is done with
`adcl tune`, the programs of `apps`, and the MPI library that they were built with, in runs of about a second; the fish
school also with Intel MPI, and, for root, on emulated clusters. All of it takes some forty minutes; ``--workloads`` and
``--searches`` choose, and studies that are there, in ``tune_table1`` beside the result, are not made again.
``--figures FOLDER`` draws what the paper's figures show.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _form import effort, write

__all__ = ["main"]

_ROOT = Path(__file__).resolve().parents[1]

_SHARED_MEMORY = """mpi = "openmpi"

[parameters]
btl_vader_eager_limit = { from = 1024, to = 65536, factor = 2 }
btl_vader_max_send_size = [32768, 131072]
btl_vader_fbox_size = [4096, 32768]
btl_vader_single_copy_mechanism = ["cma", "none"]
"""
_NETWORK = """mpi = "openmpi"

[parameters]
btl_tcp_eager_limit = { from = 4096, to = 262144, factor = 4 }
btl_tcp_rndv_eager_limit = [16384, 65536]
btl_tcp_max_send_size = [65536, 131072]
btl_tcp_sndbuf = [0, 65536, 1048576]
btl_tcp_rcvbuf = [0, 65536, 1048576]
btl_tcp_links = [1, 2]
"""
_INTEL = """mpi = "intel"

[parameters]
I_MPI_SHM_EAGER_THRESHOLD = ["unset", 1024, 4096, 16384, 65536]
I_MPI_SHM_CELL_FWD_SIZE = ["unset", 16384, 65536, 262144]
I_MPI_SHM_CELL_FWD_NUM = ["unset", 4, 16, 64]
I_MPI_SHM_CMA = ["unset", 0, 1]
"""
_OBJECTIVE = """
[objective]
measure = "output"
pattern = 'Time in seconds *= *([0-9.eE+-]+)'
"""
_ALL = ("gde3", "individual", "random", "gp")


@dataclass(frozen=True)
class _Workload:
    """A program, and how it is tuned."""

    program: str
    arguments: tuple[str, ...]
    searches: tuple[str, ...]
    file: str = _SHARED_MEMORY
    ranks: int = 2
    seconds: int = effort(125, 3)
    """For each study."""

    intel: bool = False
    on: str = ""
    """The emulated cluster; empty: this machine."""


_SMALL = ("--fish", "1000", "--steps", "600")
_WORKLOADS = {
    "fish_1000": _Workload("fish_school", _SMALL, (*_ALL, "exhaustive")),
    "fish_4000": _Workload("fish_school", ("--fish", "4000", "--steps", "160"), _ALL),
    "cg_W": _Workload("cg", ("--class", "W"), ("random",)),
    "is_A": _Workload("is", ("--class", effort("A", "S")), ("random",)),
    "fish_1000_intel": _Workload("fish_school", _SMALL, ("gde3",), _INTEL, intel=True),
    "fish_1000_flat": _Workload("fish_school", ("--fish", "1000", "--steps", "300"), ("gde3",), _NETWORK, on="flat"),
    "fish_1000_hierarchical": _Workload(
        "fish_school", ("--fish", "1000", "--steps", "60"), ("gde3",), _NETWORK, ranks=8, on="hierarchical"
    ),
}
_SLOWER = {"exhaustive": 2}
"""Searches that get so many times the time."""


def _tune(workload: _Workload, folder: Path, search: str, build: Path) -> dict[str, Any]:
    """Run one study, or read it; returns what `adcl tune` wrote about it."""
    study = folder / search
    if not (study / "result.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "tuning.toml"
        file.write_text(workload.file + _OBJECTIVE, encoding="utf-8")
        command = [sys.executable, "-m", "adcl", "tune", "run", str(file), "--resume", "--search", search]
        command += ["--time", f"{workload.seconds * _SLOWER.get(search, 1)}s", "-n", str(workload.ranks)]
        command += ["--study", str(study)]
        if workload.on:
            command += ["--on", workload.on]
        if workload.intel:
            command += ["--mpi", str(_ROOT / ".venvs" / "impi" / "bin" / "mpiexec")]
        command += ["--", str((build / "bin" / workload.program).resolve()), *workload.arguments]
        with (folder / f"{search}.txt").open("w", encoding="utf-8") as told:
            subprocess.run(command, check=True, stdout=told, stderr=subprocess.STDOUT)
    document: dict[str, Any] = json.loads((study / "result.json").read_text(encoding="utf-8"))
    return document


def _row(document: dict[str, Any]) -> dict[str, float]:
    """What the paper's table has: times with the defaults and with the best, trials, and the time of tuning.

    Where a study came that far, ``compared`` is what paired runs say of the best finalist beside the defaults, with its
    interval. ``gain`` is that of the advice, which is 1 where it is to keep the defaults.
    """
    name = document["objectives"][0]
    ok = [run for run in document["runs"] if run["status"] == "ok"]
    search = [run for run in document["runs"] if run["kind"] in ("trial", "repetition")]
    default = [run["objectives"][name] for run in ok if not run["configuration"] and run["kind"] != "warm-up"]
    by_scenario: dict[str, list[float]] = {}
    for run in ok:
        if run["configuration"]:
            by_scenario.setdefault(json.dumps(run["configuration"]), []).append(run["objectives"][name])
    conclusion = document["conclusion"]
    best = [statistics.geometric_mean(one) for one in by_scenario.values()]
    compared = {}
    if conclusion["interval"] is not None:
        low, high = conclusion["interval"]
        compared = {"compared": conclusion["ratio"], "compared, from": low, "compared, to": high}
    return {
        "default": statistics.geometric_mean(default),
        **({"best": min(best)} if best else {}),
        "gain": conclusion["ratio"] if conclusion["settings"] else 1.0,
        **compared,
        "trials": len({json.dumps(run["configuration"]) for run in search}),
        "runs": len(document["runs"]),
        "tuning": document["elapsed_s"],
    }


_UNITS = {
    "default": "s",
    "best": "s",
    "gain": "ratio",
    "compared": "ratio",
    "compared, from": "ratio",
    "compared, to": "ratio",
    "trials": "scenarios",
    "runs": "runs",
    "tuning": "s",
}


def _intel_build(folder: Path) -> Path:
    """Build the fish school with Intel MPI, which needs nothing else of ADCL; returns the folder of the build."""
    prefix = _ROOT / ".venvs" / "impi"
    compiler = f"-DMPI_C_COMPILER={prefix / 'bin' / 'mpigcc'}"
    environment = {**os.environ, "I_MPI_ROOT": str(prefix)}
    for command in (
        ["cmake", "-S", str(_ROOT / "apps" / "fish_school"), "-B", str(folder), compiler],
        ["cmake", "--build", str(folder)],
    ):
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return folder


def _without(workload: _Workload) -> str:
    """Why a workload cannot be run here; empty when it can."""
    if workload.intel and not (_ROOT / ".venvs" / "impi" / "bin" / "mpigcc").is_file():
        return "there is no Intel MPI: tools/setup.sh impi"
    if workload.on and os.geteuid() != 0:
        return "emulated clusters need root"
    return ""


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="where the programs of apps were built")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--workloads", default=effort(",".join(_WORKLOADS), "is_A"))
    parser.add_argument("--searches", help="some of each workload's, separated by commas")
    parser.add_argument("--figures", type=Path, metavar="FOLDER", help="where to draw figures; needs all studies")
    given = parser.parse_args(arguments)
    top = given.output.resolve().parent / "tune_table1"
    figures, settings, documents = [], {}, {}
    for name in given.workloads.split(","):
        workload = _WORKLOADS[name]
        if lacking := _without(workload):
            sys.stderr.write(f"{name} is left out: {lacking}\n")
            continue
        for search in workload.searches:
            if given.searches is not None and search not in given.searches.split(","):
                continue
            there = (top / name / search / "result.json").is_file()
            build = _intel_build(top / "build_impi") if workload.intel and not there else given.build
            document = documents[name, search] = _tune(workload, top / name, search, build)
            advised = {one["name"]: one["value"] for one in document["conclusion"]["settings"]}
            settings[f"{name}: {search}"] = advised or "defaults"
            row = _row(document)
            sys.stderr.write(f"{name}, {search}: {row}, {settings[f'{name}: {search}']}\n")
            figures += [
                {"name": f"{name}, {search}: {what}", "value": value, "unit": _UNITS[what], "target": None}
                for what, value in row.items()
            ]
    if given.figures is not None:
        from _tune_figures import draw

        draw(documents, given.figures)
    context = {"machine": platform.machine(), "advice": settings, "studies": str(top)}
    write(given.output, context, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
