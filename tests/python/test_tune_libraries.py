"""Passing, advising and verifying settings for every library. Pure: no library is required."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adcl.errors import AdclError, UsageError
from adcl.launch import KINDS, Job, Launcher, Placement, command_line, launch_environment
from adcl.mpi_libraries import LIBRARIES, clean_output, library_names
from adcl.mpi_libraries._catalog import Catalog, Variable
from adcl.mpi_libraries.smpi._settings import parse_help
from adcl.tune.file import load
from adcl.tune.file._starting_file import suggested
from adcl.tune.result._conclusion import advice_for
from adcl.tune.space import Steps
from adcl.tune.trial._trial import Trials

if TYPE_CHECKING:
    from adcl.mpi_libraries import MpiLibrary
    from adcl.mpi_libraries._catalog import VariableKind


FILES = Path(__file__).parent / "tuning_files"
_CONFIGURATION: dict[str, str | int] = {
    "eager_limit": 16384,
    "env:UCX_TLS": "a,b",
    "--verbose": 7,
    "wait_mode": "unset",
}


def _launcher(library: MpiLibrary) -> Launcher:
    return Launcher(library.launchers[0], Path("/opt/mpi/bin/launch"), "1.0")


def test_every_name_of_a_file_is_a_library() -> None:
    assert {*LIBRARIES, "openmpi"} == set(library_names())


_PASSED = {
    "ibm": ({"MP_EAGER_LIMIT": "16384", "UCX_TLS": "a,b"}, "--verbose 7"),
    "intel": ({"I_MPI_EAGER_LIMIT": "16384", "UCX_TLS": "a,b"}, "--verbose 7"),
    "mpich": ({"MPIR_CVAR_EAGER_LIMIT": "16384", "UCX_TLS": "a,b"}, "--verbose 7"),
    "openmpi4": ({"UCX_TLS": "a,b"}, "--mca eager_limit 16384 --verbose 7"),
    "openmpi5": ({"UCX_TLS": "a,b"}, "--mca eager_limit 16384 --verbose 7"),
    "smpi": ({"UCX_TLS": "a,b"}, "--cfg=smpi/eager-limit:16384 --verbose 7"),
}


@pytest.mark.parametrize("key", LIBRARIES)
def test_how_a_configuration_is_passed(key: str) -> None:
    library = LIBRARIES[key]
    passed = library.passed(_CONFIGURATION, _launcher(library), oversubscribed=False)
    assert (dict(passed.environment), " ".join(passed.options)) == _PASSED[key]


@pytest.mark.parametrize("key", ["openmpi4", "openmpi5", "mpich"])
def test_srun_receives_variables(key: str) -> None:
    library = LIBRARIES[key]
    passed = library.passed({"a": 1}, Launcher(KINDS["slurm"], Path("/bin/srun"), "22"), oversubscribed=True)
    assert dict(passed.environment) == {f"{'MPIR_CVAR_A' if key == 'mpich' else 'OMPI_MCA_a'}": "1"}
    assert passed.options == ()


@pytest.mark.parametrize(
    ("key", "configuration", "options"),
    [
        ("openmpi4", {"a": 1}, "--mca a 1"),
        ("openmpi4", {"mpi_yield_when_idle": 0}, "--mca mpi_yield_when_idle 0 --oversubscribe"),
        ("openmpi4", {"--map-by": "core"}, "--mca mpi_yield_when_idle 1 --oversubscribe --map-by core"),
        ("openmpi5", {"mpi_yield_when_idle": 0}, "--mca mpi_yield_when_idle 0 --map-by :OVERSUBSCRIBE"),
        ("openmpi5", {"--map-by": "core"}, "--mca mpi_yield_when_idle 1 --map-by core:OVERSUBSCRIBE"),
    ],
)
def test_oversubscription_settings(key: str, configuration: Any, options: str) -> None:
    library = LIBRARIES[key]
    passed = library.passed(configuration, _launcher(library), oversubscribed=True)
    assert " ".join(passed.options) == options
    assert passed.own_oversubscription == ("a" not in configuration)
    placement = Placement(launcher_options=passed.options, oversubscribe=not passed.own_oversubscription)
    job = Job("./p", ranks=4, placement=placement)
    # Open MPI would join the values of a repeated option.
    for option in ("mpi_yield_when_idle", "--map-by"):
        assert command_line(job, _launcher(library)).count(option) <= 1


def test_poe_gets_settings_from_its_environment() -> None:
    library = LIBRARIES["ibm"]
    passed = library.passed({"use_bulk_xfer": "yes"}, _launcher(library), oversubscribed=False)
    job = Job("./p", ranks=4, environment=dict(passed.environment))
    environment = launch_environment(job, _launcher(library))
    assert (environment["MP_USE_BULK_XFER"], environment["MP_PROCS"]) == ("yes", "4")


_MCA_FILE = ("~/.openmpi/mca-params.conf", "eager_limit = 16384\n")
_ADVICE: dict[str, tuple[str, str, str, str]] = {
    "ibm": ("export MP_EAGER_LIMIT=16384", "-eager_limit 16384", "adcl-settings.sh", "export MP_EAGER_LIMIT=16384\n"),
    "intel": (
        "export I_MPI_EAGER_LIMIT=16384",
        "-genv I_MPI_EAGER_LIMIT 16384",
        "~/.mpiexec.conf",
        "-genv I_MPI_EAGER_LIMIT=16384\n",
    ),
    "mpich": (
        "export MPIR_CVAR_EAGER_LIMIT=16384",
        "-genv MPIR_CVAR_EAGER_LIMIT 16384",
        "adcl-settings.sh",
        "export MPIR_CVAR_EAGER_LIMIT=16384\n",
    ),
    "openmpi4": ("export OMPI_MCA_eager_limit=16384", "--mca eager_limit 16384", *_MCA_FILE),
    "openmpi5": ("export OMPI_MCA_eager_limit=16384", "--mca eager_limit 16384", *_MCA_FILE),
    "smpi": ("", "--cfg=smpi/eager-limit:16384", "adcl-settings.sh", ""),
}


@pytest.mark.parametrize("key", LIBRARIES)
def test_advice(key: str) -> None:
    advice = LIBRARIES[key].advice({"eager_limit": 16384, "wait_mode": "unset"})
    assert ("\n".join(advice.environment), advice.options, advice.file_name, advice.file_text) == _ADVICE[key]


@pytest.mark.parametrize("key", LIBRARIES)
def test_advice_as_a_file_for_the_launcher(key: str) -> None:
    configuration: dict[str, str | int] = {"eager_limit": 16384, "env:UCX_TLS": "sm,self", "--bind-to": "none"}
    expected = "--mca eager_limit 16384\n-x UCX_TLS=sm,self\n" if key.startswith("openmpi") else ""
    assert LIBRARIES[key].advice(configuration).launcher_file == expected
    # Open MPI splits its lines at spaces.
    assert LIBRARIES[key].advice({"eager_limit": 16384, "env:A": "b c"}).launcher_file == ""


@pytest.mark.parametrize("key", [one for one in LIBRARIES if one != "ibm"])
def test_advice_lists_settings_that_require_options(key: str) -> None:
    advice = LIBRARIES[key].advice({"eager_limit": 16384, "--bind-to": "none"})
    assert advice.launcher_options == "--bind-to none"
    assert advice.options.endswith("--bind-to none")
    assert "options" in advice.note.rpartition(";")[2]


@pytest.mark.parametrize(("key", "name"), [("openmpi5", "OMPI_MCA_eager"), ("mpich", "MPIR_CVAR_EAGER")])
def test_advice_for_srun_uses_its_options(key: str, name: str) -> None:
    srun = Launcher(KINDS["slurm"], Path("/bin/srun"), "22")
    advice = advice_for(LIBRARIES[key], srun, {"eager": 16384, "--cpu-bind": "cores", "env:UCX_TLS": "sm"})
    assert advice.options == f"--export=ALL,{name}=16384,UCX_TLS=sm --cpu-bind cores"
    listed = advice_for(LIBRARIES[key], srun, {"eager": 16384, "--cpu-bind": "cores", "env:UCX_TLS": "sm,self"})
    assert listed.options == ""
    assert listed.launcher_options == "--cpu-bind cores"
    assert advice.launcher_file == listed.launcher_file == ""
    assert "export UCX_TLS=sm,self" in listed.environment


def test_starting_values_depend_on_the_library() -> None:
    words = ("ignore", "linear", "two_proc")
    algorithm = Variable("coll_tuned_allgather_algorithm", "choice", "ignore", "", dict.fromkeys(words))
    values = {
        (key, ranks): getattr(suggested(algorithm, LIBRARIES[key], ranks), "values", ())
        for key in ("openmpi4", "mpich")
        for ranks in (2, 4)
    }
    assert values["openmpi4", 2] == values["mpich", 4] == words
    assert values["openmpi4", 4] == words[:2], "Open MPI's algorithm for two processes"

    # A count has fewer values around its default than a size.
    polls = Variable("MPIR_CVAR_POLLS_BEFORE_YIELD", "number", "1000", "")
    assert suggested(polls, LIBRARIES["mpich"]) == Steps(128, 4096, multiply=2)
    links = Variable("btl_tcp_links", "number", "1024", "")
    assert suggested(links, LIBRARIES["openmpi5"]) == Steps(256, 8192, multiply=2)
    assert suggested(links, LIBRARIES["mpich"]) == Steps(128, 16384, multiply=2)


def test_poe_has_no_option_for_other_variables() -> None:
    assert LIBRARIES["ibm"].advice({"eager_limit": 16384, "env:OTHER": 1}).options == ""


@pytest.mark.parametrize("key", [one for one in LIBRARIES if one != "smpi"])
def test_advice_may_contain_blanks_and_quotes(key: str) -> None:
    advice = LIBRARIES[key].advice({"name": "a b'c", "env:OTHER": "$x"})
    assert "'a b'\"'\"'c'" in "\n".join(advice.environment)
    assert "OTHER='$x'" in "\n".join(advice.environment)


_TOLD = {
    "openmpi5": "[node:12] mpi_show_mca_params=enviro (environment)\n[node:12] a=5 (environment)\nprogram says a=5\n",
    "mpich": "CVAR: MPIR_CVAR_A = 5\nCVAR: MPIR_CVAR_A = 5\nprogram says a=5\n",
    "intel": "[0] MPI startup(): I_MPI_A=5\n[0] MPI startup(): I_MPI_B environment variable is not supported.\n"
    "[0] MPI startup(): Similar variables:\n[0] \t I_MPI_A\nprogram says a=5\n",
    "ibm": "A thing (MP_A): 5\nEager Limit (MP_EAGER_LIMIT): 64 KB\nprogram says a=5\n",
    "smpi": "[0.000000] [xbt_cfg/INFO] Configuration change: Set 'smpi/a' to '5'\nprogram says a=5\n",
}


@pytest.mark.parametrize("key", _TOLD)
def test_reports_of_libraries_are_parsed(key: str) -> None:
    library = LIBRARIES[key]
    evidence = library.evidence(_TOLD[key])
    assert evidence is not None
    assert evidence.effective[library.full_name("a")] == "5"
    assert clean_output(library, _TOLD[key]) == "program says a=5\n"
    assert library.evidence("program says a=5\n") is None


_SWITCH_TOLD = {
    "openmpi5": "[node:12] mpi_show_mca_params=enviro (environment)\n[node:12] s=true (environment)\n",
    "mpich": "CVAR: MPIR_CVAR_S = 1\n",
    "intel": "[0] MPI startup(): I_MPI_S=on\n",
}


def _objections(key: str, told: str, configuration: dict[str, str | int], kind: VariableKind = "number") -> list[str]:
    """Return the messages about settings in `configuration` that, according to the output `told`, had no effect."""
    library = LIBRARIES[key]
    names = [library.full_name(name) for name in configuration]
    catalog = Catalog(library.title, "a test", {name: Variable(name, kind) for name in names})
    trials = Trials(
        "program",
        (),
        ranks=2,
        launcher=_launcher(library),
        library=library,
        catalog=catalog,
        objectives=(),
        reading=True,
    )
    return trials.ineffective(configuration, told)


@pytest.mark.parametrize("key", _TOLD)
def test_different_value_in_use_is_detected(key: str) -> None:
    library = LIBRARIES[key]
    name = library.full_name("a")

    assert _objections(key, _TOLD[key], {"a": 5}) == []
    assert _objections(key, _TOLD[key], {"a": "0x5"}) == []
    assert _objections(key, _TOLD[key], {"a": 6}) == [f"{name} had no effect: {library.title} uses 5 instead of 6"]
    (missing,) = _objections(key, _TOLD[key], {"c": 5})
    assert missing.startswith(f"{library.full_name('c')} had no effect: it is not among the settings")
    (silent,) = _objections(key, "program says a=5\n", {"a": 5})
    assert silent.startswith(f"{library.title} did not report the settings in use")


@pytest.mark.parametrize("key", _SWITCH_TOLD)
def test_boolean_may_be_reported_with_another_word(key: str) -> None:
    for word in ("yes", "true", 1):
        assert _objections(key, _SWITCH_TOLD[key], {"s": word}, "switch") == []
    for word in ("no", "false", 0):
        assert len(_objections(key, _SWITCH_TOLD[key], {"s": word}, "switch")) == 1


def test_intel_reports_ignored_settings() -> None:
    text = f"{_TOLD['intel']}[0] MPI startup(): Incorrect algorithm: BCAST=200, will be ignored\n"
    evidence = LIBRARIES["intel"].evidence(text)
    assert evidence is not None
    assert set(evidence.ignored) == {"I_MPI_B", "I_MPI_ADJUST_BCAST"}


def test_ibm_sizes_are_compared_as_numbers() -> None:
    evidence = LIBRARIES["ibm"].evidence(_TOLD["ibm"])
    assert evidence is not None
    assert evidence.effective["MP_EAGER_LIMIT"] == "65536"


_SIMGRID_HELP = """\
Description of the configuration accepted by this simulator:
   network/model: The network model
       Type: string; Current value: LV08
   smpi/async-small-thresh: Maximal size of messages that are to be sent asynchronously
       Type: int; Current value: 0
   smpi/coll-selector: Which collective selector to use
       Type: string; Current value: default
   smpi/keep-temps: Whether we should keep the generated temporary files.
       Type: boolean; Current value: 0
   smpi/reduce_scatter: Which collective to use for reduce_scatter
       Type: string; Current value:\x20
