"""Plan of a sweep: jobs for every setting, repeated, in random order."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.launch import ANYWHERE, Placement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl._toml_table import TomlTable

__all__ = ["RunPlan", "Task", "planned", "read_plan"]

_RANGE = re.compile(r"(\d+)\s*\.\.\s*(\d+)")
_WORD = re.compile(r"[A-Za-z_][\w.+:-]*")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_OWN = ("ranks", "job", "run")
_THREADS = "threads"
_NEIGHBORS = ("neighbors", "neighbours")
"""Key of a study file, and its spelling in earlier versions."""

_NODES, _PER_NODE = "nodes", "ranks_per_node"
OVERSUBSCRIBED = ("refuse", "mark")


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Command of a benchmark. The program prints records (see `Measurement`); other output is ignored."""

    program: str
    arguments: tuple[str, ...] = ()
    """``{ranks}``, ``{job}``, ``{run}`` and ``{name}`` of a parameter are replaced."""

    ranks: tuple[int, ...] = (1,)
    parameters: tuple[tuple[str, tuple[float | str, ...]], ...] = ()
    """Parameters; every combination is run.

    The parameter "threads" is the number of threads per rank. Values are numbers or words; models vary numbers, and
    each word has a separate model.
    """

    jobs: int = 1
    """Number of jobs for each setting."""

    mpi: str | None = None
    timeout_s: float | None = None
    environment: tuple[tuple[str, str], ...] = ()
    """Variables of the ranks; the same placeholders are replaced."""

    oversubscribed: str = "refuse"
    """Treatment of oversubscribed times: refuse, or mark."""

    placement: Placement = ANYWHERE
    on: str | None = None
    """Name of a testbed cluster."""

    batch_options: tuple[str, ...] = ()
    """Additional options of sbatch."""

    nodes: tuple[int, ...] = ()
    """Numbers of nodes; every combination with `ranks_per_node` is run, and `ranks` has the products."""

    ranks_per_node: tuple[int, ...] = ()
    """Numbers of ranks per node, only with `nodes`; otherwise `placement` has the single value."""

    @property
    def layouts(self) -> tuple[tuple[int, int], ...]:
        """Pairs of ranks and ranks per node; without `nodes` the latter number is 0, and `placement` applies."""
        if not self.nodes:
            return tuple((ranks, 0) for ranks in self.ranks)
        return tuple((nodes * each, each) for nodes in self.nodes for each in self.ranks_per_node)

    @property
    def max_cores_used(self) -> int:
        """Number of cores that the largest job uses."""
        threads = [int(value) for name, values in self.parameters if name == _THREADS for value in values]
        return max(self.ranks) * max(threads, default=1)

    @property
    def digest(self) -> str:
        """Hash that identifies the measured program; excludes the values that are swept."""
        import hashlib

        where = self.placement
        what = (self.program, self.arguments, self.environment, self.mpi, where.platform, where.hostfile)
        more: tuple[object, ...] = (where.ranks_per_node, where.launcher_options)
        if self.on is not None:
            more = (*more, self.on)
        return hashlib.sha256(repr((*what, *more)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Task:
    """One job of a sweep."""

    key: str
    ranks: int
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    threads: int = 1
    """Number of threads per rank, if there is a parameter of that name."""

    ranks_per_node: int = 0
    """Number of ranks per node if the plan varies it, otherwise 0."""

    words: tuple[tuple[str, str], ...] = ()
    """Word-valued parameters with this job's values."""

    @property
    def busy(self) -> int:
        """Number of cores that the job uses."""
        return self.ranks * self.threads


def _powers(first: int, last: int) -> list[int]:
    found, one = [], 1
    while one <= last:
        if one >= first:
            found.append(one)
        one *= 2
    return found


def _ranks(table: TomlTable) -> tuple[int, ...]:
    """Parse integers, or ``"2..64"`` for the powers of two in a range; with `neighbors`, include adjacent numbers."""
    neighbors = [table.flag(key, default=False) for key in _NEIGHBORS]
    found = _counts(table, "ranks", (1,))
    if any(neighbors):
        found = tuple(near for rank in found for near in (rank - 1, rank, rank + 1) if near >= 1)
    return tuple(sorted(set(found)))


def _counts(table: TomlTable, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
    value = table.raw(key)
    numbers: Iterable[int]
    if value is None:
        return default
    if isinstance(value, str) and (found := _RANGE.fullmatch(value.strip())):
        numbers = _powers(int(found[1]), int(found[2]))
    else:
        numbers = value if isinstance(value, list) else [value]
    ranks = list(numbers)
    if not ranks or not all(isinstance(rank, int) and not isinstance(rank, bool) and rank >= 1 for rank in ranks):
        table.fail(
            f'{value!r} does not contain {_COUNTED[key]} counts; write "2..64" for powers of two, or a list such as '
            "[2, 4, 6]",
            key,
        )
    return tuple(sorted(set(ranks)))


_COUNTED = {"ranks": "rank", _NODES: "node", _PER_NODE: "rank"}


def _layout(table: TomlTable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return numbers of nodes and of ranks per node; both are empty if the table has no ``nodes``.

    As in JuBE's sweep in section 3.2 of Shudler et al., both are ranges, with one batch job for each combination.
    """
    if not table.has(_NODES):
        return (), ()
    for key in ("ranks", *_NEIGHBORS):
        if table.has(key):
            table.fail(f"nodes and ranks_per_node determine the ranks; omit {key}", key)
    if not table.has(_PER_NODE):
        table.missing(_PER_NODE, "[1, 2, 4]")
    nodes, each = _counts(table, _NODES, ()), _counts(table, _PER_NODE, ())
    del table.values[_PER_NODE]  # swept here, so not part of the placement
    return nodes, each


def _parameters(table: TomlTable) -> tuple[tuple[str, tuple[float | str, ...]], ...]:
    found = []
    for name, value in table.values.items():
        table.raw(name)
        row = value if isinstance(value, list) else [value]
        words = all(isinstance(one, str) and _WORD.fullmatch(one) for one in row)
        if not row or not (words or all(isinstance(one, int | float) and not isinstance(one, bool) for one in row)):
            table.fail(
                f"expected numbers, or words (a letter, then letters, digits, and . _ + : -), found {value!r}", name
            )
        if name in _OWN:
            table.fail("this name is reserved; choose another", name)
        if name == _THREADS and not all(isinstance(one, int) and one >= 1 for one in row):
            table.fail(f"expected integers of at least 1, found {value!r}", name)
        found.append((name, tuple(row)))
    return tuple(found)


def read_plan(table: TomlTable) -> RunPlan:
    """Read the table ``[run]``. Raises `StudyError`."""
    from adcl.launch import read_placement

    program = table.required("program", '"adcl-bench"')
    if "/" in program and not Path(program).is_absolute():
        program = str((table.file.parent / program).absolute())
    environment = table.table("environment")
    nodes, each = _layout(table)
    plan = RunPlan(
        program=program,
        arguments=table.texts("arguments"),
        ranks=tuple(sorted({a * b for a in nodes for b in each})) if nodes else _ranks(table),
        parameters=_parameters(table.table("parameters")),
        jobs=table.whole("jobs", 1, least=1) or 1,
        mpi=table.text("mpi"),
        timeout_s=table.number("timeout_s", 0.0) or None,
        environment=tuple((name, environment.text(name) or "") for name in environment.values),
        oversubscribed=table.choice("oversubscribed", OVERSUBSCRIBED, "refuse"),
        placement=read_placement(table),
        on=table.text("on"),
        batch_options=table.texts("batch_options"),
        nodes=nodes,
        ranks_per_node=each,
    )
    known = {*_OWN, *((_NODES, _PER_NODE) if nodes else ()), *(name for name, _ in plan.parameters)}
    texts = [("arguments", argument) for argument in plan.arguments]
    texts += [("environment", value) for _, value in plan.environment]
    for key, text in texts:
        for name in _PLACEHOLDER.findall(text):
            if name not in known:
                table.fail(
                    f"{{{name}}} is not a parameter of this run; known parameters: {', '.join(sorted(known))}", key
                )
    table.finish()
    return plan


def _filled(argument: str, words: dict[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: words[found[1]], argument)


def planned(plan: RunPlan, run: str, seed: int) -> list[Task]:
    """Return all jobs of a sweep in an order determined by the seed.

    The random order spreads the measurements of each setting over time.
    """
    names = [name for name, _ in plan.parameters]
    tasks = []
    for job in range(1, plan.jobs + 1):
        for ranks, each in plan.layouts:
            for values in itertools.product(*(row for _, row in plan.parameters)):
                words = {"ranks": str(ranks), "job": str(job), "run": run}
                if each:
                    words |= {_NODES: str(ranks // each), _PER_NODE: str(each)}
                own = dict(zip(names, values, strict=True))
                words |= {name: one if isinstance(one, str) else f"{one:.17g}" for name, one in own.items()}
                key = " ".join(f"{name}={word}" for name, word in words.items() if name != "run")
                arguments = tuple(_filled(argument, words) for argument in plan.arguments)
                environment = tuple((name, _filled(value, words)) for name, value in plan.environment)
                threads = int(words.get(_THREADS, "1"))
                own_words = tuple((name, one) for name, one in own.items() if isinstance(one, str))
                tasks.append(Task(key, ranks, arguments, environment, threads, each, own_words))
    import random

    random.Random(seed).shuffle(tasks)  # noqa: S311 - not used for cryptography
    return tasks
