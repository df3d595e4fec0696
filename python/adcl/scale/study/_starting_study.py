"""Write a starting study that runs without changes."""

from __future__ import annotations

import json

__all__ = ["serial_study", "starting_study"]

_LEAST = 8
"""Minimum number of ranks, regardless of the cores; fewer do not show growth."""

_TEXT = """\
# The functions to measure, and their expected growth with the number of ranks p. docs/scale.md explains every key.
schema = 1
name = {name}

[run]
program = {program}
arguments = [{flags}"--bytes", "{{bytes}}", "--functions", "Barrier,Bcast,Reduce,Allreduce,Allgather"]
ranks = {ranks} at least five are needed
parameters = {{ bytes = [256] }}
jobs = 3                    # number of jobs per setting; 10 on a busy machine
timeout_s = 120
{note}
[[expect]]
function = ["Barrier", "Bcast", "Reduce", "Allreduce"]
growth = "log p"
deviation = "sqrt p"        # tolerated factor between model and expected growth

[[expect]]
function = "Allgather"
growth = "p"
deviation = "sqrt p"

[[rule]]
rule = "Allreduce <= Reduce + Bcast"
tolerance = 0.1             # relative excess allowed in measurements; it must also be significant
"""


_SERIAL = """\
# The functions to measure, and their expected growth with the size n. docs/scale.md explains every key.
schema = 1
name = {name}

[run]
program = {program}         # prints a record for each function, see docs/scale.md
arguments = ["{{n}}"]
mpi = "none"
parameters = {{ n = [1000, 2000, 4000, 8000, 16000, 32000, 64000] }}
jobs = 3                    # number of jobs per setting; 10 on a busy machine
timeout_s = 120

[[expect]]
function = "sort"           # name of the function in the records
growth = "n log n"
"""


def serial_study(name: str, program: str) -> str:
    """Return the text of a study of a program without MPI whose argument is a size."""
    return _SERIAL.format(name=json.dumps(name), program=json.dumps(program))


def starting_study(name: str, program: str, cores: int) -> str:
    """Return the text of a study of collectives that `program`, an `adcl-bench`, measures on this machine.

    With fewer than eight cores, the study is oversubscribed and marks these times.
    """
    oversubscribed = cores < _LEAST
    note = f'oversubscribed = "mark"     # runs with more than {cores} ranks share cores; verdicts account for this\n'
    brief = '"--oversubscribed", "--start", "barrier", "--repetitions", "20", "--warmup", "2", '
    largest = 1 << (cores.bit_length() - 1)
    return _TEXT.format(
        name=json.dumps(name),
        program=json.dumps(program),
        ranks="[1, 2, 3, 4, 5, 6, 7, 8]     #"
        if largest <= _LEAST
        else f'"1..{largest}"              # powers of two in this range;',
        flags=brief if oversubscribed else "",
        note=note if oversubscribed else "",
    )
