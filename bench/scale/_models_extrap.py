"""Run Extra-P's single-parameter modelers on series of measurements: ``_models_extrap.py INPUTS``.

Runs with the Python of an environment with Extra-P; independent of ADCL. Each line of INPUTS is a JSON object with
series and the file for their results; INPUTS is removed after reading. The default modeler gets a flag if it should try
negative exponents; the refining modeler tries them by itself. With ``INPUT OUTPUT --left-out``, series have two
parameters, and the result is the models' prediction of each point that was left out.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any


def leading(model: Any) -> tuple[float, float]:
    """Return the exponents of the fastest nonconstant term: of the parameter, and of its logarithm."""
    found = []
    for compound in model.hypothesis.function.compound_terms:
        exponents = {"polynomial": 0.0, "logarithm": 0.0}
        for simple in compound.simple_terms:
            exponents[simple.term_type] += float(simple.exponent)
        found.append((exponents["polynomial"], exponents["logarithm"]))
    return max(found, default=(0.0, 0.0))


def main(source: Path) -> None:
    """Model the series of each line, and write leading terms and seconds into the file that the line names."""
    from extrap.entities.callpath import Callpath  # type: ignore[import-not-found]
    from extrap.entities.coordinate import Coordinate  # type: ignore[import-not-found]
    from extrap.entities.measurement import Measurement  # type: ignore[import-not-found]
    from extrap.entities.metric import Metric  # type: ignore[import-not-found]
    from extrap.modelers.single_parameter.basic import SingleParameterModeler  # type: ignore[import-not-found]
    from extrap.modelers.single_parameter.refining import RefiningModeler  # type: ignore[import-not-found]

    lines = source.read_text(encoding="utf-8").splitlines()
    source.unlink()
    for at, line in enumerate(lines, 1):
        question = json.loads(line)
        where, metric = Callpath("f"), Metric("m")
        series = [
            [Measurement(Coordinate(x), where, metric, y) for x, y in zip(question["points"], row, strict=True)]
            for row in question["values"]
        ]
        answer = {}
        for name, modeler in (("default", SingleParameterModeler()), ("refining", RefiningModeler())):
            if question["falls"] and name == "default":
                modeler.allow_negative_exponents = True
            begin = time.process_time()
            models = modeler.model(series)
            answer[name] = {"seconds": time.process_time() - begin, "leading": [leading(one) for one in models]}
        target = Path(question["answer"])
        unfinished = target.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(answer), encoding="utf-8")
        unfinished.replace(target)
        sys.stderr.write(f"Extra-P: {at} of {len(lines)} sets of series\n")


def left_out(source: Path, target: Path) -> None:
    """Predict each point of each series from the other points, and write the predictions."""
    from extrap.entities.callpath import Callpath
    from extrap.entities.coordinate import Coordinate
    from extrap.entities.measurement import Measurement
    from extrap.entities.metric import Metric
    from extrap.modelers.multi_parameter.multi_parameter_modeler import (  # type: ignore[import-not-found]
        MultiParameterModeler,
    )

    where, metric, answers = Callpath("f"), Metric("m"), []
    for one in json.loads(source.read_text(encoding="utf-8")):
        rows = [
            Measurement(Coordinate(*point), where, metric, value)
            for point, value in zip(one["points"], one["values"], strict=True)
        ]
        parts = [rows[:out] + rows[out + 1 :] for out in range(len(rows))]
        models = MultiParameterModeler().model(parts)
        answers.append(
            [
                float(model.hypothesis.function.evaluate(point))
                for model, point in zip(models, one["points"], strict=True)
            ]
        )
    target.write_text(json.dumps(answers), encoding="utf-8")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if "--left-out" in sys.argv:
        left_out(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
