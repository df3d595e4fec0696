"""The demonstration: solver3d with ADCL and with every hand-written halo exchange, and one table.

Every round runs all exchanges of each size once, one after the other in a random order, so that whatever else the
machine does hits all of them alike. ADCL is compared with each of the others within a round; shown are the medians over
the rounds, and the quartiles.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from adcl.errors import AdclError, UsageError
from adcl.launch import Job, Launcher, detect, run, usable_cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Comparison", "Plan", "Row", "compare", "main", "summarise", "table"]

_ROOT = Path(__file__).resolve().parents[2]
_SIZES = ("32x32x32", "64x32x32", "64x64x32")
_TWINS = ("fcfs", "fcfs-pack", "ordered", "overlap", "neighbor")
_TIE = 0.02
"""Choices are as good as each other where exchanges take as long, within this."""
_ADCL = "adcl"
_QUICK_ROUNDS = 3
_MOST_RANKS = 4
"""Unless --ranks says otherwise; fewer where there are fewer cores: ranks that share one measure the scheduler."""

Records = dict[tuple[str, str], list[dict[str, Any]]]
"""What solver3d said, round by round, of each size and exchange."""


@dataclass(frozen=True)
class Plan:
    """What is to be run."""

    program: Path
    launcher: Launcher
    ranks: int
    cores: int
    """That this process may use."""

    iterations: int
    rounds: int
    budget_s: float
    """No further round begins when it would end later than this after the start."""

    timeout_s: float
    output: Path
    sizes: tuple[str, ...] = _SIZES
    exchanges: tuple[str, ...] = (_ADCL, *_TWINS)


@dataclass(frozen=True)
class Comparison:
    """How much less time ADCL took than another exchange, as a fraction of the other's; negative: more."""

    median: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Row:
    """A line of the table: one size, one exchange."""

    size: str
    exchange: str
    total_s: float
    per_exchange_s: float
    gain: Comparison | None
    """Of ADCL over this exchange; None for ADCL itself."""

    winners: dict[str, int]
    """What ADCL chose, and in how many rounds; "" stands for no choice yet."""

    exchange_s: dict[str, float]
    """Of each choice the median time of an exchange after the search, over the rounds that chose it."""

    searching_iterations: float
    iterations: int


def compare(adcl: Sequence[float], other: Sequence[float]) -> Comparison:
    """Compare times of the same rounds: median and quartiles of the relative gain."""
    gains = [1.0 - mine / theirs for mine, theirs in zip(adcl, other, strict=True)]
    if len(gains) == 1:
        return Comparison(gains[0], gains[0], gains[0])
    lower, _, upper = statistics.quantiles(gains, n=4, method="inclusive")
    return Comparison(statistics.median(gains), lower, upper)


def summarise(records: Records, sizes: Sequence[str], exchanges: Sequence[str]) -> list[Row]:
    """Make the rows of the table, size by size in the given order."""
    rows = []
    for size in sizes:
        adcl_times = [record["seconds"]["total"] for record in records[size, _ADCL]]
        for exchange in exchanges:
            mine = records[size, exchange]
            times = [record["seconds"]["total"] for record in mine]
            tunings = [record["tuning"] for record in mine if record["tuning"] is not None]
            winners = [tuning["winner"] for tuning in tunings]
            exchange_s = [record["seconds"]["per_exchange"] for record in mine if record["tuning"] is not None]
            searched = [
                record["tuning"]["searching_starts"] * record["iterations"] / record["exchanges"]
                for record in mine
                if record["tuning"] is not None
            ]
            rows.append(
                Row(
                    size=size,
                    exchange=exchange,
                    total_s=statistics.median(times),
                    per_exchange_s=statistics.median(record["seconds"]["per_exchange"] for record in mine),
                    gain=None if exchange == _ADCL else compare(adcl_times, times),
                    winners={name: winners.count(name) for name in sorted(set(winners), key=winners.count)[::-1]},
                    exchange_s={
                        name: statistics.median(s for s, one in zip(exchange_s, winners, strict=True) if one == name)
                        for name in set(winners)
                    },
                    searching_iterations=statistics.median(searched) if searched else 0.0,
                    iterations=mine[0]["iterations"],
                )
            )
    return rows


def _percent(fraction: float) -> str:
    return f"{100.0 * fraction:+.1f}"


