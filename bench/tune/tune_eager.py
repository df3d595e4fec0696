# set-up: openmpi5
# in make check
"""Result of `adcl tune` for a program near Open MPI 5's eager limit, and for a kernel without possible gain.

``make bench NAME=tune_eager``. The tuning file has ten parameters. Only `btl_sm_eager_limit` matters for the messages
of `apps/wave`, 4.8 KB each. The speedup must be at least 1.5, with at most 30 trials of the search. For messages of 200
bytes none of the ten parameters matters: the defaults must be kept. Both programs are studied with the seeds 0 to 4;
``--seeds`` changes the number of seeds. The bench runs ``tools/setup.sh openmpi5``, which installs Open MPI 5. Studies
are stored in ``tune_eager`` next to the result; complete studies are not repeated, and an interrupted one continues.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench._form import ROOT, Figures, command_line, effort, write

__all__ = ["main"]

_PREFIX = ROOT / ".venvs" / "openmpi5"
_LIMIT = "btl_sm_eager_limit"
_RUNS = effort(66, 20)
"""Number of trials of a whole study, of which the search uses about 30."""

_NEAR_THE_LIMIT = ("--width", "600", "--rows", "1", "--steps", effort("20000", "500"))
_FILE = """mpi = "openmpi5"
search = "gp"

[parameters]
btl_sm_eager_limit = { from = 1024, to = 65536, factor = 2 }
btl_sm_max_send_size = [16384, 32768, 65536]
btl_sm_fbox_max = [16, 32, 64]
btl_sm_free_list_num = [8, 32, 128]
btl_sm_free_list_inc = [32, 64, 128]
btl_sm_memcpy_limit = [262144, 524288, 1048576]
pml_ob1_free_list_num = [4, 16, 64]
pml_ob1_send_pipeline_depth = [2, 3, 4]
mpi_leave_pinned = ["0", "1"]
btl_sm_segment_size = [16777216, 33554432, 67108864]

[objective]
measure = "output"
pattern = '(?:seconds per iteration:|Time in seconds =) *([0-9.]+)'
"""


def _ended(result: Path) -> bool:
    return result.is_file() and not json.loads(result.read_text(encoding="utf-8"))["conclusion"]["interrupted"]


def _study(program: Path, folder: Path, seed: int, *arguments: str) -> dict[str, Any]:
    """Run one study; return its result document of `adcl tune`."""
    folder.mkdir(parents=True, exist_ok=True)
    file, study = folder / "tuning.toml", folder / f"study{seed}"
    file.write_text(_FILE, encoding="utf-8")
    if not _ended(study / "result.json"):
        command = [sys.executable, "-m", "adcl", "tune", "run", str(file), "--mpi", str(_PREFIX / "bin" / "mpirun")]
        command += ["-n", "2", "--seed", str(seed), "--trials", str(_RUNS), "--study", str(study), "--resume", "--"]
        subprocess.run([*command, str(program), *arguments], check=True, stdout=subprocess.DEVNULL)
    document: dict[str, Any] = json.loads((study / "result.json").read_text(encoding="utf-8"))
    return document


def _wave(folder: Path) -> Path:
    program, app = folder / "wave", ROOT / "apps" / "wave"
    sources = [str(app / name) for name in ("main.cpp", "simulation.cpp")]
    options = ["-std=c++20", "-O2", f"-I{app.parent}", f"-I{app}", f"-Wl,-rpath,{_PREFIX / 'lib'}"]
    subprocess.run([str(_PREFIX / "bin" / "mpicxx"), *options, *sources, "-o", str(program)], check=True)
    return program


def _kernels(folder: Path) -> Path:
    program, source = folder / "tune_kernels", Path(__file__).with_name("kernels.c")
    options = ["-O2", "-o", str(program), str(source), f"-Wl,-rpath,{_PREFIX / 'lib'}"]
    subprocess.run([str(_PREFIX / "bin" / "mpicc"), *options], check=True)
    return program


def _trials(document: dict[str, Any]) -> int:
    return sum(run["kind"] in ("trial", "repetition") for run in document["runs"])


def _summary(document: dict[str, Any]) -> dict[str, Any]:
    conclusion = document["conclusion"]
    settings = {one["name"]: one["value"] for one in conclusion["settings"]}
    return {"settings": settings, "ratio": conclusion["ratio"], "interval": conclusion["interval"]}


def _told(document: dict[str, Any]) -> str:
    summary = _summary(document)
    return f"{summary['settings'] or 'the defaults'}, {summary['ratio'] or 1.0:.2f}, {len(document['runs'])} runs"


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--seeds", type=int, default=effort(5, 1), help="studies of each program, with the seeds from 0 on"
    )
    given = parser.parse_args(arguments)
    if not (_PREFIX / "bin" / "mpicc").is_file():
        sys.stderr.write(f"{_PREFIX / 'bin' / 'mpicc'} was not found: run tools/setup.sh openmpi5\n")
        return 1
    top = given.output.resolve().parent / "tune_eager"
    top.mkdir(parents=True, exist_ok=True)
    wave, program, seeds = _wave(top), _kernels(top), range(given.seeds)
    near = []
    for seed in seeds:
        near.append(_study(wave, top / "near_the_limit", seed, *_NEAR_THE_LIMIT))
        sys.stderr.write(f"near the limit, seed {seed}: {_told(near[-1])}\n")
    kept = 0
    for seed in effort(seeds, range(0)):
        document = _study(program, top / "nothing_to_gain", seed, "exchange", "200", "400")
        kept += not document["conclusion"]["settings"]
        sys.stderr.write(f"nothing to gain, seed {seed}: {_told(document)}\n")
    gains = [one["conclusion"]["ratio"] or 1.0 for one in near]
    found = sum([setting["name"] for setting in one["conclusion"]["settings"]] == [_LIMIT] for one in near)
    figures: Figures = {
        "eager_limit_gain": statistics.median(gains),
        "eager_limit_gain_least": min(gains),
        "eager_limit_trials": max(map(_trials, near)),
        "eager_limit_alone": found / given.seeds,
        "defaults_kept": kept / given.seeds,
    }
    studies = [{"seed": seed, **_summary(one)} for seed, one in zip(seeds, near, strict=True)]
    context = {"near_the_limit": studies}
    write(given.output, context, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
