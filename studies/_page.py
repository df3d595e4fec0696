"""Render the page of a study: tables, values inside paragraphs, and checked claims."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies._catalog import ROOT, StudyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from studies._catalog import Agreement, Place, Rendered

__all__ = ["Written", "compared", "differences", "fill", "page_of", "table", "write"]

_PLACE = re.compile(r"\{\{\s*(?P<name>[^{}=]+?)\s*(?:=\s*(?P<claim>[^{}]+?)\s*)?\}\}")
_HEAD = "<!-- `make study NAME={key}` writes this page from text.md, published.toml, and the records. -->\n"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table without a newline at its end."""
    lines = [f"| {' | '.join(headers)} |", "|" + "---|" * len(headers)]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def fill(text: str, values: dict[str, str], where: str) -> str:
    """Replace ``{{name}}`` by a value. ``{{name = text}}`` also requires that the value equals this text.

    `where` is the name of the file. Raises `StudyError` for unknown names and false claims.
    """

    def value(match: re.Match[str]) -> str:
        name, claim = match["name"], match["claim"]
        line = text.count("\n", 0, match.start()) + 1
        if name not in values:
            raise StudyError(f"{where}:{line}: {name!r} is not a value of this study")
        if claim is not None and claim != values[name]:
            raise StudyError(
                f"{where}:{line}: the text claims {name} = {claim!r}, but the records give {values[name]!r}"
            )
        return values[name]

    return _PLACE.sub(value, text)


def _about(place: Place, rendered: Rendered) -> dict[str, str]:
    study = place.study
    quick = "A quick run on this machine; not a full record."
    record = quick if place.quick else _record(study.record | rendered.extent | study.record)
    return {
        "about": table(
            ("reproduces", "how", "quick run", "full run"), [(study.about, study.how, study.quick, study.full)]
        ),
        "record": record,
        "agreement": table(
            ("statements", "same", "of"), [(a.what, str(a.same), str(a.of)) for a in rendered.agreement]
        ),
    }


def _record(record: dict[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in record.items()) + "."


@dataclass(frozen=True)
class Written:
    """All files that a study writes."""

    page: str
    pictures: dict[str, str]
    agreement: tuple[Agreement, ...]


def page_of(place: Place) -> Written:
    """Render the page and the pictures of a place. A quick page has tables and agreement, but no paragraphs.

    Raises `StudyError` if a claim of the text is false.
    """
    rendered = place.study.code().render(place)
    values = {**_about(place, rendered), **rendered.values}
    source = place.study.folder / "text.md"
    text = source.read_text(encoding="utf-8")
    if place.quick:
        blocks = [match["name"] for match in _PLACE.finditer(text) if "\n" in values.get(match["name"], "")]
        text = f"# {place.study.title}, quick run\n\n{{{{record}}}}\n" + "".join(
            f"\n{{{{{name}}}}}\n" for name in dict.fromkeys(blocks)
        )
    head = _HEAD.format(key=place.study.key)
    page = head + fill(text, values, str(_shown(source)))
    return Written(page, rendered.pictures, rendered.agreement)


def write(place: Place) -> Path:
    """Render and write page and pictures; return the page's path."""
    written = page_of(place)
    place.folder.mkdir(parents=True, exist_ok=True)
    for name, picture in written.pictures.items():
        (place.folder / name).write_text(picture, encoding="utf-8")
    page = place.folder / "page.md"
    page.write_text(written.page, encoding="utf-8")
    return page


def differences(place: Place) -> list[str]:
    """Return one line for each stored file that differs from the output of the current code.

    A study without a full run must not have a page.
    """
    if not place.quick and not place.study.recorded:
        page = place.folder / "page.md"
        return [f"{_shown(page)}: study.toml names no commit of a full run"] if page.exists() else []
    try:
        written = page_of(place)
    except StudyError as error:
        return [str(error)]
    return compared(place, written)


def compared(place: Place, written: Written) -> list[str]:
    """Return one line for each stored file that differs from `written`."""
    found = []
    for name, wanted in {"page.md": written.page, **written.pictures}.items():
        path = place.folder / name
        stored = path.read_text(encoding="utf-8") if path.exists() else ""
        if stored != wanted:
            found.append(f"{_shown(path)}{_first_difference(stored, wanted)}")
    stale = {path.name for path in place.folder.glob("*.svg")} - set(written.pictures)
    return found + [f"{_shown(place.folder)}/{name}: no study writes this picture" for name in sorted(stale)]


def _shown(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _first_difference(stored: str, wanted: str) -> str:
    old, new = stored.splitlines(), wanted.splitlines()
    for line, (one, other) in enumerate(zip(old, new, strict=False), 1):
        if one != other:
            return f":{line}: stored is {one[:200]!r}, the present code writes {other[:200]!r}"
    return f": {len(old)} lines are stored, the present code writes {len(new)}"
