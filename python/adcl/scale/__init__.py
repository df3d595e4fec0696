"""Does it scale as it should? Expectations in big O, models of measurements, and what the two say about each other.

After S. Shudler, A. Calotoiu, T. Hoefler, A. Strube and F. Wolf, Exascaling Your Library: Will Your Implementation Meet
Your Expectations? (ICS 2015).
"""

from adcl.scale._expression import Expression, big_o, grows_at_most, leading, quotient
from adcl.scale._match import Limits, Match, divergence, match, violates
from adcl.scale._parse import ExpressionError, parse, parse_term
from adcl.scale._space import Refinement, default_deviation, search_space, standard_space
from adcl.scale._term import ONE, FunctionClass, Growth, Order, Term

__all__ = [
    "ONE",
    "Expression",
    "ExpressionError",
    "FunctionClass",
    "Growth",
    "Limits",
    "Match",
    "Order",
    "Refinement",
    "Term",
    "big_o",
    "default_deviation",
    "divergence",
    "grows_at_most",
    "leading",
    "match",
    "parse",
    "parse_term",
    "quotient",
    "search_space",
    "standard_space",
    "violates",
]
