"""Pages as HTML."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl._version import __version__
from adcl.errors import AdclError
from adcl.report._figures import PALETTE
from adcl.report._format import cell_text

if TYPE_CHECKING:
    from jinja2 import Template

    from adcl.report._model import Page

__all__ = ["render", "write", "write_text"]

_FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif"
_AXIS = {"gridcolor": "#e4e4e4", "zerolinecolor": "#bbbbbb", "linecolor": "#888888", "ticks": "outside"}
_LAYOUT = {
    "font": {"family": _FONT, "size": 13, "color": "#222222"},
    "margin": {"l": 70, "r": 20, "t": 20, "b": 55},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "#ffffff",
    "colorway": list(PALETTE),
    "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    "hoverlabel": {"align": "left"},
}


@functools.cache
def _template() -> Template:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("adcl.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["cell"] = cell_text
    environment.filters["script"] = _script
    return environment.get_template("page.html")


def _script(value: object) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element."""
    import markupsafe

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return markupsafe.Markup(text.replace("<", "\\u003c"))  # noqa: S704 - "<" is the only way out of the element


@functools.cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def _figure(figure: Any) -> dict[str, Any]:  # noqa: ANN401 - the template hands over what the page has
    layout = {**_LAYOUT, **figure.layout, "height": figure.height}
    for axis in ("xaxis", "yaxis"):
        layout[axis] = {**_AXIS, **layout.get(axis, {})}
    return {"data": list(figure.data), "layout": layout}


def render(page: Page) -> str:
    """Return the page as one HTML text that needs nothing else.

    A page with figures carries plotly.js, some 5 MB. Numbers in figures must be finite: raises `ValueError`.
    """
    import markupsafe

    style = resources.files("adcl.report").joinpath("templates", "style.css").read_text(encoding="utf-8")
    return _template().render(
        page=page,
        style=markupsafe.Markup(style),  # noqa: S704 - the project's own file
        plotly=markupsafe.Markup(_plotly()) if page.has_figures else "",  # noqa: S704 - plotly's own file
        figure=_figure,
        version=__version__,
    )


def write(page: Page, path: Path | str) -> None:
    """Write the page, replacing an older one only when the new one is complete. Raises `AdclError`."""
    write_text(render(page), Path(path))


def write_text(text: str, path: Path) -> None:
    """Write a file, replacing an older one only when the new one is complete. Raises `AdclError`."""
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
