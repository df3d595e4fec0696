"""What ADCL's decisions are worth, for any program that uses it: verification runs, tuned runs, and the original.

    evaluation = read_evaluation(Path("solver.toml"))
    results = analyse(read_recorded(Path("solver.evaluation/journal.jsonl")))

The tables and figures are those of chapters 4 to 6 of the thesis on ADCL, and what searches cost.
"""

from adcl.evaluate._analysis import (
    WITHIN_PERCENT,
    CodeletResult,
    Evaluated,
    RunSpread,
    SettingResult,
    Summary,
    TunedResult,
    analyse,
    as_document,
    summaries,
)
from adcl.evaluate._config import Combination, Evaluation, EvaluationSetting, Timing, read_evaluation
from adcl.evaluate._execute import Executor
from adcl.evaluate._page import make_page
from adcl.evaluate._plan import EvaluationRun, codelets_of, planned
from adcl.evaluate._records import Chosen, Done, EvaluationJournal, Header, Recorded, Scouted, read_recorded
from adcl.evaluate._session import EvaluationProgress, EvaluationSession
from adcl.evaluate._starting_file import starting_file
from adcl.evaluate._statistics import (
    CONFIDENCE,
    STABILITY,
    Average,
    RankingError,
    Runs,
    TimeChange,
    average,
    instability,
    losers,
    loss_percent,
    over,
    overlap,
    ranking_error,
    share_interval,
    stability,
    winners,
)
from adcl.evaluate._text import SIGN, change_text, share_text, spread_text
from adcl.evaluate._timed import NoTimeError, TimeSource

__all__ = [
    "CONFIDENCE",
    "SIGN",
    "STABILITY",
    "WITHIN_PERCENT",
    "Average",
    "Chosen",
    "CodeletResult",
    "Combination",
    "Done",
    "Evaluated",
    "Evaluation",
    "EvaluationJournal",
    "EvaluationProgress",
    "EvaluationRun",
    "EvaluationSession",
    "EvaluationSetting",
    "Executor",
    "Header",
    "NoTimeError",
    "RankingError",
    "Recorded",
    "RunSpread",
    "Runs",
    "Scouted",
    "SettingResult",
    "Summary",
    "TimeChange",
    "TimeSource",
    "Timing",
    "TunedResult",
    "analyse",
    "as_document",
    "average",
    "change_text",
    "codelets_of",
    "instability",
    "losers",
    "loss_percent",
    "make_page",
    "over",
    "overlap",
    "planned",
    "ranking_error",
    "read_evaluation",
    "read_recorded",
    "share_interval",
    "share_text",
    "spread_text",
    "stability",
    "starting_file",
    "summaries",
    "winners",
]
