"""Existing settings of the user or the site: reported with their origin, and ignored by default."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tune_programs import PROGRAM, result_of

from adcl.errors import UsageError
from adcl.launch import KINDS, Launcher, launcher_for, run
from adcl.mpi_libraries import LIBRARIES, Catalog, OwnSetting, Variable, with_own
from adcl.mpi_libraries.intel._settings import _read_options
from adcl.mpi_libraries.openmpi._info import is_kept, parse_ompi_info
from adcl.tune.file._check import settings_notices
from adcl.tune.study import Session, StudyRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ended

_FAST = {"MP_EAGER_LIMIT": "32768"}


def test_defaults_ignore_exported_settings(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """The user's setting is fast: runs of the defaults do not use the setting, and the report shows its gain."""
    ended = tune("run", "t.toml", "--", "./program", "usual", **_FAST)

    assert ended.code == 0, ended.err
    told = "MP_EAGER_LIMIT = 32768 (the environment)"
    assert f"the defaults are IBM MPI's own; all runs ignore the settings of the user or the site: {told}" in ended.out
    assert (
        f"all runs ignored these settings of the user or the site; remove them before you apply the advice: {told}"
        in ended.out
    )
    document = result_of(tmp_path)
    assert {one["name"]: one["value"] for one in document["conclusion"]["settings"]}["eager_limit"] == 32768
    assert document["conclusion"]["ratio"] == pytest.approx(2.0)
    listed = {"name": "MP_EAGER_LIMIT", "value": "32768", "source": "the environment", "in_runs": False}
    assert document["defaults"] == {"of": "library", "set_here": [listed]}
    first = next(one for one in document["runs"] if one["kind"] == "trial")
    assert first["configuration"]["eager_limit"] == 32768, "what the user has is tried first"
    page = (tmp_path / "t.study" / "report.html").read_text(encoding="utf-8")
    assert "ignored in all runs" in page
    assert told in page
    assert "unset MP_EAGER_LIMIT" in (tmp_path / "t.study" / "job.sh").read_text(encoding="utf-8")


def test_with_the_user_s_defaults_there_is_no_gain(tune: Callable[..., Ended], tmp_path: Path) -> None:
    ended = tune("run", "t.toml", "--defaults", "mine", "--", "./program", "usual", **_FAST)

    assert ended.code == 0, ended.err
    assert "the defaults include settings of the user or the site: MP_EAGER_LIMIT = 32768" in ended.out
    document = result_of(tmp_path)
    assert document["conclusion"]["settings"] == []
    assert document["conclusion"]["defaults"] == (
        "the advice requires the settings of the user or the site that the defaults include: "
        "MP_EAGER_LIMIT = 32768 (the environment)"
    )
    assert document["defaults"]["of"] == "mine"
    assert document["defaults"]["set_here"][0]["in_runs"]
    page = (tmp_path / "t.study" / "report.html").read_text(encoding="utf-8")
    assert "including settings of the user or the site" in page


def test_study_stores_the_origin_of_its_defaults(tune: Callable[..., Ended]) -> None:
    mine = ("run", "t.toml", "--defaults", "mine", "--trials", "20", "--study", "mine")
    assert tune(*mine, "--", "./program", "usual", **_FAST).code == 0

    changed = tune("resume", "mine", "--trials", "40")
    assert changed.code == 2
    assert "MP_EAGER_LIMIT was 32768 and is now not set" in " ".join(changed.err.split())
    assert tune("resume", "mine", "--trials", "40", **_FAST).code == 0
    assert json.loads(tune("report", "mine", "--json").out)["defaults"]["of"] == "mine", "wherever it is read"
    other = tune("run", "t.toml", "--trials", "20", "--study", "mine", "--", "./program", "usual", **_FAST)
    assert "defaults was 'mine' and is now 'library'" in " ".join(other.err.split())

    own = ("run", "t.toml", "--trials", "20", "--study", "own", "--", "./program", "usual")
    assert tune(*own, **_FAST).code == 0
    assert tune("resume", "own", "--trials", "40").code == 0, "the library's are the same wherever it goes on"
    kept = json.loads(tune("report", "own", "--json").out)["defaults"]["set_here"]
    assert [one["name"] for one in kept] == ["MP_EAGER_LIMIT"]


def test_without_settings_there_is_no_difference(tune: Callable[..., Ended]) -> None:
    begin = ("run", "t.toml", "--trials", "20")
    rest = ("--", "./program", "usual")
    ended = tune(*begin, *rest)
    assert ended.code == 0
    assert "the defaults are" not in ended.out
    assert "something else" not in tune(*begin, "--defaults", "mine", "--resume", *rest).out
    assert tune(*begin, "--defaults", "yours", "--fresh", *rest).code == 2


