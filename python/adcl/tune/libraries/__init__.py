"""What is known of each MPI library: one file, one class and one row in `_table.py` for each."""

from adcl.tune.libraries._base import Advice, MpiLibrary, clean_output, split
from adcl.tune.libraries._catalogue import UNSET, Catalogue, UnknownSettingError, Variable
from adcl.tune.libraries._eager import EagerLimit, MemoryBuffer
from adcl.tune.libraries._find import elsewhere, launcher_for, library_names, library_of, library_started_by
from adcl.tune.libraries._table import LIBRARIES

__all__ = [
    "LIBRARIES",
    "UNSET",
    "Advice",
    "Catalogue",
    "EagerLimit",
    "MemoryBuffer",
    "MpiLibrary",
    "UnknownSettingError",
    "Variable",
    "clean_output",
    "elsewhere",
    "launcher_for",
    "library_names",
    "library_of",
    "library_started_by",
    "split",
]
