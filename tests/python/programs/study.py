"""Study of a made-up program, to be killed: study.py JOURNAL RUNS [--resume]. Appends a line to RUNS for each run."""

import sys
import time
from pathlib import Path

from tune_spaces import PLAIN, response

from adcl.tune.study._plan import Sample, StudyPolicy
from adcl.tune.study._study import Study


def main() -> None:
    """Run it with short trials."""
    runs, seconds = Path(sys.argv[2]), response(PLAIN, 5)

    def run_trial(configuration: object, timeout_s: float | None, worker: int) -> Sample:
        del timeout_s
        with runs.open("a") as file:
            file.write(f"{worker} {configuration}\n")
        time.sleep(0.02)
        value = seconds(PLAIN.coordinates(configuration)) if configuration else 1.5  # type: ignore[arg-type]
        return Sample("ok", 0.02, {"wall": value})

    workers = int(sys.argv[3])
    study = Study(PLAIN, run_trial, ("wall",), "gp", policy=StudyPolicy(trials=25), seed=3, workers=workers)
    result = study.run(Path(sys.argv[1]), resume="--resume" in sys.argv)
    sys.stdout.write(f"{result.interrupted} {len(result.runs)}\n")


main()
