"""Compile the package's small C programs on demand with an MPI library's own compiler."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import AdclError
from adcl.jobs import Job, launch_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.jobs import Launcher

__all__ = ["ask", "cache_folder", "companion", "companion_environment", "compiled"]

_SOURCES = Path(__file__).parent / "native"
_TIMEOUT_S = 120.0


def cache_folder() -> Path:
    """Return the folder for compiled programs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "adcl"


def companion(launcher: Launcher, names: Sequence[str]) -> Path | None:
    """Return the program next to a launcher, by the first name that exists."""
    for folder in dict.fromkeys((launcher.path.parent, launcher.path.resolve().parent)):
        for name in names:
            found = shutil.which(name, path=str(folder))
            if found is not None:
                return Path(found)
    return None


def companion_environment(launcher: Launcher) -> dict[str, str]:
    """Return an environment in which programs next to a launcher find each other and their libraries."""
    environment = launch_environment(Job("unused"), launcher)
    prefix = launcher.path.parent.parent
    if str(prefix) not in ("/", "/usr"):
        folders = [str(folder) for folder in (prefix / "lib", prefix / "lib64") if folder.is_dir()]
        before = environment.get("LD_LIBRARY_PATH")
        environment["LD_LIBRARY_PATH"] = os.pathsep.join([*folders, *([before] if before else [])])
    return environment


def ask(command: Sequence[str | Path], environment: dict[str, str]) -> str:
    """Run a short program and return its output. Raises `AdclError`."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AdclError(f"cannot run {command[0]}: {error}") from error
    if done.returncode != 0:
        message = " ".join(done.stderr.decode(errors="replace").split())[-300:]
        raise AdclError(f"{command[0]} ended with exit code {done.returncode}: {message}")
    return done.stdout.decode(errors="replace")


def compiled(source: str, compiler: Path, environment: dict[str, str]) -> Path:
    """Compile ``native/SOURCE`` unless it is in the cache; return the program. Raises `AdclError`."""
    path = _SOURCES / source
    stamp = compiler.resolve().stat()
    key = f"{path.read_text(encoding='utf-8')}\0{compiler}\0{stamp.st_mtime_ns}\0{stamp.st_size}"
    folder = cache_folder()
    program = folder / f"{path.stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if program.is_file():
        return program
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            fresh = Path(scratch) / program.name
            ask([compiler, "-O1", "-o", fresh, path], environment)
            fresh.replace(program)
    except OSError as error:
        raise AdclError(f"cannot write to {folder}: {error.strerror}; set XDG_CACHE_HOME to another folder") from error
    return program
