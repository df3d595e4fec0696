"""A launcher installed on this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.jobs._kind import LauncherKind

__all__ = ["Launcher", "search_path"]


@dataclass(frozen=True, slots=True)
class Launcher:
    """A launcher installed on this machine."""

    kind: LauncherKind
    path: Path
    version: str

    def __str__(self) -> str:
        """Name, version and path."""
        return f"{self.path} ({self.kind.title}, version {self.version})"


def search_path(launcher: Path, path: str | None = None) -> str:
    """PATH extended by the launcher's folder, where launchers find their helper programs."""
    folders = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    folder = str(launcher.parent)
    return os.pathsep.join(folders if folder in folders else [folder, *folders])
