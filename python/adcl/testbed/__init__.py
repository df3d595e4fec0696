"""Testbed of networks: emulated clusters of network namespaces, and simulated clusters of SimGrid.

    with on_cluster("hierarchical", Placement(), 8) as (placement, ranks):
        run(Job("./solver", ranks=ranks, placement=placement), "openmpi4")

Creating a cluster requires root; plans and platform files do not.
"""

from adcl.testbed._network import check_possible, clean, down, running_clusters, slow, up
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
    "running_clusters",
    "shipped_clusters",
    "slow",
    "up",
]
