"""The report of a study as a page: verdicts, measurements with their models on logarithmic axes, runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from adcl import report
from adcl.scale.judge import Match
from adcl.scale.model import big_o, make_model
from adcl.scale.output._surface import surface_figures
from adcl.scale.study import CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adcl.scale.judge import Verdict
    from adcl.scale.model import Term
    from adcl.scale.study import Comparison, EfficiencyCheck, ResultRow, Results

__all__ = ["curves", "make_page"]

_BEYOND = 8.0
"""How far models are drawn beyond the largest measured scale."""

_STEPS = 60
_MOST_DRAWN = 20
"""Functions with figures on a page, which stays under a megabyte."""

_FEW_RUNS = 2
_IN_SIGHT = 1e7
"""Scales beyond this are not drawn."""

_FINE = 0.005
_MODEL, _EXPECTED, _LIMIT, _POINT = "#0072b2", "#009e73", "#e69f00", "#444444"
_PALETTE = (_MODEL, "#d55e00", _EXPECTED, "#cc79a7", _LIMIT, "#56b4e9", "#8a6d00", _POINT)


def _scales(verdict: Verdict) -> list[float]:
    """Values of the one parameter from the smallest measured to beyond the largest, evenly on a logarithmic axis."""
    own = verdict.series.column(verdict.series.parameters[0])
    low, high = float(own.min()), float(own.max())
    exponential = any(growth.exponential for term in verdict.model.leading for _, growth in term.growths)
    high = high + (high - low) / 4 if exponential else high * _BEYOND
    return [low * (high / low) ** (at / _STEPS) for at in range(_STEPS + 1)] if low > 0 else [low, high]


def _through(terms: Sequence[Term], name: str, scales: list[float], anchor: tuple[float, float]) -> list[float | None]:
    """A sum of terms scaled to go through a point: its slope is what matters."""
    base = sum(term.value(**{name: anchor[0]}) for term in terms)
    if not base > 0:
        return [None for _ in scales]
    return [anchor[1] * sum(term.value(**{name: x}) for term in terms) / base for x in scales]


def curves(verdict: Verdict) -> list[report.PlotSeries]:
    """What the figure of one verdict shows; its series has one parameter."""
    import numpy as np

    series, name = verdict.series, verdict.series.parameters[0]
    scales = _scales(verdict)
    measured = [float(x) for x in series.column(name)]
    predictions = [verdict.model.predict(**{name: x}) for x in scales]
    spread = [tuple(sorted(job)) for job in series.jobs] or [(value,) for value in series.values]
    found = [
        report.PlotSeries(
            "measured",
            measured,
            list(series.values),
            "points",
            low=[one[0] for one in spread],
            high=[one[-1] for one in spread],
            colour=_POINT,
            labels=[
                f"{name} = {x:g}: {y:.4g}{' †' if doubtful else ''}"
                for x, y, doubtful in zip(
                    measured, series.values, series.doubtful or (False,) * len(measured), strict=True
                )
            ],
        ),
        report.PlotSeries(
            f"model {verdict.model.growth}",
            scales,
            [prediction.value for prediction in predictions],
            low=[max(prediction.low, prediction.value * 1e-3) for prediction in predictions],
            high=[prediction.high for prediction in predictions],
            colour=_MODEL,
        ),
    ]
    if verdict.limits is None:
        return found
    values = np.array(series.values)
    weights = 1 / np.maximum(values, values.max() * 1e-3 or 1.0) ** 2
    expected = make_model(series, verdict.limits.expectation, weights)
    found.append(
        report.PlotSeries(
            f"expected {big_o(verdict.limits.expectation)}",
            scales,
            [expected.predict(**{name: x}).value for x in scales],
            colour=_EXPECTED,
            dashed=True,
        )
    )
    anchors = [(x, expected.predict(**{name: x}).value) for x in scales if x > 1]
    for label, terms in (("lower limit", verdict.limits.lower), ("upper limit", verdict.limits.upper)):
        if anchors and terms != verdict.limits.expectation:
            line = _through(terms, name, scales, anchors[0])
            found.append(report.PlotSeries(f"{label} {big_o(terms)}", scales, line, colour=_LIMIT, dashed=True))
    return found


def _title(verdict: Verdict) -> str:
    series = verdict.series
    return f"{series.function}, {series.metric}" + (f", {series.label}" if series.label else "")


def _sentence(row: ResultRow) -> report.Headline:
    verdict = row.verdict
    words = {
        Match.TOTAL: "grows as expected",
        Match.APPROXIMATE: "grows within the deviation limits",
        Match.NONE: "grows faster than expected",
        Match.BETTER: "grows more slowly than expected",
        Match.UNDECIDED: "cannot be judged by these measurements",
        None: "has no expectation yet",
    }[verdict.match]
    undecided = verdict.match is None or verdict.match is Match.UNDECIDED
    tone: Literal["good", "bad", "neutral"] = "neutral" if undecided else "good"
    if verdict.match is Match.NONE:
        tone = "bad"
    detail = f"model {verdict.model.expression}"
    if verdict.divergence is not None:
        chance = f"; outside the limits with {verdict.outside:.0%}" if verdict.likely else ""
        detail += f"; divergence {verdict.divergence}{chance}"
    detail += "".join(f"; {note}" for note in verdict.notes)
    return report.Headline(f"{verdict.series.function} {words}.", tone, detail)


def _facts(verdict: Verdict) -> report.Facts:
    model = verdict.model
    likely = ", ".join(
        f"{big_o(one.leading)} {one.probability:.0%}" for one in verdict.likely[:4] if one.probability >= _FINE
    )
    return report.Facts(
        {
            "adjusted R²": model.adjusted_r_squared,
            "error": f"{model.relative_error:.2%}, at points left out {model.left_out_error:.2%}",
            "likely": likely,
            **{
                f"coefficient of {coefficient.term}": f"{coefficient.low:.4g} … {coefficient.high:.4g} (95 %)"
                for coefficient in model.coefficients
            },
        }
    )


def _section(row: ResultRow) -> report.Section:
    verdict = row.verdict
    blocks: list[report.Figure] = []
    if len(verdict.series.parameters) > 1:
        blocks += surface_figures(verdict)
    else:
        blocks.append(
            report.xy_figure(
                curves(verdict),
                x_title=verdict.series.parameters[0],
                y_title=verdict.series.metric,
                x_log=True,
                y_log=all(value > 0 for value in verdict.series.values),
                caption="Limits are drawn through the first point: their slope is what counts. "
                "Bars are the range of jobs, the band is where a new measurement lies with 95 %.",
            )
        )
    return report.Section(_title(verdict), (_sentence(row), *blocks, _facts(verdict)))


def _concern(row: ResultRow) -> int:
    order = (Match.NONE, Match.UNDECIDED, None, Match.APPROXIMATE, Match.BETTER, Match.TOTAL)
    return order.index(row.verdict.match)


def _overview(results: Results) -> report.Table:
    rows = []
    for row in results.rows:
        verdict = row.verdict
        sign = "new" if verdict.match is None else verdict.match.sign
        rows.append(
            (
                _title(verdict),
                f"O({row.growth})" if row.growth else None,
                verdict.model.growth,
                verdict.model.adjusted_r_squared,
                verdict.divergence,
                f"{verdict.outside:.0%}" if verdict.match is not None and verdict.likely else None,
                sign + (" ▲" if results.warned(row) else ""),
                " †" if any(verdict.series.doubtful) else "",
            )
        )
    marked = tuple(at for at, row in enumerate(results.rows) if row.verdict.match is Match.NONE or results.warned(row))
    columns = ("function", "expected", "model", "R²", "divergence", "outside", "match", "")
    return report.Table(
        columns, tuple(rows), "† timed with more ranks than cores" if _doubtful(results) else "", marked
    )


def _doubtful(results: Results) -> bool:
    return any(any(row.verdict.series.doubtful) for row in results.rows)


def _rules(results: Results) -> Iterable[report.Block]:
    if results.rules:
        yield report.Table(
            ("rule", "measured", "models", "broken from"),
            tuple(
                (
                    f"{rule.rule} ({rule.rule.metric})",
                    f"broken at {len(rule.measured)} of {rule.points}" if rule.measured else f"kept at {rule.points}",
                    f"broken, {rule.probability:.0%}" if rule.predicted else "kept",
                    rule.broken_from,
                )
                for rule in results.rules
            ),
            "Rules between functions",
            tuple(at for at, rule in enumerate(results.rules) if rule.broken),
        )
    if results.limits:
        yield report.Table(
            ("budget", "at most", "ends at", "wanted"),
            tuple(
                (
                    f"{limit.limit.function} ({limit.limit.metric}) × {limit.limit.times:g}",
                    limit.limit.at_most,
                    limit.scale,
                    limit.limit.up_to,
                )
                for limit in results.limits
            ),
            "Budgets",
            tuple(at for at, limit in enumerate(results.limits) if limit.broken),
        )


def _efficiency(check: EfficiencyCheck) -> report.Section:
    one, name = check.efficiency, check.parameter
    ends = [end for end in (check.ends_at, check.fastest_at) if end is not None and end < _IN_SIGHT]
    last = max([check.points[-1] * 2, *ends])
    scales = [check.points[0] * (last / check.points[0]) ** (at / _STEPS) for at in range(_STEPS + 1)]
    lines = [
        report.PlotSeries(
            "measured",
            check.points,
            check.measured,
            "points",
            colour=_POINT,
            labels=[f"{name} = {x:g}: {y:.1%}" for x, y in zip(check.points, check.measured, strict=True)],
        ),
        report.PlotSeries("model", scales, [check.modelled(x) for x in scales], colour=_MODEL),
        report.PlotSeries(
            f"wanted: {one.at_least:.0%}", [scales[0], scales[-1]], [one.at_least] * 2, colour=_LIMIT, dashed=True
        ),
    ]
    figure = report.xy_figure(
        lines,
        x_title=name,
        y_title="efficiency",
        x_log=True,
        caption=f"Relative to {name} = {check.base[0]:g}, which takes {check.base[1]:.4g} ({one.metric}).",
    )

    def scale(x: float | None) -> str:
        return "out of sight" if x is None else f"{name} = {x:g}"

    facts = {
        f"below {one.at_least:.0%} from": scale(check.ends_at),
        "doubling takes less than a tenth off from": scale(check.pays_until),
        "fastest at": scale(check.fastest_at),
    }
    return report.Section(f"Efficiency of {one.function}", (figure, report.Facts(facts)))


def _side_by_side(comparison: Comparison) -> report.Section:
    """The runs of a comparison: what grows how in which of them, what changed, and figures of all runs."""
    blocks: list[report.Block] = [_growths(comparison), *_changes(comparison)]
    for label, runs in comparison.verdicts.items():
        verdicts = [(run, verdict) for run, verdict in runs.items() if len(verdict.series.parameters) == 1]
        if verdicts:
            blocks.append(_runs_figure(label, verdicts))
    return report.Section("Between runs", tuple(blocks))


def _growths(comparison: Comparison) -> report.Table:
    def cell(verdict: Verdict | None) -> str | None:
        if verdict is None:
            return None
        return verdict.model.growth + (f" {verdict.match.sign}" if verdict.match is not None else "")

    return report.Table(
        ("function", *comparison.runs),
        tuple(
            (label, *(cell(runs.get(name)) for name in comparison.runs)) for label, runs in comparison.verdicts.items()
        ),
        "What grows how in which run, by the study's expectations",
    )


def _changes(comparison: Comparison) -> Iterable[report.Block]:
    """All changes between two runs; of a history those that make something worse or better."""
    everything = comparison.changes
    shown = [one for one in everything if one.worse or one.better or len(comparison.runs) <= _FEW_RUNS]
    if not shown:
        yield report.Text(("From run to run, no function became worse or better beyond doubt.",))
        return
    yield report.Table(
        ("function", "before", "after", "cost", ""),
        tuple(
            (
                one.label,
                f"{one.growths[0]} in {one.before_run}",
                f"{one.growths[1]} in {one.after_run}",
                "–" if one.ratio is None else f"× {one.ratio:.2f} at {', '.join(f'{value:g}' for value in one.at)}",
                "worse" if one.worse else "better" if one.better else "",
            )
            for one in shown
        ),
        "Changes from run to run" if len(shown) == len(everything) else "Changes from run to run that are beyond doubt",
        tuple(at for at, one in enumerate(shown) if one.worse),
    )


def _runs_figure(label: str, verdicts: list[tuple[str, Verdict]]) -> report.Figure:
    series = verdicts[0][1].series
    name = series.parameters[0]
    lines = []
    for at, (run, verdict) in enumerate(verdicts):
        colour = _PALETTE[at % len(_PALETTE)]
        measured = [float(x) for x in verdict.series.column(name)]
        scales = _scales(verdict)
        lines.append(report.PlotSeries(run, measured, list(verdict.series.values), "points", colour=colour))
        values = [verdict.model.predict(**{name: x}).value for x in scales]
        lines.append(report.PlotSeries(f"{run}: {verdict.model.growth}", scales, values, colour=colour))
    return report.xy_figure(lines, x_title=name, y_title=series.metric, x_log=True, y_log=True, caption=label)


def make_page(results: Results, comparison: Comparison | None = None) -> report.Page:
    """Make the page of one run's results, and of how they compare with other runs."""
    broken = results.broken
    tones: dict[CheckOutcome, Literal["good", "bad", "neutral"]] = {
        CheckOutcome.HOLDS: "good",
        CheckOutcome.BROKEN: "bad",
    }
    undecided = [f"{_title(row.verdict)}: {results.advice(row)}" for row in results.undecided]
    details = [*broken, *([results.litmus] if results.litmus else []), *undecided]
    head = report.Headline(results.headline, tones.get(results.outcome, "neutral"), "; ".join(details))
    efficiencies = [_efficiency(check) for check in results.efficiencies[:_MOST_DRAWN]]
    drawn = sorted(results.rows, key=_concern)[:_MOST_DRAWN]
    sections = [_section(row) for row in results.rows if row in drawn]
    if len(drawn) < len(results.rows):
        left = len(results.rows) - len(drawn)
        said = (
            f"{left} more have no figures here, so that the page stays small; what is broken or undecided comes first."
        )
        sections.append(report.Section("Further functions", (report.Text((said,)),)))
    sections = efficiencies + sections
    if comparison is not None:
        sections.insert(0, _side_by_side(comparison))
    return report.Page(
        f"{results.study.name}: run {results.run}",
        (head, _overview(results), *_rules(results)),
        tuple(sections),
        "adcl scale",
    )
