"""Models of measurements: terms, the search space, the choice of a hypothesis, and the model of a series."""

from adcl.scale.model._candidates import candidates_for, candidates_of_one
from adcl.scale.model._choose import Candidates, Choice, ChoiceRule, Hypothesis, choose, is_decreasing
from adcl.scale.model._error_model import ErrorModel, support
from adcl.scale.model._fit import squares_of_lines
from adcl.scale.model._growth import FACTORS, Factor, FunctionClass, Growth
from adcl.scale.model._model import Model, Part, Prediction, make_model, make_models
from adcl.scale.model._parse import ExpressionError, parse, parse_term
from adcl.scale.model._series import (
    MINIMUM_POINTS,
    SCHEMA,
    Aggregate,
    Measurement,
    Series,
    Spread,
    all_usual,
    is_usual,
    series_of,
    series_of_all,
)
from adcl.scale.model._space import Refinement, default_deviation, search_space, standard_space
from adcl.scale.model._sum_of_terms import Expression, big_o, grows_at_most, leading, quotient
from adcl.scale.model._term import ONE, GrowthOrder, Term

__all__ = [
    "FACTORS",
    "MINIMUM_POINTS",
    "ONE",
    "SCHEMA",
    "Aggregate",
    "Candidates",
    "Choice",
    "ChoiceRule",
    "ErrorModel",
    "Expression",
    "ExpressionError",
    "Factor",
    "FunctionClass",
    "Growth",
    "GrowthOrder",
    "Hypothesis",
    "Measurement",
    "Model",
    "Part",
    "Prediction",
    "Refinement",
    "Series",
    "Spread",
    "Term",
    "all_usual",
    "big_o",
    "candidates_for",
    "candidates_of_one",
    "choose",
    "default_deviation",
    "grows_at_most",
    "is_decreasing",
    "is_usual",
    "leading",
    "make_model",
    "make_models",
    "parse",
    "parse_term",
    "quotient",
    "search_space",
    "series_of",
    "series_of_all",
    "squares_of_lines",
    "standard_space",
    "support",
]
