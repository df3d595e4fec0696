"""Tables of ``adcl history``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from adcl.cli._console import plain_table
from adcl.pages import seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from adcl.knowledge import KeptDecision, KeptProblem, Leftover

__all__ = ["print_entries", "print_entry"]

_WIDEST = 120


def print_entries(console: Console, entries: Sequence[KeptProblem], leftovers: Sequence[Leftover]) -> None:
    """Print one row for each problem and mode of use."""
    width = min(console.width, _WIDEST)
    if not entries:
        console.print("the history is empty")
    else:
        table = plain_table("problem", "used by", "winner", "time", "last seen")
        for entry in entries:
            for mode, decision in entry.decisions.items():
                about = Text.assemble((entry.identity, "bold"), f" {entry.function_set}: {entry.problem}")
                table.add_row(
                    about, mode, Text(decision.winner), seconds(decision.winner_s), decision.last_seen.partition("T")[0]
                )
        console.print(table, width=width)
    for one in leftovers:
        console.print(Text(f"ignored {one.path}: {one.reason}"), width=width, soft_wrap=True)


def _facts(entry: KeptProblem) -> list[tuple[str, str]]:
    features = [
        f"{name.replace('_', ' ')} {value if isinstance(value, str) else f'{value:.15g}'}"
        for name, value in entry.features.items()
        if name != "pattern"
    ]
    return [
        ("problem", f"{entry.function_set}: {entry.problem}"),
        ("features", ", ".join(features)),
        ("processor", entry.processor or "unknown"),
        ("timing", "between barriers" if entry.barrier else "without barriers"),
    ]


def _count(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _history(decision: KeptDecision) -> str:
    confirmed = (
        f"confirmed {_count(decision.confirmations)}, last on {decision.confirmed}"
        if decision.confirmations
        else "not confirmed since"
    )
    return f"decided {_count(decision.decisions)}, last on {decision.decided}; {confirmed}"


def _print_facts(console: Console, facts: Sequence[tuple[str, str]], width: int) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, Text(value))
    console.print(table, width=width)


def _print_expected(console: Console, decision: KeptDecision, width: int) -> None:
    """Print the candidates that a search skipped because they were slow in similar problems."""
    if not decision.expected:
        return
    console.print("")
    table = plain_table("not tried because slow in similar problems", "expected time")
    for codelet, ratio in sorted(decision.expected.items(), key=lambda known: known[1]):
        table.add_row(Text(codelet), f"{ratio:.2f} × the winner")
    console.print(table, width=width)


def _print_untried(console: Console, decision: KeptDecision, width: int) -> None:
    """Print the candidates whose expected gain was smaller than the cost of a trial."""
    if decision.untried:
        console.print("")
        names = ", ".join(sorted(decision.untried))
        console.print(
            Text(f"not tried because the expected gain was smaller than the cost of a trial: {names}"), width=width
        )


def print_entry(console: Console, entry: KeptProblem) -> None:
    """Print the stored results of one problem, the fastest candidates first."""
    width = min(console.width, _WIDEST)
    console.print(Text(entry.identity, style="bold"))
    _print_facts(console, _facts(entry), width)
    for mode, decision in entry.decisions.items():
        console.print("")
        console.print(Text(f"used by {mode}", style="bold"))
        facts = [
            ("winner", decision.winner),
            ("because", decision.reason),
            ("history", _history(decision)),
            ("decided by", f"{decision.search}, statistical method {decision.outliers}, ADCL {decision.version}"),
        ]
        _print_facts(console, facts, width)
        table = plain_table("", "codelet", "judged", "mean", "measured")
        for one in sorted(decision.estimates, key=lambda known: known.judged_s):
            mark = "*" if one.codelet == decision.winner else ""
            table.add_row(
                mark, Text(one.codelet), seconds(one.judged_s), seconds(one.mean_s), f"{one.measurements:.0f}"
            )
        console.print(table, width=width)
        _print_expected(console, decision, width)
        _print_untried(console, decision, width)
