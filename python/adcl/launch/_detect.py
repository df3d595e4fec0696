"""Find a launcher and determine its kind."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.jobs import NO_MPI, Launcher, search_path
from adcl.launch._kinds import KINDS
from adcl.launch._linkage import abi_library, linkage
from adcl.mpi_libraries import stand_in, usual_launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcl.jobs import Family

__all__ = ["LauncherError", "detect", "installed", "launcher_for", "launcher_for_settings"]

_TIMEOUT_S = 20.0
_SHOWN = 60
_NAMES = tuple(dict.fromkeys(name for kind in KINDS for name in (kind.rstrip("0123456789"), kind)))
"""Launcher names that users may give: each kind, and a common name for kinds that differ only in version."""


class LauncherError(UsageError):
    """The launcher does not exist, is not a launcher, or cannot start the program."""


def _answer(path: Path) -> str:
    # Slurm's launcher reports its version only if it finds its configuration.
    return _answer_with(path, os.environ.get("SLURM_CONF"))


@functools.cache
def _answer_with(path: Path, _slurm_conf: str | None) -> str:
    environment = {**os.environ, "PATH": search_path(path)}
    try:
        done = subprocess.run(
            [path, "--version"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        return f"({error})"
    return done.stdout.decode(errors="replace")


def _recognize(path: Path) -> Launcher | None:
    text = _answer(path)
    for kind in KINDS.values():
        version = kind.version(text)
        if version is not None:
            return Launcher(kind, path, version)
    return None


def _names() -> Iterator[str]:
    """Return the file names of launchers: the first name of every kind, then the second, and so on."""
    return filter(
        None, itertools.chain.from_iterable(itertools.zip_longest(*(kind.programs for kind in KINDS.values())))
    )


def installed() -> list[Launcher]:
    """Return all launchers in PATH, the most common names first, a simulator last."""
    found: dict[Path, Launcher] = {}
    for name in dict.fromkeys(_names()):
        path = shutil.which(name)
        if path is not None and Path(path).resolve() not in found:
            launcher = _recognize(Path(path))
            if launcher is not None:
                found[Path(path).resolve()] = launcher
    return sorted(found.values(), key=lambda launcher: launcher.kind.simulates)


def _installed_with(library: Path | None, family: Family | None) -> Launcher | None:
    """Return the launcher of a family (or any) in a library's installation: PREFIX/lib/…, PREFIX/bin."""
    if library is None:
        return None
    for prefix in library.resolve().parents[1:3]:
        for name in _names():
            path = prefix / "bin" / name
            if os.access(path, os.X_OK):
                launcher = _recognize(path)
                if launcher is not None and (family is None or launcher.kind.starts(family)):
                    return launcher
    return None


def _here(launchers: list[Launcher]) -> str:
    if not launchers:
        return "install an MPI library, or give the path of its mpirun or mpiexec"
    return "installed launchers: " + ", ".join(map(str, launchers))


def _by_name(name: str) -> Launcher:
    if name.lower() == NO_MPI.name:
        return Launcher(NO_MPI, Path(shutil.which("env") or "/usr/bin/env"), "-")
    if name.lower() in _NAMES:
        launchers = installed()
        for launcher in launchers:
            if launcher.kind.name.startswith(name.lower()):
                return launcher
        raise LauncherError(f"no launcher of kind {name} is in PATH; {_here(launchers)}")
    path = shutil.which(name)
    if path is None:
        kinds = ", ".join(_NAMES)
        raise LauncherError(
            f"the launcher {name!r} does not exist; name a path or a kind ({kinds}); {_here(installed())}"
        )
    found = _recognize(Path(path))
    if found is None:
        answer = (_answer(Path(path)).strip().splitlines() or ["nothing"])[0][:_SHOWN]
        raise LauncherError(
            f"{path} is not a supported launcher: its output of --version is {answer!r}; use one of "
            f"{', '.join(kind.title for kind in KINDS.values() if not kind.single)}"
        )
    return found


def detect(launcher: str | Path | None = None, *, program: Path | None = None) -> Launcher:
    """Find a launcher by name, path or kind (a name in `KINDS`, optionally without its version).

    Without a name, return the launcher of the library that `program` is linked with, or the first in PATH that can
    start `program`. Raises `LauncherError`, also if a named launcher cannot start `program`: its ranks would not form
    one job, and each process would be rank 0.
    """
    linked = None if program is None else linkage(program)
    if launcher is not None:
        found = _by_name(str(launcher))
        if linked is not None and not found.kind.starts(linked.family):
            fitting = [launcher for launcher in installed() if launcher.kind.starts(linked.family)]
            raise LauncherError(
                f"{program} is linked with {linked.family.title} ({linked.library}) and cannot be started by {found}: "
                f"each rank would run alone; {_here(fitting)}"
            )
        return found
    if linked is not None:
        beside = _installed_with(linked.path, linked.family)
    else:
        beside = None if program is None else _installed_with(abi_library(program), None)
    if beside is not None:
        return beside
    launchers = installed()
    for candidate in launchers:
        if linked is None or candidate.kind.starts(linked.family):
            return candidate
    if linked is None:
        raise LauncherError("no MPI launcher is in PATH; " + _here([]))
    raise LauncherError(
        f"{program} is linked with {linked.family.title} ({linked.library}), but no launcher for it is in PATH; "
        f"{_here(launchers)}"
    )


def launcher_for(mpi: str, named: str | None = None, program: Path | None = None) -> Launcher:
    """Return the launcher `named`, or find one of the MPI library that a tuning file names.

    Raises `UsageError`.
    """
    return detect(named or usual_launcher(mpi), program=program)


def launcher_for_settings(mpi: str, named: str | None = None) -> Launcher:
    """Return a launcher for looking up settings: `named`, or one of the library `mpi`.

    If the library is not installed but its settings are built in, return its `stand_in`. Raises `UsageError`.
    """
    try:
        return launcher_for(mpi, named)
    except UsageError:
        instead = stand_in(mpi) if named is None else None
        if instead is None:
            raise
        return instead