def test_failure_without_an_ignored_setting_names_it(tune: Callable[..., Ended], tmp_path: Path) -> None:
    needs = PROGRAM.replace("case $1", '[ -n "$MP_WAIT_MODE" ] || exit 4\ncase $1', 1)
    (tmp_path / "program").write_text(needs, encoding="utf-8")
    (tmp_path / "t.toml").write_text('mpi = "ibm"\n[parameters]\neager_limit = [1024, 32768]\n', encoding="utf-8")

    ended = tune("run", "t.toml", "--", "./program", "usual", MP_WAIT_MODE="poll")

    assert ended.code == 1
    told = " ".join(ended.err.split())
    assert "these settings were ignored: MP_WAIT_MODE = poll (the environment); --defaults mine keeps them" in told


def test_studies_of_earlier_versions_use_all_settings(tmp_path: Path) -> None:
    StudyRequest("t.toml", "", "./p").save(tmp_path)
    document = json.loads((tmp_path / "study.json").read_text(encoding="utf-8"))
    del document["request"]["defaults"], document["request"]["own"]
    (tmp_path / "study.json").write_text(json.dumps(document), encoding="utf-8")

    old = StudyRequest.read(tmp_path)

    assert (old.defaults, old.own) == ("mine", None)
    assert old.differences(StudyRequest("t.toml", "", "./p")) == []


def test_settings_are_reported_with_their_origin() -> None:
    said = (
        "mca:btl:x:param:btl_x_eager_limit:value:8192\n"
        "mca:btl:x:param:btl_x_eager_limit:source:file (/etc/mca-params.conf:3)\n"
        "mca:btl:x:param:btl_x_eager_limit:type:size_t\n"
        "mca:btl:x:param:btl_x_large:value:9\n"
        "mca:btl:x:param:btl_x_large:source:environment\n"
        "mca:btl:x:param:btl_x_other:value:1\n"
        "mca:btl:x:param:btl_x_other:source:default\n"
    )
    variables = parse_ompi_info(said)
    sources = {name: variable.source for name, variable in variables.items()}
    assert sources == {
        "btl_x_eager_limit": "/etc/mca-params.conf:3",
        "btl_x_large": "the environment",
        "btl_x_other": "",
    }
    own = (
        OwnSetting("btl_x_eager_limit", "8192", "/etc/mca-params.conf:3"),
        OwnSetting("plm_rsh_agent", "ssh", "the environment", stays=True),
    )
    left, kept = settings_notices(LIBRARIES["openmpi4"], own, "library")
    assert (
        "all runs ignore the settings of the user or the site: btl_x_eager_limit = 8192 (/etc/mca-params.conf:3)"
        in left
    )
    assert kept == "all runs use these settings of the user or the site: plm_rsh_agent = ssh (the environment)"
    (mine,) = settings_notices(LIBRARIES["openmpi4"], own, "mine")
    assert (
        "the defaults include settings of the user or the site: btl_x_eager_limit = 8192 (/etc/mca-params.conf:3), "
        "plm_rsh_agent = ssh" in mine
    )


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("plm_rsh_agent", "the environment", True),
        ("btl_tcp_if_include", "the environment", True),
        ("pml", "/opt/etc/openmpi-mca-params.conf:7", True),
        ("pml", "the environment", False),
        ("btl_sm_eager_limit", "/opt/etc/openmpi-mca-params.conf:7", False),
        ("btl_sm_eager_limit", "/opt/etc/openmpi-mca-params-override.conf:1", True),
        ("coll_tuned_dynamic_rules_filename", "the environment", False),
    ],
)
def test_kept_settings_of_open_mpi(name: str, source: str, expected: bool) -> None:  # noqa: FBT001
    assert is_kept(name, source) is expected


def test_kept_setting_becomes_the_default() -> None:
    catalog = Catalog("l", "s", {name: Variable(name, "number", "1") for name in ("a", "b")})
    own = (OwnSetting("a", "2", "x", stays=True), OwnSetting("b", "2", "x"))

    def defaults(which: Catalog) -> list[str]:
        return [variable.default for variable in which.variables.values()]

    assert defaults(with_own(catalog, own, "library")) == ["2", "1"]
    assert defaults(with_own(catalog, own, "mine")) == ["2", "2"]


