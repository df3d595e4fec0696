"""Evaluation methods: by the evidence for all models, or exactly as in the paper of Shudler et al."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from adcl.scale.judge._judge import CONFIDENCE, judge_all
from adcl.scale.judge._paper import judge_as_paper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.scale.judge._judge import Expected, Verdict
    from adcl.scale.model import Series

__all__ = ["JudgeMethod", "judge_with"]


class JudgeMethod(enum.Enum):
    """Names of the methods in study files and options."""

    EVIDENCE = "evidence"
    """The default. Verdicts have probabilities; a series can be undecided."""

    PAPER = "paper"
    """Only sections 2.3 and 2.4 of Shudler et al. (ICS 2015); see `judge_as_paper`."""


def judge_with(
    method: JudgeMethod,
    series: Sequence[Series],
    expected: Expected | None = None,
    *,
    confidence: float = CONFIDENCE,
) -> list[Verdict]:
    """Evaluate series against one expectation; return one verdict for each, in order.

    Only `JudgeMethod.EVIDENCE` uses `confidence`. Raises `AdclError` for too few points, and `UsageError` if the
    expectation does not match the parameters or, with `JudgeMethod.PAPER`, is missing.
    """
    if method is JudgeMethod.PAPER:
        return [judge_as_paper(one, expected) for one in series]
    return judge_all(series, expected, confidence=confidence)
