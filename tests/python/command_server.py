"""Run the ``adcl`` command repeatedly: load its modules once, and fork a process for each run.

Loading takes more processor time than most commands. Each run has its own process, folder, environment and standard
streams, and ends as ``python -m adcl`` does.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import pkgutil
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LOADED_WITH = ("PYTHON", "LC_", "LANG", "FORCE_COLOR", "OPENBLAS_", "MPL")
"""Prefixes of variables that take effect when Python and its modules are loaded."""


def _load_time_settings(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_LOADED_WITH)}


def _limits() -> list[tuple[int, int]]:
    """Return the limits that a new process would inherit."""
    return [resource.getrlimit(one) for one in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_AS)]


class CommandServer:
    """Starts the server process, and runs commands one after the other in forked copies."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._settings, self._limits = _load_time_settings(environment), _limits()
        self._channel, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(other.fileno())],
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=dict(environment),
            )

    def accepts(self, environment: Mapping[str, str]) -> bool:
        """Return whether a command with this environment and these limits behaves as in a new interpreter."""
        return _load_time_settings(environment) == self._settings and _limits() == self._limits

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        stdin: str | None,
        timeout_s: float,
    ) -> tuple[int, str, str]:
        """Return exit code (negative: the signal that ended it), standard output and standard error."""
        order = json.dumps({"arguments": arguments, "folder": str(folder), "environment": dict(environment)})
        out, err = os.pipe(), os.pipe()
        with Path(os.devnull).open("rb") if stdin is None else tempfile.TemporaryFile() as given:
            if stdin is not None:
                given.write(stdin.encode())
                given.seek(0)
            socket.send_fds(self._channel, [order.encode()], [given.fileno(), out[1], err[1]])
        os.close(out[1])
        os.close(err[1])
        pid = int(self._channel.recv(32))
        printed = _read_all((out[0], err[0]), time.monotonic() + timeout_s)
        if printed is None:
            os.kill(pid, signal.SIGKILL)
        code = int(self._channel.recv(32))
        if printed is None:
            raise subprocess.TimeoutExpired(["adcl", *arguments], timeout_s)
        out_text, err_text = (_text(part) for part in printed)
        return code, out_text, err_text

    def close(self) -> None:
        """End the server."""
        self._channel.close()
        self._process.wait()


def _text(printed: bytes) -> str:
    """Decode as `subprocess` does for ``text=True``."""
    return io.TextIOWrapper(io.BytesIO(printed), encoding="utf-8").read()


def _read_all(pipes: Sequence[int], deadline: float) -> list[bytes] | None:
    """Read the pipes to their ends and close them; None at the deadline."""
    parts: dict[int, list[bytes]] = {pipe: [] for pipe in pipes}
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map() and time.monotonic() < deadline:
            for key, _ in selector.select(max(deadline - time.monotonic(), 0)):
                part = os.read(key.fd, 1 << 16)
                parts[key.fd].append(part)
                if not part:
                    selector.unregister(key.fd)
        complete = not selector.get_map()
    for pipe in pipes:
        os.close(pipe)
    return [b"".join(parts[pipe]) for pipe in pipes] if complete else None


def _load() -> None:
    import adcl

    for module in pkgutil.walk_packages(adcl.__path__, "adcl."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    # Modules that commands import on demand.
    for name in ("adcl._one_thread", "rich.console", "rich.progress", "scipy.special"):
        importlib.import_module(name)


def _run(arguments: list[str], folder: str, environment: dict[str, str], streams: Sequence[int]) -> None:
    """Act as ``python -m adcl`` in the forked process."""
    import adcl.__main__

    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.argv = [str(adcl.__main__.__file__), *arguments]
    adcl.cli.main()


def _serve(channel: socket.socket) -> None:
    while True:
        message, streams, _, _ = socket.recv_fds(channel, 1 << 20, 3)
        if not message:
            return
        pid = os.fork()
        if pid == 0:
            channel.close()
            _run(**json.loads(message), streams=streams)
        for stream in streams:
            os.close(stream)
        channel.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        channel.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    del sys.path[0]  # Remove this folder, so that commands do not find the tests' modules.
    _load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
