"""A ReFrame test of a study of ``adcl scale``: ``reframe -c adcl_scale.py -r -S study=/path/scaling.toml``.

The job measures the study and compares it with its expectations. The test fails if a statement is broken or, unless
``allow_undecided`` is set, undecided. The measurements are performance variables.
"""

# ReFrame defines names such as `variable` in the body of a test, so linters do not know them.
# mypy: ignore-errors
# ruff: noqa: ANN201, F821, INP001, RUF012

import json
import pathlib

import reframe as rfm
import reframe.utility.sanity as sn

_REPORT = "scaling.bencher.json"


@rfm.simple_test
class AdclScale(rfm.RunOnlyRegressionTest):
    """Runs and checks a study."""

    study = variable(str)
    run_name = variable(str, value="reframe")
    allow_undecided = variable(bool, value=False)

    descr = "Check whether functions scale as expected"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "adcl"
    local = True  # adcl scale starts the MPI jobs itself

    @run_before("run")
    def prepare(self):
        """Measure in a command before the check, whose exit code and report the test reads."""
        study = pathlib.Path(self.study).resolve()
        self.prerun_cmds = [f"adcl scale run '{study}' --run '{self.run_name}'"]
        self.executable_opts = ["scale", "check", f"'{study}'", "--run", f"'{self.run_name}'", "--bencher", _REPORT]
        if self.allow_undecided:
            self.executable_opts.append("--allow-undecided")
        self.postrun_cmds = ['echo "adcl scale check: exit code $?"']

    @sanity_function
    def holds(self):
        """Whether the check ended with exit code 0."""
        return sn.assert_found(r"^adcl scale check: exit code 0$", self.stdout)

    @run_before("performance")
    def read_measurements(self):
        """Declare a performance variable for each function, setting and metric."""
        report = pathlib.Path(self.stagedir) / _REPORT
        for name, measures in json.loads(report.read_text(encoding="utf-8")).items():
            for metric, measure in measures.items():
                unit = metric.rsplit("_", 1)[-1]
                self.perf_variables[f"{name} {metric}"] = sn.make_performance_function(sn.defer(measure["value"]), unit)
