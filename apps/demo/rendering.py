"""Show the result of the demonstration on one screen and on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from results import Ratio, Row, worst_fixed_choice
from rich import box
from rich.table import Table as ScreenTable
from rich.text import Text as ScreenText

from adcl.pages import (
    Bars,
    Code,
    Column,
    Figure,
    Headline,
    Page,
    Section,
    Table,
    Text,
    bar_figure,
    bytes_text,
    seconds,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from results import Origin
    from rich.console import Console

__all__ = ["NEXT_PURPOSE", "page", "sentences", "show"]

_RECORDED = "*"
_NAMES = {"node": "this node", "flat": "flat cluster", "hierarchical": "two racks"}
NEXT_PURPOSE = "shows what ADCL measures and decides in one run of this solver"

_METHOD = (
    (
        "The solver runs conjugate gradients with a multigrid preconditioner on an unstructured mesh, for several "
        "fields together (apps/unstructured). Its blocks are small, as at the limit of strong scaling, so it spends "
        "most of its time in the exchange of halos and in sums over all ranks."
    ),
    (
        "By hand: 'packed' (MPI_Irecv, MPI_Isend and MPI_Waitall on buffers), 'types' (the same with derived "
        "types), 'ordered' (MPI_Sendrecv, one neighbor after another), 'neighbor' (MPI_Neighbor_alltoallv), "
        "'persistent' (MPI_Startall). One job runs a solver for each of these exchanges and one solver with ADCL, "
        "which starts without history. First ADCL's solver iterates until its searches have ended. The cost of the "
        "search is the time of these iterations and of creating the requests, minus the time of the same number of "
        "later iterations. Then, in each round, the solvers run some iterations each, in random order: all solvers "
        "in three rounds, then only the best, the worst and ADCL's solver. All answers must be bitwise equal."
    ),
)


def _machine(row: Row) -> str:
    return _NAMES.get(row.measured.machine, row.measured.machine)


def _article(row: Row) -> str:
    return "" if row.measured.machine == "node" else "the "


def _place(row: Row) -> str:
    """Describe machine and size of a row within a sentence."""
    return f"{_article(row)}{_machine(row)} ({bytes_text(row.measured.message_bytes)})"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}"


def _interval(ratio: Ratio) -> str:
    return f"{ratio.low:.2f} to {ratio.high:.2f}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# ---- Sentences -------------------------------------------------------------------------------------------------------


def _about_fixed_choices(rows: Sequence[Row]) -> str:
    loss = worst_fixed_choice(rows)
    if loss is None:
        row = max(rows, key=lambda row: row.spread.low)
        return (
            "No hand-written exchange that is the best in one case is measurably slower in another. The worst "
            "exchange "
            f"takes up to {_times(row.spread.value)} times as long as the best exchange, on {_place(row)}."
        )
    return (
        f"No hand-written exchange is the best everywhere: '{loss.exchange}' is the fastest on {_place(loss.good)} "
        f"and takes {_times(loss.ratio.value)} times as long as '{loss.bad.best}' on {_place(loss.bad)}."
    )


def _about_adcl(rows: Sequence[Row]) -> str:
    faster = [row for row in rows if row.speedup.proven and row.speedup.value > 1.0]
    slower = [row for row in rows if row.speedup.proven and row.speedup.value < 1.0]
    unknown = sum(not row.speedup.enough for row in rows)
    same = len(rows) - len(faster) - len(slower) - unknown
    parts = []
    if faster:
        top = max(faster, key=lambda row: row.speedup.value)
        upto = "up to " if len(faster) > 1 else ""
        parts.append(f"faster than the best of them in {len(faster)} ({upto}{_times(top.speedup.value)} times as fast)")
    if same:
        parts.append(f"the same in {same}" if faster else f"as fast as the best of them in {same}")
    if slower:
        low = min(slower, key=lambda row: row.speedup.value)
        atmost = "at most " if len(slower) > 1 else ""
        parts.append(
            f"slower{'' if faster or same else ' than the best of them'} in {len(slower)} "
            f"({atmost}{_times(1.0 / low.speedup.value)} times its time)"
        )
    if unknown:
        parts.append(f"of unknown speed in {unknown} (too few pairs)")
    least = min(rows, key=lambda row: row.worst_s / row.adcl_s)
    most = max(rows, key=lambda row: row.worst_s / row.adcl_s)
    dearest = max(*(row.search_cost_s for row in rows), 0.0)
    return (
        f"ADCL, after a search that costs at most {seconds(dearest)}, is {_listed(parts)} of {len(rows)} cases; the "
        f"worst of them takes {_times(least.worst_s / least.adcl_s)} to {_times(most.worst_s / most.adcl_s)} times "
        "ADCL's time."
    )


def _about_collectives(rows: Sequence[Row]) -> str:
    parts = []
    for row in rows:
        ratio = row.speedup
        if not ratio.enough:
            parts.append(f"of unknown speed on {_place(row)} (too few pairs)")
        elif not ratio.proven:
            parts.append(f"as fast on {_place(row)}")
        elif ratio.value > 1.0:
            parts.append(f"{_times(ratio.value)} times as fast on {_place(row)}")
        else:
            parts.append(f"slower ({_times(1.0 / ratio.value)} times the time) on {_place(row)}")
    return f"Against MPI_Alltoall, ADCL's is {_listed(parts)}."


def sentences(rows: Sequence[Row]) -> list[str]:
    """Summarize the results in three sentences."""
    exchanges = [row for row in rows if not row.measured.is_collective]
    collectives = [row for row in rows if row.measured.is_collective]
    result = []
    if exchanges:
        result += [_about_fixed_choices(exchanges), _about_adcl(exchanges)]
    if collectives:
        result.append(_about_collectives(collectives))
    return result


# ---- Table -----------------------------------------------------------------------------------------------------------


def _verdict(row: Row) -> tuple[str, str]:
    """Compare ADCL with the best: its speedup, or "same" if there is no measurable difference; and the interval."""
    ratio = row.speedup
    if not ratio.enough:
        return "unknown", "few pairs"
    return _times(ratio.value) if ratio.proven else "same", f"{ratio.low:.2f}–{ratio.high:.2f}"


def _ranks(row: Row) -> str:
    measured = row.measured
    crowded = measured.ranks > measured.cores
    return f"{measured.ranks} on {measured.cores} cores" if crowded else f"{measured.ranks} ranks"


def _label(row: Row, name: str) -> str:
    return "MPI's own" if row.measured.is_collective else name


def _favorite(row: Row) -> str:
    """Return the codelet that most of ADCL's requests chose."""
    name = max(dict.fromkeys(row.chosen), key=row.chosen.count)
    return name or "searching"


