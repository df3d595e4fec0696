"""Does it scale as it should? Expectations in big O, models of measurements, and what the two say about each other.

After S. Shudler, A. Calotoiu, T. Hoefler, A. Strube and F. Wolf, Exascaling Your Library: Will Your Implementation Meet
Your Expectations? (ICS 2015).
"""

from typing import TYPE_CHECKING

from adcl import _later
from adcl._toml_table import StudyError
from adcl.scale._candidates import candidates_of_one
from adcl.scale._choose import Candidates, Choice, ChoiceRule, choose
from adcl.scale._efficiency import EfficiencyCheck, check_efficiency
from adcl.scale._errors import DataError, UndecidedError
from adcl.scale._expression import Expression, big_o, grows_at_most, leading, quotient
from adcl.scale._judge import CONFIDENCE, Expected, Likely, Verdict, judge, judge_all
from adcl.scale._match import Limits, Match, divergence, match, violates
from adcl.scale._method import JudgeMethod, judge_with
from adcl.scale._model import Coefficient, Model, Prediction
from adcl.scale._paper import judge_as_paper, paper_model
from adcl.scale._parse import ExpressionError, parse, parse_term
from adcl.scale._plan import RunPlan, Task, planned
from adcl.scale._results import (
    CheckOutcome,
    ResultRow,
    Results,
    accept,
    entries_of,
    evaluate,
    runs_of,
    series_for,
)
from adcl.scale._rules import LimitCheck, RuleCheck, check_limit, check_rule
from adcl.scale._series import Aggregate, Measurement, Series, Spread, series_of
from adcl.scale._space import SIMPLE, Refinement, default_deviation, search_space, standard_space
from adcl.scale._store import Store, is_store, read_measurements, replace_text
from adcl.scale._stored import StoreEntry
from adcl.scale._study import Efficiency, Expectation, Limit, Rule, ScaleStudy, read_rule, read_study
from adcl.scale._term import ONE, FunctionClass, Growth, GrowthOrder, Term
from adcl.scale._together import independent, varied_together

if TYPE_CHECKING:
    from adcl.scale._compare import Change, Comparison, compare
    from adcl.scale._document import as_document
    from adcl.scale._extrap import read_extrap_jsonl, read_extrap_text, write_extrap_jsonl, write_extrap_text
    from adcl.scale._findings import Finding, FindingKind, FindingOutcome, findings_of
    from adcl.scale._page import make_page
    from adcl.scale._read import Imported, open_any, read_any
    from adcl.scale._reports import as_annotations, as_junit, as_markdown, as_sarif
    from adcl.scale._slower import SLOWER, Cost, Slowdown, percent, slowdown
    from adcl.scale._starting_study import serial_study, starting_study
    from adcl.scale._sweep import JobDone, find_launcher, job_arrays, pending, plan_of, refuse_too_many_ranks, sweep

__all__ = [
    "CONFIDENCE",
    "ONE",
    "SIMPLE",
    "SLOWER",
    "Aggregate",
    "Candidates",
    "Change",
    "CheckOutcome",
    "Choice",
    "ChoiceRule",
    "Coefficient",
    "Comparison",
    "Cost",
    "DataError",
    "Efficiency",
    "EfficiencyCheck",
    "Expectation",
    "Expected",
    "Expression",
    "ExpressionError",
    "Finding",
    "FindingKind",
    "FindingOutcome",
    "FunctionClass",
    "Growth",
    "GrowthOrder",
    "Imported",
    "JobDone",
    "JudgeMethod",
    "Likely",
    "Limit",
    "LimitCheck",
    "Limits",
    "Match",
    "Measurement",
    "Model",
    "Prediction",
    "Refinement",
    "ResultRow",
    "Results",
    "Rule",
    "RuleCheck",
    "RunPlan",
    "ScaleStudy",
    "Series",
    "Slowdown",
    "Spread",
    "Store",
    "StoreEntry",
    "StudyError",
    "Task",
    "Term",
    "UndecidedError",
    "Verdict",
    "accept",
    "as_annotations",
    "as_document",
    "as_junit",
    "as_markdown",
    "as_sarif",
    "big_o",
    "candidates_of_one",
    "check_efficiency",
    "check_limit",
    "check_rule",
    "choose",
    "compare",
    "default_deviation",
    "divergence",
    "entries_of",
    "evaluate",
    "find_launcher",
    "findings_of",
    "grows_at_most",
    "independent",
    "is_store",
    "job_arrays",
    "judge",
    "judge_all",
    "judge_as_paper",
    "judge_with",
    "leading",
    "make_page",
    "match",
    "open_any",
    "paper_model",
    "parse",
    "parse_term",
    "pending",
    "percent",
    "plan_of",
    "planned",
    "quotient",
    "read_any",
    "read_extrap_jsonl",
    "read_extrap_text",
    "read_measurements",
    "read_rule",
    "read_study",
    "refuse_too_many_ranks",
    "replace_text",
    "runs_of",
    "search_space",
    "serial_study",
    "series_for",
    "series_of",
    "slowdown",
    "standard_space",
    "starting_study",
    "sweep",
    "varied_together",
    "violates",
    "write_extrap_jsonl",
    "write_extrap_text",
]

__getattr__ = _later.names_of(
    __name__,
    {
        "_compare": ("Change", "Comparison", "compare"),
        "_document": ("as_document",),
        "_extrap": ("read_extrap_jsonl", "read_extrap_text", "write_extrap_jsonl", "write_extrap_text"),
        "_findings": ("Finding", "FindingKind", "FindingOutcome", "findings_of"),
        "_page": ("make_page",),
        "_read": ("Imported", "open_any", "read_any"),
        "_reports": ("as_annotations", "as_junit", "as_markdown", "as_sarif"),
        "_slower": ("SLOWER", "Cost", "Slowdown", "percent", "slowdown"),
        "_starting_study": ("serial_study", "starting_study"),
        "_sweep": ("JobDone", "find_launcher", "job_arrays", "pending", "plan_of", "refuse_too_many_ranks", "sweep"),
    },
)
