"""Results of a check in formats for other tools: JUnit XML, SARIF, GitHub annotations, Markdown tables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from adcl import __version__
from adcl.scale.output._findings import Finding, FindingKind, FindingOutcome, findings_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl.scale.output._report_format import CheckReport

__all__ = ["as_annotations", "as_junit", "as_markdown", "as_sarif"]

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _plain(text: str) -> str:
    return _NOT_IN_XML.sub("?", text)


def as_junit(report: CheckReport) -> str:
    """Return JUnit XML with a test for each expectation, rule and budget; broken and undecided statements fail.

    With `allow_undecided`, undecided statements are skipped; with `strict_better`, slower growth fails.
    """
    results, found = report.results, findings_of(report.results)
    failed = {
        FindingOutcome.BROKEN,
        *(() if report.allow_undecided else [FindingOutcome.UNDECIDED]),
        *([FindingOutcome.BETTER] if report.strict_better else ()),
    }
    skipped = {FindingOutcome.UNDECIDED, FindingOutcome.NEW} - failed
    suite = ET.Element(
        "testsuite",
        name=_plain(f"{results.study.name}, run {results.run}"),
        tests=str(len(found)),
        failures=str(sum(one.outcome in failed for one in found)),
        errors="0",
        skipped=str(sum(one.outcome in skipped for one in found)),
    )
    for one in found:
        case = ET.SubElement(suite, "testcase", name=_plain(one.name), time="0")
        case.set("classname", _plain(f"{results.study.name}.{one.kind.value}"))
        case.set("file", _plain(str(results.study.path)))
        case.set("line", str(one.line))
        if one.outcome in failed:
            ET.SubElement(case, "failure", type=one.outcome.value, message=_plain(one.message))
        elif one.outcome in skipped:
            ET.SubElement(case, "skipped", message=_plain(one.message))
        else:
            ET.SubElement(case, "system-out").text = _plain(one.message)
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _where(path: Path) -> str:
    """Return the path relative to the current folder, with slashes; unchanged if it is outside that folder."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


_LEVELS = {FindingOutcome.BROKEN: "error", FindingOutcome.UNDECIDED: "warning", FindingOutcome.BETTER: "note"}


def as_sarif(report: CheckReport) -> str:
    """Return SARIF 2.1.0: errors for broken and warnings for undecided statements, at their lines of the study."""
    results = report.results

    def result(one: Finding) -> dict[str, Any]:
        file = {"artifactLocation": {"uri": _where(results.study.path)}, "region": {"startLine": one.line}}
        return {
            "ruleId": one.kind.value,
            "level": _LEVELS[one.outcome],
            "message": {"text": one.message},
            "locations": [{"physicalLocation": file}],
            "partialFingerprints": {"finding/v1": f"{results.study.name}/{one.kind.value}/{one.name}"},
        }

    rules = [{"id": kind.value, "shortDescription": {"text": kind.meaning}} for kind in FindingKind]
    driver = {"name": "adcl scale", "version": __version__, "rules": rules}
    entries = [result(one) for one in findings_of(results) if one.outcome in _LEVELS]
    document = {"$schema": _SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": entries}]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_annotations(report: CheckReport) -> str:
    """Return workflow commands that GitHub Actions shows at the lines of the study."""
    commands = {FindingOutcome.BROKEN: "error", FindingOutcome.UNDECIDED: "warning", FindingOutcome.BETTER: "notice"}
    file = _property(_where(report.results.study.path))
    return "".join(
        f"::{commands[one.outcome]} file={file},line={one.line},title={_property(one.name)}::{_data(one.message)}\n"
        for one in findings_of(report.results)
        if one.outcome in commands
    )


def _cell(text: str) -> str:
    """Escape a text for a cell of a Markdown table."""
    return re.sub(r"([\\|*_`<>\[\]~#])", r"\\\1", text.replace("\n", " ")) or "–"


def as_markdown(report: CheckReport) -> str:
    """Return a table for pull requests: growths, then rules and budgets, and remarks below."""
    results, found = report.results, findings_of(report.results)
    growths = [one for one in found if one.kind is FindingKind.GROWTH]
    lines = [f"### {_cell(results.study.name)}, run {_cell(results.run)}", "", f"**{_cell(results.headline)}**", ""]
    rows = [
        (
            one.name,
            one.expected,
            one.found,
            "" if one.outside is None else f"{one.outside:.0%}",
            one.sign,
        )
        for one in growths
    ]
    lines += _table(("function", "expected", "model", "outside", "match"), rows)
    others = [(one.name, one.message, one.sign) for one in found if one.kind is not FindingKind.GROWTH]
    lines += ["", *_table(("rule or budget", "", "match"), others)] if others else []
    remarks = [one.message for one in growths if one.outcome in (FindingOutcome.BROKEN, FindingOutcome.UNDECIDED)]
    remarks += [results.litmus] if results.litmus else []
    lines += ["", *(f"- {_cell(text)}" for text in remarks)] if remarks else []
    return "\n".join(lines) + "\n"


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    table = [heads, ("---",) * len(heads)]
    table += [tuple(map(_cell, row)) for row in rows]
    return [f"| {' | '.join(row)} |" for row in table]
