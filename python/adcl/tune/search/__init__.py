"""Searches over a space of settings: asked for the scenario to run next, told what came of it.

Each search is one module and one row in `_table.py`.
"""

from adcl.tune.search._base import DISTRIBUTIONS, Distribution, Objectives, Search, SearchOptions, dominates
from adcl.tune.search._gp_model import GaussianProcess
from adcl.tune.search._screening import screening_runs
from adcl.tune.search._table import DEFAULT, SEARCHES, SearchRow, make_search

__all__ = [
    "DEFAULT",
    "DISTRIBUTIONS",
    "SEARCHES",
    "Distribution",
    "GaussianProcess",
    "Objectives",
    "Search",
    "SearchOptions",
    "SearchRow",
    "dominates",
    "make_search",
    "screening_runs",
]
