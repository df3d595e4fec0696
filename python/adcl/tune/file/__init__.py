"""The tuning file: parsing of both forms, checks against the installed MPI library, and writing."""

from adcl._source import Source, SourceError
from adcl.tune.file._check import Checked, as_oversubscribed, check_file, reject_given_parameters, with_default_values
from adcl.tune.file._objective import BadOutputError, Measure, Objective
from adcl.tune.file._read import load, parse
from adcl.tune.file._starting_file import starting_file
from adcl.tune.file._toml_writer import write_toml
from adcl.tune.file._tuning_file import Budget, Case, Preparation, TuningFile, paper_options, search_names

__all__ = [
    "BadOutputError",
    "Budget",
    "Case",
    "Checked",
    "Measure",
    "Objective",
    "Preparation",
    "Source",
    "SourceError",
    "TuningFile",
    "as_oversubscribed",
    "check_file",
    "load",
    "paper_options",
    "parse",
    "reject_given_parameters",
    "search_names",
    "starting_file",
    "with_default_values",
    "write_toml",
]
