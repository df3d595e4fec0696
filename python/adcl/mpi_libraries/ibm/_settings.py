"""IBM MPI (Parallel Environment): a built-in list of variables; MP_PRINTENV verifies them.

The library cannot list its variables. Sources: IBM Parallel Environment Runtime Edition, MPI Programming Guide and
Operation and Use; A. Sikora et al., Autotuning of MPI Applications Using PTF, SEM4HPC 2016, §6.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from adcl.jobs import Launcher
from adcl.mpi_libraries._base import Evidence, option_words, split
from adcl.mpi_libraries._catalog import Catalog, Variable
from adcl.mpi_libraries._eager import EagerLimit, MemoryBuffer, named
from adcl.mpi_libraries._environment import EnvironmentLibrary
from adcl.mpi_libraries.ibm._launcher import FAMILY, POE
from adcl.tune.space import Choices, Steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.jobs import Family, LauncherKind
    from adcl.tune.space import Configuration

__all__ = ["IbmMpi"]

_KIB = 1 << 10
_TOLD = re.compile(r"\((MP_[A-Z0-9_]+)\)\s*:?\s*(.*?)\s*$", re.MULTILINE)
_SIZE = re.compile(r"(?:Maximum\s*=\s*)?(\d+)\s*([KMG])?i?B?(?:ytes)?\b.*", re.IGNORECASE)
_UNIT = {"": 1, "K": _KIB, "M": _KIB**2, "G": _KIB**3}


def _number(name: str, default: int | None, minimum: int, maximum: int, description: str) -> Variable:
    shown = "" if default is None else str(default)
    return Variable(f"MP_{name}", "number", shown, description, minimum=minimum, maximum=maximum)


def _switch(name: str, default: str, description: str) -> Variable:
    return Variable(f"MP_{name}", "choice", default, description, dict.fromkeys(("yes", "no")))


def _choice(name: str, default: str, words: tuple[str, ...], description: str) -> Variable:
    return Variable(f"MP_{name}", "choice", default, description, dict.fromkeys(words))


_PAPER = (
    _number(
        "EAGER_LIMIT",
        64 * _KIB,
        0,
        64 * _KIB,
        "Largest message, in bytes, that is sent eagerly.",
    ),
    _number(
        "BUFFER_MEM",
        64 * _KIB**2,
        0,
        1 << 31,
        "Memory, in bytes, for messages that were sent eagerly and not yet received.",
    ),
    _switch("USE_BULK_XFER", "yes", "Whether large messages are transferred by remote direct memory access."),
    _number(
        "BULK_MIN_MSG_SIZE",
        64 * _KIB,
        4 * _KIB,
        1 << 31,
        "Smallest message, in bytes, for the bulk transfer; requires MP_USE_BULK_XFER=yes.",
    ),
    Variable("MP_TASK_AFFINITY", "text", "CORE", "Binding of tasks: CORE, CORE:n, CPU, CPU:n, MCM."),
    _switch("PE_AFFINITY", "yes", "Whether the environment, instead of the scheduler, places tasks."),
    _switch(
        "CC_SCRATCH_BUF", "yes", "Whether collectives may use the fastest algorithm even if that needs more memory."
    ),
    _choice(
        "WAIT_MODE", "poll", ("poll", "nopoll", "yield", "sleep"), "What a task does while it waits for a message."
    ),
    _switch("CSS_INTERRUPT", "no", "Whether an arriving packet interrupts the task; useful with MP_WAIT_MODE=nopoll."),
    _number("POLLING_INTERVAL", 400_000, 1, 2_000_000_000, "Microseconds between two polls for messages."),
)
_FURTHER = (
    _switch("SHARED_MEMORY", "yes", "Whether tasks of a node communicate through shared memory."),
    _switch("SINGLE_THREAD", "no", "Whether only one thread of the program calls MPI."),
    _number("RETRANSMIT_INTERVAL", None, 1_000, 400_000, "Polls after which an acknowledgment is requested."),
    _number(
        "REXMIT_BUF_SIZE",
        16 * _KIB,
        4 * _KIB,
        1 << 20,
        "Bytes of a buffer that stores a small message until it is acknowledged.",
    ),
    _number("REXMIT_BUF_CNT", 128, 1, 1 << 20, "Number of retransmission buffers per task."),
    _number("ACK_THRESH", 30, 1, 31, "Packets after which an acknowledgment is sent."),
    _number("RFIFO_SIZE", None, 1, 1 << 31, "Bytes of the queue of received packets."),
    _choice("INSTANCES", "1", ("1", "2", "3", "4", "max"), "Number of adapter windows that each task uses."),
    _choice("COLLECTIVE_OFFLOAD", "none", ("none", "all"), "Whether the adapter executes collectives."),
    _choice("SHMCC_EXCLUDE_LIST", "none", ("none", "all"), "Collectives that do not use shared memory."),
)

# As in §6.1 of A. Sikora et al., with factors instead of steps.
_USUAL: dict[str, Steps | Choices] = {
    "MP_EAGER_LIMIT": Steps(1024, 65536, multiply=2),
    "MP_BUFFER_MEM": Steps(131072, 8388608, multiply=2),
    "MP_BULK_MIN_MSG_SIZE": Steps(4096, 1048576, multiply=2),
    "MP_TASK_AFFINITY": Choices(("CORE", "MCM", "CPU")),
    "MP_POLLING_INTERVAL": Steps(10_000, 1_000_000, multiply=10),
}


class IbmMpi(EnvironmentLibrary):
    """IBM Parallel Environment, started by `poe`."""

    key: ClassVar[str] = "ibm"
    title: ClassVar[str] = "IBM MPI"
    prefix: ClassVar[str] = "MP_"
    family: ClassVar[Family] = FAMILY
    launchers: ClassVar[tuple[LauncherKind, ...]] = (POE,)
    proof: ClassVar[Mapping[str, str]] = {"MP_PRINTENV": "yes"}

    # The largest values are from §6 of A. Sikora et al.
    eager_limits: ClassVar[tuple[EagerLimit, ...]] = (EagerLimit(named(r"(?:MP_)?eager_limit"), largest=65536),)
    memory_buffers: ClassVar[tuple[MemoryBuffer, ...]] = (MemoryBuffer(named(r"(?:MP_)?buffer_mem"), largest=64 << 20),)

    placement: ClassVar[re.Pattern[str]] = named(r"(?:MP_)?task_affinity")

    def call(self, launcher: str, options: str) -> str:
        # All options of `poe` follow the program.
        return f"{launcher} PROGRAM … {options}" if launcher == "poe" else super().call(launcher, options)

    def stand_in(self) -> Launcher | None:
        return Launcher(POE, Path("poe"), "not installed here")

    def catalog(self, launcher: Launcher) -> Catalog:
        variables = {variable.name: variable for variable in (*_PAPER, *_FURTHER)}
        return Catalog(f"IBM MPI ({launcher.version})", "built-in list of adcl", variables)

    def evidence(self, output: str) -> Evidence | None:
        effective = {}
        for match in _TOLD.finditer(output):
            size = _SIZE.fullmatch(match[2])
            effective[match[1]] = str(int(size[1]) * _UNIT[(size[2] or "").upper()]) if size else match[2]
        return Evidence(effective) if effective else None

    def is_evidence(self, line: str) -> bool:
        return _TOLD.search(line) is not None

    def needs(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        return ("MP_USE_BULK_XFER", ("yes",)) if name == "MP_BULK_MIN_MSG_SIZE" else None

    def option_form(self, configuration: Configuration) -> list[str]:
        """Return the configuration as options of `poe`, which follow the program and support only its own variables."""
        parts = split(configuration)
        if parts.variables:
            return []
        words = [
            word
            for name, value in parts.settings.items()
            for word in (f"-{self.full_name(name).removeprefix(self.prefix).lower()}", str(value))
        ]
        return [*words, *option_words(parts.options)]

    def usual_values(self, variable: Variable) -> Steps | Choices | None:
        return _USUAL.get(variable.name)

    def preselected(self, variable: Variable) -> bool:
        return variable in _PAPER

    def relevant(self, variable: Variable) -> bool:
        return variable.name.startswith(self.prefix)
