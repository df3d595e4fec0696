"""Read the TOML file of an evaluation."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl._toml_table import load
from adcl.evaluate._timed import TimeSource
from adcl.launch import ANYWHERE, Placement, read_placement

if TYPE_CHECKING:
    from adcl._toml_table import TomlTable

__all__ = ["SCHEMA", "Combination", "Evaluation", "EvaluationSetting", "Timing", "read_evaluation"]

SCHEMA = 1
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_OWN = ("ranks", "json")


@dataclass(frozen=True, slots=True)
class EvaluationSetting:
    """One problem: a number of ranks, and values of the parameters."""

    ranks: int
    parameters: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Name in tables."""
        return " ".join([f"ranks={self.ranks}", *(f"{name}={value}" for name, value in self.parameters)])


@dataclass(frozen=True, slots=True)
class Timing:
    """A timing technique: a value of ADCL_TIMING, or arguments and variables for a technique of the program itself."""

    name: str
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Combination:
    """Search, statistical method, timing technique and number of measurements of a tuned run."""

    search: str
    outliers: str
    timing: str
    measurements: int | None
    """Measurements per codelet (n_m); None: the library's default."""

    @property
    def name(self) -> str:
        """Name in messages and tables."""
        count = "" if self.measurements is None else f" n_m={self.measurements}"
        return f"{self.search} {self.outliers} {self.timing}{count}"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Contents of the file. A program whose name contains a slash has been resolved to an absolute path."""

    path: Path
    name: str
    program: str
    arguments: tuple[str, ...]
    settings: tuple[EvaluationSetting, ...]
    time: TimeSource
    runs: int
    """Number of repetitions of each run (n_r)."""

    function_set: str | None
    codelets: tuple[str, ...]
    """Codelets to verify; empty: all codelets that the program's searches have in common."""

    fastest: int | None
    """Verify only this number of codelets, the fastest in a short run, and the native codelet."""

    native: str | None
    give_up: float
    """Stop a verification run after the shortest time of its setting multiplied by this factor."""

    timings: tuple[Timing, ...]
    combinations: tuple[Combination, ...]
    original: tuple[str, tuple[str, ...]] | None
    """Program and arguments without ADCL."""

    mpi: str | None = None
    timeout_s: float | None = None
    environment: tuple[tuple[str, str], ...] = ()
    placement: Placement = ANYWHERE
    on: str | None = None

    @property
    def digest(self) -> str:
        """Hash that identifies the evaluation; independent of the number of runs."""
        parts = {name: getattr(self, name) for name in (field.name for field in dataclasses.fields(self))}
        kept = {name: value for name, value in parts.items() if name not in ("path", "name", "runs", "timeout_s")}
        return hashlib.sha256(repr(kept).encode()).hexdigest()[:16]

    def timing(self, name: str) -> Timing:
        """Return the timing technique with this name."""
        return next(one for one in self.timings if one.name == name)


def _ranks(table: TomlTable) -> tuple[int, ...]:
    value = table.raw("ranks")
    numbers = value if isinstance(value, list) else [2 if value is None else value]
    if not numbers or not all(isinstance(one, int) and not isinstance(one, bool) and one >= 1 for one in numbers):
        table.fail(f"invalid numbers of ranks {value!r}; write for example ranks = [2, 4]", "ranks")
    return tuple(dict.fromkeys(numbers))


def _parameters(table: TomlTable) -> list[tuple[str, tuple[str, ...]]]:
    found = []
    for name, value in table.values.items():
        table.raw(name)
        row = value if isinstance(value, list) else [value]
        if not row or not all(isinstance(one, int | float | str) and not isinstance(one, bool) for one in row):
            table.fail(f"expected strings or numbers, found {value!r}", name)
        if name in _OWN:
            table.fail("this name is reserved; choose another", name)
        found.append((name, tuple(str(one) for one in row)))
    return found


def _program(table: TomlTable, name: str) -> str:
    return str((table.file.parent / name).absolute()) if "/" in name and not Path(name).is_absolute() else name


