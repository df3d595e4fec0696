"""The folder of what was learnt, ``ADCL_HISTORY``: shown, merged and pruned while jobs use it."""

from adcl.knowledge._folder import (
    Folder,
    HistoryError,
    Leftover,
    Pruned,
    export_text,
    import_text,
)
from adcl.knowledge._records import Estimate, KeptDecision, KeptProblem

__all__ = [
    "Estimate",
    "Folder",
    "HistoryError",
    "KeptDecision",
    "KeptProblem",
    "Leftover",
    "Pruned",
    "export_text",
    "import_text",
]