def _told(row: Row) -> str:
    """What the table says about ADCL in this row."""
    if row.gain is not None:
        median, lower, upper = map(_percent, (row.gain.median, row.gain.lower, row.gain.upper))
        return f"{median} % ({lower} … {upper})"
    searched = f"searched {row.searching_iterations:.0f} of {row.iterations} iterations"
    if len(row.winners) == 1:
        return f"chose {next(iter(row.winners)) or 'none yet'}\n{searched}"
    rounds = sum(row.winners.values())
    chosen = "\n".join(
        f"{times} x {name or 'none yet'}, {1e6 * row.exchange_s[name]:.1f} us" for name, times in row.winners.items()
    )
    apart = max(row.exchange_s.values()) / min(row.exchange_s.values()) - 1.0
    alike = f",\nas fast as each other ({100.0 * _TIE:.0f} %)" if apart <= _TIE else ""
    return f"chose {len(row.winners)} codelets in {rounds} rounds{alike}:\n{chosen}\n{searched}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def table(rows: Sequence[Row], plan: Plan, rounds: int) -> Table:
    """Draw the rows."""
    where = f"{_count(plan.ranks, 'rank')} on {_count(plan.cores, 'core')}"
    if plan.ranks == 1:
        where += " (which has no neighbours)"
    result = Table(
        title=f"solver3d, {where}, {rows[0].iterations} iterations, {_count(rounds, 'round')}",
        caption="Times are medians over the rounds; per exchange: after the search.\n"
        "Bold: the fastest. ADCL's gain is the time it saves against the exchange of\n"
        "that line, its search included, compared within each round: median\n"
        "(quartiles). Negative: ADCL was slower.",
        caption_justify="left",
        title_justify="left",
    )
    result.add_column("\npoints per\nprocess")
    result.add_column("\n\nexchange")
    result.add_column("\ntime\nin s", justify="right")
    result.add_column("per\nexchange\nin us", justify="right")
    result.add_column("\n\nADCL's choice, and its gain", overflow="fold")
    fastest = {size: min(row.total_s for row in rows if row.size == size) for size in {row.size for row in rows}}
    for index, row in enumerate(rows):
        first = index == 0 or rows[index - 1].size != row.size
        last = index + 1 == len(rows) or rows[index + 1].size != row.size
        result.add_row(
            row.size if first else "",
            row.exchange,
            f"{row.total_s:.3f}",
            f"{1e6 * row.per_exchange_s:.1f}" if row.per_exchange_s > 0.0 else "—",
            Text(_told(row)),
            style="bold" if row.total_s == fastest[row.size] else None,
            end_section=last,
        )
    return result


def conclusions(rows: Sequence[Row]) -> list[str]:
    """Say for each size, in a sentence, what ADCL has gained over the fastest of the others."""
    sentences = []
    for ours in (row for row in rows if row.exchange == _ADCL):
        others = [(row, row.gain) for row in rows if row.size == ours.size and row.gain is not None]
        if not others:
            continue
        best, gain = min(others, key=lambda other: other[0].total_s)
        if gain.lower > 0.0 or gain.upper < 0.0:
            what = f"ADCL took {abs(100.0 * gain.median):.1f} % {'less' if gain.median > 0.0 else 'more'} time than"
        else:
            what = "nothing was to be gained: no difference is seen from"
        sentences.append(f"{ours.size}: {what} {best.exchange}, the fastest of the others.")
    return sentences


def _run_one(plan: Plan, size: str, exchange: str, index: int) -> dict[str, Any]:
    """Run solver3d once and return its record."""
    file = plan.output / f"{size}-{exchange}-{index}.json"
    file.unlink(missing_ok=True)
    arguments = ("--size", size, "--exchange", exchange, "--iterations", str(plan.iterations), "--quiet")
    run(
        Job(
            str(plan.program),
            (*arguments, "--json", str(file)),
            ranks=plan.ranks,
            timeout_s=plan.timeout_s,
        ),
        plan.launcher,
    ).check()
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


def _require_same_answer(records: Records, plan: Plan) -> None:
    for size in plan.sizes:
        answers = {record["checksum"]["solution"] for exchange in plan.exchanges for record in records[size, exchange]}
        if len(answers) != 1:
            raise AdclError(
                f"the exchanges lead to {len(answers)} different answers for {size} points per process; "
                f"the records are in {plan.output}"
            )


