"""Studies: the file, its sweeps, the results of one run, and the comparison of runs."""

from typing import TYPE_CHECKING

from adcl import _later
from adcl._toml_table import StudyError
from adcl.scale.study._efficiency import EfficiencyCheck, check_efficiency
from adcl.scale.study._plan import RunPlan, Task, planned
from adcl.scale.study._results import (
    CheckOutcome,
    ResultRow,
    Results,
    accept,
    entries_of,
    evaluate,
    runs_of,
    series_for,
)
from adcl.scale.study._rules import LimitCheck, RuleCheck, check_limit, check_rule
from adcl.scale.study._study import Efficiency, Expectation, Limit, ScaleStudy, read_rule, read_study
from adcl.scale.study._together import independent, varied_together

if TYPE_CHECKING:
    from adcl.scale.study._compare import Change, Comparison, compare
    from adcl.scale.study._slower import SLOWER, Cost, Slowdown, percent, slowdown
    from adcl.scale.study._starting_study import serial_study, starting_study
    from adcl.scale.study._sweep import (
        JobDone,
        find_launcher,
        job_arrays,
        pending,
        plan_of,
        require_enough_cores,
        sweep,
    )

__all__ = [
    "SLOWER",
    "Change",
    "CheckOutcome",
    "Comparison",
    "Cost",
    "Efficiency",
    "EfficiencyCheck",
    "Expectation",
    "JobDone",
    "Limit",
    "LimitCheck",
    "ResultRow",
    "Results",
    "RuleCheck",
    "RunPlan",
    "ScaleStudy",
    "Slowdown",
    "StudyError",
    "Task",
    "accept",
    "check_efficiency",
    "check_limit",
    "check_rule",
    "compare",
    "entries_of",
    "evaluate",
    "find_launcher",
    "independent",
    "job_arrays",
    "pending",
    "percent",
    "plan_of",
    "planned",
    "read_rule",
    "read_study",
    "require_enough_cores",
    "runs_of",
    "serial_study",
    "series_for",
    "slowdown",
    "starting_study",
    "sweep",
    "varied_together",
]

__getattr__ = _later.lazy_names(
    __name__,
    {
        "_compare": (
            "Change",
            "Comparison",
            "compare",
        ),
        "_slower": (
            "Cost",
            "SLOWER",
            "Slowdown",
            "percent",
            "slowdown",
        ),
        "_starting_study": (
            "serial_study",
            "starting_study",
        ),
        "_sweep": (
            "JobDone",
            "find_launcher",
            "job_arrays",
            "pending",
            "plan_of",
            "require_enough_cores",
            "sweep",
        ),
    },
)
