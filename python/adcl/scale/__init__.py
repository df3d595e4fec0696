"""Scalability tests: expectations in big O, models of measurements, and the comparison of the two.

After S. Shudler, A. Calotoiu, T. Hoefler, A. Strube and F. Wolf, Exascaling Your Library: Will Your Implementation Meet
Your Expectations? (ICS 2015).

The package exports the names of its subpackages. Each subpackage uses only the subpackages before it (checked by
`tools/layers.py`):

- `model`: growth terms, measurements, the search space, the choice of a hypothesis, and the model of a series
- `judge`: comparison of a model with the expectation
- `input`: records of a benchmark, the store of a study, and the formats of other tools
- `study`: the study file, its sweeps, the results of a run, and the comparison of runs
- `output`: the page, and reports for other programs
"""

from typing import TYPE_CHECKING

from adcl import _later

if TYPE_CHECKING:
    from adcl.scale.input import *  # noqa: F403
    from adcl.scale.judge import *  # noqa: F403
    from adcl.scale.model import *  # noqa: F403
    from adcl.scale.output import *  # noqa: F403
    from adcl.scale.study import *  # noqa: F403

__getattr__ = _later.lazy_subpackages(__name__, ("model", "judge", "input", "study", "output"))
