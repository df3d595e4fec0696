"""What was learned, as the rules of an MPI library for programs that do not use ADCL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl._suggest import suggestion
from adcl.errors import UsageError
from adcl.knowledge._rules_intel import intel_rules
from adcl.knowledge._rules_mpich import mpich_rules
from adcl.knowledge._rules_openmpi import openmpi4_rules, openmpi5_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from adcl.knowledge._choices import AlgorithmRules
    from adcl.knowledge._records import KeptProblem

__all__ = ["LibraryRules", "library_needed", "rules_for", "targets"]


@dataclass(frozen=True, slots=True)
class _Target:
    title: str
    make: Callable[[Iterable[KeptProblem], Iterable[str], Path | None], tuple[str, AlgorithmRules]]
    use: str
    """How programs come to use a file {file}."""
    of_library: bool = False
    """The file has the rules of a certain library file in it."""


_TUNED = "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {file}"

_TARGETS: dict[str, _Target] = {
    "openmpi": _Target("Open MPI 4", openmpi4_rules, f"mpirun {_TUNED} …"),
    # Its component `han` comes before `tuned` where a communicator spans nodes.
    "openmpi5": _Target("Open MPI 5", openmpi5_rules, f"mpirun --mca coll ^han {_TUNED} …"),
    "mpich": _Target("MPICH", mpich_rules, "export MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={file}", of_library=True),
    "intel": _Target("Intel MPI", intel_rules, ". {file}"),
}


@dataclass(frozen=True, slots=True)
class LibraryRules:
    """A file of rules and what is in it."""

    title: str
    text: str
    choices: AlgorithmRules
    use: str
    """What to do so that programs use it."""


def targets() -> tuple[str, ...]:
    """What `rules_for` makes rules for."""
    return tuple(_TARGETS)


def library_needed(target: str) -> bool:
    """Whether `rules_for` wants the library file."""
    return target in _TARGETS and _TARGETS[target].of_library


def rules_for(
    target: str, entries: Iterable[KeptProblem], *, file: str, source: str, library: Path | None = None
) -> LibraryRules:
    """The rules for one of `targets`.

    `file` is where they will be, `source` what they are made of; `library` is MPICH's shared library. Raises
    `UsageError` for a target that there is not, and `HistoryError` for a library without rules.
    """
    known = _TARGETS.get(target)
    if known is None:
        raise UsageError(f"--for {target}: there are no rules for it; {suggestion(target, _TARGETS)}")
    use = known.use.format(file=file)
    heading = [
        f"Made by adcl history export --for {target}, of {source}. To use it:",
        f"  {use}",
        "Not for programs whose own reductions do not commute.",
    ]
    text, choices = known.make(entries, heading, library)
    return LibraryRules(known.title, text, choices, use)
