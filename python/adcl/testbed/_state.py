"""The record of the clusters on this machine: what was to be made is written down before it is made."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.testbed._plan import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RUN_FOLDER", "Owner", "Records", "State"]

RUN_FOLDER = Path("/run/adcl-testbed")
"""One for the whole machine, as the names of namespaces are; it does not survive a restart, nor do they."""

_VERSION = 1
_NAME = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, which no later one with the same number is taken for."""

    process: int
    started: int
    """In the kernel's ticks since the machine started."""

    @classmethod
    def of(cls, process: int) -> Owner | None:
        """Return that process; None when there is none, or it has ended."""
        try:
            fields = (
                Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            )
        except OSError:
            return None
        return None if fields[0] in "ZX" else cls(process, int(fields[19]))

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return Owner.of(self.process) == self


@dataclass(frozen=True, slots=True)
class State:
    """A cluster that is being made, is up, or was left behind."""

    instance: str
    platform: str
    """The text of its platform file."""

    namespaces: tuple[str, ...]
    owner: Owner | None
    """Whose end is the cluster's as well; None for a cluster that stays until somebody takes it down."""

    complete: bool = False

    @property
    def left_behind(self) -> bool:
        """Whether nobody can want it any more. To be asked by whoever holds the lock: then nobody is making it."""
        return not self.complete or (self.owner is not None and not self.owner.alive)


class Records:
    """The files in the run folder. All but `locked` is for whoever holds the lock."""

    def __init__(self, folder: Path = RUN_FOLDER) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def locked(self) -> Iterator[int]:
        """Wait for the lock and hold it; the descriptor is for processes that make or remove something.

        They hold the lock too: when this process is killed, the next one waits for the last command that was started.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise AdclError(f"cannot write to {str(self.folder)!r}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def agent(self, instance: str) -> Path:
        """Return where the script lies that starts processes on the cluster's hosts."""
        return self.folder / f"{instance}.agent"

    def write(self, state: State) -> None:
        """Write a record, or replace it, so that it is there whole or not at all."""
        file = self.folder / f"{state.instance}.json"
        unfinished = file.with_suffix(".json.new")
        with unfinished.open("w", encoding="utf-8") as stream:
            json.dump({"version": _VERSION, **asdict(state)}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(file)

    def remove(self, state: State) -> None:
        """Forget a cluster of which nothing is left."""
        self.agent(state.instance).unlink(missing_ok=True)
        (self.folder / f"{state.instance}.json").unlink(missing_ok=True)

    def read(self) -> list[State]:
        """Return all records, by name. Raises `AdclError` for one that cannot be read."""
        with contextlib.suppress(OSError):
            for unfinished in self.folder.glob("*.json.new"):
                unfinished.unlink()
        return [_parsed(file) for file in sorted(self.folder.glob("*.json"))]


def _decoded(document: dict[str, Any]) -> State:
    if document.pop("version") != _VERSION:
        raise ValueError("another version")
    owner = document.pop("owner")
    state = State(**document, owner=None if owner is None else Owner(**owner))
    if not all(_NAME.fullmatch(name) for name in state.namespaces):
        raise ValueError("names that are none of the testbed's")
    return replace(state, namespaces=tuple(state.namespaces))


def _parsed(file: Path) -> State:
    try:
        return _decoded(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise AdclError(
            f"cannot use the record {str(file)!r}: {error}; see 'ip netns list' for what begins with {PREFIX}, "
            "remove it with 'ip netns del NAME', then remove the file"
        ) from error
