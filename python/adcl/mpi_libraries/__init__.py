"""Descriptions of MPI libraries: one folder and one row in `_table.py` for each.

A library's folder defines its launcher, its settings and how to verify them, and its rules for collectives. Modules
outside the folders are shared.
"""

from typing import TYPE_CHECKING

from adcl import _later

if TYPE_CHECKING:
    from adcl.mpi_libraries._base import Advice, MpiLibrary, clean_output, split
    from adcl.mpi_libraries._catalog import UNSET, Catalog, UnknownSettingError, Variable
    from adcl.mpi_libraries._eager import EagerLimit, MemoryBuffer
    from adcl.mpi_libraries._find import library_names, library_of, library_started_by, stand_in, usual_launcher
    from adcl.mpi_libraries._own import CleanEnvironment, OwnSetting, Whose, with_own
    from adcl.mpi_libraries._row import LibraryRow, RulesExport
    from adcl.mpi_libraries._rules import LibraryRules, rules_for, rules_formats
    from adcl.mpi_libraries._settings import LIBRARIES
    from adcl.mpi_libraries._table import FAMILIES, LAUNCHERS

__all__ = [
    "FAMILIES",
    "LAUNCHERS",
    "LIBRARIES",
    "UNSET",
    "Advice",
    "Catalog",
    "CleanEnvironment",
    "EagerLimit",
    "LibraryRow",
    "LibraryRules",
    "MemoryBuffer",
    "MpiLibrary",
    "OwnSetting",
    "RulesExport",
    "UnknownSettingError",
    "Variable",
    "Whose",
    "clean_output",
    "library_names",
    "library_of",
    "library_started_by",
    "rules_for",
    "rules_formats",
    "split",
    "stand_in",
    "usual_launcher",
    "with_own",
]

__getattr__ = _later.lazy_names(
    __name__,
    {
        "_base": ("Advice", "MpiLibrary", "clean_output", "split"),
        "_catalog": ("UNSET", "Catalog", "UnknownSettingError", "Variable"),
        "_eager": ("EagerLimit", "MemoryBuffer"),
        "_find": ("library_names", "library_of", "library_started_by", "stand_in", "usual_launcher"),
        "_own": ("CleanEnvironment", "OwnSetting", "Whose", "with_own"),
        "_row": ("LibraryRow", "RulesExport"),
        "_rules": ("LibraryRules", "rules_for", "rules_formats"),
        "_settings": ("LIBRARIES",),
        "_table": ("FAMILIES", "LAUNCHERS"),
    },
)
