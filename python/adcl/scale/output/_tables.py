"""Tables of the page: verdicts, rules between functions, and budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl import pages
from adcl.scale.judge import Match
from adcl.scale.output._panel import title_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcl.scale.output._panel import PageContent

__all__ = ["budgets", "overview", "rules"]


def overview(content: PageContent) -> Iterator[pages.Table | pages.Text]:
    """Return the table of verdicts."""
    results = content.results
    rows = []
    for row in results.rows:
        verdict = row.verdict
        sign = "new" if verdict.match is None else verdict.match.sign
        rows.append(
            (
                title_of(verdict),
                f"O({row.growth})" if row.growth else None,
                verdict.model.growth,
                verdict.model.adjusted_r_squared,
                verdict.divergence,
                f"{verdict.outside:.0%}" if verdict.match is not None and verdict.likely else None,
                sign + (" ▲" if results.warned(row) else ""),
                " †" if any(verdict.series.oversubscribed) else "",
            )
        )
    marked = tuple(at for at, row in enumerate(results.rows) if row.verdict.match is Match.NONE or results.warned(row))
    columns = ("function", "expected", "model", "R²", "divergence", "outside", "match", "")
    shared = any(any(row.verdict.series.oversubscribed) for row in results.rows)
    yield pages.Table(
        columns, tuple(rows), "† oversubscribed: timed with more ranks than cores" if shared else "", marked
    )
    yield pages.Text((_legend(content),))


_MEANINGS = {
    Match.TOTAL: "as expected",
    Match.APPROXIMATE: "within the deviation limits",
    Match.NONE: "faster growth than the limits allow",
    Match.BETTER: "slower growth than the limits allow",
    Match.UNDECIDED: "undecided",
}


def _legend(content: PageContent) -> str:
    """Explain the columns, and the symbols that the table contains."""
    rows = content.results.rows
    matches = {row.verdict.match for row in rows}
    signs = [f"{match.sign} {meaning}" for match, meaning in _MEANINGS.items() if match in matches]
    if any(content.results.warned(row) for row in rows):
        signs.append("▲ breaks a rule between functions")
    columns = [
        "Divergence: growth of the model divided by the expected growth.",
        "Outside: probability that the growth is outside the deviation limits.",
    ]
    return " ".join([*([f"Match: {', '.join(signs)}."] if signs else []), *columns])


def rules(content: PageContent) -> Iterator[pages.Table]:
    """Return the table of rules between functions, if there are any."""
    if content.results.rules:
        yield pages.Table(
            ("rule", "measured", "models", "broken from"),
            tuple(
                (
                    f"{rule.rule} ({rule.rule.metric})",
                    f"broken at {len(rule.measured)} of {rule.points}" if rule.measured else f"holds at {rule.points}",
                    f"broken, {rule.probability:.0%}" if rule.predicted else "kept",
                    rule.broken_from,
                )
                for rule in content.results.rules
            ),
            "Rules between functions",
            tuple(at for at, rule in enumerate(content.results.rules) if rule.broken),
        )


def budgets(content: PageContent) -> Iterator[pages.Table]:
    """Return the table of budgets, if there are any."""
    if content.results.limits:
        yield pages.Table(
            ("budget", "at most", "ends at", "target"),
            tuple(
                (
                    f"{limit.limit.function} ({limit.limit.metric}) × {limit.limit.times:g}",
                    limit.limit.at_most,
                    limit.scale,
                    limit.limit.up_to,
                )
                for limit in content.results.limits
            ),
            "Budgets",
            tuple(at for at, limit in enumerate(content.results.limits) if limit.broken),
        )
