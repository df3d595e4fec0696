"""Runs clang-tidy on every source below src: ``tidy.py BUILD_FOLDER JOBS``.

The folder ``adcl-tidy`` in the user's cache folder (``XDG_CACHE_HOME``, default ``~/.cache``) stores which sources have
no warnings, for all clones. The key of an entry is a hash of clang-tidy's input: its version, its rules, the compiler's
command, and the preprocessed file with comments and macro definitions. The path of the clone is excluded. Entries that
were not used for two months are removed.
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
_MAX_AGE_S = 60 * 86400


def _key(command: list[str], folder: Path, rules: bytes) -> str | None:
    """Return the key of one source in the cache; None if the source cannot be preprocessed."""
    arguments = command[: command.index("-o")]
    source = command[-1]
    seen = subprocess.run([*arguments, "-E", "-C", "-dD", source], cwd=folder, capture_output=True, check=False)
    if seen.returncode != 0:
        return None
    digest = hashlib.sha256()
    for part in (rules, json.dumps(arguments).encode(), seen.stdout):
        digest.update(hashlib.sha256(part.replace(str(_ROOT).encode(), b"ROOT")).digest())
    return digest.hexdigest()[:32]


def _cache_folder() -> Path:
    """Return the cache folder, after removing old entries."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adcl-tidy"
    folder.mkdir(parents=True, exist_ok=True)
    for entry in folder.iterdir():
        if time.time() - entry.stat().st_mtime > _MAX_AGE_S:
            entry.unlink(missing_ok=True)
    return folder


def _warnings(entry: dict[str, str], build: Path, cache: Path, rules: bytes) -> str:
    """Return clang-tidy's warnings for one source; empty: none."""
    key = _key(shlex.split(entry["command"]), Path(entry["directory"]), rules)
    cached = cache / (key or "none")
    if key and cached.exists():
        cached.touch()
        return ""
    run = subprocess.run(
        ["clang-tidy", "--quiet", "-p", str(build), entry["file"]], capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        return run.stdout or run.stderr
    if key:
        cached.touch()
    return ""


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    build, jobs = Path(arguments[0]).resolve(), int(arguments[1])
    cache = _cache_folder()
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    sources = [entry for entry in entries if Path(entry["file"]).is_relative_to(_ROOT / "src")]
    if not sources:
        sys.stderr.write(f"{build} compiles nothing below {_ROOT / 'src'}\n")
        return 1
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    rules = version + (_ROOT / ".clang-tidy").read_bytes()
    with_warnings = 0
    with ThreadPoolExecutor(jobs) as pool:
        for text in pool.map(lambda entry: _warnings(entry, build, cache, rules), sources):
            if text:
                with_warnings += 1
                print(text, flush=True)
    print(f"{len(sources)} sources, {with_warnings} with warnings")
    return 1 if with_warnings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
