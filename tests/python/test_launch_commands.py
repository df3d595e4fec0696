"""Command lines and environments of every launcher kind. Pure: no launcher is required."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from adcl.errors import UsageError
from adcl.launch import KINDS, Job, Launcher, LauncherKind, Placement, command_line, launch_environment

_JOBS = {
    "alone": Job("./solver", ("--steps", "3")),
    "plain": Job("./solver", ("--steps", "3"), ranks=4),
    "variables": Job("./solver", ranks=3, environment={"A": "1", "B": None, "C": "x,y z"}),
    "crowded": Job("./solver", ranks=8, placement=Placement(oversubscribe=True)),
    "placed": Job("./solver", ranks=8, placement=Placement(hosts=("a", "b"), ranks_per_node=4), cwd=Path("/work")),
    "hostfile": Job("./solver", ranks=2, placement=Placement(hostfile=Path("/etc/hosts.mpi"))),
    "crowded nodes": Job("./solver", ranks=8, placement=Placement(ranks_per_node=4, oversubscribe=True)),
    "options": Job("./solver", ("-n", "9"), ranks=2, placement=Placement(launcher_options=("--verbose", "7"))),
    "input": Job("./solver", ranks=2, takes_input=True),
    "pmi": Job("./solver", ranks=5, placement=Placement(ranks_per_node=2, pmi="pmix")),
    "simulated": Job("./solver", ("1",), ranks=64, placement=Placement(platform=Path("c.xml"), hostfile=Path("hosts"))),
}

_OPEN_MPI = {
    "plain": "-n 4 ./solver --steps 3",
    "variables": "-n 3 -x A=1 -x B -x 'C=x,y z' ./solver",
    "placed": "-n 8 --map-by ppr:4:node --host a,b --wdir /work ./solver",
    "hostfile": "-n 2 --hostfile /etc/hosts.mpi ./solver",
    "options": "-n 2 --verbose 7 ./solver -n 9",
}
_HYDRA = {
    "plain": "-n 4 ./solver --steps 3",
    "variables": "-n 3 -genv A 1 -genv C 'x,y z' ./solver",
    "crowded": "-n 8 ./solver",
    "placed": "-n 8 -ppn 4 -hosts a,b -wdir /work ./solver",
    "hostfile": "-n 2 -f /etc/hosts.mpi ./solver",
    "crowded nodes": "-n 8 -ppn 4 ./solver",
    "options": "-n 2 --verbose 7 ./solver -n 9",
}
_EXPECTED = {
    KINDS["openmpi4"]: {
        **_OPEN_MPI,
        "crowded": "-n 8 --oversubscribe --mca mpi_yield_when_idle 1 ./solver",
        "crowded nodes": "-n 8 --oversubscribe --mca mpi_yield_when_idle 1 --map-by ppr:4:node ./solver",
    },
    KINDS["openmpi5"]: {
        **{job: re.sub(r"^-n \d+", r"\g<0> --stdin none", line) for job, line in _OPEN_MPI.items()},
        "input": "-n 2 ./solver",
        "crowded": "-n 8 --stdin none --map-by :OVERSUBSCRIBE --mca mpi_yield_when_idle 1 ./solver",
        "crowded nodes": "-n 8 --stdin none --map-by ppr:4:node:OVERSUBSCRIBE --mca mpi_yield_when_idle 1 ./solver",
    },
    KINDS["mpich"]: _HYDRA,
    KINDS["intel"]: _HYDRA,
    KINDS["poe"]: {"plain": "./solver --steps 3", "variables": "./solver", "crowded nodes": "./solver"},
    KINDS["smpi"]: {"simulated": "-np 64 -platform c.xml -hostfile hosts ./solver 1"},
    KINDS["none"]: {"alone": "./solver --steps 3"},
    KINDS["slurm"]: {
        "plain": "--kill-on-bad-exit=1 --ntasks=4 --export=ALL ./solver --steps 3",
        "variables": "--kill-on-bad-exit=1 --ntasks=3 --export=ALL,A=1 ./solver",
        "crowded": "--kill-on-bad-exit=1 --ntasks=8 --overcommit --export=ALL ./solver",
        "placed": "--kill-on-bad-exit=1 --ntasks=8 --nodes=2 --ntasks-per-node=4 --nodelist=a,b --chdir=/work "
        "--export=ALL ./solver",
        "hostfile": "--kill-on-bad-exit=1 --ntasks=2 --nodefile=/etc/hosts.mpi --export=ALL ./solver",
        "pmi": "--kill-on-bad-exit=1 --ntasks=5 --mpi=pmix --nodes=3 --ntasks-per-node=2 --export=ALL ./solver",
        "options": "--kill-on-bad-exit=1 --ntasks=2 --export=ALL --verbose 7 ./solver -n 9",
    },
}


def _launcher(kind: LauncherKind) -> Launcher:
    return Launcher(kind, Path("/opt/mpi/bin/launch"), "1.0")


def _cases() -> list[Any]:
    return [
        pytest.param(kind, job, expected, id=f"{kind.name}-{job}")
        for kind, table in _EXPECTED.items()
        for job, expected in table.items()
    ]


@pytest.mark.parametrize(("kind", "job", "expected"), _cases())
def test_command_line(kind: LauncherKind, job: str, expected: str) -> None:
    assert command_line(_JOBS[job], _launcher(kind)) == ["/opt/mpi/bin/launch", *shlex.split(expected)]


def test_every_kind_has_and_expectations() -> None:
    assert set(KINDS.values()) == set(_EXPECTED)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"placement": Placement()}, "requires its description"),
        ({"placement": Placement(platform=Path("c.xml"), hosts=("a",))}, "hosts from a file"),
        ({"placement": Placement(platform=Path("c.xml"), ranks_per_node=2)}, "by its hostfile"),
        ({"arguments": ("a b",)}, "cannot pass 'a b'"),
        ({"arguments": ("",)}, "cannot pass ''"),
        ({"arguments": ("*.c",)}, "cannot pass"),
        ({"program": "./my solver"}, "cannot pass './my solver'"),
    ],
)
def test_smpi_rejects_unsupported_requests(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        command_line(dataclasses.replace(_JOBS["simulated"], **changes), _launcher(KINDS["smpi"]))


def test_poe_uses_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MP_PROCS", "77")
    job = Job("./solver", ranks=5, placement=Placement(ranks_per_node=2, hostfile=Path("hosts")), cwd=Path("/work"))
    environment = launch_environment(job, _launcher(KINDS["poe"]))
    assert {name: value for name, value in environment.items() if name.startswith("MP_")} == {
        "MP_PROCS": "5",
        "MP_TASKS_PER_NODE": "2",
        "MP_NODES": "3",
        "MP_HOSTFILE": "hosts",
        "MP_REMOTEDIR": "/work",
    }


def test_poe_rejects_unsupported_requests() -> None:
    with pytest.raises(UsageError, match=r"write -x MP_VERBOSE=… instead of '--verbose'"):
        command_line(_JOBS["options"], _launcher(KINDS["poe"]))
    with pytest.raises(UsageError, match="hosts from a file"):
        command_line(_JOBS["placed"], _launcher(KINDS["poe"]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranks": 0}, "at least 1 rank, not 0"),
        ({"timeout_s": 0.0}, "more than 0 seconds, not 0"),
        ({"timeout_s": float("nan")}, "more than 0 seconds, not nan"),
        ({"grace_s": -1.0}, "cannot be -1 seconds"),
        ({"output_limit": -1}, "cannot be -1 bytes"),
        ({"environment": {"A=B": "1"}}, "'A=B' is not a valid name"),
        ({"environment": {"": "1"}}, "'' is not a valid name"),
        ({"environment": {"A": "a\0b"}}, "null byte"),
    ],
)
def test_invalid_job_is_rejected(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Job("./solver", **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranks_per_node": 0}, "at least 1 rank, not 0"),
        ({"hosts": ("a",), "hostfile": Path("b")}, "exclude each other"),
    ],
)
def test_invalid_placement_is_rejected(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Placement(**settings)


def test_a_placement_is_moved_to_other_hosts() -> None:
    where = Placement(hostfile=Path("hosts"), ranks_per_node=4)
    assert where.on(("a", "b")) == Placement(hosts=("a", "b"), ranks_per_node=4)
    assert where.on(()) is where
    assert (where.nodes(9), Placement().nodes(9)) == (3, None)


class TestEnvironment:
    @pytest.fixture(autouse=True)
    def _known(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in list(os.environ):
            if name.startswith(("OMPI_", "PRTE_", "I_MPI_", "MPIR_", "FI_")):
                monkeypatch.delenv(name)
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        monkeypatch.setenv("HERE", "yes")
        monkeypatch.setenv("ADCL_DESCRIBE", "/somewhere")

    @pytest.mark.parametrize(
        ("kind", "inherited"),
        [
            (KINDS["openmpi4"], set()),
            (KINDS["openmpi5"], set()),
            (KINDS["mpich"], set()),
            (KINDS["intel"], set()),
            (KINDS["slurm"], {"B"}),
            (KINDS["smpi"], {"A", "B"}),
            (KINDS["poe"], {"A", "B"}),
        ],
    )
    def test_the_job_s_variables_are_for_the_ranks(self, kind: LauncherKind, inherited: set[str]) -> None:
        job = Job("x", environment={"A": "1", "B": "2,3", "HERE": None})
        environment = launch_environment(job, _launcher(kind), as_root=False)
        assert {name for name in ("A", "B") if name in environment} == inherited
        assert environment["HERE"] == "yes"
        assert not [name for name in environment if name.startswith("OMPI_")]

    def test_a_passed_variable_must_be_set(self) -> None:
        with pytest.raises(UsageError, match="cannot pass GONE to the ranks: it is not set"):
            launch_environment(Job("x", environment={"GONE": None}), _launcher(KINDS["mpich"]))

    def test_the_launcher_s_folder_is_searched_for_its_helpers(self) -> None:
        environment = launch_environment(Job("x"), _launcher(KINDS["mpich"]))
        assert environment["PATH"] == "/opt/mpi/bin:/usr/bin:/bin"
        system = Launcher(KINDS["mpich"], Path("/bin/mpiexec"), "4")
        assert launch_environment(Job("x"), system)["PATH"] == "/usr/bin:/bin"
        assert launch_environment(Job("x", environment={"PATH": "/p"}), system)["PATH"] == "/usr/bin:/bin"

    def test_variables_of_the_command_alone_do_not_reach_the_program(self) -> None:
        assert "ADCL_DESCRIBE" not in launch_environment(Job("x"), _launcher(KINDS["mpich"]))

    @pytest.mark.parametrize(
        ("kind", "names"),
        [
            (KINDS["openmpi4"], {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}),
            (
                KINDS["openmpi5"],
                {
                    "OMPI_ALLOW_RUN_AS_ROOT",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                    "PRTE_ALLOW_RUN_AS_ROOT",
                    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
                },
            ),
            (KINDS["mpich"], set()),
        ],
    )
    def test_root_is_permitted_where_it_must_be(self, kind: LauncherKind, names: set[str]) -> None:
        environment = launch_environment(Job("x"), _launcher(kind), as_root=True)
        assert {name for name in environment if "AS_ROOT" in name} == names
        assert all(environment[name] == "1" for name in names)

    @pytest.mark.parametrize("providers", ["opt/mpi/libfabric/lib/prov", "libfabric/lib/prov"])
    def test_intel_receives_its_installation_path(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, providers: str
    ) -> None:
        (tmp_path / providers).mkdir(parents=True)
        launcher = Launcher(KINDS["intel"], tmp_path / "bin" / "mpiexec", "2021.18")
        environment = launch_environment(Job("x", placement=Placement(oversubscribe=True)), launcher)
        assert environment["I_MPI_ROOT"] == str(tmp_path)
        assert environment["FI_PROVIDER_PATH"] == str(tmp_path / providers)
        assert environment["I_MPI_THREAD_YIELD"] == "2"
        assert "I_MPI_THREAD_YIELD" not in launch_environment(Job("x"), launcher)
        monkeypatch.setenv("I_MPI_ROOT", "/mine")
        assert launch_environment(Job("x"), launcher)["I_MPI_ROOT"] == "/mine"


class TestCrashMessages:
    """Messages observed from launchers."""

    @pytest.mark.parametrize(
        "kind", [KINDS["openmpi4"], KINDS["openmpi5"], KINDS["slurm"], KINDS["smpi"], KINDS["poe"], KINDS["none"]]
    )
    def test_codes_beyond_128(self, kind: LauncherKind) -> None:
        assert [kind.crash(code, "") for code in (1, 128, 139, 143, 193, 255)] == [None, None, 11, 15, None, None]

    def test_mpich(self) -> None:
        text = "=   EXIT CODE: 11\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)\n"
        assert KINDS["mpich"].crash(11, text) == 11
        assert KINDS["mpich"].crash(7, "=   EXIT CODE: 7\n") is None

    def test_intel(self) -> None:
        text = "=   KILLED BY SIGNAL: 9 (Killed)\n\n=   KILLED BY SIGNAL: 6 (Aborted)\n"
        assert KINDS["intel"].crash(255, text) == 6
        assert KINDS["intel"].crash(255, "=   KILLED BY SIGNAL: 9 (Killed)\n") is None
