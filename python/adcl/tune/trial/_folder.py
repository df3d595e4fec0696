"""Where a run takes place, and what is done there before and after."""

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
    """The set-up command of a run has failed, so that the run cannot be made."""


@contextlib.contextmanager
def prepared_folder(preparation: Preparation, cwd: Path | None, scratch: Path | None) -> Iterator[Path | None]:
    """Make ready where a run takes place, and clean up afterward; None: where this process is.

    Raises `SetupFailedError`, and `AdclError` where files cannot be copied or the clean-up command fails.
    """
    with contextlib.ExitStack() as stack:
        folder = cwd
        if preparation.own_folder:
            folder = _new_folder(stack, preparation.files, cwd or Path.cwd(), scratch)
        if preparation.setup is not None:
            said = _fails(preparation.setup, folder)
            if said:
                raise SetupFailedError(f"the set-up command {said}")
        try:
            yield folder
        finally:
            said = "" if preparation.cleanup is None else _fails(preparation.cleanup, folder)
        if said:
            raise AdclError(f"the clean-up command {said}; the runs that follow would not be like those before")


def _new_folder(stack: contextlib.ExitStack, files: tuple[str, ...], source: Path, scratch: Path | None) -> Path:
    try:
        if scratch is not None:
            scratch.mkdir(parents=True, exist_ok=True)
        # What a program still writes into while it is removed is no reason to end a study.
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
        raise AdclError(f"cannot make the folder of a run: {error}") from error
    return folder.absolute()


def _fails(command: str, folder: Path | None) -> str:
    """Run a command; return how it has failed, or nothing."""
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            start_new_session=True,  # Ctrl-C of a terminal goes to all processes of this one's session
        )
    except OSError as error:
        return f"cannot be run: {error}"
    if done.returncode == 0:
        return ""
    lines = done.stdout.decode(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"ended with exit code {done.returncode}" + (f": {last[:_SHOWN]}" if last else "")
