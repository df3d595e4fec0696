"""Command ``adcl learn``."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from adcl.cli._console import counted, examples, new_app
from adcl.cli._history_folder import HistoryFolder, history_folder
from adcl.cli._placement import Host, Hostfile, LauncherOption, Oversubscribe, Pmi, RanksPerNode, placement
from adcl.cli._runs import progress_bar
from adcl.errors import UsageError

if TYPE_CHECKING:
    from adcl.launch import Placement
    from adcl.learn import LearnResult

__all__ = ["app"]

app = new_app()

_USES = 2
_MEANING = "the winners may not be the fastest when each rank has an idle core"
_EPILOG = examples(
    "adcl learn -n 16 --folder ~/.adcl",
    "adcl learn -n 64 --hostfile nodes --ranks-per-node 32 -f ~/.adcl --time 30m",
    "adcl learn -n 4 -f ~/.adcl halo:3:100:5 allreduce:80",
)


class _ProgressPrinter:
    """Prints one line for each search as it ends, and a progress bar on a terminal."""

    def __init__(self, count: int, width: int) -> None:
        self._width = width
        self._bar = progress_bar()
        if self._bar is not None:
            self._task = self._bar.add_task("", total=count)
            self._bar.start()

    def show(self, one: "LearnResult") -> None:
        line = f"{one.problem:{self._width}}  {one.use:13}  {_outcome(one)}"
        if self._bar is None:
            typer.echo(line)
        else:
            self._bar.print(line, highlight=False, soft_wrap=True)
            self._bar.advance(self._task)

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _outcome(one: "LearnResult") -> str:
    if one.skipped:
        return f"skipped: {one.skipped}"
    if not one.winner:
        return f"not finished in {counted(one.starts, 'start')}"
    how = "verified" if one.known else f"learned in {counted(one.starts, 'start')}, {one.seconds:.1f} s"
    return f"{one.winner}, {how}"


def _summary(seen: "list[LearnResult]", asked: list[str], time_s: float) -> list[str]:
    """Return lines with the number of finished searches, the unfinished searches, and how to continue."""
    known = sum(one.known for one in seen)
    learnt = sum(bool(one.winner) for one in seen) - known
    skipped = sum(bool(one.skipped) for one in seen)
    count = _USES * len(asked)
    text = f"{count} searches: {learnt} learned, {known} verified"
    lines = [text + (f", {skipped} skipped" if skipped else "")]
    finished = Counter(one.problem for one in seen if one.winner or one.skipped)
    missing = [problem for problem in asked if finished[problem] < _USES]
    left = sum(_USES - finished[problem] for problem in missing)
    if left:
        lines.append(f"unfinished searches: {left}, for {', '.join(missing)}")
        more = _duration(2 * time_s)
        lines.append(
            f"run the same command again to continue with these searches; --time {more} doubles the time of each"
        )
    return lines


def _duration(seconds: float) -> str:
    """Format a duration in seconds for --time."""
    return f"{seconds / 60:.0f}m" if seconds >= 600 else f"{max(seconds, 1):.0f}s"  # noqa: PLR2004


def _check_cores(ranks: int, placed: "Placement") -> None:
    from adcl import launch

    if placed.local and placed.oversubscribe is None and ranks > launch.usable_cores():
        raise UsageError(
            f"{ranks} ranks exceed the {launch.usable_cores()} cores of this machine, so the result would apply only "
            "to oversubscribed programs; give fewer ranks, or --oversubscribe"
        )


@app.command(epilog=_EPILOG)
def learn(
    problems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROBLEM…",
            help="Problem to measure: halo:DIMENSIONS:POINTS:FIELDS, where each rank of a periodic grid has a block of "
            "POINTS per side, or bcast:, allreduce:, allgather: or alltoall:BYTES (default: 27 common problems).",
        ),
    ] = None,
    *,
    folder: HistoryFolder = None,
    ranks: Annotated[
        int | None,
        typer.Option("-n", "--ranks", metavar="COUNT", help="Number of ranks (default: one per core of this machine)."),
    ] = None,
    time: Annotated[str, typer.Option(metavar="TIME", help="Stop after this time: 90s, 10m, 2h.")] = "10m",
    mpi: Annotated[
        str | None,
        typer.Option(
            metavar="LAUNCHER",
            help="Launcher: a path, a name, or a kind as for 'adcl run' (default: the first in PATH).",
        ),
    ] = None,
    host: Host = None,
    hostfile: Hostfile = None,
    ranks_per_node: RanksPerNode = None,
    oversubscribe: Oversubscribe = None,
    pmi: Pmi = None,
    launcher_option: LauncherOption = None,
) -> None:
    """Measure common problems while the machine is idle, and store the winners.

    Programs that use the same folder (ADCL_HISTORY) begin with the winner of the same problem, verify it in a few
    starts, and search less in similar problems. The searches share the time; the last lines list the problems with
    unfinished searches. Each result is stored at once: repeat the command to verify the stored results and continue
    with the unfinished searches.
    """
    from adcl import launch
    from adcl._duration import seconds
    from adcl.cli._load import warn_of_load
    from adcl.learn import COMMON_PROBLEMS, find_learner
    from adcl.learn import learn as run_searches

    history = history_folder(folder)
    asked = list(problems or COMMON_PROBLEMS)
    placed = placement(
        host, hostfile, ranks_per_node, oversubscribe=oversubscribe, pmi=pmi, launcher_option=launcher_option
    )
    count = launch.usable_cores() if ranks is None else ranks
    _check_cores(count, placed)
    limit_s = seconds(time, "--time")
    launcher = launch.detect(mpi, program=find_learner())
    warn_of_load(count, placed, launcher, _MEANING)
    printer = _ProgressPrinter(_USES * len(asked), max(map(len, asked)))
    try:
        seen = run_searches(
            history, asked, count, time_s=limit_s, launcher=launcher, placement=placed, on_learnt=printer.show
        )
    finally:
        printer.end()
    for line in _summary(seen, asked, limit_s):
        typer.echo(line)
