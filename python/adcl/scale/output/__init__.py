"""Output of results: HTML page, JSON, JUnit, SARIF, Markdown, annotations."""

from adcl.scale.output._document import as_document
from adcl.scale.output._page import make_page
from adcl.scale.output._reports import as_annotations, as_junit, as_markdown, as_sarif

__all__ = [
    "as_annotations",
    "as_document",
    "as_junit",
    "as_markdown",
    "as_sarif",
    "make_page",
]
