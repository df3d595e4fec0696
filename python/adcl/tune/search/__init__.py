"""Searches over a space of settings, with an ask-and-tell interface.

Each search is one module and one row in `_table.py`. The model, which requires scipy, is imported on first use.
"""

from typing import TYPE_CHECKING

from adcl._later import lazy_names
from adcl.tune.search._base import Objectives, Search, dominates
from adcl.tune.search._options import OptionRow, OptionValue
from adcl.tune.search._random import DISTRIBUTIONS, Distribution
from adcl.tune.search._screening import screening_runs
from adcl.tune.search._table import DEFAULT, SEARCHES, SearchOptions, SearchRow, make_search

if TYPE_CHECKING:
    from adcl.tune.search._gp_model import GaussianProcess

__all__ = [
    "DEFAULT",
    "DISTRIBUTIONS",
    "SEARCHES",
    "Distribution",
    "GaussianProcess",
    "Objectives",
    "OptionRow",
    "OptionValue",
    "Search",
    "SearchOptions",
    "SearchRow",
    "dominates",
    "make_search",
    "screening_runs",
]

__getattr__ = lazy_names(__name__, {"_gp_model": ("GaussianProcess",)})
