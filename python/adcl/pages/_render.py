"""Render pages as HTML."""

from __future__ import annotations

import functools
import itertools
import os
import re
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from adcl._version import __version__
from adcl.errors import AdclError
from adcl.pages._format import cell_text

if TYPE_CHECKING:
    from jinja2 import Template

    from adcl.pages._model import Cell, Figure, Page, Table

__all__ = ["render", "write", "write_text"]


_LONG_WORD = 16
_JOINT = re.compile(r"(?<=[_/,=])(?=[^_/,=\s])|(?<=[a-z])(?=[A-Z])")


def _cell(value: Cell) -> str:
    """Return the HTML of a cell; long names break only at separators on a narrow screen."""
    import markupsafe

    words = [
        markupsafe.Markup("<wbr>").join(_JOINT.split(word)) if len(word) > _LONG_WORD else markupsafe.escape(word)
        for word in cell_text(value).split(" ")
    ]
    return markupsafe.Markup(" ").join(words)


_NARROW = 48
"""Characters per line on a phone."""

_GAP = 1.2
"""Characters between two columns."""


def _needs_scrolling(table: Table) -> bool:
    """Return whether the longest words of all columns together exceed a narrow screen."""

    def longest(words: str) -> int:
        pieces = [_JOINT.split(word) if len(word) > _LONG_WORD else [word] for word in words.split(" ")]
        return max((len(piece) for word in pieces for piece in word), default=0)

    widths = [
        max(longest(head.title), *(longest(cell_text(row[place])) for row in table.rows), 0)
        for place, head in enumerate(table.heads)
    ]
    return sum(widths) + _GAP * len(widths) > _NARROW


@functools.cache
def _template() -> Template:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("adcl.pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["cell"] = _cell
    environment.filters["sideways"] = _needs_scrolling
    return environment.get_template("page.html")


def render(page: Page) -> str:
    """Return the page as one self-contained HTML text without scripts."""
    import markupsafe

    from adcl.pages._draw import picture, themed

    numbers = itertools.count(1)

    def draw(figure: Figure) -> str:
        return markupsafe.Markup(themed(picture(figure, next(numbers))))  # noqa: S704 - the renderer escapes its texts

    style = resources.files("adcl.pages").joinpath("templates", "style.css").read_text(encoding="utf-8")
    return _template().render(
        page=page,
        style=markupsafe.Markup(style),  # noqa: S704 - the project's own file
        picture=draw,
        version=__version__,
    )


def write(page: Page, path: Path | str) -> None:
    """Write the page atomically. Raises `AdclError`."""
    write_text(render(page), Path(path))


def write_text(text: str, path: Path) -> None:
    """Write a file atomically: rename a complete temporary file. Raises `AdclError`."""
    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".new", delete=False) as file:
            temporary = Path(file.name)
            file.write(text)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise AdclError(f"cannot write {path}: {error.strerror}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
