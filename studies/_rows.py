"""Rows of the front page: items of each publication, the study that reproduces each, and the agreement."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies._catalog import ROOT, Place, all_publications, all_studies
from studies._programs import all_listings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studies._catalog import Rendered, Study
    from studies._programs import Listing
    from studies._publications import Publication, Row
    from studies._statements import Statement

__all__ = [
    "STATES",
    "FrontRow",
    "anchor_of",
    "front_rows",
    "heading_of",
    "headings",
    "numbers_in",
    "record_files",
    "rendered_of",
    "rendered_studies",
    "study_row",
    "summary",
]

_NUMBERED = re.compile(
    r"(?P<kind>Table|Figure)s? (?P<first>[\d.]+[a-z]?)(?:(?P<to> to | and |, )(?P<last>[\d.]+[a-z]?))?"
    r"(?:,? and (?P<more>[\d.]+[a-z]?))?"
)


@dataclass(frozen=True)
class FrontRow:
    """One line of the front page."""

    publication: Publication
    row: Row
    link: str
    """File that reproduces the item, relative to the project's folder; empty if there is none."""

    command: str
    duration: str
    record: str
    agrees: str
    """Whether our result agrees with the published result, or the reason why not."""

    state: str
    """One of `STATES`."""


STATES = {
    "agrees": "agree",
    "agrees in part": "agree in part",
    "does not agree": "do not agree",
    "nothing to compare": "have nothing to compare",
    "no full run": "have no full run yet",
    "not reproduced": "are not reproduced yet",
}
"""States of rows, and their texts for one and for several rows."""


def headings(text: str) -> list[str]:
    """Return the headings of a page below its title."""
    return re.findall(r"^## (.*)$", text, re.MULTILINE)


def numbers_in(heading: str) -> set[str]:
    """Return the tables and figures that a heading names: ``Figures 2 to 4`` are three."""
    found = set()
    for match in _NUMBERED.finditer(heading):
        kind, numbers = match["kind"], [match[name] for name in ("first", "last", "more") if match[name]]
        if match["to"] == " to ":
            *before, first = match["first"].split(".")
            last = match["last"].split(".")[-1]
            if first.isdigit() and last.isdigit():
                numbers += [".".join([*before, str(number)]) for number in range(int(first), int(last) + 1)]
        found |= {f"{kind} {number.rstrip('.')}" for number in numbers}
    return found


def heading_of(row: Row, text: str) -> str | None:
    """Return the heading of a row's section: as the row states it, or the first heading with the row's name."""
    every = headings(text)
    if row.heading:
        return row.heading if row.heading in every else None
    return next((one for one in every if row.name in numbers_in(one)), None)


def anchor_of(row: Row, text: str) -> str | None:
    """Return the link target of a row's section in a page, or None if the page has no such section."""
    heading = heading_of(row, text)
    if heading is None:
        return None
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def record_files(study: Study) -> list[Path]:
    """Return the stored records of a study's full run."""
    return sorted(study.folder.glob("*.jsonl"))


def _record(study: Study, rendered: Rendered) -> str:
    if not study.measures:
        return "nothing is measured"
    files = record_files(study)
    target = files[0] if len(files) == 1 else study.folder
    known = study.record | rendered.extent | study.record
    date = f"[{known.get('date', 'record')}]({target.relative_to(ROOT)})"
    more = [known["commit"], *(f"{name} {known[name]}" for name in ("ranks", "repetitions") if name in known)]
    return f"{date}: " + "; ".join(more)


def _agreement(row: Row, statements: Sequence[Statement], page: str) -> tuple[str, str]:
    """Return the state of a row with a full run, and the text of its cell."""
    if row.nothing:
        return "nothing to compare", f"nothing to compare: {row.nothing}"
    decided = [one.holds for one in statements if row.name in one.rows and one.holds is not None]
    if not decided:
        return "nothing to compare", "no statement is decidable from the records"
    same = f"same {row.same}: {sum(decided)} of {len(decided)}"
    if all(decided):
        return "agrees", same
    state = "agrees in part" if any(decided) else "does not agree"
    return state, f"{same}; {row.why or 'the page has no reason'} ([more]({page}))"


def study_row(study: Study, row: Row, rendered: Rendered | None) -> FrontRow:
    command, page = f"make study NAME={study.key}", study.folder.relative_to(ROOT) / "page.md"
    if rendered is None:
        link = str(study.folder.relative_to(ROOT) / "study.toml")
        why = "not reproduced yet: no full run is stored"
        return FrontRow(study.publication, row, link, command, study.full, "none", why, "no full run")
    text = (study.folder / "text.md").read_text(encoding="utf-8")
    why_differs = next((one for one in headings(text) if one.startswith("Why")), "")
    target = re.sub(r"[^\w\- ]", "", why_differs.lower()).replace(" ", "-")
    state, agrees = _agreement(row, rendered.statements, f"{page}#{target}")
    link = f"{page}#{anchor_of(row, text)}"
    return FrontRow(study.publication, row, link, command, study.full, _record(study, rendered), agrees, state)


def _listing_row(publication: Publication, listing: Listing) -> FrontRow:
    different = [f"`{here}`: {why}" for here, why in listing.differs.values()]
    calls = (
        f"{len(listing.calls) - len(different)} of {len(listing.calls)} calls are as published, in the published order"
    )
    agrees = "; ".join([calls, *different])
    if not listing.calls:
        agrees = f"{len(listing.declares)} names are as published" if listing.declares else "the file is as published"
    state = "agrees in part" if different else "agrees"
    link = str(listing.program.resolve().relative_to(ROOT))
    return FrontRow(publication, listing.row, link, listing.command, "seconds", "in every `make check`", agrees, state)


def rendered_of(study: Study) -> Rendered:
    """Return the rendered results of a study's full run."""
    return study.code().render(Place.of(study, quick=False))


def rendered_studies() -> dict[str, Rendered]:
    """Return the rendered results of the studies with a full run, by key."""
    return {one.key: rendered_of(one) for one in all_studies() if one.recorded}


def front_rows(rendered: dict[str, Rendered]) -> list[FrontRow]:
    """Return all rows, publication by publication: studies, listings, and items that no study reproduces."""
    studies, listings, found = all_studies(), all_listings(), []
    for publication in all_publications():
        own = [one for one in studies if one.publication.key == publication.key]
        rows = [study_row(one, row, rendered.get(one.key)) for one in own for row in one.redoes]
        rows += [_listing_row(publication, one) for one in listings if one.publication == publication.key]
        rows += [
            FrontRow(publication, row, "", "–", "–", "none", f"not reproduced yet: {row.reason}", "not reproduced")
            for row in publication.missing
        ]
        found += sorted(rows, key=_place)
    return found


def _place(one: FrontRow) -> list[int]:
    """Sort key: sections in the publication's order; sections that are not numbers keep the order of the studies."""
    return [int(part) for part in one.row.section.split(".") if part.isdigit()]


def summary(rows: Sequence[FrontRow]) -> str:
    """Return the number of rows in each state."""
    count = Counter(one.state for one in rows)
    return f"{len(rows)} rows: " + ", ".join(f"{count[state]} {text}" for state, text in STATES.items() if count[state])
