"""The folder of what was learned, ``ADCL_HISTORY``: shown, merged and pruned while jobs use it."""

from adcl.knowledge._folder import (
    Folder,
    HistoryError,
    Leftover,
    Pruned,
    export_text,
    import_text,
)
from adcl.knowledge._records import Estimate, KeptDecision, KeptProblem
from adcl.knowledge._rules import LibraryRules, library_needed, rules_for, targets
from adcl.knowledge._rules_mpich import find_mpich_library

__all__ = [
    "Estimate",
    "Folder",
    "HistoryError",
    "KeptDecision",
    "KeptProblem",
    "Leftover",
    "LibraryRules",
    "Pruned",
    "export_text",
    "find_mpich_library",
    "import_text",
    "library_needed",
    "rules_for",
    "targets",
]
