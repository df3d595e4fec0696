"""Output of results: HTML page, JSON, and the report formats for other programs."""

from typing import TYPE_CHECKING

from adcl import _later

if TYPE_CHECKING:
    from adcl.scale.output._document import as_document
    from adcl.scale.output._page import make_page
    from adcl.scale.output._report_format import CheckReport, ReportFormat
    from adcl.scale.output._report_formats import REPORT_FORMATS

__all__ = [
    "REPORT_FORMATS",
    "CheckReport",
    "ReportFormat",
    "as_document",
    "make_page",
]

__getattr__ = _later.lazy_names(
    __name__,
    {
        "_document": ("as_document",),
        "_page": ("make_page",),
        "_report_format": ("CheckReport", "ReportFormat"),
        "_report_formats": ("REPORT_FORMATS",),
    },
)
