"""Table 2.1 and Figure 2.4: data that Euler3D and NAS FT send in an iteration, counted by the profiler."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies._catalog import ROOT, Agreement, Place, Rendered, StudyError
from studies._page import table
from studies._statements import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Sent", "euler_table", "measure", "needs", "printed_number", "render"]

_HERE = Path(__file__).resolve().parent
_BUILD = ROOT / "build" / "openmpi"
_EULER_RANKS = 8
_PROCESSES = (64, 256, 1024)
_ITERATIONS = (2, 4)
"""Two numbers of iterations; the difference between the two runs excludes start and end."""

_COMPLEX = 16
"""Bytes per grid point of FT."""


@dataclass(frozen=True)
class Sent:
    """Amount of data that each rank sends in an iteration of a program."""

    program: str
    case: str
    """Number of cells along an edge, or the class."""

    ranks: int
    bytes: float
    messages: float


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: both programs and the profiler."""
    return [("openmpi", "euler3d"), ("openmpi", "ft"), ("openmpi", "adcl_profile")]


def _run(place: Place, ranks: int, command: Sequence[str], variables: Mapping[str, str]) -> tuple[int, int]:
    """Return bytes and messages of a rank; the numbers of all ranks are equal."""
    folder = place.work / "profile"
    shutil.rmtree(folder, ignore_errors=True)
    place.work.mkdir(parents=True, exist_ok=True)
    preload = f"LD_PRELOAD={_BUILD / 'lib' / 'libadcl-profile.so'}"
    whole = [str(_BUILD / "launch"), str(ranks), "env", preload, *command, "--quiet"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ADCL_")}
    environment |= {**variables, "ADCL_PROFILE": str(folder)}
    done = subprocess.run(whole, env=environment, capture_output=True, text=True, check=False)
    files = sorted(folder.glob("*.json"))
    if done.returncode != 0 or len(files) != ranks:
        raise StudyError(f"{' '.join(command)} failed: {done.stderr.strip()[-400:] or 'no profile was written'}")
    found = {_of(json.loads(path.read_text(encoding="utf-8"))) for path in files}
    if len(found) != 1:
        raise StudyError(f"{' '.join(command)}: ranks send different amounts: {sorted(found)}")
    return found.pop()


def _of(document: dict[str, Any]) -> tuple[int, int]:
    messages = document["messages"]
    return int(messages["PSC_MPI_MSG_P2P_TOT"]), int(messages["count"])


def _sent(place: Place, program: str, case: str, ranks: int) -> Sent:
    command = [str(_BUILD / "bin" / program)]
    if program == "euler3d":
        command += ["--size", "x".join([case] * 3), "--exchange", "plain"]
    else:
        command += ["--class", case, "--exchange", "adcl"]
    # The profiler counts point-to-point messages, so a codelet that consists of them replaces MPI_Alltoall.
    variables = {"ADCL_CODELETS": "alltoall:Pairwise", "ADCL_HISTORY": "off"}
    few, more = (_run(place, ranks, [*command, "--iterations", str(count)], variables) for count in _ITERATIONS)
    apart = _ITERATIONS[1] - _ITERATIONS[0]
    return Sent(program, case, ranks, (more[0] - few[0]) / apart, (more[1] - few[1]) / apart)


def _wanted(*, quick: bool) -> list[tuple[str, str, int]]:
    if quick:
        return [("euler3d", "20", _EULER_RANKS), ("euler3d", "30", _EULER_RANKS), ("ft", "A", 8)]
    euler = [("euler3d", edge, _EULER_RANKS) for edge in ("20", "30", "40", "60", "80")]
    return [*euler, ("ft", "A", 8), ("ft", "B", 8), ("ft", "B", 32)]


def measure(place: Place) -> None:
    """Count the sent data. Raises `StudyError`."""
    place.work.mkdir(parents=True, exist_ok=True)
    kept = place.work / "sent.jsonl"
    known = {(one.program, one.case, one.ranks) for one in _read(kept)}
    for wanted in _wanted(quick=place.quick):
        if wanted not in known:
            print("{} {} on {} ranks".format(*wanted), flush=True)
            line = json.dumps(asdict(_sent(place, *wanted)), separators=(",", ":"))
            with kept.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
    shutil.copy(kept, place.records)


def _read(path: Path) -> list[Sent]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Sent(**json.loads(line)) for line in lines]


