"""Networks that are not there: emulated clusters of network namespaces, and simulated ones of SimGrid.

    with on_cluster("hierarchical", Placement(), 8) as (placement, ranks):
        run(Job("./solver", ranks=ranks, placement=placement), "openmpi4")

Plans and platform files need no root, making a cluster does.
"""

from adcl.testbed._network import check_possible, clean, down, slow, up, up_now
from adcl.testbed._plan import PREFIX, commands, namespaces
from adcl.testbed._platform import Host, Link, Platform, parse_platform
from adcl.testbed._shipped import EmulatedCluster, SimulatedCluster, find_cluster, shipped_clusters
from adcl.testbed._state import RUN_FOLDER, Owner, Records, State
from adcl.testbed._use import on_cluster, placement_on

__all__ = [
    "PREFIX",
    "RUN_FOLDER",
    "EmulatedCluster",
    "Host",
    "Link",
    "Owner",
    "Platform",
    "Records",
    "SimulatedCluster",
    "State",
    "check_possible",
    "clean",
    "commands",
    "down",
    "find_cluster",
    "namespaces",
    "on_cluster",
    "parse_platform",
    "placement_on",
    "shipped_clusters",
    "slow",
    "up",
    "up_now",
]
