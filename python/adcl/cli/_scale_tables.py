"""Tables of ``adcl scale``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from adcl.cli._console import plain_table
from adcl.cli._scale_rows import fit_of, name_of
from adcl.scale import JudgeMethod

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    from adcl.scale import Change, Cost, EfficiencyCheck, LimitCheck, RuleCheck, Slowdown, Verdict

__all__ = ["changes", "efficiencies", "limits", "models", "rules", "slowdowns"]


def models(found: Iterable[Verdict], places: Sequence[dict[str, float]] = ()) -> RenderableType:
    """Print a paragraph for each model: coefficients with intervals, fit, errors, and predictions."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for verdict in found:
        model = verdict.model
        likely = ", ".join(
            f"O({' + '.join(map(str, likely.leading))}) {likely.probability:.0%}" for likely in verdict.likely[:4]
        )
        rows = [
            ("model", str(model.expression)),
            *(
                (f"  {coefficient.term}", f"{coefficient.low:.4g} … {coefficient.high:.4g}")
                for coefficient in model.coefficients
            ),
            ("growth", f"{model.growth}; likely {likely}" if likely else model.growth),
            ("R²", fit_of(verdict)),
            *(("note", note) for note in verdict.notes),
            ("error", f"{model.relative_error:.2%}; cross-validated {model.left_out_error:.2%}"),
            *(("predicted", _predicted(verdict, place)) for place in places),
        ]
        table.add_row(Text(name_of(verdict), style="bold"))
        for name, text in rows:
            table.add_row(Text(f"  {name}"), Text(text))
    return table


def _predicted(verdict: Verdict, place: dict[str, float]) -> str:
    wanted = {name: place[name] for name in verdict.series.parameters if name in place}
    if len(wanted) < len(verdict.series.parameters):
        return "–"
    one = verdict.model.predict(**wanted)
    at = ", ".join(f"{name}={value:g}" for name, value in wanted.items())
    return f"{at}: {one.value:.4g} ({one.low:.3g} … {one.high:.3g})"


def rules(checks: Iterable[RuleCheck]) -> RenderableType:
    """Print one line for each cross-function rule."""
    table = plain_table("rule", "measured", "predicted", "")
    for check in checks:
        measured = f"broken at {len(check.measured)} of {check.points}" if check.measured else f"kept at {check.points}"
        if check.measured:
            measured += f", by up to {max(factor for _, factor in check.measured):.2f}x"
        chance = f" ({check.probability:.0%})" if check.method is JudgeMethod.EVIDENCE else ""
        predicted = f"broken{chance}" if check.predicted else "kept"
        if check.broken_from is not None:
            predicted += (
                f", from {check.broken_from:g} on"
                if check.predicted
                else f" asymptotically; broken at {check.broken_from:g}"
            )
        sign = Text("▲" if check.broken else "✓", style="bold red" if check.broken else "green")
        table.add_row(Text(f"{check.rule} [{check.rule.metric}]"), Text(measured), Text(predicted), sign)
    return table


def limits(checks: Iterable[LimitCheck]) -> RenderableType:
    """Print one line for each budget."""
    table = plain_table("budget", "ends at", "at the target scale (95 % interval)", "")
    for check in checks:
        limit = check.limit
        name = f"{limit.function} [{limit.metric}]" + (f" x {limit.times:g}" if limit.times != 1 else "")
        end = "beyond the prediction" if check.scale is None else f"{limit.parameter} = {check.scale:g}"
        target = "–"
        if check.at_target is not None:
            target = f"{check.at_target.value:.4g} ({check.at_target.low:.3g} … {check.at_target.high:.3g})"
        sign = Text("✗" if check.broken else "✓", style="bold red" if check.broken else "green")
        table.add_row(Text(f"{name} <= {limit.at_most:.4g}"), Text(end), Text(target), sign)
    return table


def efficiencies(checks: Iterable[EfficiencyCheck]) -> RenderableType:
    """Print one line for each efficiency limit: the last measured value and the scale at which it is reached."""
    table = plain_table("efficiency", "measured", "below", "pays until", "fastest at", "")
    for check in checks:
        one, name = check.efficiency, check.parameter

        def at(scale: float | None, name: str = name) -> str:
            return "beyond the prediction" if scale is None else f"{name} = {scale:g}"

        sign = Text("✗" if check.broken else "✓", style="bold red" if check.broken else "green")
        table.add_row(
            Text(f"{one.function} [{one.metric}]"),
            Text(f"{check.measured[-1]:.0%} at {check.points[-1]:g}"),
            Text(f"{one.at_least:.0%} " + ("from " if check.ends_at is not None else "") + at(check.ends_at)),
            Text(at(check.pays_until)),
            Text(at(check.fastest_at)),
            sign,
        )
    return table


def slowdowns(found: Iterable[Slowdown]) -> RenderableType:
    """Print one line for each series and pair of runs: the change of the cost."""
    table = plain_table("function", "before", "after", "cost", "at least", "highest at", "predicted", "at least", "")
    for one in found:
        predicted = ("–", "–") if one.predicted is None else tuple(f"x {value:.2f}" for value in one.predicted)
        mean, worst = one.mean, one.worst
        table.add_row(
            Text(one.change.label),
            Text(one.change.before_run),
            Text(one.change.after_run),
            Text("–" if mean is None else f"x {mean.ratio:.2f}"),
            Text("–" if mean is None or not mean.least else f"x {mean.least:.2f}"),
            Text("–" if worst is None else _worst(one.change, worst)),
            *(Text(value) for value in predicted),
            Text("slower" if one.slower else "", style="bold red"),
        )
    return table


def _worst(change: Change, worst: tuple[tuple[float, ...], Cost]) -> str:
    point, cost = worst
    at = ", ".join(f"{name}={value:g}" for name, value in zip(change.series[1].parameters, point, strict=True))
    return f"x {cost.ratio:.2f} (>= {cost.least:.2f}) at {at}".removesuffix(" at ")


def _said(one: Slowdown) -> str:
    change = one.change
    if change.worse or change.better:
        return "worse" if change.worse else "better"
    if one.slower:
        return "slower"
    if change.undecided:
        return "same cost" if one.same else "undecided"
    return "same" if change.growths[0] == change.growths[1] else "within limits"


def changes(found: Iterable[Slowdown]) -> RenderableType:
    """Print one line for each series and pair of runs: the change of the growth."""
    table = plain_table("function", "before", "growth", "after", "growth", "cost", "")
    for one in found:
        change, verdict = one.change, _said(one)
        style = {"worse": "bold red", "slower": "bold red", "better": "green", "undecided": "yellow"}.get(verdict, "")
        cost = "–" if change.ratio is None else f"x {change.ratio:.2f} at {change.place}".removesuffix(" at ")
        table.add_row(
            Text(change.label),
            Text(change.before_run),
            Text(change.growths[0]),
            Text(change.after_run),
            Text(change.growths[1]),
            Text(cost),
            Text(verdict, style=style),
        )
    return table
