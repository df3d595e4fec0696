"""Run the searches of a study with `adcl tune`. Existing results are not measured again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from studies._catalog import ROOT, Place, StudyError
from studies.periscope import _records
from studies.periscope._records import Records

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = [
    "HIERARCHICAL",
    "INTEL",
    "NETWORK",
    "PROFILER",
    "SHARED_MEMORY",
    "SIMULATED",
    "SIMULATED_EXHAUSTIVE",
    "Setting",
    "Workload",
    "measure",
    "plan",
]

_OBJECTIVE = """
[objective]
measure = "output"
pattern = 'Time in seconds *= *([0-9.eE+-]+)'
"""
_METHOD = "paper"
PROFILER = ("openmpi", "adcl_profile")
"""Build target of the profiler, which counts the messages of a workload."""


@dataclass(frozen=True)
class Setting:
    """An MPI library on a platform, and the parameters to search."""

    file: str
    """Tuning file without the objective."""

    eager: str
    eager_default: int | None
    platform: str = "shared memory"
    """Shared memory, or the name of an emulated or simulated cluster."""

    preset: str = "openmpi"
    """Preset of the build with this library."""

    launcher: str = ""
    """Launcher; empty: the launcher in the search path."""

    other: bool = False
    simulated: bool = False
    """Whether the platform is a simulated cluster."""

    options: tuple[str, ...] = ()
    """Options of the launcher."""


SHARED_MEMORY = Setting(
    """mpi = "openmpi4"

[parameters]
btl_vader_eager_limit = { from = 1024, to = 65536, factor = 2 }
btl_vader_max_send_size = [32768, 131072]
btl_vader_fbox_size = [4096, 32768]
btl_vader_single_copy_mechanism = ["cma", "none"]
""",
    "btl_vader_eager_limit",
    4096,
)
NETWORK = Setting(
    """mpi = "openmpi4"

[parameters]
btl_tcp_eager_limit = { from = 1024, to = 262144, factor = 4 }
btl_tcp_rndv_eager_limit = [16384, 65536]
btl_tcp_links = [1, 2]
btl_tcp_sndbuf = [0, 1048576]
""",
    "btl_tcp_eager_limit",
    65536,
    platform="flat",
)
HIERARCHICAL = replace(NETWORK, platform="hierarchical")
INTEL = Setting(
    """mpi = "intel"

[parameters]
I_MPI_SHM_EAGER_THRESHOLD = ["unset", 1024, 4096, 16384, 65536]
I_MPI_SHM_CELL_FWD_SIZE = ["unset", 16384, 65536, 262144]
I_MPI_SHM_CELL_FWD_NUM = ["unset", 4, 16, 64]
I_MPI_SHM_CMA = ["unset", 0, 1]
""",
    "I_MPI_SHM_EAGER_THRESHOLD",
    None,
    preset="impi",
    launcher=".venvs/impi/bin/mpiexec",
    other=True,
)
_SIMULATION = Setting(
    """mpi = "smpi"

[parameters]
async_small_thresh = { from = 1024, to = 65536, step = 8192 }
send_is_detached_thresh = [65536, 262144]
allgatherv = ["unset", "ompi_neighborexchange", "ompi_bruck", "mpich_rdb"]
allgather = ["unset", "ompi_neighborexchange"]
""",
    "async_small_thresh",
    0,
    platform="shark",
    preset="smpi",
    launcher="smpirun",
    simulated=True,
    # Computing takes no time, and each message half a microsecond and 0.1 ns per byte on its sender and receiver. The
    # simulated times do not depend on the machine that simulates.
    options=("smpi/simulate-computation:no", "smpi/os:0:5e-7:1e-10", "smpi/ois:0:5e-7:1e-10", "smpi/or:0:5e-7:1e-10"),
)
SIMULATED_EXHAUSTIVE = _SIMULATION
"""The exhaustive search's four parameters; the paper's file for it also has four."""

SIMULATED = replace(
    _SIMULATION,
    file="""mpi = "smpi"

