"""FT and Euler3D on simulated clusters like Laki and Shark: the codelets' times for the messages of both programs."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies._catalog import ROOT, Place, Rendered, StudyError
from studies._page import table
from studies._statements import Statement, counted, of, statement_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["CASES", "Case", "Measured", "measure", "needs", "of_bench", "render"]

_HERE = Path(__file__).resolve().parent
_THESIS = _HERE.parent
_BENCH = ROOT / "build" / "smpi" / "bin" / "adcl-bench"
_COMPLEX, _REAL = 16, 8
"""Bytes of a grid point of FT, and of a variable of Euler3D."""

_VARIABLES, _EXCHANGES, _FACES = 5, 7, 6
"""Variables of a cell of Euler3D, exchanges of an iteration (section 5.3.1), and faces of a block."""

_CELLS = {"XS": 30, "S": 40, "L": 60}
"""Cells of a process along an edge, by the class of Table 2.1."""

_CORES = {"laki": 8, "shark": 2}
_ALLTOALL = ("Native", "Linear_sync", "Pairwise", "Pairwise_excl", "Linear", "Bruck", "Bruck_4")
_NEIGHBORHOOD = tuple(
    f"{kind}{pack}"
    for kind in ("IsIr_aao", "IsIr_pair", "SIr_aao", "SIr_pair", "S_R_pair", "Sr_pair")
    for pack in ("", "_pack")
)
_TIE_PERCENT = 1.0
"""Codelets whose times differ by less from the best or the worst time count as equally good or bad."""

# Computing takes no time, and each message half a microsecond and 0.1 ns per byte on its sender and receiver.
_OVERHEAD = "0:5e-7:1e-10"
_SETTINGS = (
    *(f"--cfg=smpi/{name}:{_OVERHEAD}" for name in ("os", "ois", "or")),
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/coll-selector:ompi",
    *(f"--log={name}.thres:error" for name in ("root", "smpi_mpi", "smpi_pmpi")),
)


@dataclass(frozen=True)
class Case:
    """A program on a cluster, by the names of the thesis: 8A of FT, 32S of Euler3D."""

    program: str
    machine: str
    ranks: int
    size: str

    @property
    def name(self) -> str:
        """Name such as ``laki_8A``."""
        return f"{self.machine}_{self.ranks}{self.size}"

    @property
    def message(self) -> int:
        """Bytes of a message: FT's block for each rank, or a face of Euler3D's block."""
        if self.program == "ft":
            points: list[int] = _published("sizes")["ft"][self.size]["points"]
            return _COMPLEX * math.prod(points) // self.ranks**2
        return _CELLS[self.size] ** 2 * _VARIABLES * _REAL

    @property
    def sent(self) -> int:
        """Bytes that a rank sends to other ranks in an iteration."""
        if self.program == "ft":
            return (self.ranks - 1) * self.message
        return _EXCHANGES * _FACES * self.message

    @property
    def codelets(self) -> tuple[str, ...]:
        """Names of the codelets whose simulation fits into memory."""
        if self.program == "ft":
            return tuple(one for one in _ALLTOALL if not (self._is_large and one.startswith("Bruck")))
        return _NEIGHBORHOOD

    @property
    def _is_large(self) -> bool:
        """Whether the simulation of one codelet needs 9 GB of memory.

        A Bruck algorithm keeps the buffers of all rounds and needs more than 23 GB.
        """
        return (self.program, self.ranks) == ("ft", 128)

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Codelets that one simulation runs: one at a time in a large case."""
        return [(one,) for one in self.codelets] if self._is_large else [self.codelets]

    def arguments(self, codelets: Sequence[str]) -> list[str]:
        """Return the options of adcl-bench that select codelets and messages."""
        pattern = "alltoall" if self.program == "ft" else "neighborhood"
        names = ["--codelets", ",".join(f"{pattern}:{one}" for one in codelets)]
        if self.program == "ft":
            return [*names, "--bytes", str(self.message)]
        return [*names, "--block", str(_CELLS[self.size]), "--components", str(_VARIABLES)]


def _cases(program: str, machine: str, *which: tuple[int, str]) -> tuple[Case, ...]:
    return tuple(Case(program, machine, ranks, size) for ranks, size in which)


CASES = (
    *_cases("ft", "laki", (8, "A"), (8, "B"), (32, "B"), (32, "C")),
    *_cases("euler3d", "shark", (8, "XS"), (16, "XS"), (32, "XS"), (48, "XS"), (8, "S"), (16, "S"), (32, "S")),
    *_cases("euler3d", "laki", (32, "S"), (64, "S"), (128, "S"), (32, "L"), (64, "L"), (128, "L")),
    *_cases("ft", "laki", (128, "C")),  # last: it takes most of the time
)
"""Test cases of Figure 4.3 and Table 5.2 to 128 ranks."""

