"""Table of report formats. `adcl scale check` has an option for each row."""

from __future__ import annotations

from adcl.scale.output._metrics import as_bencher, as_exacb
from adcl.scale.output._report_format import ReportFormat
from adcl.scale.output._reports import as_annotations, as_junit, as_markdown, as_sarif

__all__ = ["REPORT_FORMATS"]

REPORT_FORMATS: list[ReportFormat] = [
    ReportFormat(
        "junit",
        "Write a test case for each verdict to this file (JUnit XML).",
        "JUnit XML for GitLab, Jenkins and others, with a test for each expectation, rule and budget. Undecided tests "
        "fail; with `--allow-undecided` they are skipped",
        as_junit,
    ),
    ReportFormat(
        "sarif",
        "Write broken and undecided rows to this file (SARIF).",
        "SARIF 2.1.0 for code scanning: broken as errors, undecided as warnings, ▽ as notes",
        as_sarif,
    ),
    ReportFormat(
        "markdown",
        "Write a table for pull requests to this file (Markdown).",
        "a table for a pull request or the summary of a job",
        as_markdown,
    ),
    ReportFormat(
        "bencher",
        "Write the measurements to this file (Bencher Metric Format).",
        "Bencher Metric Format, for `bencher run --adapter json --file FILE`: a benchmark for each function and "
        "setting, with a measure for each metric and the range of the jobs",
        as_bencher,
    ),
    ReportFormat(
        "exacb",
        "Write the measurements to this file (report for exaCB).",
        "a report with the sections of exaCB's protocol (arXiv:2603.22251; `reporter`, `experiment`, `parameter`, "
        "`data`), with a data entry for each function, metric and setting; not tested with exaCB itself",
        as_exacb,
    ),
    ReportFormat(
        "github",
        "Print annotations for GitHub Actions at the study's lines.",
        "annotations of GitHub Actions at the lines of the study",
        as_annotations,
        printed=True,
    ),
]
