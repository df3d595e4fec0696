"""The picture of the page of `adcl report` in the documentation: ``report_picture.py record|draw|check``.

``record TRACE`` copies the trace of a run on two ranks to docs/report_trace. ``draw`` makes the page of that trace with
the present code and writes docs/report.png, with headless Chromium. ``check`` compares the page with the picture, which
contains the digest of the page's text: it prints the reason and returns 1 if the picture must be drawn again.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, PngImagePlugin

from adcl.pages import render
from adcl.trace import read_recording, trace_page

__all__ = ["main", "page_digest", "page_html", "picture_digest"]

ROOT = Path(__file__).resolve().parents[1]
TRACE = ROOT / "docs" / "report_trace"
PICTURE = ROOT / "docs" / "report.png"
_WIDTH, _HEIGHT = 860, 1330
_KEY = "page"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def page_html(trace: Path = TRACE) -> str:
    """Return the page of a trace; it names the trace's folder, without the path."""
    with contextlib.chdir(trace.parent):
        return str(render(trace_page(read_recording(Path(trace.name)))))


def page_digest(page: str) -> str:
    """Return a digest of the visible text of a page, without figures and the version."""
    text = re.sub(r"<style.*?</style>|<svg.*?</svg>|ADCL \d[\w.]*", "", page, flags=re.DOTALL)
    words = html.unescape(re.sub(r"<[^>]+>", " ", text)).split()
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def picture_digest(picture: Path = PICTURE) -> str:
    """Return the digest of the page that a picture shows; empty if it has none."""
    with Image.open(picture) as image:
        return str(image.info.get(_KEY, ""))


def _record(trace: Path) -> None:
    files = sorted(trace.rglob("adcl.*.jsonl"))
    if not files:
        raise ValueError(f"{trace} contains no trace; run a program with ADCL_TRACE={trace}")
    shutil.rmtree(TRACE, ignore_errors=True)
    TRACE.mkdir()
    for file in files:
        shutil.copy(file, TRACE)


def _draw() -> None:
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise ValueError(f"found none of {', '.join(_BROWSERS)}; install chromium")
    page = page_html()
    with tempfile.TemporaryDirectory() as folder:
        file, shot = Path(folder, "page.html"), Path(folder, "page.png")
        file.write_text(page, encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--window-size={_WIDTH},{_HEIGHT}", f"--screenshot={shot}", file.as_uri()]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        about = PngImagePlugin.PngInfo()
        about.add_text(_KEY, page_digest(page))
        with Image.open(shot) as image:
            image.convert("RGB").quantize(256).save(PICTURE, optimize=True, pnginfo=about)


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    match arguments:
        case ["record", trace]:
            _record(Path(trace))
        case ["draw"]:
            _draw()
        case ["check"]:
            if page_digest(page_html()) != picture_digest():
                sys.stderr.write("docs/report.png shows another page; run tools/report_picture.py draw\n")
                return 1
        case _:
            sys.stderr.write(f"{__doc__}")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
