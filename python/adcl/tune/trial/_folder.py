"""Folder of a run, with the commands before and after it."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import AdclError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcl.tune.file import Preparation

__all__ = ["SetupFailedError", "prepared_folder"]

_SHOWN = 240


class SetupFailedError(AdclError):
    """The setup command of a run has failed, so the run is impossible."""


@contextlib.contextmanager
def prepared_folder(preparation: Preparation, cwd: Path | None, scratch: Path | None) -> Iterator[Path | None]:
    """Prepare the folder of a run, and clean up afterward; None: the current folder.

    Raises `SetupFailedError`, and `AdclError` if files cannot be copied or the cleanup command fails.
    """
    with contextlib.ExitStack() as stack:
        folder = cwd
        if preparation.own_folder:
            folder = _new_folder(stack, preparation.files, cwd or Path.cwd(), scratch)
        if preparation.setup is not None:
            failure = _run_command(preparation.setup, folder)
            if failure:
                raise SetupFailedError(f"the setup command {failure}")
        try:
            yield folder
        finally:
            failure = "" if preparation.cleanup is None else _run_command(preparation.cleanup, folder)
        if failure:
            raise AdclError(f"the cleanup command {failure}; later runs would start under different conditions")


def _new_folder(stack: contextlib.ExitStack, files: tuple[str, ...], source: Path, scratch: Path | None) -> Path:
    try:
        if scratch is not None:
            scratch.mkdir(parents=True, exist_ok=True)
        # A program that still writes during the removal does not end the study.
        made = tempfile.TemporaryDirectory(prefix="trial-", dir=scratch, ignore_cleanup_errors=True)
        folder = Path(stack.enter_context(made))
        for name in files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (source / name).is_dir():
                shutil.copytree(source / name, target, dirs_exist_ok=True)
            else:
                shutil.copy2(source / name, target)
    except OSError as error:
        raise AdclError(f"cannot create the folder of a run: {error}") from error
    return folder.absolute()


def _run_command(command: str, folder: Path | None) -> str:
    """Run a command; return a description of its failure, or an empty string."""
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            start_new_session=True,  # A terminal's Ctrl-C reaches all processes of this session.
        )
    except OSError as error:
        return f"cannot be run: {error}"
    if done.returncode == 0:
        return ""
    lines = done.stdout.decode(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"ended with exit code {done.returncode}" + (f": {last[:_SHOWN]}" if last else "")
