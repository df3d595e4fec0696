"""Records the tables of the bench tune_search: ``_record.py PAIR --program FILE [--mpi LAUNCHER] [--seconds N]``.

A pair is a kernel of kernels.c and an MPI library. Every scenario of its space runs in several rounds, each in a
different order. The seconds per iteration that the kernel prints are stored in ``data/recorded/tune/PAIR.json``, in the
enumeration order of the space. An interrupted recording continues; ``--seconds`` ends the recording after that time,
for a machine that others use.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adcl.launch import Job, Launcher, detect, run
from adcl.tune.space._space import Choices, Condition, Parameter, Space, Steps

__all__ = ["PAIRS", "Pair", "main"]

_TABLES = Path(__file__).resolve().parents[2] / "data" / "recorded" / "tune"
_PRINTED = re.compile(r"seconds per iteration: ([0-9.]+)")


@dataclass(frozen=True)
class Pair:
    """A kernel with an MPI library, and its settings."""

    mpi: str
    """Default launcher."""

    ranks: int
    arguments: tuple[str, ...]
    prefix: str
    """Prefix of a parameter's name in the environment."""

    parameters: tuple[Parameter, ...]
    fixed: tuple[tuple[str, str], ...] = ()


def _on_off(name: str, default: int) -> Parameter:
    return Parameter(name, Choices((0, 1)), default)


PAIRS = {
    "openmpi5_exchange": Pair(
        "openmpi5",
        2,
        ("exchange", "3000,12000", "30"),
        "OMPI_MCA_",
        (
            Parameter("btl_sm_eager_limit", Steps(2048, 65536, multiply=2), 4096),
            Parameter("btl_sm_max_send_size", Choices((32768, 131072)), 32768),
            Parameter("btl_sm_fbox_size", Steps(4096, 65536, multiply=4), 4096),
            Parameter("smsc", Choices(("cma", "^cma")), "cma"),
        ),
    ),
    "openmpi4_alltoall": Pair(
        "openmpi4",
        4,
        ("alltoall", "8000", "20"),
        "OMPI_MCA_",
        (
            Parameter("btl_vader_eager_limit", Steps(2048, 65536, multiply=2), 4096),
            Parameter("btl_vader_single_copy_mechanism", Choices(("cma", "none")), "cma"),
            Parameter("btl_vader_fbox_size", Choices((4096, 32768)), 4096),
            _on_off("coll_tuned_use_dynamic_rules", 0),
            Parameter(
                "coll_tuned_alltoall_algorithm",
                Choices((1, 2, 3, 4)),
                when=Condition("coll_tuned_use_dynamic_rules", (1,)),
            ),
        ),
        (("OMPI_MCA_mpi_yield_when_idle", "1"),),
    ),
    "openmpi4_pingpong": Pair(
        "openmpi4",
        2,
        ("pingpong", "2000,6000,20000", "40"),
        "OMPI_MCA_",
        (
            Parameter("btl_vader_eager_limit", Steps(1024, 65536), 4096),
            Parameter("btl_vader_max_send_size", Steps(8192, 131072, multiply=4), 32768),
            Parameter("btl_vader_single_copy_mechanism", Choices(("cma", "none")), "cma"),
            Parameter("btl_vader_fbox_size", Choices((4096, 32768)), 4096),
        ),
    ),
    "mpich5_exchange": Pair(
        "mpich",
        2,
        ("exchange", "6000,40000", "20"),
        "MPIR_CVAR_",
        (
            _on_off("CH4_CMA_ENABLE", 1),
            Parameter(
                "CH4_IPC_CMA_P2P_THRESHOLD",
                Steps(2048, 131072, multiply=2),
                16384,
                when=Condition("CH4_CMA_ENABLE", (1,)),
            ),
            Parameter("CH4_SHM_POSIX_IQUEUE_CELL_SIZE", Choices((4096, 8192, 12288, 16384))),
            Parameter("CH4_SHM_POSIX_IQUEUE_NUM_CELLS", Steps(16, 256, multiply=4), 64),
            _on_off("GENQ_SHMEM_POOL_FREE_QUEUE_SENDER_SIDE", 0),
        ),
    ),
}


def _measure(pair: Pair, program: str, launcher: Launcher, settings: dict[str, str]) -> float | None:
    environment = {**dict(pair.fixed), **{f"{pair.prefix}{name}": value for name, value in settings.items()}}
    job = Job(program, pair.arguments, ranks=pair.ranks, environment=environment, timeout_s=30.0)
    result = run(job, launcher)
    printed = _PRINTED.search(result.stdout)
    return float(printed[1]) if result.ok and printed else None


def _parameter_document(one: Parameter) -> dict[str, Any]:
    when = None if one.when is None else {"parameter": one.when.parameter, "values": list(one.when.values)}
    return {"name": one.name, "values": list(one.values), "default": one.default, "when": when}


def _start(name: str, pair: Pair, launcher: Launcher, rounds: int) -> dict[str, Any]:
    space = Space(pair.parameters)
    return {
        "schema": 1,
        "pair": name,
        "mpi": f"{launcher.kind.name} {launcher.version}",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "kernel": " ".join(pair.arguments),
        "ranks": pair.ranks,
        "space": space.fingerprint(),
        "parameters": [_parameter_document(one) for one in pair.parameters],
        "seconds": [[None] * space.size() for _ in range(rounds)],
        "taken": [0] * rounds,
    }


def _write(path: Path, document: dict[str, Any]) -> None:
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items() if key != "seconds"]
    rounds = ",\n".join(json.dumps(one) for one in document["seconds"])
    temporary = path.with_suffix(".new")
    temporary.write_text("{\n" + ",\n".join(lines) + f',\n"seconds": [\n{rounds}\n]\n}}\n', encoding="utf-8")
    temporary.replace(path)


def record(name: str, program: str, mpi: str | None, rounds: int, seconds: float) -> bool:
    """Record until the table is complete or the time is over; return whether it is complete."""
    pair, path = PAIRS[name], _TABLES / f"{name}.json"
    launcher = detect(mpi or pair.mpi, program=Path(program))
    document = json.loads(path.read_text()) if path.is_file() else _start(name, pair, launcher, rounds)
    space = Space(pair.parameters)
    if document["space"] != space.fingerprint():
        raise SystemExit(f"{path} was recorded for another space; remove it to start again")
    scenarios = list(space)
    end = time.monotonic() + seconds
    for turn, times in enumerate(document["seconds"]):
        order = random.Random(turn).sample(range(len(scenarios)), len(scenarios))  # noqa: S311
        for place in order[document["taken"][turn] :]:
            if time.monotonic() > end:
                _write(path, document)
                return False
            settings = {key: str(value) for key, value in scenarios[place].items()}
            times[place] = _measure(pair, program, launcher, settings)
            document["taken"][turn] += 1
    _write(path, document)
    return True


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code: 0 when the table is complete."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pair", choices=sorted(PAIRS))
    parser.add_argument("--program", required=True, help="tune_kernels, built with that MPI library")
    parser.add_argument("--mpi", help="the launcher, in the form of adcl run")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args(arguments)
    complete = record(given.pair, given.program, given.mpi, given.rounds, given.seconds)
    print(f"{given.pair}: {'complete' if complete else 'not yet complete; run it again'}")
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
