#!/usr/bin/env python3
"""A real Slurm on one machine: munged, slurmctld and slurmd with all their files in one folder. Needs root.

    testbed/slurm/cluster.py run -- sh -c 'sinfo; srun -n 2 hostname'
    testbed/slurm/cluster.py start FOLDER      # prints the environment variable for Slurm's commands
    testbed/slurm/cluster.py stop FOLDER

Debian's packages are slurm-wlm and munge.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "sinfo", "squeue")
_START_S = 20.0
_STOP_S = 8.0
_SBIN = "/usr/sbin"

_CONFIGURATION = """
ClusterName=adcl
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
TmpFS={folder}/tmp
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault={pmi}
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,defer_batch=0
ReturnToService=2
KillWait=2
InactiveLimit=0
SlurmctldDebug=info
SlurmdDebug=info
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str | None:
    """Return the reason why no cluster can be started here; None if one can."""
    if os.geteuid() != 0:
        return "only root can run Slurm's daemons"
    path = f"{os.environ.get('PATH', '')}:{_SBIN}"
    absent = [name for name in _PROGRAMS if shutil.which(name, path=path) is None]
    return f"not installed: {', '.join(absent)} (Debian: slurm-wlm munge)" if absent else None


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _write_configuration(folder: Path, cpus: int, pmi: str) -> None:
    controller, node = _free_ports(2)
    host = socket.gethostname().split(".")[0]
    text = _CONFIGURATION.format(
        host=host, folder=folder, controller_port=controller, node_port=node, cpus=cpus, pmi=pmi
    )
    (folder / "slurm.conf").write_text(text.lstrip(), encoding="ascii")
    for name in ("state", "spool", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": f"{os.environ.get('PATH', '')}:{_SBIN}"}


def _start_daemon(folder: Path, *command: str) -> None:
    with (folder / f"{command[0]}.out").open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,  # a crashed daemon writes its core file there
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(folder),
            start_new_session=True,
        )
    with (folder / "pids").open("a", encoding="ascii") as file:
        file.write(f"{process.pid} {command[0]}\n")


def _idle(folder: Path) -> bool:
    try:
        done = subprocess.run(
            ["sinfo", "--noheader", "--format=%T"],
            capture_output=True,
            text=True,
            check=False,
            env=_environment(folder),
            timeout=5,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.stdout.strip() == "idle"


def _await(what: str, condition: object, folder: Path) -> None:
    end = time.monotonic() + _START_S
    while not (callable(condition) and condition()):
        if time.monotonic() > end:
            logs = [*folder.glob("*.out"), *folder.glob("*.log")]
            said = "\n".join(f"{one.name}: {one.read_text(errors='replace')[-600:]}" for one in logs)
            stop(folder)
            sys.exit(f"cluster.py: {what} within {_START_S:g} s\n{said}")
        time.sleep(0.05)


def start(folder: Path, cpus: int, pmi: str) -> None:
    """Start the daemons, and return when the node is idle."""
    lacking = missing()
    if lacking:
        sys.exit(f"cluster.py: {lacking}")
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    # munged trusts only folders that nobody else can write to; jobs of other users read the configuration.
    folder.chmod(0o755)
    _write_configuration(folder, cpus, pmi)
    (folder / "pids").unlink(missing_ok=True)
    files = [f"--{one}-file={folder}/munge.{one}" for one in ("key", "pid", "log", "seed")]
    _start_daemon(folder, "munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *files)
    _await("munged did not open its socket", (folder / "munge.socket").exists, folder)
    _start_daemon(folder, "slurmctld", "-D", "-i")
    _start_daemon(folder, "slurmd", "-D")
    _await("the node did not become idle", lambda: _idle(folder), folder)


def _is(pid: int, name: str) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return f"({name[:15]})" in fields and not fields.rpartition(")")[2].strip().startswith("Z")


def stop(folder: Path) -> None:
    """End the daemons and the running jobs."""
    try:
        lines = (folder / "pids").read_text(encoding="ascii").splitlines()
    except OSError:
        sys.exit(f"cluster.py: there is no cluster in {folder}")
    daemons = [(int(pid), name) for pid, name in (line.split() for line in lines)]
    with contextlib.suppress(subprocess.TimeoutExpired, OSError):
        subprocess.run(
            ["scancel", f"--user={os.environ.get('USER', 'root')}"],
            check=False,
            env=_environment(folder),
            capture_output=True,
            timeout=_STOP_S,
        )
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid, name in reversed(daemons):
            if _is(pid, name):
                os.kill(pid, number)
        end = time.monotonic() + _STOP_S
        while any(_is(pid, name) for pid, name in daemons) and time.monotonic() < end:
            time.sleep(0.05)
    # Reap the daemons that this process started.
    for pid, _ in daemons:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    (folder / "pids").unlink(missing_ok=True)


def _run(command: list[str], cpus: int, pmi: str) -> int:
    folder = Path(tempfile.mkdtemp(prefix="adcl-slurm-"))
    try:
        start(folder, cpus, pmi)
        return subprocess.run(command, check=False, env=_environment(folder)).returncode
    finally:
        if (folder / "pids").exists():
            stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--cpus", type=int, default=max(4, os.cpu_count() or 1), help="number of processors of the node"
    )
    parser.add_argument("--pmi", default="pmix", help="default mechanism by which ranks find each other: pmix or pmi2")
    commands = parser.add_subparsers(dest="what", required=True)
    for name in ("start", "stop"):
        commands.add_parser(name).add_argument("folder", type=Path)
    commands.add_parser("run").add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if arguments.what == "start":
        start(arguments.folder.absolute(), arguments.cpus, arguments.pmi)
        print(f"export SLURM_CONF={arguments.folder.absolute()}/slurm.conf")
    elif arguments.what == "stop":
        stop(arguments.folder.absolute())
    else:
        command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
        sys.exit(_run(command or [os.environ.get("SHELL", "sh")], arguments.cpus, arguments.pmi))


if __name__ == "__main__":
    main()