"""


def test_settings_of_the_simulator_are_read_from_its_help() -> None:
    catalog = parse_help(_SIMGRID_HELP, "SimGrid SMPI 3.32", "smpirun")
    library = LIBRARIES["smpi"]
    kinds = {name: (one.kind, one.default) for name, one in catalog.variables.items()}
    assert kinds == {
        "smpi/async-small-thresh": ("number", "0"),
        "smpi/coll-selector": ("choice", "default"),
        "smpi/keep-temps": ("switch", "0"),
        "smpi/reduce_scatter": ("text", ""),
    }
    names = ("async_small_thresh", "smpi/coll-selector", "smpi_keep_temps", "reduce_scatter")
    assert [library.full_name(name) for name in names] == list(kinds)
    assert [name for name, one in catalog.variables.items() if not library.relevant(one)] == ["smpi/keep-temps"]
    limit = library.eager_limit("smpi/async-small-thresh")
    assert limit is not None
    assert limit.overhead == 1
    with pytest.raises(AdclError, match="check the installation of SimGrid"):
        parse_help("Execution failed with code 127.", "SimGrid", "smpirun")


@pytest.mark.parametrize("name", ["exhaustive.pipo", "heuristic.pipo"])
def test_all_parameters_of_the_paper_are_known(name: str) -> None:
    library = LIBRARIES["ibm"]
    catalog = library.catalog(_launcher(library))
    for parameter in load(FILES / name).space.parameters:
        catalog.check(parameter, library.full_name(parameter.name))


@pytest.mark.parametrize("name", ["a-b", "env:A B", "--", "-1", "a.b"])
def test_invalid_names(name: str) -> None:
    library = LIBRARIES["mpich"]
    with pytest.raises(UsageError):
        library.passed({name: 1}, _launcher(library), oversubscribed=False)
