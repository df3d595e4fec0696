#!/usr/bin/env python3
"""Times of MPI's collectives on simulated clusters: ``simulate.py BENCH FOLDER [--help]``.

Runs adcl-bench, built with the preset smpi, on the platforms of `testbed/smpi` with the collectives of several MPI
libraries. Writes FOLDER/PLATFORM-SELECTOR.jsonl, with a record per function and number of ranks, and all records to
FOLDER/collectives.jsonl, a store of `adcl scale` with a run per machine. Existing records are not measured again. The
simulation is deterministic: the same program gives the same times everywhere.

With ``--codelets allreduce,bcast`` it measures ADCL's codelets of these sets instead, each in a separate simulation.
In these simulations every rank has its own copy of the program's variables: the simulator copies the program, without
its debugging information, for each rank. The store is then FOLDER/codelets.jsonl, and its study is
FOLDER/codelets.toml, with the expected growth in the row of each codelet: ``adcl scale check FOLDER/codelets.toml --run
torus-mpich`` compares the times with it. ``alltoall,alltoall:Linear@128`` limits one codelet to 128 ranks: p^2
concurrent messages take long to simulate. ``--jobs`` is the number of concurrent simulations.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

__all__ = ["main"]

_PLATFORM_FILES = Path(__file__).resolve().parents[3] / "testbed" / "smpi"
_PLATFORMS = ("torus", "fat_tree", "dragonfly")
_SELECTORS = ("mpich", "ompi", "mvapich2")
_RANKS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
_PROBE_RANKS = 16
"""A codelet that is not applicable on this number of ranks (a power of two, above every codelet's minimum) is not
applicable on more ranks either."""

_CONTEXT = ("mpi_library", "mpi_version", "ranks", "simulated", "labels")
_TABLE_2 = "Barrier,Bcast,Reduce,Allreduce,Gather,Allgather,Alltoall,Bcast_binary_tree"

# Time of a message on its sender and receiver in addition to the network: half a microsecond, and 0.1 ns per byte
# (LogGP's o). Without it, a rank could send to all others at once. Computation takes no time, so the result does not
# depend on the machine that simulates.
_OVERHEAD = "0:5e-7:1e-10"
_SETTINGS = (
    f"smpi/os:{_OVERHEAD}",
    f"smpi/ois:{_OVERHEAD}",
    f"smpi/or:{_OVERHEAD}",
    "smpi/simulate-computation:no",
)
_QUIET = tuple(f"--log={name}.thres:error" for name in ("root", "smpi_mpi", "smpi_pmpi"))


@dataclass(frozen=True)
class _Machine:
    platform: str
    selector: str

    @property
    def name(self) -> str:
        return f"{self.platform}-{self.selector}"


@dataclass(frozen=True)
class _Measured:
    """Contents of a simulation."""

    option: str
    names: str
    most: int = 0
    """Largest number of ranks; 0: no limit."""

    @property
    def suffix(self) -> str:
        """Suffix of the file of its records."""
        return "-" + self.names.replace(":", "-") if self.option == "--codelets" else ""


@dataclass(frozen=True)
class _Study:
    bench: Path
    folder: Path
    measured: tuple[_Measured, ...]
    arguments: tuple[str, ...]
    """Options of adcl-bench other than the selection of functions."""

    def command(self, machine: _Machine, ranks: int, measured: _Measured) -> list[str]:
        """Return the command that simulates the machine."""
        settings = [f"--cfg={setting}" for setting in (*_SETTINGS, f"smpi/coll-selector:{machine.selector}")]
        # Without codelets, ranks share the program's global variables, which have no effect here.
        shared = [] if measured.option == "--codelets" else ["-no-privatize"]
        return [
            *("smpirun", *shared, "-np", str(ranks), "-platform", str(_PLATFORM_FILES / f"{machine.platform}.xml")),
            *(*_QUIET, *settings, str(self.bench), measured.option, measured.names, *self.arguments),
            *("--label", f"platform={machine.platform}", "--label", f"collectives={machine.selector}"),
        ]


class _Simulations:
    """Registry of the simulations in progress; end() kills them, so that none outlives the study."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._over = False
        self._running: set[subprocess.Popen[str]] = set()

    def output(self, command: list[str]) -> str:
        """Run the command and return its output."""
        with self._lock:
            if self._over:
                sys.exit(1)
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
            )
            self._running.add(process)
        with process:
            said, complained = process.communicate()
        self._running.discard(process)
        if process.returncode != 0:
            sys.exit(f"simulate: {' '.join(command)} failed: {complained.strip()[-400:]}")
        return said

    def end(self) -> None:
        """End all simulations and their processes, and start no more."""
        with self._lock:
            self._over = True
            for process in list(self._running):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


_SIMULATIONS = _Simulations()


def _part(study: _Study, machine: _Machine, ranks: int, measured: _Measured) -> Path:
    """Return the file with the records of one simulation, until all are complete."""
    return study.folder / f"{machine.name}-{ranks}{measured.suffix}.part"


def _measure(study: _Study, machine: _Machine, ranks: int, measured: _Measured) -> list[str]:
    """Return the records of one simulation; none if adcl-bench excluded it on `_PROBE_RANKS` ranks."""
    kept = _part(study, machine, ranks, measured)
    if kept.exists():
        return kept.read_text(encoding="utf-8").splitlines()
    probe = _part(study, machine, _PROBE_RANKS, measured)
    if ranks > _PROBE_RANKS and probe.exists() and not probe.stat().st_size:
        return []
    said = _SIMULATIONS.output(study.command(machine, ranks, measured))
    kept.write_text(said, encoding="utf-8")
    print(kept.stem, flush=True)
    return said.splitlines()