def _rounds(plan: Plan) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Yield what each round runs, in its order, as long as there is time."""
    order = random.Random(0)  # noqa: S311 - an order, not a secret
    begun = time.monotonic()
    for index in range(plan.rounds):
        if index > 0 and (time.monotonic() - begun) * (index + 1) / index > plan.budget_s:
            return
        runs = []
        for size in plan.sizes:
            runs += [(size, exchange) for exchange in order.sample(plan.exchanges, len(plan.exchanges))]
        yield index, runs


def execute(plan: Plan, console: Console) -> Records:
    """Run everything, showing how far it is."""
    records: Records = {(size, exchange): [] for size in plan.sizes for exchange in plan.exchanges}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=plan.rounds * len(records))
        for index, runs in _rounds(plan):
            if not console.is_terminal:
                console.print(f"round {index + 1} of {plan.rounds} at most")
            for size, exchange in runs:
                progress.update(task, description=f"round {index + 1}: {size} {exchange}")
                records[size, exchange].append(_run_one(plan, size, exchange, index))
                progress.advance(task)
    return records


def _parse(arguments: Sequence[str]) -> Plan:
    parser = argparse.ArgumentParser(
        prog="demo.py",
        description="Runs solver3d with ADCL and with every hand-written exchange, and ends with one table.",
        epilog="examples: demo.py --preset openmpi    demo.py --build build/mpich --mpi mpich --ranks 2 --quick",
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--build", "--build-dir", type=Path, metavar="FOLDER", help="build folder (build/openmpi)")
    place.add_argument("--preset", default="openmpi", metavar="NAME", help="the same as --build build/NAME")
    parser.add_argument("--mpi", metavar="LAUNCHER", help="launcher to use, a path or a name (the one that fits)")
    cores = usable_cores()
    parser.add_argument(
        "--ranks",
        type=int,
        default=min(_MOST_RANKS, cores),
        metavar="N",
        help=f"number of processes (one per core, {_MOST_RANKS} at most)",
    )
    parser.add_argument("--iterations", type=int, default=500, metavar="N", help="iterations of the solver (500)")
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="repetitions at most (15)")
    parser.add_argument(
        "--minutes", type=float, default=2.0, metavar="M", help="time to stay within, one round at least (2)"
    )
    parser.add_argument("--output", type=Path, default=_ROOT / "build/demo", metavar="FOLDER", help="for the records")
    parser.add_argument("--quick", action="store_true", help="three rounds, the smallest size alone")
    given = parser.parse_args(arguments)

    for name in ("ranks", "iterations", "rounds"):
        if getattr(given, name) < 1:
            raise UsageError(f"--{name} must be at least 1, not {getattr(given, name)}")
    folder: Path = given.build or _ROOT / "build" / given.preset
    program = folder.resolve() / "bin" / "solver3d"
    if not program.is_file():
        raise UsageError(
            f"{program} is not there: build it with `make demo`, "
            f"or with `cmake --preset {folder.name} && cmake --build build/{folder.name} --target solver3d`"
        )
    return Plan(
        program=program,
        launcher=detect(given.mpi, program=program),
        ranks=given.ranks,
        cores=cores,
        iterations=given.iterations,
        rounds=_QUICK_ROUNDS if given.quick else given.rounds,
        budget_s=60.0 * given.minutes,
        timeout_s=300.0,
        output=given.output.resolve(),
        sizes=_SIZES[:1] if given.quick else _SIZES,
    )


def main(arguments: Sequence[str]) -> int:
    """Entry point; returns the exit code."""
    errors = Console(stderr=True)
    try:
        plan = _parse(arguments)
        plan.output.mkdir(parents=True, exist_ok=True)
        errors.print(f"{plan.program} on {_count(plan.ranks, 'rank')}, started by {plan.launcher}", soft_wrap=True)
        records = execute(plan, errors)
        _require_same_answer(records, plan)
    except AdclError as error:
        errors.print(f"demo.py: {error}", style="red", markup=False, soft_wrap=True)
        return error.exit_code
    except KeyboardInterrupt:
        errors.print("demo.py: interrupted")
        return 130
    rows = summarise(records, plan.sizes, plan.exchanges)
    rounds = len(next(iter(records.values())))
    output = Console()
    output.print(f"The records of all runs are in {plan.output}", soft_wrap=True)
    output.print(table(rows, plan, rounds))
    for sentence in conclusions(rows):
        output.print(sentence, soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
