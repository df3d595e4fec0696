"""What is known of each MPI library: one file, one class and one row in `_table.py` for each."""

from adcl.tune.libraries._base import Advice, MpiLibrary, clean_output, split
from adcl.tune.libraries._catalogue import UNSET, Catalogue, UnknownSettingError, Variable
from adcl.tune.libraries._eager import EagerLimit, MemoryBuffer
from adcl.tune.libraries._find import elsewhere, launcher_for, library_names, library_of, library_started_by
from adcl.tune.libraries._own import Bare, OwnSetting, Whose, with_own
from adcl.tune.libraries._table import LIBRARIES

__all__ = [
    "LIBRARIES",
    "UNSET",
    "Advice",
    "Bare",
    "Catalogue",
    "EagerLimit",
    "MemoryBuffer",
    "MpiLibrary",
    "OwnSetting",
    "UnknownSettingError",
    "Variable",
    "Whose",
    "clean_output",
    "elsewhere",
    "launcher_for",
    "library_names",
    "library_of",
    "library_started_by",
    "split",
    "with_own",
]
