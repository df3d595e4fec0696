"""Filling a machine's history in idle time: searches in common problems, so that programs begin with what is known."""

from adcl.learn._session import COMMON_PROBLEMS, Learnt, find_learner, learn

__all__ = ["COMMON_PROBLEMS", "Learnt", "find_learner", "learn"]
