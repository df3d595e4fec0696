# set-up: openmpi5
# in make check
"""Quality and length of the advice of `adcl tune`: ``make bench NAME=tune_advice``.

Five programs run on two ranks with Open MPI 5 and the tuning file that ``adcl tune init`` writes: a ping-pong below the
eager limit and one above it, many small messages, an all-to-all, and an exchange without possible gain. A study takes
180 seconds. The best known setting is found independently: every parameter alone is set to each of its values, the best
results are run again, and a second setting is added if it is an improvement. Finally the defaults, the advice and this
best known setting run in rounds, which yield the figures.

If a container forbids processes to read each other's memory, Open MPI does not use the component `cma`. The second and
the fourth program never use it, so that the eager limit matters on every machine.

``--repetitions`` is the number of studies of the program without possible gain, and ``--seconds`` the time of each
study. ``--replayed`` adds studies of this program whose times are taken from the measured times in their order: the
same machine with all its disturbances. Studies are stored in ``tune_advice`` next to the result and are not repeated.
Therefore ``--only PROGRAM`` for each program, followed by ``--collect``, is the whole bench. ``tools/setup.sh
openmpi5`` installs Open MPI 5.
"""

from __future__ import annotations

import json
import math
import random
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.launch import Job, Placement, detect, run
from adcl.tune.file import check_file, load
from bench._form import ROOT, Figures, command_line, effort, write
from bench.tune._replay import replay

if TYPE_CHECKING:
    from adcl.launch import Launcher
    from adcl.tune.space import Space

__all__ = ["main"]

_PREFIX = ROOT / ".venvs" / "openmpi5"
_SECONDS = effort(180, 12)
_ROUNDS = 12
_ENOUGH = 0.02
"""Minimum relative improvement for adding a second setting to the best known setting."""

_PATTERN = "seconds per iteration: *([0-9.]+)"
_WITHOUT_CMA = {"OMPI_MCA_smsc": "^cma"}

_Settings = dict[str, str]
_JUDGED = "judged.json"
"""File with the final result in the folder of a program."""

_KNOWN = "known.json"


@dataclass(frozen=True)
class _Case:
    name: str
    arguments: tuple[str, ...]
    environment: _Settings = field(default_factory=dict)


_CASES = (
    _Case("pingpong_below", ("pingpong", "2048", "400")),
    _Case("pingpong_above", ("pingpong", "8192", "400"), _WITHOUT_CMA),
    _Case("small_messages", ("flood", "512", "40")),
    _Case("alltoall", ("alltoall", "8192", "400"), _WITHOUT_CMA),
)
_NOTHING = _Case("nothing_to_gain", ("exchange", "200", "600"))


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


@dataclass(frozen=True)
class _Runner:
    program: Path
    case: _Case
    launcher: Launcher

    def seconds(self, settings: _Settings) -> float:
        """Run the program once; return its seconds, infinite if it fails."""
        words = tuple(word for name, value in settings.items() for word in ("--mca", name, value))
        job = Job(
            str(self.program),
            self.case.arguments,
            ranks=2,
            environment=self.case.environment,
            timeout_s=60.0,
            placement=Placement(launcher_options=words),
        )
        ran = run(job, self.launcher)
        found = re.search(_PATTERN, ran.stdout)
        return float(found[1]) if ran.ok and found else math.inf

    def median(self, settings: _Settings, runs: int) -> float:
        """Return the median of several runs."""
        return statistics.median(self.seconds(settings) for _ in range(runs))


def _single_settings(space: Space) -> list[_Settings]:
    """Return each parameter alone at each of its values except the default, with the parameters that activate it."""
    found = []
    for parameter in space.parameters:
        needed = {} if parameter.when is None else {parameter.when.parameter: str(parameter.when.values[0])}
        found += [
            {**needed, parameter.name: str(value)}
            for value in parameter.values
            if value != parameter.default and not (needed and value == "ignore")
        ]
    return found


def _best_known(runner: _Runner, space: Space) -> _Settings:
    """Return the best setting found by changing one parameter at a time; empty: the defaults."""
    singles = _single_settings(space)
    took = sorted((runner.seconds(one), number) for number, one in enumerate(singles))
    again = sorted((runner.median(singles[number], 5), number) for _, number in took[:8])
    defaults = runner.median({}, 7)
    best_s, best = again[0][0], singles[again[0][1]]
    if best_s > defaults * (1.0 - _ENOUGH):
        return {}
    for _, number in again[1:4]:
        both = {**singles[number], **best}
        if len(both) > len(best) and runner.median(both, 5) < (1.0 - _ENOUGH) * runner.median(best, 5):
            best = both
    return best


