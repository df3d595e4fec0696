"""The tuning file: read in either form, checked against the installed MPI library, and written."""

from adcl._source import Source, SourceError
from adcl.tune.file._check import Checked, as_crowded, check_file, refuse_given, with_ways_back
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
    "as_crowded",
    "check_file",
    "load",
    "paper_options",
    "parse",
    "refuse_given",
    "search_names",
    "starting_file",
    "with_ways_back",
    "write_toml",
]
