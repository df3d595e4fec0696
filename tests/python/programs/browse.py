"""Opens the pages of a site in Chromium: browse.py FOLDER [--shots FOLDER] PAGE... prints what it sees as JSON.

It runs in the environment .venvs/browser, which has Playwright.
"""

from __future__ import annotations

import argparse
import functools
import json
import shutil
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

WIDTHS = (400, 1280)
WORD = "lease"

# Elements beyond the right edge of the window, except those in an element that scrolls.
_WIDE = """() => {
  const scrolls = (one) => { for (; one && one.tagName !== "ARTICLE"; one = one.parentElement) {
    if (["auto", "scroll"].includes(getComputedStyle(one).overflowX)) return true; } return false; };
  const wide = [...document.querySelectorAll("article *")].filter(
    (one) => one.getBoundingClientRect().right > innerWidth + 1 && !scrolls(one));
  return { page: document.documentElement.scrollWidth, window: innerWidth,
           elements: wide.slice(0, 3).map((one) => one.tagName + " " + one.textContent.trim().slice(0, 60)) };
}"""
_COLORS = """() => { const style = getComputedStyle(document.body); return [style.backgroundColor, style.color]; }"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def _searched(page: Page, address: str) -> list[str]:
    """Return the titles that the search page finds for WORD."""
    page.goto(f"{address}/search.html?q={WORD}")
    page.wait_for_selector("#search-results .search li a", timeout=20_000)
    page.wait_for_timeout(500)
    return [str(one) for one in page.locator("#search-results .search li > a").all_inner_texts()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("site", type=Path)
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--shots", type=Path, help="write screenshots to this folder")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(options.site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    found: dict[str, Any] = {"sizes": [], "colors": {}, "errors": []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme)
            page.on("pageerror", lambda error: found["errors"].append(str(error)))
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                for name in options.pages if scheme == "light" else options.pages[:1]:
                    page.goto(f"{address}/{name}")
                    if scheme == "light":
                        found["sizes"].append({"name": name, "width": width, **page.evaluate(_WIDE)})
                    if options.shots:
                        page.screenshot(path=options.shots / f"{Path(name).stem}-{width}-{scheme}.png")
            found["colors"][scheme] = page.evaluate(_COLORS)
            found["search"] = _searched(page, address)
        browser.close()
    server.shutdown()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