def test_files_of_intel_s_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".mpiexec.conf").write_text(
        "# mine\n-genv I_MPI_SHM_EAGER_NUM=11 -genv I_MPI_HYDRA_BOOTSTRAP ssh\n-print-rank-map\n", encoding="utf-8"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("I_MPI_ADJUST_BCAST", "2")
    monkeypatch.chdir(tmp_path)
    library = LIBRARIES["intel"]
    launcher = Launcher(KINDS["intel"], tmp_path / "bin" / "mpiexec.hydra", "2021")
    names = ("I_MPI_SHM_EAGER_NUM", "I_MPI_HYDRA_BOOTSTRAP", "I_MPI_ADJUST_BCAST")
    catalog = Catalog("Intel MPI", "impi_info", {name: Variable(name, "text") for name in names})

    own = library.own_settings(launcher, catalog, started_by=launcher)
    clean_environment = library.clean_environment(own, launcher, catalog, started_by=launcher)

    assert [str(one) for one in own] == [
        "I_MPI_ADJUST_BCAST = 2 (the environment)",
        "I_MPI_SHM_EAGER_NUM = 11 (~/.mpiexec.conf:2)",
        "I_MPI_HYDRA_BOOTSTRAP = ssh (~/.mpiexec.conf:2)",
    ]
    assert [one.stays for one in own] == [False, False, True]
    assert clean_environment.environment == {"I_MPI_ADJUST_BCAST": None}
    assert clean_environment.options == ("-noconf", "-genv", "I_MPI_HYDRA_BOOTSTRAP", "ssh", "-print-rank-map")
    assert _read_options(tmp_path / "none") == ([], [])
    slurm = Launcher(KINDS["slurm"], Path("srun"), "23")
    by_srun = library.own_settings(launcher, catalog, started_by=slurm)
    assert [one.name for one in by_srun] == ["I_MPI_ADJUST_BCAST"], "srun reads no file of mpiexec's"


def test_variables_of_mpich_by_all_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "mpich.conf"
    site.write_text("MPIR_CVAR_A_SIZE=7\nMPIR_CVAR_B_SIZE:force=8\nMPIR_CVAR_C_SIZE=9\n", encoding="utf-8")
    monkeypatch.setattr("adcl.mpi_libraries.mpich._settings._SITE_FILE", site)
    for name in ("MPICH_A_SIZE", "MPIR_CVAR_B_SIZE", "MPICH_UNKNOWN"):
        monkeypatch.setenv(name, "5")
    library, launcher = LIBRARIES["mpich"], Launcher(KINDS["mpich"], Path("mpiexec"), "5")
    read = {"MPIR_CVAR_A_SIZE": "7", "MPIR_CVAR_B_SIZE": "8", "MPIR_CVAR_C_SIZE": "1"}
    catalog = Catalog("MPICH", "MPI_T", {name: Variable(name, "number", value) for name, value in read.items()})

    own = library.own_settings(launcher, catalog, started_by=launcher)

    told = {one.name: (one.value, one.stays) for one in own}
    assert told == {"MPIR_CVAR_A_SIZE": ("5", False), "MPIR_CVAR_B_SIZE": ("8", True)}, (
        "C is in a file that is not read"
    )
    assert library.clean_environment(own, launcher, catalog, started_by=launcher).environment == {"MPICH_A_SIZE": None}


@pytest.mark.mpi
@pytest.mark.parametrize("whose", ["library", "mine"])
def test_open_mpi_uses_its_own_values_despite_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    """The library itself reports the settings in use in a job."""
    try:
        launcher = launcher_for("openmpi")
    except UsageError:
        pytest.skip("no Open MPI")
    shared_memory = "vader" if launcher.kind is KINDS["openmpi4"] else "sm"
    name, other = (f"btl_{shared_memory}_{what}" for what in ("eager_limit", "max_send_size"))
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"))
    (tmp_path / ".openmpi").mkdir()
    (tmp_path / ".openmpi" / "mca-params.conf").write_text(f"\n{name} = 8192\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(f"OMPI_MCA_{other}", "16384")
    text = f'mpi = "openmpi"\n[parameters]\n{name} = [1024, 8192]\n'
    hello = tmp_path / "hello"
    hello.write_text(f"#!/bin/sh\necho file=$OMPI_MCA_{name} exported=$OMPI_MCA_{other}\n", encoding="utf-8")
    hello.chmod(0o755)

    session = Session.prepare(StudyRequest("t.toml", text, str(hello), defaults=whose), tmp_path)  # type: ignore[arg-type]
    job = session.trials.job({})

    told = {one.name: (one.value, one.source) for one in session.checked.own}
    assert told[name] == ("8192", "~/.openmpi/mca-params.conf:2")
    assert told[other] == ("16384", "the environment")
    default = session.checked.space.parameter(name).default
    said = run(job, session.launcher).stdout
    if whose == "library":
        assert default == 4096
        assert "file=4096 exported=\n" in said
        assert session.own_configuration() == {name: 8192}
    else:
        assert default == 8192
        assert "file=4096" not in said
        assert "exported=16384" in said
        assert session.own_configuration() == {}