def _study(runner: _Runner, folder: Path, seed: int, seconds: int) -> dict[str, Any]:
    """Run one study; return its result document of `adcl tune`."""
    folder.mkdir(parents=True, exist_ok=True)
    study = folder / f"study{seed}"
    command = [sys.executable, "-m", "adcl", "tune", "run", str(folder / "tuning.toml")]
    command += ["--mpi", str(_PREFIX / "bin" / "mpirun"), "-n", "2", "--seed", str(seed)]
    command += ["--time", f"{seconds}s", "--study", str(study), "--resume"]
    command += [word for name, value in runner.case.environment.items() for word in ("-x", f"{name}={value}")]
    command += ["--", str(runner.program), *runner.case.arguments]
    if not _ended(study / "result.json"):
        with (folder / f"study{seed}.txt").open("w", encoding="utf-8") as told:
            subprocess.run(command, check=True, stdout=told, stderr=subprocess.STDOUT)
    document: dict[str, Any] = json.loads((study / "result.json").read_text(encoding="utf-8"))
    return document


def _ended(result: Path) -> bool:
    return result.is_file() and not json.loads(result.read_text(encoding="utf-8"))["conclusion"]["interrupted"]


def _tuning_file(folder: Path) -> Path:
    """Write the file of `adcl tune init`, with the number that the program prints as the objective."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "tuning.toml"
    command = [sys.executable, "-m", "adcl", "tune", "init", "--mpi", str(_PREFIX / "bin" / "mpirun"), "--ranks", "2"]
    written = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    objective = f"measure = \"output\"\npattern = '{_PATTERN}'\n"
    file.write_text(re.sub(r'^measure = "wall"\n', objective, written, flags=re.MULTILINE), encoding="utf-8")
    return file


def _judge(runner: _Runner, ways: dict[str, _Settings]) -> dict[str, float]:
    """Run all configurations in rounds, in random order; return the median speedup of each over the defaults."""
    generator = random.Random(0)  # noqa: S311 - the order of runs
    logs: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(2 * _ROUNDS):
        names = [*ways]
        generator.shuffle(names)
        took = {name: runner.seconds(ways[name]) for name in names}
        if math.inf in took.values():
            _say(f"a round is repeated: {', '.join(name for name in names if took[name] == math.inf)} failed")
            continue
        for name in ways:
            logs[name].append(math.log(took["defaults"] / took[name]))
        if len(logs["defaults"]) == _ROUNDS:
            break
    else:
        raise RuntimeError(f"{runner.case.name}: fewer than {_ROUNDS} of {2 * _ROUNDS} rounds ended without a failure")
    return {name: math.exp(statistics.median(values)) for name, values in logs.items()}


def _kernels(folder: Path) -> Path:
    program, source = folder / "tune_kernels", Path(__file__).with_name("kernels.c")
    options = ["-O2", "-o", str(program), str(source), f"-Wl,-rpath,{_PREFIX / 'lib'}"]
    subprocess.run([str(_PREFIX / "bin" / "mpicc"), *options], check=True)
    return program


def _about(runner: _Runner, folder: Path, seconds: int) -> dict[str, Any]:
    """Study a program, find its best setting independently, and compare; each step only once."""
    judged = folder / _JUDGED
    if not judged.is_file():
        file = _tuning_file(folder)
        document = _study(runner, folder, 0, seconds)
        advice = {one["name"]: str(one["value"]) for one in document["conclusion"]["settings"]}
        if not (folder / _KNOWN).is_file():
            space = check_file(load(file), named=str(_PREFIX / "bin" / "mpirun")).space
            (folder / _KNOWN).write_text(json.dumps(_best_known(runner, space)), encoding="utf-8")
        known: _Settings = json.loads((folder / _KNOWN).read_text(encoding="utf-8"))
        gains = _judge(runner, {"defaults": {}, "advice": advice, "known": known})
        found = {
            "advice": advice,
            "best_known": known,
            "gain_of_advice": gains["advice"],
            "gain_of_best_known": gains["known"],
            "runs": len(document["runs"]),
            "not_confirmed": document["conclusion"]["not_confirmed"],
        }
        judged.write_text(json.dumps(found, indent=1), encoding="utf-8")
    one: dict[str, Any] = json.loads(judged.read_text(encoding="utf-8"))
    _say(
        f"{runner.case.name}: advice {one['advice']} {one['gain_of_advice']:.3f}, "
        f"best known {one['best_known']} {one['gain_of_best_known']:.3f}"
    )
    return one


def _advice_figures(found: dict[str, dict[str, Any]]) -> Figures:
    shares = {name: one["gain_of_advice"] / one["gain_of_best_known"] for name, one in found.items()}
    more = {name: len(one["advice"]) - max(len(one["best_known"]), 1) for name, one in found.items()}
    return {
        "gain_of_advice_over_best_known": statistics.geometric_mean(shares.values()),
        "worst_gain_of_advice_over_best_known": min(shares.values()),
        "settings_in_advice_more_than_needed": max(more.values()),
    }


def _share(kept: int, studies: int) -> dict[str, Any]:
    return {"value": kept / studies, "studies": studies}


def _studies_of_nothing(runner: _Runner, folder: Path, seconds: int, numbers: range) -> list[dict[str, Any]]:
    """Make studies of the program without possible gain, each only once."""
    _tuning_file(folder)
    found: list[dict[str, Any]] = []
    for number in numbers:
        found.append(_study(runner, folder, number, seconds))
        advised = {one["name"]: one["value"] for one in found[-1]["conclusion"]["settings"]}
        _say(f"nothing to gain, study {number}: {advised or 'defaults kept'} ({len(found[-1]['runs'])} runs)")
    return found


def _there(folder: Path) -> list[dict[str, Any]]:
    """Return all studies of the folder that have ended."""
    results = sorted(folder.glob("study*/result.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in results if _ended(path)]


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    parser = command_line(__doc__)
    parser.add_argument(
        "--repetitions", type=int, default=effort(20, 1), help="studies of the program without possible gain"
    )
    parser.add_argument("--first", type=int, default=0, help="the seed of the first of those studies")
    parser.add_argument("--seconds", type=int, default=_SECONDS, help="seconds for each study")
    parser.add_argument("--only", help="only this program")
    parser.add_argument("--collect", action="store_true", help="compute the figures of stored results; measure nothing")
    parser.add_argument("--replayed", type=int, default=effort(200, 2), help="number of studies with measured times")
    given = parser.parse_args(arguments)
    if not (_PREFIX / "bin" / "mpicc").is_file():
        _say(f"{_PREFIX / 'bin' / 'mpicc'} was not found: run tools/setup.sh openmpi5")
        return 1
    top = given.output.resolve().parent / "tune_advice"
    top.mkdir(parents=True, exist_ok=True)
    program = top / "tune_kernels" if given.collect else _kernels(top)
    launcher = detect(_PREFIX / "bin" / "mpirun")
    wanted = [case for case in (*effort(_CASES, ()), _NOTHING) if given.only in (None, case.name)]
    found: dict[str, dict[str, Any]] = {}
    for case in wanted:
        if case is not _NOTHING and (not given.collect or (top / case.name / _JUDGED).is_file()):
            found[case.name] = _about(_Runner(program, case, launcher), top / case.name, given.seconds)
    figures = _advice_figures(found) if found else {}
    context: dict[str, Any] = {"seconds": given.seconds, "programs": found}
    if _NOTHING in wanted:
        folder = top / _NOTHING.name
        if given.collect:
            studies = _there(folder)
        else:
            numbers = range(given.first, given.first + given.repetitions)
            studies = _studies_of_nothing(_Runner(program, _NOTHING, launcher), folder, given.seconds, numbers)
        kept = sum(not one["conclusion"]["settings"] for one in studies)
        if studies:
            figures["defaults_kept"] = _share(kept, len(studies))
            context["seconds_with_nothing_to_gain"] = [one["elapsed_s"] for one in studies]
        if studies and given.replayed:
            space = check_file(load(folder / "tuning.toml"), named=str(_PREFIX / "bin" / "mpirun")).space
            kept = replay(space, studies, given.replayed, _SECONDS)
            figures["defaults_kept_replayed"] = _share(kept, given.replayed)
    write(given.output, context, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