def _measure_all(study: _Study, machines: list[_Machine], numbers: list[int], jobs: int) -> None:
    """Write the records of these machines, `jobs` simulations at once, the smallest numbers of ranks first."""
    asked = [
        (machine, ranks, measured)
        for ranks in numbers
        for measured in study.measured
        for machine in machines
        if not measured.most or ranks <= measured.most
    ]
    with ThreadPoolExecutor(jobs) as pool:
        try:
            runs = [(one[0], pool.submit(_measure, study, *one)) for one in asked]
            for machine in machines:
                records = [record for where, run in runs if where == machine for record in run.result()]
                result = study.folder / f"{machine.name}.jsonl"
                result.write_text("".join(f"{record}\n" for record in records), encoding="utf-8")
                for part in study.folder.glob(f"{machine.name}-*.part"):
                    part.unlink()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _SIMULATIONS.end()
            raise


def _codelets(bench: Path, asked: str) -> tuple[_Measured, ...]:
    """Return the codelets of these sets whose rows state a growth, and the named codelets; the last mention counts."""
    limits = [(name, int(most or 0)) for name, _, most in (choice.partition("@") for choice in asked.split(","))]
    names = ",".join(name for name, _ in limits)
    platform = str(_PLATFORM_FILES / f"{_PLATFORMS[0]}.xml")
    listed = _SIMULATIONS.output(
        ["smpirun", "-np", "1", "-platform", platform, *_QUIET, str(bench), "--codelets", names, "--list"]
    )
    known = {line.split()[0]: "O(" in line for line in listed.splitlines() if line.strip()}
    most = {
        codelet: limit
        for name, limit in limits
        for codelet, stated in known.items()
        if codelet == name or (stated and codelet.startswith(f"{name}:"))
    }
    return tuple(_Measured("--codelets", codelet, limit) for codelet, limit in most.items())


def _stripped(bench: Path, folder: Path) -> Path:
    """Return the program without its debugging information."""
    small = folder / f"{bench.name}.stripped"
    subprocess.run(["strip", "-o", str(small), str(bench)], check=True)
    return small


def _write_store(folder: Path, machines: list[_Machine], name: str) -> None:
    """Write all records, each with its run; keep only the context members that differ between machines."""
    lines = []
    for machine in machines:
        head = {"schema": 1, "run": machine.name, "job": "", "time_s": 0.0}
        for line in (folder / f"{machine.name}.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            context = record.get("context", {})
            record["context"] = {name: context[name] for name in _CONTEXT if name in context}
            lines.append(json.dumps({**head, "measurement": record}, separators=(",", ":")))
    (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _stated(folder: Path, machines: list[_Machine]) -> dict[str, str]:
    """Return the stated growth of each function, from the records."""
    stated: dict[str, str] = {}
    for machine in machines:
        for line in (folder / f"{machine.name}.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record.get("expectation"):
                stated[record["function"]] = record["expectation"]
    return stated


def _write_study(folder: Path, machines: list[_Machine]) -> None:
    """Write the study of codelets: the expected growth is that of the row, with the paper's limit for all of MPI."""
    functions: dict[str, list[str]] = {}
    for function, growth in _stated(folder, machines).items():
        functions.setdefault(growth, []).append(function)
    text = '# Growth of codelets with the number of ranks p, as their rows state.\nschema = 1\nname = "codelets"\n'
    for growth, own in functions.items():
        listed = "".join(f"  {json.dumps(name)},\n" for name in own)
        text += f'\n[[expect]]\nfunction = [\n{listed}]\ngrowth = {json.dumps(growth)}\ndeviation = "sqrt p"\n'
    (folder / "codelets.toml").write_text(text, encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("bench", type=Path, help="adcl-bench, built with the preset smpi")
    parser.add_argument("folder", type=Path, help="folder of the records")
    parser.add_argument("--functions", default=_TABLE_2)
    parser.add_argument("--codelets", default="", help="sets of codelets, or single ones, instead of functions")
    parser.add_argument("--bytes", default="128")
    parser.add_argument("--repetitions", default="1")
    parser.add_argument("--platforms", default=",".join(_PLATFORMS))
    parser.add_argument("--selectors", default=",".join(_SELECTORS))
    parser.add_argument("--ranks", default=",".join(map(str, _RANKS)))
    parser.add_argument("--jobs", type=int, default=1, help="number of concurrent simulations")
    return parser.parse_args()


def main() -> int:
    """Entry point; returns the exit code."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    options = _arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    bench = _stripped(options.bench, options.folder) if options.codelets else options.bench
    functions = (_Measured("--functions", options.functions),)
    measured = _codelets(bench, options.codelets) if options.codelets else functions
    rest = ("--bytes", options.bytes, "--repetitions", options.repetitions, "--warmup", "0")
    study = _Study(bench, options.folder, measured, rest)
    machines = [
        _Machine(platform, selector)
        for platform in options.platforms.split(",")
        for selector in options.selectors.split(",")
    ]
    left = [machine for machine in machines if not (options.folder / f"{machine.name}.jsonl").exists()]
    _measure_all(study, left, [int(ranks) for ranks in options.ranks.split(",")], options.jobs)
    _write_store(options.folder, machines, "codelets" if options.codelets else "collectives")
    if options.codelets:
        _write_study(options.folder, machines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