def _check_placeholders(table: TomlTable, arguments: tuple[str, ...], known: set[str]) -> None:
    for argument in arguments:
        for name in _PLACEHOLDER.findall(argument):
            if name not in known:
                table.fail(f"{{{name}}} is not a parameter; known parameters: {', '.join(sorted(known))}", "arguments")


def _variables(table: TomlTable) -> tuple[tuple[str, str], ...]:
    return tuple((name, table.text(name) or "") for name in table.values)


def _timings(root: TomlTable, tuned: TomlTable) -> tuple[Timing, ...]:
    own = []
    for table in root.tables("timing"):
        name = table.required("name", '"timer"')
        own.append(Timing(name, table.texts("arguments"), _variables(table.table("environment"))))
        table.finish()
    names = tuned.texts("timings") or (() if own else ("arrival",))
    known = {one.name for one in own}
    plain = [Timing(name, (), (("ADCL_TIMING", name),)) for name in names if name not in known]
    return (*plain, *own)


def _measurements(tuned: TomlTable) -> list[int | None]:
    value = tuned.raw("measurements")
    rows: list[Any] = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(one, int) and not isinstance(one, bool) and one >= 1 for one in rows):
        tuned.fail(
            f"invalid numbers of measurements {value!r}; write for example measurements = [10, 20]", "measurements"
        )
    return rows or [None]


def _tuned(root: TomlTable) -> tuple[tuple[Timing, ...], tuple[Combination, ...]]:
    tuned = root.table("tuned")
    timings = _timings(root, tuned)
    counts = _measurements(tuned)
    searches = tuned.texts("searches") or ("model",)
    outliers = tuned.texts("outliers") or ("none",)
    tuned.finish()
    every = itertools.product(searches, outliers, [one.name for one in timings], counts)
    return timings, tuple(dict.fromkeys(Combination(*one) for one in every)) if root.has("tuned") else ()


def _original(root: TomlTable, program: str, known: set[str]) -> tuple[str, tuple[str, ...]] | None:
    if not root.has("original"):
        return None
    table = root.table("original")
    found = (_program(table, table.text("program") or program), table.texts("arguments"))
    _check_placeholders(table, found[1], known)
    table.finish()
    return found


def read_evaluation(path: Path) -> Evaluation:
    """Read the file. Raises `StudyError` with file, line, key, value and remedy."""
    root = load(path)
    schema = root.whole("schema", SCHEMA)
    if schema != SCHEMA:
        root.fail(f"unknown schema {schema}; this adcl reads {SCHEMA}", "schema")
    run = root.table("run")
    program = _program(run, run.required("program", '"./solver"'))
    arguments = run.texts("arguments")
    parameters = _parameters(run.table("parameters"))
    known = {*_OWN, *(name for name, _ in parameters)}
    _check_placeholders(run, arguments, known)
    every = itertools.product(*([(name, value) for value in values] for name, values in parameters))
    chosen = [tuple(one) for one in every]
    verification = root.table("verification")
    timings, combinations = _tuned(root)
    evaluation = Evaluation(
        path=path,
        name=root.text("name", path.stem) or path.stem,
        program=program,
        arguments=arguments,
        settings=tuple(EvaluationSetting(ranks, one) for ranks in _ranks(run) for one in chosen),
        time=TimeSource.read(root.table("time"), arguments),
        runs=root.whole("runs", 3, least=1) or 3,
        function_set=verification.text("set"),
        codelets=verification.texts("codelets"),
        fastest=verification.whole("fastest", None, least=1),
        native=verification.text("native"),
        give_up=verification.number("give_up", 5.0, least=1.5),
        timings=timings,
        combinations=combinations,
        original=_original(root, program, known),
        mpi=run.text("mpi"),
        timeout_s=run.number("timeout_s", 0.0) or None,
        environment=_variables(run.table("environment")),
        placement=read_placement(run),
        on=run.text("on"),
    )
    if evaluation.codelets and evaluation.fastest:
        verification.fail("codelets and fastest exclude each other; remove one", "fastest")
    for table in (run, verification, root):
        table.finish()
    return evaluation
