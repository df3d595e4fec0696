"""Searches over a space of settings: asked for the scenario to run next, told what came of it.

Each search is one module and one row in `_table.py`. The model, which needs scipy, is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from adcl._later import names_of
from adcl.tune.search._base import DISTRIBUTIONS, Distribution, Objectives, Search, SearchOptions, dominates
from adcl.tune.search._gde3 import GDE3_OF_THE_PAPER
from adcl.tune.search._screening import screening_runs
from adcl.tune.search._table import DEFAULT, SEARCHES, SearchRow, make_search

if TYPE_CHECKING:
    from adcl.tune.search._gp_model import GaussianProcess

__all__ = [
    "DEFAULT",
    "DISTRIBUTIONS",
    "GDE3_OF_THE_PAPER",
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

__getattr__ = names_of(__name__, {"_gp_model": ("GaussianProcess",)})
