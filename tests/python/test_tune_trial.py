"""Trials of real programs with every MPI library of this machine: outcomes, and no leftovers."""

from __future__ import annotations

import dataclasses
import re
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from support import processes_with, wait_until, within

from adcl._source import Source
from adcl.errors import UsageError
from adcl.launch import KINDS, LauncherKind, Stop, run, usable_cores
from adcl.mpi_libraries import LIBRARIES, library_of
from adcl.mpi_libraries._catalog import UnknownSettingError
from adcl.mpi_libraries._mpi_t import read_catalog
from adcl.mpi_libraries._native import companion_environment
from adcl.mpi_libraries.openmpi._launcher import OpenMpi4Launcher
from adcl.tune.file._objective import Objective
from adcl.tune.file._read import parse
from adcl.tune.file._starting_file import starting_file
from adcl.tune.space._space import Choices, Parameter
from adcl.tune.trial import Slot, TrialInterruptedError, Trials
from adcl.tune.trial._energy import EnergyMeter
from adcl.tune.trial._profiler import find_profiler
from adcl.tune.trial._trial import _crash_message, _tail

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Mpi

    from adcl.mpi_libraries import MpiLibrary

_PRINTED = Objective("output", r"Time in seconds = *(.*)")

# For each library: a setting, two of its values, a misspelled name, and a value that the library rejects or ignores.
_SETTINGS: dict[LauncherKind, dict[str, Any]] = {
    KINDS["openmpi4"]: {
        "good": {"btl_vader_eager_limit": 8192, "mpi_leave_pinned": "false", "coll_tuned_use_dynamic_rules": "yes"},
        "misspelt": ("btl_vader_eager_limt", "btl_vader_eager_limit"),
        "wrong": ("btl_vader_eager_limit", "many"),
        "ineffective": {"coll_tuned_bcast_algorithm": "chain"},
    },
    KINDS["openmpi5"]: {
        "good": {"btl_sm_eager_limit": 8192, "mpi_leave_pinned": "0", "coll_tuned_use_dynamic_rules": 1},
        "misspelt": ("btl_sm_eager_limt", "btl_sm_eager_limit"),
        "wrong": ("mpi_leave_pinned", "perhaps"),
        "ineffective": {"coll_tuned_bcast_algorithm": "chain"},
    },
    KINDS["mpich"]: {
        "good": {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial", "bcast_short_msg_size": 4096},
        "misspelt": ("MPIR_CVAR_BCAST_INTRA_ALGORITM", "MPIR_CVAR_BCAST_INTRA_ALGORITHM"),
        "wrong": ("bcast_intra_algorithm", "binomal"),
    },
    KINDS["intel"]: {
        "good": {"I_MPI_ADJUST_BCAST": 2, "shm_eager_threshold": 8192},
        "misspelt": ("I_MPI_ADJUST_BCAS", "I_MPI_ADJUST_BCAST"),
        "wrong": ("SHM_CELL_FWD_SIZE", "big"),
        "ineffective": {"I_MPI_ADJUST_BCAST": 200},
    },
}


@pytest.fixture(scope="session")
def trials(tuned: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    """Return trials of the test program with 3 ranks."""
    library = next(one for one in LIBRARIES.values() if tuned.launcher.kind in one.launchers)
    with pytest.MonkeyPatch.context() as changes:
        changes.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield _trials(tuned, library)


def _trials(tuned: Mpi, library: MpiLibrary) -> Trials:
    return Trials(
        tuned.program,
        (),
        ranks=3,
        launcher=tuned.launcher,
        library=library,
        catalog=library.catalog(tuned.launcher),
        objectives=(_PRINTED,),
        expect=re.compile("VERIFICATION SUCCESSFUL"),
        environment={},
        grace_s=1.0,
    )


def _of(trials: Trials, *arguments: str, **changes: Any) -> Trials:
    return dataclasses.replace(trials, arguments=arguments, **changes)


@pytest.mark.mpi
def test_settings_that_have_an_effect(trials: Trials) -> None:
    good = _SETTINGS[trials.launcher.kind]["good"]
    outcome = trials.run(good, timeout_s=within(60))
    assert (outcome.status, outcome.reason) == ("ok", "")
    assert outcome.objectives["output"] > 0
    assert outcome.seconds is not None
    assert outcome.seconds > outcome.objectives["output"]
    # The library's reports on its settings are not part of the program's output.
    assert [line.split()[0] for line in outcome.tail.splitlines()] == ["Time", "VERIFICATION"]


@pytest.mark.mpi
def test_the_defaults(trials: Trials) -> None:
    outcome = trials.run({}, timeout_s=within(60))
    assert (outcome.status, outcome.reason) == ("ok", "")


@pytest.mark.mpi
def test_names_and_values_are_checked_before_any_run(trials: Trials) -> None:
    known = _SETTINGS[trials.launcher.kind]
    misspelt, right = known["misspelt"]
    full = trials.library.full_name
    with pytest.raises(UnknownSettingError, match=f"has no variable {misspelt!r}; did you mean {right}"):
        trials.catalog.check(Parameter(misspelt, Choices((1,))), full(misspelt))
    name, value = known["wrong"]
    with pytest.raises(UnknownSettingError, match=f"{name} must be .*, not {value!r}"):
        trials.catalog.check(Parameter(name, Choices((value,))), full(name))
    for name, value in known["good"].items():
        trials.catalog.check(Parameter(name, Choices((value,))), full(name))


@pytest.mark.mpi
def test_undetected_misspelled_setting_is_ineffective(trials: Trials) -> None:
    misspelt, _ = _SETTINGS[trials.launcher.kind]["misspelt"]
    outcome = trials.run({misspelt: 1}, timeout_s=within(60))
    assert outcome.status == "ineffective"
    assert (
        trials.library.full_name(misspelt) in outcome.reason or "did not report the settings in use" in outcome.reason
    )


@pytest.mark.mpi
def test_settings_without_an_effect(trials: Trials) -> None:
    ineffective = _SETTINGS[trials.launcher.kind].get("ineffective")
    if ineffective is None:
        pytest.skip("MPICH refuses what it does not use")
    outcome = trials.run(ineffective, timeout_s=within(60))
    assert outcome.status == "ineffective"
    assert next(iter(ineffective)) in outcome.reason


@pytest.mark.mpi
def test_a_program_that_hangs_is_ended(trials: Trials, tag: str) -> None:
    outcome = _of(trials, "hang", environment={"TAG": tag}).run({}, timeout_s=1.5)
    assert outcome.status == "timeout"
    assert outcome.objectives == {}
    assert processes_with(tag) == []


@pytest.mark.mpi
def test_a_program_that_crashes(trials: Trials, tag: str) -> None:
    outcome = _of(trials, "crash", environment={"TAG": tag}).run({}, timeout_s=within(60))
    assert outcome.status == "crashed"
    assert "SIGSEGV" in outcome.reason
    assert processes_with(tag) == []


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("mode", "status", "reason"),
    [
        ("exit", "crashed", "ended with exit code 3: tuned: no mesh"),
        ("garbage", "bad_output", "expected a number"),
        ("silent", "bad_output", "nothing in the output matches"),
        ("wrong", "bad_output", "nothing in the output matches 'VERIFICATION SUCCESSFUL'"),
    ],
)
def test_failed_trials(trials: Trials, mode: str, status: str, reason: str) -> None:
    outcome = _of(trials, mode).run({}, timeout_s=within(60))
    assert (outcome.status, outcome.objectives) == (status, {})
    assert reason in outcome.reason
    # The launcher's own message is stored but not shown.
    assert mode != "exit" or outcome.tail.splitlines()[-1] == "tuned: no mesh"
    assert len(outcome.output) >= len(outcome.tail)


def test_crash_reports_the_assertion_without_addresses() -> None:
    """MPICH writes a backtrace after the message, and then only a line that there was an error."""
    assertion = "Assertion failed in file mpidig_init.c at line 36: MPIR_CVAR_CH4_PACK_BUFFER_SIZE >= buf_size_limit"
    addresses = [
        f"/opt/lib/libmpi.so.12({name}+0x4627a{at}) [0x7fbee9a627a{at}]" for name in ("", "MPI_Init") for at in range(9)
    ]
    output = "\n".join(["reading the mesh", assertion, *addresses, "Abort(1): Internal error", ""])

    assert _tail(output) == f"reading the mesh\n{assertion}\nAbort(1): Internal error"
    assert _crash_message(output) == assertion
    assert _crash_message("solver: main.c:7: main: Assertion `n > 0' failed.\nAborted\n").endswith("`n > 0' failed.")
    assert _crash_message("no mesh\nall is lost\n") == "all is lost"
    assert _crash_message("\n") == ""
    ruler = "-" * 74
    launcher = f"{ruler}\nThe PMIx server's listener thread failed to start. We cannot\ncontinue.\n{ruler}\n"
    assert _crash_message(launcher) == "The PMIx server's listener thread failed to start. We cannot continue."
    assert _crash_message(f"step 1\n{launcher}\n").endswith("We cannot continue.")
    assert _crash_message(f"{ruler}\nsolver 1.0\n{ruler}\nno mesh\n") == "no mesh"
    assert _crash_message(f"{ruler}\n{ruler}\n") == ""
    assert ruler not in _tail(launcher)


def test_crash_with_open_mpi_reports_the_program_s_message() -> None:
    """The backtraces of two ranks are interleaved, and Open MPI's own message comes last."""
    output = "\n".join(
        (
            "out of buffers",
            "[vm:23770] *** Process received signal ***",
            "[vm:23770] [ 0] /lib/libc.so.6(+0x3c050)[0x7f3b011a2050]",
            "/lib/libc.so.6(+0x8aeec)[0x7f3b011f0eec]",
            "[ 4] /lib/libprogram.so(+0x136f)[0x55dee9b6b36f]",
            "[vm:23770] *** End of error message ***",
            "-" * 74,
            "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD",
            "-" * 74,
            "[vm:22942] 1 more process has sent help message help-mpi-api.txt / mpi-abort",
            '[vm:22942] Set MCA parameter "orte_base_help_aggregate" to 0 to see all help / error messages',
            "",
        )
    )
    assert OpenMpi4Launcher.failure_messages.sub("", output) == "out of buffers\n"


@pytest.mark.mpi
def test_program_without_mpi_calls_verifies_nothing(trials: Trials) -> None:
    outcome = _of(trials, "no-mpi", expect=None).run(_SETTINGS[trials.launcher.kind]["good"], timeout_s=within(60))
    assert outcome.status == "ineffective"
    assert "did not report the settings in use" in outcome.reason


@pytest.mark.mpi
def test_parallel_trials_use_separate_cores_and_can_be_stopped(trials: Trials, tag: str) -> None:
    hanging = _of(trials, "hang", environment={"TAG": tag}, ranks=2)
    stop = Stop()
    ends: list[str] = []

    def work(core: int) -> None:
        try:
            hanging.run({}, slot=Slot(cores=(core,)), stop=stop)
        except TrialInterruptedError as error:
            ends.append(str(error))

    threads = [threading.Thread(target=work, args=(core,)) for core in (0, 0)]
    for one in threads:
        one.start()
    assert wait_until(lambda: len(processes_with(tag)) >= 4, 30)
    time.sleep(0.2)
    stop.request()
    for one in threads:
        one.join(20)
    assert ends == ["interrupted", "interrupted"]
    assert processes_with(tag) == []
    stop.close()


def test_single_rank_is_rejected(trials: Trials) -> None:
    with pytest.raises(UsageError, match="1 rank has no communication"):
        _of(trials, ranks=1)


def test_the_objective_mpi_needs_the_profiler(trials: Trials) -> None:
    with pytest.raises(UsageError, match="requires the profiler"):
        _of(trials, objectives=(Objective("mpi"),))


def _counter(folder: Path, used: int, name: str = "package-0") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "name").write_text(f"{name}\n", encoding="ascii")
    (folder / "energy_uj").write_text(f"{used}\n", encoding="ascii")
    (folder / "max_energy_range_uj").write_text("1000000\n", encoding="ascii")


