"""Records of the clusters on this machine. A record is written before its cluster is created."""

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
"""Folder of the records; like namespaces, it exists once per machine and does not survive a restart."""

_VERSION = 1
_NAME = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, identified even if its number is reused later."""

    process: int
    started: int
    """Start of the process, in ticks of the kernel since the machine started."""

    @classmethod
    def of(cls, process: int) -> Owner | None:
        """Return the process with this number; None if it does not exist or has ended."""
        try:
            fields = (
                Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            )
        except OSError:
            return None
        return None if fields[0] in "ZX" else cls(process, int(fields[19]))

    @property
    def alive(self) -> bool:
        """Whether the process is still running."""
        return Owner.of(self.process) == self


@dataclass(frozen=True, slots=True)
class State:
    """A cluster that is being created, is up, or is abandoned."""

    instance: str
    platform: str
    """Text of the platform file."""

    namespaces: tuple[str, ...]
    owner: Owner | None
    """Process whose end also ends the cluster; None if the cluster stays until it is taken down."""

    complete: bool = False

    @property
    def is_abandoned(self) -> bool:
        """Whether the cluster is abandoned.

        Call this with the lock held, so that no process is creating the cluster.
        """
        return not self.complete or (self.owner is not None and not self.owner.alive)


class Records:
    """Files in the run folder. All methods except `locked` require the lock."""

    def __init__(self, folder: Path = RUN_FOLDER) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def locked(self) -> Iterator[int]:
        """Wait for the lock and hold it; child processes that create or remove something inherit the descriptor.

        If this process is killed, the next process therefore waits for the last command of the killed process.
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
        """Return the path of the script that starts processes on the cluster's hosts."""
        return self.folder / f"{instance}.agent"

    def write(self, state: State) -> None:
        """Write or replace a record atomically."""
        file = self.folder / f"{state.instance}.json"
        unfinished = file.with_suffix(".json.new")
        with unfinished.open("w", encoding="utf-8") as stream:
            json.dump({"version": _VERSION, **asdict(state)}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(file)

    def remove(self, state: State) -> None:
        """Remove the record of a removed cluster."""
        self.agent(state.instance).unlink(missing_ok=True)
        (self.folder / f"{state.instance}.json").unlink(missing_ok=True)

    def read(self) -> list[State]:
        """Return all records by name. Raises `AdclError` for an unreadable record."""
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
        raise ValueError("names that do not belong to the testbed")
    return replace(state, namespaces=tuple(state.namespaces))


def _parsed(file: Path) -> State:
    try:
        return _decoded(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise AdclError(
            f"cannot use the record {str(file)!r}: {error}; find the namespaces with prefix {PREFIX} with 'ip netns "
            "list', remove them with 'ip netns del NAME', then remove the file"
        ) from error
