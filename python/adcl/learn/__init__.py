"""Search common problems in idle time, so that programs start with stored results."""

from adcl.learn._session import COMMON_PROBLEMS, LearnResult, find_learner, learn

__all__ = ["COMMON_PROBLEMS", "LearnResult", "find_learner", "learn"]
