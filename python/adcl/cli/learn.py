"""``adcl learn``."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from adcl.cli._console import examples, new_app
from adcl.cli._history_folder import HistoryFolder, named_folder
from adcl.cli._placement import Host, Hostfile, LauncherOption, Oversubscribe, Pmi, RanksPerNode, placement
from adcl.cli._runs import progress_bar
from adcl.errors import UsageError

if TYPE_CHECKING:
    from adcl.launch import Placement
    from adcl.learn import Learnt

__all__ = ["app"]

app = new_app()

_USES = 2
_MEANING = "programs will use the winners found now when each rank has an idle core, too"
_EPILOG = examples(
    "adcl learn -n 16 --folder ~/.adcl",
    "adcl learn -n 64 --hostfile nodes --ranks-per-node 32 -f ~/.adcl --time 30m",
    "adcl learn -n 4 -f ~/.adcl halo:3:100:5 allreduce:80",
)


class _Teller:
    """Says what was learned, as it comes: a line for each, and on a terminal a bar below."""

    def __init__(self, count: int, width: int) -> None:
        self._width = width
        self._bar = progress_bar()
        if self._bar is not None:
            self._task = self._bar.add_task("", total=count)
            self._bar.start()

    def tell(self, one: "Learnt") -> None:
        line = f"{one.problem:{self._width}}  {one.use:13}  {_outcome(one)}"
        if self._bar is None:
            typer.echo(line)
        else:
            self._bar.print(line, highlight=False, soft_wrap=True)
            self._bar.advance(self._task)

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _outcome(one: "Learnt") -> str:
    if one.skipped:
        return f"skipped: {one.skipped}"
    if not one.winner:
        return f"not finished in {one.starts} start{'' if one.starts == 1 else 's'}"
    return f"{one.winner}, {'known' if one.known else f'learned in {one.starts} starts, {one.seconds:.1f} s'}"


def _summary(seen: "list[Learnt]", asked: list[str], time_s: float) -> list[str]:
    """Say how far it came, what is missing, and what to do about that."""
    known = sum(one.known for one in seen)
    learnt = sum(bool(one.winner) for one in seen) - known
    skipped = sum(bool(one.skipped) for one in seen)
    count = _USES * len(asked)
    text = f"{learnt} learned and {known} verified of {count} searches"
    lines = [text + (f", {skipped} skipped" if skipped else "")]
    finished = Counter(one.problem for one in seen if one.winner or one.skipped)
    missing = [problem for problem in asked if finished[problem] < _USES]
    left = sum(_USES - finished[problem] for problem in missing)
    if left:
        lines.append(f"missing: {left}, of {', '.join(missing)}")
        more = _duration(2 * time_s)
        lines.append(f"the same command goes on with what is missing; --time {more} gives each twice as long or longer")
    return lines


def _duration(seconds: float) -> str:
    """Write a time as --time takes it."""
    return f"{seconds / 60:.0f}m" if seconds >= 600 else f"{max(seconds, 1):.0f}s"  # noqa: PLR2004


def _check_cores(ranks: int, placed: "Placement") -> None:
    from adcl import launch

    if placed.local and placed.oversubscribe is None and ranks > launch.usable_cores():
        raise UsageError(
            f"{ranks} ranks are more than the {launch.usable_cores()} cores here, and what they would measure holds "
            "for no other program; give fewer, or --oversubscribe if programs run so"
        )


@app.command(epilog=_EPILOG)
def learn(
    problems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROBLEM…",
            help="halo:DIMENSIONS:POINTS:FIELDS, a block of POINTS per side and rank in a periodic grid of ranks; or "
            "bcast:, allreduce:, allgather: or alltoall:BYTES. By default 27 common ones.",
        ),
    ] = None,
    *,
    folder: HistoryFolder = None,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", metavar="COUNT", help="How many ranks; by default all cores here.")
    ] = None,
    time: Annotated[str, typer.Option(metavar="TIME", help="End after this time: 90s, 10m, 2h.")] = "10m",
    mpi: Annotated[
        str | None, typer.Option(metavar="LAUNCHER", help="A launcher's path, name or kind, as for 'adcl run'.")
    ] = None,
    host: Host = None,
    hostfile: Hostfile = None,
    ranks_per_node: RanksPerNode = None,
    oversubscribe: Oversubscribe = None,
    pmi: Pmi = None,
    launcher_option: LauncherOption = None,
) -> None:
    """Search in common problems while a machine is idle, and keep what was learned.

    Programs that use the same folder (ADCL_HISTORY) then begin with the winner of the same problem, verified in a few
    starts, and search less in similar ones. The searches share the time; the end says which are missing. Each result is
    stored as it comes: the same command verifies what is stored and goes on with what is missing.
    """
    from adcl import launch
    from adcl._duration import seconds
    from adcl.cli._load import warn_of_load
    from adcl.learn import COMMON_PROBLEMS, find_learner
    from adcl.learn import learn as run_searches

    history = named_folder(folder)
    asked = list(problems or COMMON_PROBLEMS)
    placed = placement(
        host, hostfile, ranks_per_node, oversubscribe=oversubscribe, pmi=pmi, launcher_option=launcher_option
    )
    count = launch.usable_cores() if ranks is None else ranks
    _check_cores(count, placed)
    limit_s = seconds(time, "--time")
    launcher = launch.detect(mpi, program=find_learner())
    warn_of_load(count, placed, launcher, _MEANING)
    teller = _Teller(_USES * len(asked), max(map(len, asked)))
    try:
        seen = run_searches(
            history, asked, count, time_s=limit_s, launcher=launcher, placement=placed, on_learnt=teller.tell
        )
    finally:
        teller.end()
    for line in _summary(seen, asked, limit_s):
        typer.echo(line)