[parameters]
async_small_thresh = { from = 1024, to = 131072, step = 1024 }
send_is_detached_thresh = { from = 16384, to = 1048576, factor = 2 }
coll_selector = ["default", "ompi", "mpich", "mvapich2", "impi"]
allgatherv = ["unset", "pair", "ring", "ompi_neighborexchange", "ompi_bruck", "mpich_rdb", "mpich_ring"]
allgather = ["unset", "pair", "ring", "ompi_neighborexchange", "mvapich2"]
alltoallv = ["unset", "pair", "ring", "bruck"]
alltoall = ["unset", "pair", "ring", "bruck"]
barrier = ["unset", "ompi", "mpich", "mvapich2"]
bcast = ["unset", "ompi", "mpich", "mvapich2"]
allreduce = ["unset", "rdb", "ompi", "mpich"]
""",
)
"""The other searches' ten parameters; the paper's file for them also has ten."""


@dataclass(frozen=True)
class Workload:
    """A program with its input, and the searches that tune it."""

    size: str
    """Corresponding experiment of the paper."""

    program: str
    arguments: tuple[str, ...]
    searches: tuple[str, ...]
    seconds: int = 0
    """Duration of each search in seconds; 0: only the number of runs limits it."""

    setting: Setting = SHARED_MEMORY
    ranks: int = 2
    longer: dict[str, int] = field(default_factory=dict)
    """Durations of searches that differ from `seconds`."""

    runs: dict[str, int] = field(default_factory=dict)
    """Largest numbers of runs of searches that are limited by it."""

    def duration(self, search: str) -> int:
        """Return the duration limit of a search in seconds."""
        return self.longer.get(search, self.seconds)

    def limit(self, search: str) -> str:
        """Return the limits of a search, for messages."""
        seconds, runs = self.duration(search), self.runs.get(search)
        limits = [f"{seconds} s"] if seconds else []
        return " or ".join([*limits, *([] if runs is None else [f"{runs} runs"])])

    def command(self, preset: str = "") -> list[str]:
        """Return program and arguments; `preset`: of another build than the searches use."""
        return [str(ROOT / "build" / (preset or self.setting.preset) / "bin" / self.program), *self.arguments]

    def name(self, search: str) -> str:
        """Return the name of a search's folder."""
        library = "other" if self.setting.other else "first"
        return "_".join((self.size, self.setting.platform.replace(" ", "-"), library, search))


def _lacking(workload: Workload, *, root: bool) -> str:
    """Return the reason why a workload cannot run here, or an empty string."""
    setting, launcher = workload.setting, workload.setting.launcher
    if setting.simulated:
        return "" if shutil.which(launcher) else f"{launcher} was not found; install SimGrid (Debian: libsimgrid-dev)"
    if setting.platform != "shared memory" and not root:
        return "emulated clusters require root"
    if launcher and not (ROOT / launcher).exists():
        return f"{launcher} was not found; tools/setup.sh {workload.setting.preset} installs it"
    return ""


def plan(workloads: Sequence[Workload], *, root: bool) -> tuple[list[tuple[Workload, str]], list[str]]:
    """Return the pairs of workload and search that can run here, and the reasons against all other pairs."""
    pairs, reasons = [], []
    for one in workloads:
        if lacking := _lacking(one, root=root):
            reasons.append(f"{one.size} on {one.setting.platform}: {lacking}")
        else:
            pairs += [(one, search) for search in one.searches]
    return pairs, reasons


def _state(folder: Path) -> str:
    """Return `ended`, `empty` if the search ended before any scenario passed, or `begun`."""
    result = folder / "result.json"
    if not result.exists():
        return "begun"
    document = json.loads(result.read_text(encoding="utf-8"))
    if document["conclusion"]["interrupted"]:
        return "begun"
    return "ended" if _records.has_scenarios(document) else "empty"


def _adcl(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "adcl", "tune", *arguments]