def _search(row: Row) -> tuple[str, str]:
    """Return the cost of the search, and its number of iterations or calls."""
    measured = row.measured
    cost = seconds(row.search_cost_s) if row.search_cost_s > 0.0 else "0"
    return cost if measured.decided else "no end", f"in {measured.searched_repetitions}"


def _cells(row: Row) -> tuple[tuple[str, str], ...]:
    """Return two lines for each column."""
    measured = row.measured
    return (
        (f"{_machine(row)}{_RECORDED if measured.recorded else ''}", _ranks(row)),
        (bytes_text(measured.message_bytes), "alltoall" if measured.is_collective else "halos"),
        (seconds(row.best_s), _label(row, row.best)),
        (seconds(row.worst_s), row.worst) if row.worst != row.best else ("", ""),
        (seconds(row.adcl_s), _favorite(row)),
        _verdict(row),
        _search(row),
    )


_HEADS = ("machine", "largest\nmessage", "best\nby hand", "worst\nby hand", "\nADCL", "best /\nADCL", "search\ncost")


def _screen_table(rows: Sequence[Row]) -> ScreenTable:
    """Draw the table for a terminal."""
    table = ScreenTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True)
    for place, head in enumerate(_HEADS):
        # Names of ADCL's codelets may be long.
        adcl = head.strip() == "ADCL"
        table.add_column(
            head,
            justify="left" if place < 2 else "right",
            overflow="ellipsis" if adcl else "fold",
            max_width=10 if adcl else None,
            no_wrap=adcl or place == 0,
        )
    for row in rows:
        table.add_row(*(ScreenText("\n".join(cell).rstrip()) for cell in _cells(row)), end_section=True)
    return table