def test_energy_is_summed_over_packages_and_counters_may_overflow(tmp_path: Path) -> None:
    _counter(tmp_path / "intel-rapl:0", 400_000)
    _counter(tmp_path / "intel-rapl:1", 900_000)
    _counter(tmp_path / "intel-rapl:0:0", 5, "core")
    _counter(tmp_path / "intel-rapl:2", 7, "psys")
    meter = EnergyMeter(tmp_path)
    _counter(tmp_path / "intel-rapl:0", 650_000)
    _counter(tmp_path / "intel-rapl:1", 100_000)
    _counter(tmp_path / "intel-rapl:0:0", 500_000, "core")
    _counter(tmp_path / "intel-rapl:2", 700_000, "psys")
    assert meter.joules() == pytest.approx(0.25 + 0.2)


@pytest.mark.mpi
def test_batch_job_on_several_machines_is_not_oversubscribed(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    many = dataclasses.replace(trials, ranks=512)
    assert many.job({}).placement.oversubscribe
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "8")
    assert not many.job({}).placement.oversubscribe


def test_energy_requires_counters(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no RAPL counter"):
        EnergyMeter(tmp_path)


@pytest.mark.mpi
def test_outcomes_are_distinguished(trials: Trials) -> None:
    own = trials.library
    assert library_of(own.key, trials.launcher) is own
    if own.key.startswith("openmpi"):
        assert library_of("openmpi", trials.launcher) is own
    other = "mpich" if own.key != "mpich" else "intel"
    with pytest.raises(UsageError, match=f"the file is for {other}, but"):
        library_of(other, trials.launcher)


@pytest.mark.mpi
def test_time_in_mpi_comes_from_the_profiler(trials: Trials, tmp_path: Path) -> None:
    profiler = find_profiler(trials.library.family)
    if profiler is None or trials.launcher.kind is not KINDS["openmpi4"]:
        pytest.skip("no profiler was built for this MPI library, or not surely for this version of it")
    profiled = _of(trials, "usual", "1024", "1000", objectives=(Objective("mpi"), _PRINTED), profiler=profiler)
    outcome = profiled.run({}, timeout_s=within(60))
    assert outcome.status == "ok", outcome.reason
    assert outcome.seconds is not None
    assert outcome.objectives["output"] < outcome.objectives["mpi"] < outcome.seconds
    profiled.profile(tmp_path)
    assert len(list(tmp_path.glob("adcl-profile.*.json"))) == 3


@pytest.mark.mpi
def test_mpi_t_agrees_with_the_program_of_the_library(trials: Trials) -> None:
    if not trials.library.key.startswith("openmpi"):
        pytest.skip("only Open MPI has both")
    # Ignore the site's settings in a file.
    environment = {**companion_environment(trials.launcher), "OMPI_MCA_mca_base_param_files": "none"}
    told = read_catalog(trials.launcher, ("mpicc.openmpi", "mpicc"), environment)
    known = trials.catalog.variables
    both = [name for name in known if name in told.variables and name.startswith(("btl_", "pml_ob1", "coll_tuned"))]
    assert len(both) > 100
    # The two list flags as words and as a number.
    plain = [name for name in both if known[name].kind in ("number", "switch") and "flags" not in name]
    assert len(plain) > 60
    assert [name for name in plain if told.variables[name].kind != known[name].kind] == []
    assert [name for name in plain if not known[name].same(known[name].default, told.variables[name].default)] == []


@pytest.mark.mpi
def test_the_advised_file_is_read_by_the_library(
    trials: Trials, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {
        KINDS["openmpi4"]: "btl_vader_eager_limit",
        KINDS["openmpi5"]: "btl_sm_eager_limit",
        KINDS["intel"]: "I_MPI_SHM_EAGER_THRESHOLD",
    }
    name = names.get(trials.launcher.kind)
    if name is None:
        pytest.skip("this library reads no file")
    advice = trials.library.advice({name: 12345})
    path = tmp_path / advice.file_name.removeprefix("~/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# 2.00 times better (1.50 to 2.50)\n#   {name} = 12345\n{advice.file_text}", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    asked = {**trials.library.proof, **({"OMPI_MCA_mpi_show_mca_params": "all"} if "eager_limit" in name else {})}
    job = dataclasses.replace(trials.job({}, timeout_s=within(60)), environment=asked)
    result = run(job, trials.launcher).check()
    assert f"{name}=12345" in result.stdout + result.stderr
    if advice.launcher_file:
        path.write_text(f"# 2.00 times better (1.50 to 2.50)\n{advice.launcher_file}-x OTHER=1\n", encoding="utf-8")
        file = trials.library.launcher_file
        assert file is not None
        moved = path.rename(tmp_path / file.name)
        placement = dataclasses.replace(job.placement, launcher_options=(file.option, str(moved)))
        result = run(dataclasses.replace(job, placement=placement), trials.launcher).check()
        assert f"{name}=12345" in result.stdout + result.stderr


@pytest.mark.mpi
def test_all_settings_of_a_starting_file_have_an_effect(trials: Trials) -> None:
    # Oversubscribed, Open MPI 5 does not accept the setting that controls whether ranks yield.
    if usable_cores() < 2:
        pytest.skip("one core")
    unused = trials.library.unused_components(trials.catalog, trials.launcher)
    if trials.library.family is LIBRARIES["openmpi4"].family:
        # Only one pml is in use; the file of the system's Open MPI excludes others.
        assert unused is not None
        assert unused & {"pml_ucx_priority", "pml_cm_priority", "pml_v_output"}
        assert not unused & {"coll_tuned_priority", "pml_base_verbose"}
    text = starting_file(trials.library, trials.catalog, ranks=2, unused=unused or ())
    space = parse(Source(text, "start")).space
    for parameter in space.parameters:
        trials.catalog.check(parameter, trials.library.full_name(parameter.name))
    assert len(space.parameters) >= 10
    outcome = _of(trials, ranks=2).run(space.configuration(space.home()), timeout_s=within(60))
    assert (outcome.status, outcome.reason) == ("ok", "")
