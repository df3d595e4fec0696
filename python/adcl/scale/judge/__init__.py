"""Comparison of models with expectations: deviation limits, verdicts, the paper's method, and advice."""

from adcl.scale.judge._advice import advice
from adcl.scale.judge._judge import CONFIDENCE, Expected, Verdict, judge_all, judge_series
from adcl.scale.judge._match import Limits, Match, divergence, match, violates
from adcl.scale.judge._method import JudgeMethod, judge_with
from adcl.scale.judge._paper import judge_as_paper, paper_model

__all__ = [
    "CONFIDENCE",
    "Expected",
    "JudgeMethod",
    "Limits",
    "Match",
    "Verdict",
    "advice",
    "divergence",
    "judge_all",
    "judge_as_paper",
    "judge_series",
    "judge_with",
    "match",
    "paper_model",
    "violates",
]