def printed_number(value: float, like: float) -> bool:
    """Return True if a value equals the published number within one unit of its last digit."""
    digits = len(f"{like:g}".partition(".")[2])
    return math.isclose(value, like, abs_tol=1.001 * 10.0**-digits)


def _euler_numbers(one: Sent) -> list[float]:
    """Return the megabytes of a process, and the gigabytes of 64, 256, and 1024 processes."""
    return [one.bytes / 1e6, *(one.bytes * processes / 1e9 for processes in _PROCESSES)]


def euler_table(found: Mapping[tuple[str, str, int], Sent], printed: dict[str, list[float]]) -> tuple[str, Agreement]:
    """Return Table 2.1 with the published numbers in brackets, and the number of values that agree."""
    rows, same, count = [], 0, 0
    for edge, numbers in printed.items():
        one = found.get(("euler3d", edge, _EULER_RANKS))
        if one is not None:
            ours = _euler_numbers(one)
            same += sum(map(printed_number, ours, numbers))
            count += len(numbers)
            cells = [f"{value:.3g} ({number:g})" for value, number in zip(ours, numbers, strict=True)]
            rows.append((f"{edge}³", f"{one.messages:g}", *cells))
    headers = ("cells of a process", "messages", "MB of a process", *(f"GB of {count}" for count in _PROCESSES))
    return table(headers, rows), Agreement("Table 2.1, same number", same, count)


def _ft(found: Mapping[tuple[str, str, int], Sent], printed: dict[str, dict[str, Any]]) -> tuple[str, Agreement]:
    rows, same, count = [], 0, 0
    for name, one in printed.items():
        points = math.prod(one["points"])
        for processes, kilobytes in one["messages"].items():
            ranks = int(processes)
            computed = _COMPLEX * points / ranks**2 / 1e3
            ours = found.get(("ft", name, ranks))
            size = None if ours is None else ours.bytes / ours.messages / 1e3
            shown = computed if size is None else size
            same += math.floor(shown) == kilobytes
            count += 1
            total = _COMPLEX * points / 1e9
            rows.append(
                (
                    name,
                    " × ".join(map(str, one["points"])),
                    processes,
                    "–" if size is None else f"{size:.1f}",
                    f"{computed:.1f}",
                    f"{kilobytes}",
                    f"{total:.2f} ({one['total']})",
                )
            )
    headers = ("class", "points", "processes", "KB counted", "KB computed", "KB printed", "GB of all")
    return table(headers, rows), Agreement("Figure 2.4, same number", same, count)


def _statements(found: Mapping[tuple[str, str, int], Sent], printed: dict[str, Any]) -> list[Statement]:
    """Return a statement for each published size that was counted here."""
    every = []
    for edge, numbers in printed["euler3d"].items():
        one = found.get(("euler3d", edge, _EULER_RANKS))
        if one is not None:
            ours = _euler_numbers(one)
            totals = "{:g}, {:g}, and {:g}".format(*numbers[1:])
            text = (
                f"With {edge}³ cells, a process of Euler3D sends {numbers[0]:g} MB in an iteration; 64, 256, and 1024"
                f" processes send {totals} GB."
            )
            here = f"{ours[0]:.3g} MB; {', '.join(f'{value:.3g}' for value in ours[1:])} GB"
            every.append(Statement(text, "2.4.1", here, all(map(printed_number, ours, numbers)), ("Table 2.1",)))
    for name, one in printed["ft"].items():
        for processes, kilobytes in one["messages"].items():
            counted = found.get(("ft", name, int(processes)))
            if counted is not None:
                size = counted.bytes / counted.messages / 1e3
                text = f"In class {name} of FT on {processes} processes, a message has {kilobytes} KB."
                every.append(Statement(text, "2.4.2", f"{size:.1f} KB", math.floor(size) == kilobytes, ("Figure 2.4",)))
    return every


def render(place: Place) -> Rendered:
    """Return both tables, with the published numbers and ours."""
    printed = tomllib.loads((_HERE / "published.toml").read_text(encoding="utf-8"))
    found = {(one.program, one.case, one.ranks): one for one in _read(place.records)}
    euler, euler_same = euler_table(found, printed["euler3d"])
    ft, ft_same = _ft(found, printed["ft"])
    values = {"Table 2.1": euler, "Figure 2.4": ft}
    extent = {"ranks": ", ".join(map(str, sorted({one.ranks for one in found.values()}))), "repetitions": "1: exact"}
    statements = tuple(_statements(found, printed))
    return Rendered(values, {}, (euler_same, ft_same), statements, extent if found else {})