def _where(setting: Setting) -> list[str]:
    """Return the options of `adcl tune` that select the platform and the launcher."""
    found = [] if setting.platform == "shared memory" else ["--on", setting.platform]
    if setting.launcher:
        found += ["--mpi", setting.launcher if setting.simulated else str(ROOT / setting.launcher)]
    return [*found, *(f"--launcher-option=--cfg={one}" for one in setting.options)]


def _search(workload: Workload, search: str, folder: Path) -> None:
    """Begin or continue one search; a search that ended empty begins again. Raises `StudyError` if it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "tuning.toml"
    file.write_text(workload.setting.file + _OBJECTIVE, encoding="utf-8")
    again = "--fresh" if _state(folder / "study") == "empty" else "--resume"
    command = _adcl("run", file.name, again, "--method", _METHOD, "--search", search, "-n", str(workload.ranks))
    command += ["--study", "study"]
    if workload.duration(search):
        command += ["--time", f"{workload.duration(search)}s"]
    if search in workload.runs:
        command += ["--trials", str(workload.runs[search])]
    command += _where(workload.setting)
    with (folder / "output.txt").open("a", encoding="utf-8") as output:
        done = subprocess.run(
            [*command, "--", *workload.command()], cwd=folder, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode != 0 or _state(folder / "study") == "begun":
        raise StudyError(f"adcl tune did not end its search; see {folder / 'output.txt'}. The same command resumes it")


def _about(workload: Workload, search: str, document: dict[str, Any]) -> dict[str, Any]:
    setting = workload.setting
    return {
        "size": workload.size,
        "program": " ".join((workload.program, *workload.arguments)),
        "library": document["about"]["mpi"],
        "other": setting.other,
        "platform": setting.platform,
        "ranks": workload.ranks,
        "search": search,
        "method": _METHOD,
        "eager": setting.eager,
        "eager_default": setting.eager_default,
    }


def _profile(workload: Workload, work: Path) -> _records.Profile:
    """Return the profile of a workload's messages. Raises `StudyError`.

    The profiler cannot be loaded into a simulator, so it runs a simulated workload's program with Open MPI.
    """
    file = work / f"profile_{workload.size}.json"
    preset = "openmpi" if workload.setting.simulated else ""
    if not file.exists():
        command = [*_adcl("analyze", "-n", str(workload.ranks), "--json", "--"), *workload.command(preset)]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise StudyError(f"adcl tune analyze failed: {done.stderr.strip()[-400:]}")
        file.write_text(done.stdout, encoding="utf-8")
    program = " ".join((workload.program, *workload.arguments))
    return _records.profile_of(json.loads(file.read_text(encoding="utf-8")), workload.size, program)


def measure(place: Place, workloads: Sequence[Workload]) -> None:
    """Run the searches that are missing in `place.work`, then write the records. Raises `StudyError`."""
    pairs, reasons = plan(workloads, root=os.geteuid() == 0)
    for reason in reasons:
        print(f"skipped: {reason}", flush=True)
    if not pairs:
        raise StudyError("no search can run here")
    left = [pair for pair in pairs if _state(place.work / pair[0].name(pair[1]) / "study") != "ended"]
    print(f"{len(left)} of {len(pairs)} searches are left", flush=True)
    found, profiles = [], {}
    for one, search in pairs:
        folder = place.work / one.name(search)
        if (one, search) in left:
            print(f"{one.size}, {one.setting.platform}, {search}: up to {one.limit(search)}", flush=True)
            _search(one, search, folder)
        if _state(folder / "study") == "empty":
            print(f"skipped: {search} had no time for a scenario; the same command tries again", flush=True)
            continue
        document = json.loads((folder / "study" / "result.json").read_text(encoding="utf-8"))
        found.append(_records.search_of(document, _about(one, search, document)))
        if one.size not in profiles:
            profiles[one.size] = _profile(one, place.work)
    if not found:
        raise StudyError("no search had time for a scenario; run the study on a machine with less other work")
    _records.write(place.records, Records(tuple(found), tuple(profiles.values())))