def _notes(rows: Sequence[Row], skipped: Iterable[str]) -> list[str]:
    """Explain the table in a few lines."""
    result = [
        (
            "Times are per iteration or call. ADCL's times do not include its search; the search cost is the time that "
            "the search adds. Three rounds choose the best and the worst exchange by hand. The ratios and their 95 % "
            "intervals are from pairs of later rounds: above 1, ADCL is faster; 'same' means that the interval "
            "contains 1."
        ),
    ]
    if any(row.measured.ranks > row.measured.cores and row.measured.machine != "node" for row in rows):
        result.append(
            "Clusters are emulated on this machine: real TCP through limited links, and all ranks share its cores."
        )
    origins: dict[Origin, None] = dict.fromkeys(row.measured.recorded for row in rows if row.measured.recorded)
    result += [
        f"{_RECORDED} recorded on {origin.date}, not now: {origin.machine}, {origin.mpi}, ADCL {origin.adcl}"
        for origin in origins
    ]
    return result + list(skipped)


def show(rows: Sequence[Row], skipped: Sequence[str], console: Console) -> None:
    """Print the sentences, the table and the notes."""
    for sentence in sentences(rows):
        console.print(sentence, markup=False, highlight=False)
    console.print()
    console.print(_screen_table(rows), highlight=False)
    console.print()
    for note in _notes(rows, skipped):
        console.print(note, markup=False, highlight=False)


# ---- Page ------------------------------------------------------------------------------------------------------------


def _figure(rows: Sequence[Row]) -> Figure:
    names = [", ".join((cells[0][0], " ".join(cells[1]))) for cells in map(_cells, rows)]
    spreads = [row.spread for row in rows]
    speedups = [row.speedup for row in rows]
    return bar_figure(
        names,
        [
            Bars(
                "worst by hand",
                [one.value for one in spreads],
                [one.low for one in spreads],
                [one.high for one in spreads],
            ),
            Bars(
                "ADCL",
                [1.0 / one.value for one in speedups],
                [1.0 / one.high for one in speedups],
                [1.0 / one.low for one in speedups],
            ),
        ],
        value_title="time; 1 = best by hand",
        caption="Time relative to the best hand-written exchange, or to MPI's own call, with 95 % intervals.",
    )


def _choices(row: Row) -> str:
    """List the codelets, and how many requests chose each."""
    counts = {name: row.chosen.count(name) for name in row.chosen}
    return ", ".join(f"{name or 'still searching'}{f' × {n}' if n > 1 else ''}" for name, n in counts.items())


def _size(row: Row) -> str:
    record = row.measured.record
    if row.measured.is_collective:
        return f"{len(record['rounds'])} rounds of {record['calls']} calls"
    size = f"{record['points']} points a rank, {record['fields']} fields"
    return f"{len(record['rounds'])} rounds of {record['iterations']} iterations, {size}"


def page(rows: Sequence[Row], skipped: Sequence[str], command: str) -> Page:
    """Render the page: the sentences, the table, a figure, and the settings of the runs."""
    headline, *others = sentences(rows)
    heads = tuple(Column(" ".join(head.split()), place > 1) for place, head in enumerate(_HEADS))
    cells = [tuple(f"{first} ({second})" if second else first for first, second in _cells(row)) for row in rows]
    return Page(
        "ADCL: one program on three machines",
        (
            Headline(headline, "neutral"),
            Text(tuple(others)),
            Table(heads, tuple(cells)),
            Text(tuple(_notes(rows, skipped))),
            _figure(rows),
        ),
        (
            Section(
                "What ran",
                (
                    Text(_METHOD),
                    Table(
                        ("case", "size", "ADCL chose", Column("pairs", numeric=True)),
                        tuple(
                            (f"{cell[0]}, {cell[1]}", _size(row), _choices(row), str(row.speedup.pairs))
                            for cell, row in zip(cells, rows, strict=True)
                        ),
                    ),
                ),
            ),
            Section("Go on", (Code(command, NEXT_PURPOSE),)),
        ),
        tool="make demo",
    )
