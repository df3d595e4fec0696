"""Results of a search as text, for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.pages import ratio, seconds

if TYPE_CHECKING:
    from adcl.trace._searches import TracedSearch

__all__ = ["SPEEDUP", "facts", "gain_range", "headline", "title", "untried"]

SPEEDUP = "speedup = median over the pairs of (time of the first candidate / time of the winner)"
"""Formula shown with the first speedup."""

_FEWEST = 6
"""Minimum number of pairs of samples for a speedup."""


def title(search: TracedSearch, *, several_runs: bool) -> str:
    """Return a description of the search."""
    parts = [f"{search.function_set} #{search.number}"]
    if several_runs:
        parts.insert(0, f"run {search.run}:")
    if search.names:
        parts.append(", ".join(search.names))
    shared = f", {search.requests} requests" if search.requests > 1 else ""
    used = f", used by {search.mode}" if search.mode else ""
    ranks = "1 rank" if search.ranks == 1 else f"{search.ranks} ranks"
    nodes = search.features.get("nodes", 1.0)
    spread = f" of {nodes:g} nodes" if not isinstance(nodes, str) and nodes > 1.0 else ""
    return f"{' '.join(parts)} on {ranks}{spread}{shared}{used}"


def headline(search: TracedSearch) -> str:
    """Return the winner and the speedup in one sentence."""
    decision = search.decision
    if decision is None:
        return f"No winner: {_no_winner(search)}."
    if search.measurements == 0 and len(search.candidates) == 1:
        return f"{decision.winner} was the only candidate; no search was necessary."
    kept = "" if not decision.ties else f", in a tie with {_listed(decision.ties)}"
    if decision.winner == decision.first:
        return f"{decision.winner}, the first candidate, was kept{kept}."
    first = f"{decision.first}, the first candidate"
    gain = search.gain
    if gain is None:
        return f"{decision.winner} won{kept}; its speedup over {first}, was not measured."
    if gain.same:
        return f"{decision.winner} won{kept}: no measurable difference from {first} (speedup {gain_range(search)})."
    return f"{decision.winner} won{kept}: {ratio(gain.speedup)} as fast as {first} ({gain_range(search)})."


def gain_range(search: TracedSearch) -> str:
    """Return the interval of the speedup and the number of samples; empty if there is no speedup."""
    gain = search.gain
    return "" if gain is None else f"{ratio(gain.low)} to {ratio(gain.high)}, {gain.pairs} pairs of samples"


def untried(search: TracedSearch) -> tuple[str, ...]:
    """Return the candidates without any result."""
    special = () if search.decision is None else (search.decision.winner, *search.decision.ties)
    return tuple(row.codelet for row in search.rows if not row.tried and row.codelet not in special)


def _listed(names: tuple[str, ...]) -> str:
    shown = 3
    if len(names) <= shown:
        return ", ".join(names)
    return f"{', '.join(names[:shown])} and {len(names) - shown} more"


def _no_winner(search: TracedSearch) -> str:
    if search.mode:
        return "the program ended during the search"
    return "the request was never started or never measured"


def _feature(name: str, value: float | str) -> str:
    return f"{name.replace('_', ' ')} {value if isinstance(value, str) else f'{value:.15g}'}"


def _known_before(search: TracedSearch) -> list[tuple[str, str]]:
    found = search.history
    if found is None:
        return []
    where = f"; {found.words}" if found.words else ""
    if found.kind == "similar searches":
        return [("history", found.words or "concurrent searches of similar problems shared their measurements")]
    if found.winner:
        text = f"the winner of the same problem in an earlier run was {found.winner}"
        decision = search.decision
        if decision is not None:
            confirmed = search.decisions and search.decisions[0].confirmed
            text += (
                (", and the re-check confirmed it")
                if confirmed
                else ", and the re-check failed: the search started again"
            )
        return [("history", text + where)]
    if not found.left_out:
        return [("history", f"similar problems exclude no candidates{where}")]
    return [("history", f"candidates that similar problems exclude: {len(found.left_out)}{where}")]


def _method(search: TracedSearch) -> list[tuple[str, str]]:
    if not search.logic:
        return []
    options = ", ".join(
        f"{name} = {value:g}" for name, value in search.options.items() if isinstance(value, int | float)
    )
    return [("method", f"{search.logic}, statistical method {search.outliers}; {options}")]


def facts(search: TracedSearch) -> list[tuple[str, str]]:
    """Return all facts except the times of the candidates."""
    decision = search.decision
    before = [("problem", search.problem)]
    features = [_feature(name, value) for name, value in search.features.items() if name != "pattern"]
    if features:
        before.append(("features", ", ".join(features)))
    before += _known_before(search) + _method(search)
    before += [
        ("reopened", f"after start {one.start}, {one.production} in production with {one.winner}: {one.reason}")
        for one in search.reopenings
    ]
    measured = f"{search.measurements} measurements on this rank"
    if decision is None:
        return [*before, ("winner", f"none: {_no_winner(search)}"), ("search", measured)]
    later = search.agreed_start > decision.start
    when = f"at start {decision.start}: " if later else ""
    found = [*before, ("winner", decision.winner), ("because", when + decision.reason)]
    if later:
        known = sum(row.judged_s is not None for row in search.rows)
        until = f"measuring continued until start {search.agreed_start}"
        found.append(("since then", f"{until}; {known} candidates have been measured"))
    if decision.ties:
        what = "it" if len(decision.ties) == 1 else "them"
        found.append(("ties", f"{', '.join(decision.ties)}: the measurements do not separate {what} from the winner"))
    if decision.winner != decision.first:
        found.append(("gain", _gain(search, decision.first)))
    spent = f"{seconds(decision.searching_s)} in the starts, {seconds(decision.preparation_s)} in plans and agreements"
    end = search.end
    starts = decision.searching_starts if end is None else end.starts - end.production
    found.append(("search", f"{starts} starts, {measured}; {spent}"))
    if end is not None:
        found.append(("then", f"{end.production} starts in production, {end.starts} starts in total"))
    if decision.winner_s is not None:
        found.append(
            (
                "cost",
                f"{seconds(decision.lost_s)} more than the same number of starts of the winner{_payoff_text(search)}",
            )
        )
    return found


def _gain(search: TracedSearch, first: str) -> str:
    gain = search.gain
    if gain is None:
        return f"not measured: fewer than {_FEWEST} samples of {first}, the first candidate, alternate with the winner"
    evidence = f"{gain.low:.2f} to {gain.high:.2f} with 95 % confidence, {gain.pairs} pairs of samples"
    if gain.same:
        return f"no measurable difference from {first}, the first candidate: speedup {evidence}; {SPEEDUP}"
    return f"{gain.speedup:.2f} times as fast as {first}, the first candidate: {evidence}; {SPEEDUP}"


def _payoff_text(search: TracedSearch) -> str:
    """Return after how many starts the search pays off against a program that runs the first candidate."""
    decision, gain = search.decision, search.gain
    if decision is None or decision.winner_s is None or gain is None or gain.low <= 1.0:
        return ""
    starts = decision.lost_s / ((gain.speedup - 1.0) * decision.winner_s)
    return f"; compared with {decision.first}, the search pays off after {starts:.0f} starts in production"
