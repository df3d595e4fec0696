"""Page sections on functions: a sentence, figures and facts for each, and their efficiency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from adcl import pages
from adcl.scale.judge import Match
from adcl.scale.model import big_o
from adcl.scale.output._curves import efficiency_figure, verdict_figure
from adcl.scale.output._panel import title_of
from adcl.scale.output._surface import surface_figures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcl.scale.judge import Verdict
    from adcl.scale.output._panel import PageContent
    from adcl.scale.study import EfficiencyCheck, ResultRow

__all__ = ["efficiencies", "functions"]

_MOST_DRAWN = 20
"""Maximum number of functions with figures, which keeps the page below a megabyte."""

_FINE = 0.005
_CONCERN = (Match.NONE, Match.UNDECIDED, None, Match.APPROXIMATE, Match.BETTER, Match.TOTAL)
"""Matches in the order of priority."""


def functions(content: PageContent) -> Iterator[pages.Section]:
    """Return sections for the functions with the highest priority, in the order of the study."""
    rows = content.results.rows
    drawn = sorted(rows, key=lambda row: _CONCERN.index(row.verdict.match))[:_MOST_DRAWN]
    yield from (_section(row) for row in rows if row in drawn)
    if len(drawn) < len(rows):
        note = (
            f"To keep the page small, only {len(drawn)} of {len(rows)} functions have figures: broken and undecided "
            "functions first."
        )
        yield pages.Section("More functions", (pages.Text((note,)),))


def efficiencies(content: PageContent) -> Iterator[pages.Section]:
    """Return the section on efficiency."""
    return map(_efficiency, content.results.efficiencies[:_MOST_DRAWN])


def _section(row: ResultRow) -> pages.Section:
    verdict = row.verdict
    several = len(verdict.series.parameters) > 1
    figures = surface_figures(verdict) if several else [verdict_figure(verdict)]
    return pages.Section(title_of(verdict), (_sentence(row), *figures, _facts(verdict)))


def _sentence(row: ResultRow) -> pages.Headline:
    verdict = row.verdict
    words = {
        Match.TOTAL: "grows as expected",
        Match.APPROXIMATE: "grows within the deviation limits",
        Match.NONE: "grows faster than expected",
        Match.BETTER: "grows more slowly than expected",
        Match.UNDECIDED: "is undecided: the measurements fit models inside and outside of the limits",
        None: "has no expectation yet",
    }[verdict.match]
    undecided = verdict.match is None or verdict.match is Match.UNDECIDED
    tone: Literal["good", "bad", "neutral"] = "neutral" if undecided else "good"
    if verdict.match is Match.NONE:
        tone = "bad"
    detail = f"model {verdict.model.expression}"
    if verdict.divergence is not None:
        chance = f"; outside the limits with probability {verdict.outside:.0%}" if verdict.likely else ""
        detail += f"; divergence {verdict.divergence}{chance}"
    detail += "".join(f"; {note}" for note in verdict.notes)
    return pages.Headline(f"{verdict.series.function} {words}.", tone, detail)


def _facts(verdict: Verdict) -> pages.Facts:
    model = verdict.model
    likely = ", ".join(
        f"{big_o(one.leading)} {one.probability:.0%}" for one in verdict.likely[:4] if one.probability >= _FINE
    )
    return pages.Facts(
        {
            "adjusted R²": model.adjusted_r_squared,
            "error": f"{model.relative_error:.2%}, cross-validated {model.left_out_error:.2%}",
            "likely": likely,
            **{
                f"coefficient of {coefficient.term}": f"{coefficient.low:.4g} … {coefficient.high:.4g} (95 %)"
                for coefficient in model.coefficients
            },
        }
    )


def _efficiency(check: EfficiencyCheck) -> pages.Section:
    one, name = check.efficiency, check.parameter

    def scale(x: float | None) -> str:
        return "beyond the prediction" if x is None else f"{name} = {x:g}"

    facts = {
        f"below {one.at_least:.0%} from": scale(check.ends_at),
        f"doubling {name} saves less than 10 % of the cost from": scale(check.pays_until),
        "fastest at": scale(check.fastest_at),
    }
    return pages.Section(f"Efficiency of {one.function}", (efficiency_figure(check), pages.Facts(facts)))
