"""Starting file written by ``adcl evaluate init``; it can be used unchanged."""

from __future__ import annotations

import json

__all__ = ["starting_file"]

_TEXT = """\
# An evaluation of ADCL's decisions. docs/evaluate.md explains every key.
schema = 1
runs = 3                      # number of runs of each kind, in random order

[run]
program = {program}
# The program writes its times to the file {{json}}; {{size}} is a parameter below.
arguments = [{arguments}]
ranks = [2]
parameters = {{ size = ["8x8x8", "32x32x32"] }}     # every combination of values is a setting
timeout_s = 120
# on = "hierarchical"         # a cluster of the testbed; 'adcl testbed list' names them
# mpi, hosts, hostfile, ranks_per_node, pmi, platform, launcher_options: as the options of adcl run
# environment = {{ NAME = "value" }}

[time]                        # default: the time of the whole run
json = "seconds.total"        # a member of the JSON that the program writes; or a match in its output:
# pattern = "Time in seconds = ([0-9.]+)"

[verification]                # each codelet preselected, for the whole run
fastest = 6                   # verify the six fastest codelets of a short search and the native codelet; default: all
# codelets = ["IsIr_aao", "SIr_aao"]
# set = "neighborhood"        # if the program uses several function sets
# native = "IsIr_aao"         # the codelet to compare with; default: the first of the table
give_up = 5                   # time limit of a run, as a multiple of the best codelet's time

[tuned]                       # every combination runs
searches = ["model", "brute_force"]            # 'adcl info' lists all searches
outliers = ["none", "robust"]
timings = ["arrival", "interval"]             # names of [[timing]] are also allowed
# measurements = [10, 20, 40, 60, 80, 100]     # per codelet

# [[timing]]                  # a timing technique of the program
# name = "timer"
# arguments = ["--timer"]

[original]                    # the program without ADCL
arguments = [{original}]
"""


def starting_file(program: str | None) -> str:
    """Return the file for `program` (default: `solver3d`)."""
    common = '"--size", "{size}", "--iterations", "2000", "--quiet", "--json", "{json}"'
    return _TEXT.format(
        program=json.dumps(program or "./solver3d"),
        arguments=f'"--exchange", "adcl", {common}',
        original=f'"--exchange", "fcfs", {common}',
    )
