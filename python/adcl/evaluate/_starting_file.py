"""Writes a file to start from, which runs as it is."""

from __future__ import annotations

import json

__all__ = ["starting_file"]

_TEXT = """\
# What is evaluated. docs/evaluate.md explains every key.
schema = 1
runs = 3                      # of everything; sets in a random order

[run]
program = {program}
# {{json}} is a file that the program writes its times to; {{size}} a parameter below.
arguments = [{arguments}]
ranks = [2]
parameters = {{ size = ["8x8x8", "32x32x32"] }}     # every combination of values is a setting
timeout_s = 120
# on = "hierarchical"         # a cluster of the testbed; 'adcl testbed list' names them
# mpi, hosts, hostfile, ranks_per_node, pmi, platform, launcher_options: as the options of adcl run
# environment = {{ NAME = "value" }}

[time]                        # without this table it is the time of the whole run
json = "seconds.total"        # a member of the JSON that the program writes; or in what it prints:
# pattern = "Time in seconds = ([0-9.]+)"

[verification]                # each codelet preselected, for the whole run
fastest = 6                   # only those that a short search found fastest, and the native one; without it all
# codelets = ["IsIr_aao", "SIr_aao"]
# set = "neighborhood"        # where the program uses several function sets
# native = "IsIr_aao"         # what winners are compared with; by default the first codelet of the table
give_up = 5                   # a codelet that takes so many times as long as the best is stopped, and not run again

[tuned]                       # every combination is run
searches = ["model", "brute_force"]            # adcl info lists them
outliers = ["none", "robust"]
timings = ["arrival", "interval"]             # and those that the program has itself: [[timing]]
# measurements = [10, 20, 40, 60, 80, 100]     # of each codelet

# [[timing]]                  # a timing technique that the program has itself
# name = "timer"
# arguments = ["--timer"]

[original]                    # the program without ADCL, if there is one
arguments = [{original}]
"""


def starting_file(program: str | None) -> str:
    """Return the text of a file for `program`; for `solver3d` without one."""
    common = '"--size", "{size}", "--iterations", "2000", "--quiet", "--json", "{json}"'
    return _TEXT.format(
        program=json.dumps(program or "./solver3d"),
        arguments=f'"--exchange", "adcl", {common}',
        original=f'"--exchange", "fcfs", {common}',
    )
