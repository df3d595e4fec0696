"""The front page, docs/studies.md, and the list of all statements, docs/statements.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies._catalog import ROOT, all_publications, all_studies
from studies._page import table
from studies._rows import front_rows, rendered_studies, summary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studies._catalog import Rendered, Study
    from studies._rows import FrontRow
    from studies._statements import Statement

__all__ = ["front_differences", "write_front"]

_BEGIN = "<!-- python -m studies render writes the lines from here on. -->\n"
_SIGNS = {True: "yes", False: "no", None: "not decided"}


def _count(statements: Sequence[Statement]) -> str:
    decided = [one.holds for one in statements if one.holds is not None]
    return f"{sum(decided)} of {len(decided)}"


def _from_docs(cell: str) -> str:
    """Return a cell whose links are relative to the folder docs."""
    return cell.replace("](", "](../")


def _cells(one: FrontRow) -> tuple[str, ...]:
    name = f"[{one.row.name}](../{one.link})" if one.link else one.row.name
    command = one.command if one.command == "–" else f"`{one.command}`"
    page = one.publication.page(one.row.section)
    return (
        name,
        one.row.shows,
        one.row.section,
        page,
        command,
        one.duration,
        _from_docs(one.record),
        _from_docs(one.agrees),
    )


def _study_cells(study: Study, rendered: Rendered | None) -> tuple[str, ...]:
    key = f"[`{study.key}`](../{study.folder.relative_to(ROOT)}/{'page.md' if rendered else 'study.toml'})"
    if rendered is None:
        return key, study.title, study.how, study.quick, study.full, "no full run is stored"
    agreement = "; ".join(map(str, rendered.agreement)) or "nothing is published"
    return key, study.title, study.how, study.quick, study.full, agreement


def _front(head: str, rendered: dict[str, Rendered]) -> str:
    rows = front_rows(rendered)
    headers = ("published", "shows", "section", "page", "command", "full run takes", "last full run", "agrees")
    parts = [f"## Tables, figures, and listings\n\n{summary(rows)}."]
    for publication in all_publications():
        own = [_cells(one) for one in rows if one.publication.key == publication.key]
        if own:
            parts.append(f"### {publication.title}\n\n{table(headers, own)}")
    columns = ("study", "title", "how", "quick run takes", "full run takes", "agreement")
    every = [_study_cells(one, rendered.get(one.key)) for one in all_studies()]
    parts.append(f"## Studies\n\n{table(columns, every)}")
    return f"{head}{_BEGIN}\n" + "\n\n".join(parts) + "\n"


def _statements(head: str, rendered: dict[str, Rendered]) -> str:
    known = [(one, rendered[one.key]) for one in all_studies() if one.key in rendered and rendered[one.key].statements]
    counts, parts = [], []
    measured = [one for study, found in known if study.measures for one in found.statements]
    for study, found in known:
        counts.append((f"`{study.key}`", study.publication.short, study.how, _count(found.statements)))
        rows = [
            (
                one.text,
                one.section,
                study.publication.page(one.section),
                ", ".join(one.rows),
                one.here,
                _SIGNS[one.holds],
            )
            for one in found.statements
        ]
        headers = ("statement", "section", "page", "shown in", "here", "holds")
        link = f"../{study.folder.relative_to(ROOT)}/page.md"
        parts.append(
            f"## {study.title}\n\nFrom {study.publication.short}; see [{study.key}]({link}).\n\n{table(headers, rows)}"
        )
    first = f"Measurements confirm {_count(measured)} statements."
    total = table(("study", "publication", "how", "hold"), counts)
    return f"{head}{_BEGIN}\n" + "\n\n".join([first, total, *parts]) + "\n"


_PAGES = {"studies.md": _front, "statements.md": _statements}


def _written(folder: Path) -> dict[Path, str]:
    """Return the output of the current code, by path. The text before the marker is kept."""
    rendered, found = rendered_studies(), {}
    for name, page in _PAGES.items():
        path = folder / name
        head = path.read_text(encoding="utf-8").partition(_BEGIN)[0]
        found[path] = page(head, rendered)
    return found


def write_front(folder: Path = ROOT / "docs") -> list[Path]:
    """Write the lists below the paragraphs of the pages; return the paths of the pages."""
    written = _written(folder)
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    return list(written)


def front_differences(folder: Path = ROOT / "docs") -> list[str]:
    """Return a line for each stored list that differs from the output of the current code."""
    return [
        f"{path.name}: the list differs; run python -m studies render"
        for path, text in _written(folder).items()
        if path.read_text(encoding="utf-8") != text
    ]
