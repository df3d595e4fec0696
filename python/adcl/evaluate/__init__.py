"""Evaluate the quality of ADCL's decisions in any program that uses it.

    evaluation = read_evaluation(Path("solver.toml"))
    results = analyse(read_recorded(Path("solver.evaluation/journal.jsonl")))

compares tuned runs with verification runs (one preselected codelet) and with the original program.

    found = replay(recorded_searches([read_recording(Path("trace"))]), ReplayOptions())

returns what other searches would have decided on the times of a trace. Tables and figures correspond to those of
chapters 4 to 6 of the thesis on ADCL.
"""

from adcl.evaluate import _tables as tables
from adcl.evaluate._analysis import Evaluated, SettingResult, TunedResult, analyse, as_document, summaries
from adcl.evaluate._config import Combination, Evaluation, EvaluationSetting, read_evaluation
from adcl.evaluate._execute import Executor
from adcl.evaluate._page import make_page, replay_page
from adcl.evaluate._plan import EvaluationRun, codelets_of, planned
from adcl.evaluate._records import Chosen, Done, EvaluationJournal, Header, Recorded, Scouted, read_recorded
from adcl.evaluate._replay import MEASUREMENTS, Replay, ReplayError, ReplayOptions, replay
from adcl.evaluate._session import EvaluationProgress, EvaluationSession
from adcl.evaluate._starting_file import starting_file
from adcl.evaluate._statistics import (
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
from adcl.evaluate._text import SIGN, change_text, share_text
from adcl.evaluate._timed import NoTimeError, TimeSource
from adcl.evaluate._traces import RecordedSearch, recorded_searches

__all__ = [
    "MEASUREMENTS",
    "SIGN",
    "Chosen",
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
    "Recorded",
    "RecordedSearch",
    "Replay",
    "ReplayError",
    "ReplayOptions",
    "Runs",
    "Scouted",
    "SettingResult",
    "TimeChange",
    "TimeSource",
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
    "recorded_searches",
    "replay",
    "replay_page",
    "share_interval",
    "share_text",
    "stability",
    "starting_file",
    "summaries",
    "tables",
    "winners",
]
