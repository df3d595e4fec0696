"""Output of results: HTML page, JSON, JUnit, SARIF, Markdown, annotations, Bencher, exaCB."""

from adcl.scale.output._document import as_document
from adcl.scale.output._metrics import as_bencher, as_exacb
from adcl.scale.output._page import make_page
from adcl.scale.output._reports import as_annotations, as_junit, as_markdown, as_sarif

__all__ = [
    "as_annotations",
    "as_bencher",
    "as_document",
    "as_exacb",
    "as_junit",
    "as_markdown",
    "as_sarif",
    "make_page",
]
