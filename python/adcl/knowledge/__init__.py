"""The history folder (``ADCL_HISTORY``): read, merge and prune it while jobs use it."""

from adcl.knowledge._choices import AlgorithmRule, AlgorithmRules, LeftOut, choose, one_for_all_sizes
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
    "AlgorithmRule",
    "AlgorithmRules",
    "Estimate",
    "Folder",
    "HistoryError",
    "KeptDecision",
    "KeptProblem",
    "LeftOut",
    "Leftover",
    "Pruned",
    "choose",
    "export_text",
    "import_text",
    "one_for_all_sizes",
]