_QUICK = tuple(one for one in CASES if one.name in ("laki_8A", "shark_8XS", "shark_16XS"))


@dataclass(frozen=True)
class Measured:
    """Simulated time of a codelet in one case."""

    program: str
    case: str
    codelet: str
    message: int
    seconds: float


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: adcl-bench, built for SMPI."""
    return [("smpi", "adcl-bench")]


def _published(study: str) -> dict[str, Any]:
    return tomllib.loads((_THESIS / study / "published.toml").read_text(encoding="utf-8"))


def of_bench(case: Case, lines: Iterable[str]) -> list[Measured]:
    """Convert the records of adcl-bench. Raises `StudyError` if a codelet is missing or sent other messages."""
    found = []
    for line in lines:
        record = json.loads(line)
        known = record["parameters"]
        sent = known["bytes"] if case.program == "ft" else known["block"] ** 2 * known["components"] * _REAL
        if sent != case.message or known["p"] != case.ranks:
            raise StudyError(f"{case.name}: adcl-bench sent {sent} bytes on {known['p']} ranks, not {case.message}")
        codelet = record["function"].partition(":")[2]
        times = sorted(record["repetitions"])
        found.append(Measured(case.program, case.name, codelet, sent, times[len(times) // 2]))
    return found


def _run(case: Case, codelets: Sequence[str], work: Path) -> list[Measured]:
    hosts = work / f"{case.machine}.hosts"
    count = math.ceil(case.ranks / _CORES[case.machine])
    hosts.write_text("".join(f"{case.machine}{host}:{_CORES[case.machine]}\n" for host in range(count)), "utf-8")
    command = ["smpirun", "-np", str(case.ranks), "-platform", str(_HERE / f"{case.machine}.xml")]
    command += ["-hostfile", str(hosts), *_SETTINGS, str(_BENCH), *case.arguments(codelets)]
    command += ["--repetitions", "3", "--warmup", "1", "--start", "barrier"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StudyError(f"{case.name}: the simulation failed: {done.stderr.strip()[-800:]}")
    return of_bench(case, done.stdout.splitlines())


def measure(place: Place) -> None:
    """Run the missing simulations. Raises `StudyError`."""
    if shutil.which("smpirun") is None:
        raise StudyError("SimGrid's smpirun was not found; install it (Debian: libsimgrid-dev)")
    store = place.work / "measured.jsonl"
    known = {(one.case, one.codelet) for one in _read(store)} if store.exists() else set()
    for case in _QUICK if place.quick else CASES:
        for codelets in case.groups:
            if not known.issuperset((case.name, one) for one in codelets):
                lines = [json.dumps(asdict(one), separators=(",", ":")) for one in _run(case, codelets, place.work)]
                with store.open("a", encoding="utf-8") as file:
                    file.write("".join(f"{line}\n" for line in lines))
                print(case.name, *(codelets if len(case.groups) > 1 else ()), flush=True)
    shutil.copy(store, place.records)


def _read(path: Path) -> list[Measured]:
    return [Measured(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _near(own: Sequence[Measured], extreme: float) -> list[str]:
    """Return the codelets whose time is near the best or worst time."""
    return [one.codelet for one in own if abs(one.seconds - extreme) <= extreme * _TIE_PERCENT / 100]


def _extremes(own: Sequence[Measured]) -> tuple[list[str], list[str]]:
    times = [one.seconds for one in own]
    return _near(own, min(times)), _near(own, max(times))


def _gain(own: Sequence[Measured]) -> float:
    """Return the gain of the best codelet relative to the native codelet in percent (section 4.2.3)."""
    native = next(one.seconds for one in own if one.codelet == "Native")
    return 100 * (native - min(one.seconds for one in own)) / native


def _by_case(records: Sequence[Measured]) -> dict[Case, list[Measured]]:
    return {
        case: own
        for case in CASES
        if (own := [one for one in records if (one.program, one.case) == (case.program, case.name)])
    }


def _ft_statements(cases: dict[Case, list[Measured]], printed: dict[str, Any]) -> list[Statement]:
    found, names = [], printed["codelets"]
    for case, own in cases.items():
        best, _ = _extremes(own)
        for library in ("impi", "ompi"):
            name = f"{case.machine}_{library}_{case.ranks}{case.size}"
            if name in printed["gains"]:
                codelet, gain, _ = printed["gains"][name]
                shown = names.get(codelet, "blocks of 8")
                text = f"{name}: the best codelet is {codelet} ({shown}), with a gain of {gain} %."
                here = f"{', '.join(best)}; gain {_gain(own):.2f} %"
                found.append(Statement(text, "4.2.3", here, None if codelet not in names else shown in best))
        listed = [one for one in printed["gains"] if one.endswith(f"_{case.ranks}{case.size}")]
        if listed:
            text = f"{case.ranks}{case.size}: on some system, another codelet than the native codelet is best."
            found.append(Statement(text, "4.2.3", f"{', '.join(best)}", "Native" not in best))
    return of("Figure 4.3, simulated", found)


def _euler_statements(cases: dict[Case, list[Measured]], printed: dict[str, Any]) -> list[Statement]:
    found = []
    for case, own in cases.items():
        name = f"{case.name}_{'ib' if case.machine == 'laki' else 'eth'}"
        for what, ours in zip(("best", "worst"), _extremes(own), strict=True):
            theirs = printed[what].get(name)
            if theirs:
                text = f"{name}: {what} are {', '.join(theirs)}; one of them is {what} here."
                found.append(Statement(text, "5.3.3.2", ", ".join(ours), bool(set(ours) & set(theirs))))
    return of("Table 5.2, simulated", found)


def _messages(cases: Sequence[Case]) -> tuple[str, list[Statement]]:
    """Compare the messages of the simulations with the profiler's counts for the programs."""
    lines = (_THESIS / "sizes" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    counted_bytes = {(one["program"], one["case"], one["ranks"]): one["bytes"] for one in map(json.loads, lines)}
    rows, same = [], []
    for case in cases:
        size = case.size if case.program == "ft" else str(_CELLS[case.size])
        ranks = case.ranks if case.program == "ft" else 8
        sent = counted_bytes.get((case.program, size, ranks))
        rows.append(
            (case.name, case.program, f"{case.message}", f"{case.sent}", "–" if sent is None else f"{sent:.0f}")
        )
        if sent is not None:
            same.append(sent == case.sent)
    headers = (
        "case",
        "program",
        "bytes of a message",
        "bytes that a rank sends per iteration",
        "counted in the program",
    )
    text = "The simulations send as many bytes as the programs, whose messages the profiler counts."
    held = Statement(text, "2.4", f"{sum(same)} of {len(same)} cases", all(same) if same else None)
    return table(headers, rows), of("Message sizes, simulated", [held])


def _times(cases: dict[Case, list[Measured]], codelets: Sequence[str]) -> str:
    rows = []
    for case, own in cases.items():
        known = {one.codelet: f"{1e6 * one.seconds:.0f}" for one in own}
        rows.append((case.name, *(known.get(name, "–") for name in codelets)))
    return table(("µs by codelet", *codelets), rows)


def _gains(cases: dict[Case, list[Measured]], printed: dict[str, Any]) -> str:
    """Return a table with the best codelet and its gain for each case of FT, here and in Figure 4.3.

    A dash marks a case that the figure does not list.
    """
    rows = []
    for case, own in cases.items():
        cells = [case.name, ", ".join(_extremes(own)[0]), f"{_gain(own):.2f}"]
        for library in ("impi", "ompi"):
            codelet, gain, apart = printed["gains"].get(f"{case.machine}_{library}_{case.ranks}{case.size}", ("", 0, 0))
            name = printed["codelets"].get(codelet, "blocks of 8")
            cells.append(f"{codelet} ({name}), {gain:.2f} ± {apart:.2f}" if codelet else "–")
        rows.append(tuple(cells))
    headers = ("case", "best here", "gain here [%]", "Intel MPI in the thesis", "Open MPI in the thesis")
    return table(headers, rows)


def render(place: Place) -> Rendered:
    """Return the times, best and worst codelets, and the statements of the thesis."""
    cases = _by_case(_read(place.records))
    ft = {case: own for case, own in cases.items() if case.program == "ft"}
    euler = {case: own for case, own in cases.items() if case.program == "euler3d"}
    messages, same = _messages(list(cases))
    every = [*same, *_ft_statements(ft, _published("ft")), *_euler_statements(euler, _published("euler3d"))]
    values = {
        "messages": messages,
        "ft": _times(ft, _ALLTOALL),
        "gains": _gains(ft, _published("ft")),
        "euler3d": _times(euler, _NEIGHBORHOOD),
        "statements": statement_table(every),
    }
    for case, own in cases.items():
        values[f"{case.name}/best"] = ", ".join(_extremes(own)[0])
    return Rendered(values, {}, (counted(every, place.study),), tuple(every))
