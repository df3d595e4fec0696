"""What a search found, in words: the same in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.report import ratio, seconds

if TYPE_CHECKING:
    from adcl.trace._searches import TracedSearch

__all__ = ["facts", "headline", "title"]

_SAME = 1.005
"""A gain below this is none that anybody could see."""


def title(search: TracedSearch, *, several_runs: bool) -> str:
    """Which search it is."""
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
    """What won, and what was gained, in one sentence."""
    decision = search.decision
    if decision is None:
        return f"No winner: {_no_winner(search)}."
    if search.measurements == 0 and len(search.candidates) == 1:
        return f"{decision.winner} was the only candidate: nothing was searched for."
    kept = "" if not decision.ties else f", in a tie with {_listed(decision.ties)}"
    if decision.winner == decision.first:
        return f"{decision.winner}, the first of the table, was kept{kept}."
    gain = search.gain
    if gain is None:
        return f"{decision.winner} won{kept}; {decision.first}, the first of the table, was not measured."
    if gain < _SAME:
        return f"{decision.winner} won{kept}: no faster than {decision.first}, the first of the table."
    return f"{decision.winner} won{kept}: {ratio(gain)} as fast as {decision.first}, the first of the table."


def _listed(names: tuple[str, ...]) -> str:
    shown = 3
    if len(names) <= shown:
        return ", ".join(names)
    return f"{', '.join(names[:shown])} and {len(names) - shown} more"


def _no_winner(search: TracedSearch) -> str:
    if search.mode:
        return "the program ended while searching"
    return "the request was not started, or never measured"


def _feature(name: str, value: float | str) -> str:
    return f"{name.replace('_', ' ')} {value if isinstance(value, str) else f'{value:.15g}'}"


def _known_before(search: TracedSearch) -> list[tuple[str, str]]:
    found = search.history
    if found is None:
        return []
    where = f"; {found.words}" if found.words else ""
    if found.kind == "similar searches":
        return [("history", found.words or "searches of similar problems told what they measured at the same time")]
    if found.winner:
        text = f"the winner of the same problem in an earlier run was {found.winner}"
        decision = search.decision
        if decision is not None:
            confirmed = search.decisions and search.decisions[0].confirmed
            text += ", and it has kept its time" if confirmed else ", which did not hold: the search began anew"
        return [("history", text + where)]
    if not found.left_out:
        return [("history", f"similar problems have ruled out nothing{where}")]
    return [("history", f"similar problems have ruled out {len(found.left_out)} candidates{where}")]


def _method(search: TracedSearch) -> list[tuple[str, str]]:
    if not search.logic:
        return []
    options = ", ".join(
        f"{name} = {value:g}" for name, value in search.options.items() if isinstance(value, int | float)
    )
    return [("method", f"{search.logic}, outliers by {search.outliers}; {options}")]


def facts(search: TracedSearch) -> list[tuple[str, str]]:
    """Everything but the times of the candidates."""
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
    found = [*before, ("winner", decision.winner), ("because", decision.reason)]
    if search.agreed_start > decision.start:
        known = sum(row.judged_s is not None for row in search.rows)
        until = f"measured on until start {search.agreed_start}"
        found.append(("since then", f"{until}; {known} candidates are known by now"))
    if decision.ties:
        what = "it" if len(decision.ties) == 1 else "them"
        found.append(("ties", f"{', '.join(decision.ties)}: the measurements do not separate {what} from the winner"))
    if search.gain is not None and decision.winner != decision.first:
        found.append(("gain", f"{search.gain:.2f} times as fast as {decision.first}, the first of the table"))
    spent = f"{seconds(decision.searching_s)} in the starts, {seconds(decision.preparation_s)} in plans and agreements"
    found.append(("search", f"{decision.searching_starts} starts, {measured}; {spent}"))
    if decision.winner_s is not None:
        found.append(
            ("cost", f"{seconds(decision.lost_s)} more than the same number of starts of the winner{_earned(search)}")
        )
    return found


def _earned(search: TracedSearch) -> str:
    """When the search has paid for itself, against a program that runs the first of the table."""
    decision = search.decision
    if decision is None or decision.winner_s is None or decision.first_s is None or (search.gain or 0.0) < _SAME:
        return ""
    starts = decision.lost_s / (decision.first_s - decision.winner_s)
    return f"; against {decision.first} it is earned back in {starts:.0f} starts of production"
