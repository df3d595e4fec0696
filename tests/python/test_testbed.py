"""Emulated clusters: platform files, plans and records; no cluster is created."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from testbed_support import SMALL

from adcl._source import Source, SourceError
from adcl.errors import AdclError, UsageError
from adcl.launch import Placement
from adcl.testbed import (
    EmulatedCluster,
    Owner,
    Platform,
    Records,
    SimulatedCluster,
    State,
    commands,
    find_cluster,
    namespaces,
    on_cluster,
    parse_platform,
    placement_on,
    shipped_clusters,
)


def _platform(text: str = SMALL) -> Platform:
    return parse_platform(Source(text, "small.toml"))


# ---- Platforms and plans ---------------------------------------------------------------------------------------------


def test_platform_file_describes_each_host() -> None:
    platform = _platform()

    assert [(host.name, host.rack, host.link.rate, host.ranks) for host in platform.hosts] == [
        ("h0", 0, "1gbit", 1),
        ("h1", 0, "1gbit", 1),
        ("h2", 1, "100mbit", 2),
    ]
    assert platform.hosts[2].link.latency == "5ms"
    assert (platform.ranks, platform.racks) == (4, 2)


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ('rate = "1gbit"', 'rate = "1 gbit"', "3:8", "rate: expected a rate such as"),
        ('burst = "64kb"', "", "2:2", "link: expected a burst, found none"),
        ('burst = "64kb"', "bursts = 1", "4:1", "did you mean burst?"),
        ('latency = "5ms"', 'latency = "5ms"\nlimit = "9kb"', "6:1", "found both"),
        ("hosts = 2", "hosts = 0", "13:9", "hosts: expected 1 to 200, found 0"),
        ("hosts = 2", "hosts = true", "13:9", "hosts: expected a whole number, found true"),
        ("hosts = 2", "hosts = 200", "12:3", "expected at most 200 hosts, found 201"),
        ("[hosts.h2]", "[hosts.h3]", "18:8", "expected one of h0 to h2, found h3"),
        ("ranks = 2", "ranks = 0", "20:9", "ranks: expected 1 to 1024, found 0"),
        ("[uplink]", "[up]", "7:2", "found up"),
    ],
)
def test_errors_in_platform_files_have_a_place(old: str, new: str, place: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        _platform(SMALL.replace(old, new, 1))

    assert str(caught.value).startswith(f"small.toml:{place}: ")
    assert message in str(caught.value)


def test_racks_need_an_uplink() -> None:
    text = SMALL.partition("[uplink]")[0] + "[[racks]]\nhosts = 1\n[[racks]]\nhosts = 1\n"

    with pytest.raises(SourceError, match="which connects racks"):
        _platform(text)


def test_shipped_platforms_are_found_by_name_and_others_by_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SMALL, encoding="utf-8")

    by_name = {one.name: one for one in shipped_clusters()}
    assert set(by_name) == {"flat", "hierarchical", "slow-host", "laki", "shark"}
    assert all(one.file.is_file() for one in by_name.values() if isinstance(one, SimulatedCluster))
    assert find_cluster(str(file)) == EmulatedCluster("mine", SMALL, _platform())
    with pytest.raises(UsageError, match="did you mean hierarchical"):
        find_cluster("hierarchic")


def test_everything_is_made_in_namespaces_of_the_cluster() -> None:
    platform = _platform()
    own = namespaces("x", platform)

    made = commands("x", platform)

    assert [command[3] for command in made if command[:3] == ("ip", "netns", "add")] == own
    others = [command for command in made if command[1] != "netns"]
    assert others
    assert all(command[1] == "-n" and command[2] in own for command in others)
    # The other end of a veth pair is also in a namespace of the cluster.
    assert all(command[command.index("netns") + 1] in own for command in others if "netns" in command)


@pytest.mark.parametrize(("racks", "shaped"), [(1, 0), (2, 2), (3, 6)])
def test_both_ends_of_every_link_are_shaped(racks: int, shaped: int) -> None:
    head = SMALL.partition("[[racks]]")[0]
    platform = _platform(head + "[[racks]]\nhosts = 2\n" * racks)

    shapes = [command for command in commands("x", platform) if command[0] == "tc"]

    assert sum("300mbit" in command for command in shapes) == shaped
    assert sum("1gbit" in command for command in shapes) == 2 * 2 * racks


def test_ranks_fill_the_hosts_and_use_tcp_only() -> None:
    placement = placement_on("x", _platform(), 4, Placement(launcher_options=("--tag-output",)), agent="/run/x.agent")

    assert placement.hosts == ("h0:1", "h1:1", "h2:2")
    options = " ".join(placement.launcher_options)
    assert "--mca btl tcp,self" in options
    assert "--mca plm_rsh_agent /run/x.agent" in options
    assert options.endswith("--tag-output")
    assert "adcl-x-h0" in placement.within


def test_too_many_ranks_and_other_hosts_are_rejected() -> None:
    with pytest.raises(UsageError, match="room for only 4 of 5 ranks"):
        placement_on("x", _platform(), 5, Placement(), agent="agent")
    with pytest.raises(UsageError, match="omit --host and --hostfile"):
        placement_on("x", _platform(), 2, Placement(hosts=("a",)), agent="agent")
    assert placement_on("x", _platform(), 5, Placement(ranks_per_node=2), agent="agent").hosts[0] == "h0:2"


def test_a_simulated_cluster_is_a_platform_of_simgrid() -> None:
    with on_cluster("laki", Placement(), 64) as (placement, ranks):
        assert placement.platform is not None
        assert placement.platform.name == "laki.xml"
        assert placement.hostfile is not None
        assert placement.hostfile.read_text(encoding="utf-8").split()[:2] == ["laki0:8", "laki1:8"]
        assert ranks == 64


# ---- Records ---------------------------------------------------------------------------------------------------------


def test_incomplete_and_ownerless_clusters_are_abandoned(tmp_path: Path) -> None:
    records = Records(tmp_path / "run")
    me = Owner.of(os.getpid())
    assert me is not None
    other = Owner(me.process, me.started - 1)
    names = ("adcl-a-net",)
    states = [
        State("a", "", names, None, complete=True),
        State("b", "", names, me, complete=True),
        State("c", "", names, other, complete=True),
        State("d", "", names, me),
    ]
    with records.locked():
        for state in states:
            records.write(state)

        assert records.read() == states
        assert [state.instance for state in records.read() if state.is_abandoned] == ["c", "d"]


def test_foreign_records_are_rejected(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.write(State("a", "", ("eth0",), None))

    with pytest.raises(AdclError, match=r"a\.json.*do not belong to the testbed.*remove the file"):
        records.read()


_AS_NOBODY = """
import contextlib, os
from adcl.cli import main
with contextlib.suppress(SystemExit):
    main(["testbed", "list"])  # so that all is imported: others may not see into the folders of root
if os.geteuid() == 0:
    os.seteuid(65534)
main(["testbed", "up", "flat"])
"""


@pytest.mark.skipif(
    os.geteuid() == 0 and not Path("/").stat().st_mode & stat.S_IXOTH,
    reason="the folder / is closed to other users",
)
def test_without_root_the_message_names_the_remedy() -> None:
    done = subprocess.run([sys.executable, "-c", _AS_NOBODY], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "require root" in done.stderr
    assert "sudo" in done.stderr
