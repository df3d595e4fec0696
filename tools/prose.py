"""Reports words that the documentation avoids: ``prose.py [PAGE...]`` (default: README.md and docs/*.md).

Code blocks, code spans and link targets are excluded. The exit code is 1 if a page has one of the words.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_IZE = "capital|character|discret|equal|final|formal|general|initial|local|maxim|memor|minim|normal|optim|organ"
_IZE += "|parallel|quant|random|real|recogn|serial|special|stabil|standard|summar|synchron|util|vector|visual"
_RULES = {  # regular expression: advice
    rf"(?:un|re)?(?:{_IZE})is(?:e[ds]?|ers?|ing|ations?)": "-ize (American spelling)",
    r"(?:behavi|col|fav|flav|hon|lab|neighb|vap)our\w*": "-or (American spelling)",
    r"(?:cancel|label|model|signal|travel)l(?:ed|ing)": "one l (American spelling)",
    r"analys(?:e[ds]?|ing)|cent(?:re[sd]?|ring)": "analyze, center",
    r"catalogues?|artefacts?|judgements?|defence|grey": "catalog, artifact, judgment, defense, gray",
    r"learnt|(?:mis)?spelt|burnt|whilst|amongst": "learned, spelled, burned, while, among",
    r"(?:after|back|for|to)wards": "afterward, toward",
    r"licences?": "license (for starts without the tuner: lease)",
    r"as it was|what it took|so many": "name the thing, the time or the number",
    r"(?:may|can) be left out": "is optional",
    r"crowded": "oversubscribed",
    r"doubts?|doubted|hears? again": "re-check",
    r"hearings?": "trial",
    r"is no (?:number|file|program|name)": "is not a ...",
    r"is to be had": "is supported, is available",
    r"recollections?|what was (?:learned|known)": "history, stored results",
    r"(?-i:Beside|Required are)": "start with the subject",
}
_CODE = re.compile(r"^```.*?^```$|`[^`]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)


def objections(text: str) -> list[tuple[int, str, str]]:
    """Return line, word and advice for each word of the page that matches a rule."""
    prose = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    found = []
    for pattern, advice in _RULES.items():
        words = re.finditer(r"\b(?:" + pattern.replace(" ", r"\s+") + r")\b", prose, re.IGNORECASE)
        found += [(prose.count("\n", 0, word.start()) + 1, " ".join(word[0].split()), advice) for word in words]
    return sorted(found)


def main(arguments: list[str]) -> int:
    """Check all pages; returns the exit code."""
    root = Path(__file__).resolve().parents[1]
    pages = [Path(one) for one in arguments] or [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    found = [(page, one) for page in pages for one in objections(page.read_text(encoding="utf-8"))]
    sys.stdout.writelines(f"{page}:{line}: '{word}': {advice}\n" for page, (line, word, advice) in found)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
