"""Reports words that the documentation avoids: ``prose.py [FILE...]``.

Without a FILE, the script checks README.md, all pages of docs, studies and examples, and the string literals of the
`adcl` command. Code blocks, code spans and link targets are excluded, and literals without a space, which are names.
The exit code is 1 if a file has one of the words.

Vale is not used: its wheel on PyPI contains no program and downloads one from another host.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    r"is no (?:number|file|program|name|candidate)": "is not a ...",
    r"left out": "not applicable, omitted",
    r"is to be had": "is supported, is available",
    r"recollections?|knowledge|what was (?:learned|known)": "history, stored results",
    r"near problems?": "similar problem",
    r"favorites?": "best candidate so far, winner",
    r"settled": "decided, in production",
    r"times as long as|gains? over": "speedup, relative time, regret",
    r"what (?:it|the search|a search) costs": "overhead",
    r"what is (?:expected|given|taken)|is taken when": "name the thing: prior, argument, default",
    r"the ones? (?:of|that|which|with)|those that": "repeat the noun",
    r"wants": "requires, supports",
    r"says|tells|told|hears|believes?|forgiv(?:es?|en|ing)": "states, prints, returns, sends, estimates",
    r"by default to|the same one": "(default: ...), is already defined",
    r"(?-i:Beside|Of|Required are)": "start with the subject",
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


def _texts(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line and the text of a page, or of each string literal of a Python file."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        yield 1, text
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def _files(root: Path) -> list[Path]:
    patterns = ("README.md", "docs/*.md", "studies/**/*.md", "examples/**/*.md", "python/adcl/cli/**/*.py")
    return [file for pattern in patterns for file in sorted(root.glob(pattern))]


def main(arguments: list[str]) -> int:
    """Check all files; returns the exit code."""
    files = [Path(one) for one in arguments] or _files(Path(__file__).resolve().parents[1])
    found = [
        (file, first + line - 1, word, advice)
        for file in files
        for first, text in _texts(file)
        for line, word, advice in objections(text)
    ]
    sys.stdout.writelines(f"{file}:{line}: '{word}': {advice}\n" for file, line, word, advice in sorted(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
