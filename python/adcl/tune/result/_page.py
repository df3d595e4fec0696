"""HTML page of a study: a headline and panels from two tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from adcl.pages import (
    Bars,
    Block,
    Cell,
    Code,
    Column,
    Facts,
    Figure,
    Headline,
    Page,
    PlotSeries,
    Section,
    Table,
    Text,
    bar_figure,
    heatmap,
    percent,
    seconds,
    xy_figure,
)
from adcl.tune.result._analysis import LEAST_RUN, Effect, convergence, settings_text
from adcl.tune.result._profile_page import sections_of_profiles
from adcl.tune.result._setting import NOT_CONFIRMED, interval_text, removal_text
from adcl.tune.result._states import STATES
from adcl.tune.search import dominates
from adcl.tune.study import deviation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from adcl.tune.result._panel import StudyContent
    from adcl.tune.space import Coordinates
    from adcl.tune.study import PairedComparison, StudyResult

__all__ = ["SECTIONS", "SUMMARY", "study_page"]

_EFFECTS_SHOWN = 4
_IDLE = 1.01
_NOTABLE = 0.02
_RUNS_SHOWN = 400
_SECONDS = ("wall", "mpi")


def _value(result: StudyResult, value: float | None) -> Cell:
    if value is None:
        return None
    return seconds(value) if result.objectives[0] in _SECONDS else value


def _axis(result: StudyResult) -> str:
    name = result.objectives[0]
    return {"wall": "seconds", "mpi": "seconds in MPI"}.get(name, name)


def _settings(result: StudyResult, scenario: Coordinates | None) -> str:
    if scenario is None:
        return "defaults"
    return settings_text(result.space, scenario)


def _interval(comparison: PairedComparison) -> str:
    if not math.isfinite(comparison.high):
        return "too few pairs"
    return f"{comparison.low:.3f} to {comparison.high:.3f}"


def _verdict(result: StudyResult) -> Headline:
    verdict = result.verdict
    detail = []
    if verdict.comparison is not None and verdict.comparison.pairs > 1:
        one = verdict.comparison
        detail.append(
            f"{one.ratio:.3f} times as fast as the defaults in {one.pairs} paired runs; the interval is "
            f"{_interval(one)}, with a confidence of {percent(one.confidence)}."
        )
    if result.interrupted:
        detail.append("The study ended early; this is the result so far.")
    elif not verdict.confirmed:
        detail.append("The comparison is incomplete, so this result is not confirmed.")
    if verdict.scenario is None:
        return Headline(f"Keep the defaults: {verdict.reason}.", "neutral", " ".join(detail))
    gain = verdict.comparison.ratio if verdict.comparison is not None else 1.0
    words = f"Change the settings below: {gain:.2f} times as fast as the defaults."
    return Headline(words, "good" if verdict.confirmed else "neutral", " ".join(detail))


def _changes(content: StudyContent) -> tuple[Block, ...]:
    """Return the table of changed settings, if there are any."""
    result = content.result
    rows = [
        (name, value, result.space.parameter(name).default)
        for name, value in result.configuration.items()
        if value != result.space.parameter(name).default
    ]
    if not rows:
        return ()
    needed = {result.space.parameters[place].name: times for place, times in result.verdict.needed.items()}
    if len(rows) == 1 and result.verdict.comparison is not None:
        # Without this parameter, the rows would show the defaults.
        needed.setdefault(rows[0][0], result.verdict.comparison.ratio)
    shown = {name: removal_text(times, failed=math.isinf(times)) for name, times in needed.items()}
    return (
        Table(
            ("setting", "advised value", "default", "paired runs"),
            tuple((name, str(value), None if old is None else str(old), shown.get(name)) for name, value, old in rows),
        ),
    )


def _ways(content: StudyContent) -> tuple[Block, ...]:
    """Return the ways of applying the settings."""
    return tuple(Code(text, heading) for heading, text in content.advice.items())


def _facts(content: StudyContent) -> tuple[Block, ...]:
    """Return the conditions of the study and facts about its runs."""
    result = content.result
    facts: dict[str, Cell] = dict(content.about)
    facts |= {
        "search": result.search,
        "scenarios": f"{len(result.protocol.arms)} run, of {result.space.size()}",
        "runs": len(result.runs),
        "time": seconds(result.elapsed_s),
        "defaults": _value(result, result.protocol.defaults.mean()[0]),
        "deviation of the defaults' runs": percent(deviation(result.protocol.defaults)),
    }
    return (Facts(facts),)


def _not_confirmed(content: StudyContent) -> tuple[Section, ...]:
    """Return a section on settings that looked better than the advice."""
    found = content.result.verdict.unconfirmed
    if found is None:
        return ()
    one, space = found.comparison, content.result.space
    configuration = space.configuration(found.scenario)
    rows = [(space.parameters[place].name, space.parameters[place].default) for place in space.changed(found.scenario)]
    interval = interval_text((one.low, one.high), one.confidence, one.pairs)
    text = f"These settings were {one.ratio:.2f} times better than the defaults ({interval}), but {found.reason}."
    table = Table(
        ("setting", "value", "default"),
        tuple((name, str(configuration[name]), None if old is None else str(old)) for name, old in rows),
    )
    return (Section(NOT_CONFIRMED.capitalize(), (Text((text,)), table)),)


def _convergence(content: StudyContent) -> tuple[Section, ...]:
    """Return the section on the order of the runs."""
    result = content.result
    found = convergence(result)
    ok = [place for place, value in enumerate(found.values) if value is not None]
    reference = result.protocol.defaults.mean()[0]
    last = max(len(found.trials), 1)
    series = [
        PlotSeries(
            "trial",
            [found.trials[place] for place in ok],
            [found.values[place] for place in ok],
            "points",
            labels=[f"{found.configurations[place]}: {_value(result, found.values[place])}" for place in ok],
        ),
        PlotSeries("best so far", list(found.trials), list(found.best), "steps"),
        PlotSeries(
            "defaults, between trials",
            [at for at, _ in found.defaults],
            [default for _, default in found.defaults],
            "points",
        ),
        PlotSeries("defaults, mean", [0, last], [reference, reference], dashed=True, color="#009e73"),
    ]
    failed = [place for place, value in enumerate(found.values) if value is None]
    if failed:
        top = max((value for value in found.values if value is not None), default=reference)
        labels = [f"{found.configurations[place]}: {found.statuses[place]}" for place in failed]
        series.append(
            PlotSeries(
                "failed or stopped",
                [found.trials[place] for place in failed],
                [top] * len(failed),
                "points",
                labels=labels,
                color="#999999",
            )
        )
    figure = xy_figure(
        series,
        x_title="trial",
        y_title=_axis(result),
        y_log=True,
        caption="Every run of the search in order. Point at a run to see its settings.",
    )
    return (Section("Convergence", (figure,)),)


def _effect_figure(effect: Effect) -> Figure:
    labels = [
        f"{value}: {ratio:.3f}, scenarios run: {runs}"
        for value, ratio, runs in zip(effect.values, effect.ratios, effect.runs, strict=True)
    ]
    numeric = all(isinstance(value, int) for value in effect.values)
    values = [str(value) for value in effect.values]
    kind: Literal["line+points", "points"] = "line+points" if numeric else "points"
    line = PlotSeries(effect.parameter, values, list(effect.ratios), kind, list(effect.low), list(effect.high), labels)
    caption = (
        f"Time with each value of {effect.parameter}, divided by the time with the best value. The range is one "
        "standard deviation of the model."
    )
    return xy_figure([line], x_title=effect.parameter, y_title="relative time", caption=caption, height=260)


def _effects(content: StudyContent) -> tuple[Section, ...]:
    """Return the section on the effect of each parameter."""
    effects, _ = content.analysis
    if not effects:
        return (Section("Effects of the parameters", (Text(("Too few scenarios succeeded for an analysis.",)),)),)
    known = [effect for effect in effects if effect.known]
    rare = ", ".join(effect.parameter for effect in effects if not effect.known)
    note = (
        f"Not ranked, because fewer than {LEAST_RUN} scenarios used values other than the most frequent one: {rare}."
        if rare
        else ""
    )
    notes = (Text((note,)),) if note else ()
    if not known:
        return (Section("Effects of the parameters", notes),)
    shown = [effect for effect in known if effect.span > _IDLE][:_EFFECTS_SHOWN]
    bars = bar_figure(
        [effect.parameter for effect in known],
        [Bars("worst over best value", [100.0 * (effect.span - 1.0) for effect in known])],
        value_title="excess time of the worst value over the best value, %",
        caption="Averaged over the other parameters by a model of all scenarios that were run. Effects below a few "
        "percent are noise.",
    )
    return (Section("Effects of the parameters", (bars, *notes, *(_effect_figure(effect) for effect in shown))),)


def _interactions(content: StudyContent) -> tuple[Section, ...]:
    """Return the section on pairs of parameters."""
    _, interactions = content.analysis
    notable = [interaction for interaction in interactions if interaction.strength > _NOTABLE]
    if not notable:
        text = "No two parameters interact noticeably: each can be considered separately."
        return (Section("Interactions", (Text((text,)),)),)
    rows = tuple((interaction.first, interaction.second, percent(interaction.strength)) for interaction in notable[:6])
    interaction = notable[0]
    figure = heatmap(
        [str(value) for value in interaction.first_values],
        [str(value) for value in interaction.second_values],
        interaction.ratios,
        x_title=interaction.first,
        y_title=interaction.second,
        value_title="relative time",
        caption="The strongest interaction: time divided by the time of the best pair of values.",
    )
    note = Text(("Strength: how much one parameter's effect depends on the other, as a share of the time.",))
    return (Section("Interactions", (note, Table(("parameter", "and", "strength"), rows), figure)),)


def _comparison(content: StudyContent) -> tuple[Section, ...]:
    """Return the section on the paired runs of the finalists."""
    result, protocol = content.result, content.result.protocol
    found = protocol.comparisons()
    if not found:
        text = Text((f"No comparison was made: {result.verdict.reason}.",))
        return (Section("Comparison with the defaults", (text,)),)
    rows = tuple(
        (
            _settings(result, scenario),
            comparison.ratio,
            _interval(comparison),
            comparison.pairs,
            "faster" if comparison.better else "slower" if comparison.worse else "no difference measured",
        )
        for scenario, comparison in found.items()
    )
    advised = result.verdict.scenario
    simpler: tuple[int, ...] = ()
    if advised is not None and advised not in found and result.verdict.comparison is not None:
        comparison = result.verdict.comparison
        rows += (
            (
                _settings(result, advised),
                comparison.ratio,
                _interval(comparison),
                comparison.pairs,
                "faster, with fewer settings",
            ),
        )
        simpler = (len(rows) - 1,)
    marked = simpler or tuple(place for place, scenario in enumerate(found) if scenario == advised)
    points = []
    for number, scenario in enumerate(found, 1):
        defaults, theirs = protocol.pairs(scenario)
        ratios = [a / b for a, b in zip(defaults, theirs, strict=True)]
        points.append(PlotSeries(f"finalist {number}", list(range(1, len(ratios) + 1)), ratios, "points"))
    longest = max((len(point.x) for point in points), default=1)
    points.append(PlotSeries("no difference", [1, longest], [1.0, 1.0], dashed=True, color="#444444"))
    confidence = next(iter(found.values())).confidence
    explanation = (
        "In every round the defaults and all finalists ran once, in random order. The ratio is the geometric mean of "
        "the defaults' value divided by the finalist's; above 1 the finalist is faster. The paired t intervals of "
        f"the logarithms have a confidence of {percent(confidence)}, so that all finalists at all "
        f"{len(result.policy.rounds)} evaluations together have {percent(result.policy.confidence)} (Bonferroni)."
    )
    if simpler:
        explanation += (
            " The last row is the winner without the settings that had no effect, compared with the defaults in "
            "separate rounds."
        )
    how = Text((explanation,))
    figure = xy_figure(points, x_title="round", y_title="defaults over finalist", caption="Ratio in each round.")
    table = Table(("finalist", "ratio", Column("interval", numeric=True), "pairs", "verdict"), rows, marked=marked)
    return (Section("Comparison with the defaults", (how, table, figure)),)


def _front(content: StudyContent) -> tuple[Section, ...]:
    """Return the section on two objectives: scenarios that no other scenario improves in both objectives."""
    result = content.result
    if len(result.objectives) < 2:  # noqa: PLR2004
        return ()
    means = {scenario: arm.mean() for scenario, arm in result.protocol.arms.items() if arm.samples and not arm.failures}
    front = [
        scenario for scenario, value in means.items() if not any(dominates(other, value) for other in means.values())
    ]
    front.sort(key=lambda scenario: means[scenario])
    first, second = result.objectives[:2]
    names = [_settings(result, scenario) for scenario in means]
    every = list(means.values())
    best = [means[scenario] for scenario in front]
    series = [
        PlotSeries("scenario", [point[0] for point in every], [point[1] for point in every], "points", labels=names),
        PlotSeries("best trade-offs", [point[0] for point in best], [point[1] for point in best], "line+points"),
    ]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (_settings(result, scenario), means[scenario][0], means[scenario][1]) for scenario in front
    )
    figure = xy_figure(series, x_title=first, y_title=second)
    return (Section(f"Trade-off of {first} and {second}", (figure, Table(("settings", first, second), rows))),)


def _cases(content: StudyContent) -> tuple[Section, ...]:
    """Return the section on the effect of the settings on each case."""
    if content.conclusion is None or not content.conclusion.cases:
        return ()
    rows = tuple(
        (
            case.name,
            f"{case.ratio:.2f}",
            f"{case.interval[0]:.2f} to {case.interval[1]:.2f}",
            ", ".join(f"{name}={value}" for name, value in case.own.items()) or None,
            None if case.own_ratio is None else f"{case.own_ratio:.2f}",
        )
        for case in content.conclusion.cases
    )
    header = ("case", "times as fast as with the defaults", "interval", "clearly better in the search", "times as fast")
    return (Section("Cases", (Table(header, rows),)),)


def _states(content: StudyContent) -> tuple[Section, ...]:
    """Return the section on the states of the machine."""
    if content.conclusion is None or not content.conclusion.states:
        return ()
    header = ("state", "defaults", "runs of the defaults", "times as fast with the settings", "pairs")
    rows = tuple((one.name, one.typical, one.runs, one.ratio, one.pairs) for one in content.conclusion.states)
    text = f"During the study, {STATES}, each for some time: the effect of the settings may depend on the state."
    return (Section("States of the machine", (Text((text,)), Table(header, rows))),)


def _profiles(content: StudyContent) -> tuple[Section, ...]:
    """Return the sections on the profiles of the program."""
    return sections_of_profiles(content.profiles, content.notices)


def _runs(content: StudyContent) -> tuple[Section, ...]:
    """Return the section on all runs."""
    result, name = content.result, content.result.objectives[0]
    rows = tuple(
        (
            run.order.number,
            run.order.kind,
            _settings(result, run.order.scenario),
            run.sample.status,
            _value(result, run.sample.objectives.get(name)),
            run.sample.reason or None,
        )
        for run in result.runs[:_RUNS_SHOWN]
    )
    left = len(result.runs) - len(rows)
    more = (Text((f"The journal contains {left} more.",)),) if left > 0 else ()
    table = Table(("run", "kind", "settings", "status", Column(name, numeric=True), "reason"), rows)
    return (Section("All runs", (table, *more)),)


SUMMARY: list[Callable[[StudyContent], Iterable[Block]]] = [_changes, _ways, _facts]
"""Panels below the headline. A panel is a function that returns its blocks, possibly none."""

SECTIONS: list[Callable[[StudyContent], Iterable[Section]]] = [
    _not_confirmed,
    _comparison,
    _convergence,
    _front,
    _effects,
    _interactions,
    _cases,
    _states,
    _profiles,
    _runs,
]
"""Panels with headings."""


def study_page(content: StudyContent) -> Page:
    """Return the page of a study."""
    return Page(
        "Settings of the MPI library",
        (_verdict(content.result), *(block for panel in SUMMARY for block in panel(content))),
        tuple(section for panel in SECTIONS for section in panel(content)),
        tool="adcl tune",
    )
