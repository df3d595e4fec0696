"""Does it scale as it should? Expectations in big O, models of measurements, and what the two say about each other.

After S. Shudler, A. Calotoiu, T. Hoefler, A. Strube and F. Wolf, Exascaling Your Library: Will Your Implementation Meet
Your Expectations? (ICS 2015).

Its rooms, each of which uses only those before it (`tools/layers.py` checks that). The package exports their names:

- `model`: growth terms, measurements, the search space, the choice of a hypothesis, and the model of a series
- `judge`: whether a model is what is expected
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

__getattr__ = _later.names_of_rooms(__name__, ("model", "judge", "input", "study", "output"))
