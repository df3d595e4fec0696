"""Runs clang-tidy on every source below src: ``tidy.py BUILD_FOLDER JOBS``.

A verdict "nothing to object to" is kept in ``adcl-tidy`` of the user's cache folder (``XDG_CACHE_HOME``, by default
``~/.cache``), so that another clone need not ask again. It holds as long as all that clang-tidy reads is the same but
for where the clone lies: its version, its rules, the compiler's command and the preprocessed file with its comments and
macro definitions. Verdicts that nobody asked for in two months are removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["main"]

_ROOT = Path(__file__).resolve().parents[1]
_KEPT_S = 60 * 86400


def _key(command: list[str], folder: Path, rules: bytes) -> str | None:
    """Names the verdict on one source; None when it cannot be preprocessed."""
    arguments = command[: command.index("-o")]
    source = command[-1]
    seen = subprocess.run([*arguments, "-E", "-C", "-dD", source], cwd=folder, capture_output=True, check=False)
    if seen.returncode != 0:
        return None
    digest = hashlib.sha256()
    for part in (rules, json.dumps(arguments).encode(), seen.stdout):
        digest.update(hashlib.sha256(part.replace(str(_ROOT).encode(), b"ROOT")).digest())
    return digest.hexdigest()[:32]


def _verdicts() -> Path:
    """The folder of verdicts, without those that are too old."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adcl-tidy"
    folder.mkdir(parents=True, exist_ok=True)
    for verdict in folder.iterdir():
        if time.time() - verdict.stat().st_mtime > _KEPT_S:
            verdict.unlink(missing_ok=True)
    return folder


def _judge(entry: dict[str, str], build: Path, verdicts: Path, rules: bytes) -> str:
    """What clang-tidy objects to in one source, or nothing."""
    key = _key(shlex.split(entry["command"]), Path(entry["directory"]), rules)
    kept = verdicts / (key or "none")
    if key and kept.exists():
        kept.touch()
        return ""
    run = subprocess.run(
        ["clang-tidy", "--quiet", "-p", str(build), entry["file"]], capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        return run.stdout or run.stderr
    if key:
        kept.touch()
    return ""


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    build, jobs = Path(arguments[0]).resolve(), int(arguments[1])
    verdicts = _verdicts()
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    sources = [entry for entry in entries if Path(entry["file"]).is_relative_to(_ROOT / "src")]
    if not sources:
        sys.stderr.write(f"{build} compiles nothing below {_ROOT / 'src'}\n")
        return 1
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    rules = version + (_ROOT / ".clang-tidy").read_bytes()
    objections = 0
    with ThreadPoolExecutor(jobs) as pool:
        for text in pool.map(lambda entry: _judge(entry, build, verdicts, rules), sources):
            if text:
                objections += 1
                print(text, flush=True)
    print(f"{len(sources)} sources, {objections} with objections")
    return 1 if objections else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
