"""What other searches, statistical methods and numbers of measurements would have decided, on recorded measurements.

The decisions are the library's own: `replay` hands what a trace has recorded to the program ``adcl-replay``, and
compares what it says with verification runs, or with all that was recorded.
"""

from adcl.replay._page import replay_page
from adcl.replay._recorded import RecordedSearch, recorded_searches
from adcl.replay._results import CLOSE, Replay, ReplayedDecision, ReplayedSearch, Standing
from adcl.replay._run import MEASUREMENTS, ReplayError, Wish, replay

__all__ = [
    "CLOSE",
    "MEASUREMENTS",
    "RecordedSearch",
    "Replay",
    "ReplayError",
    "ReplayedDecision",
    "ReplayedSearch",
    "Standing",
    "Wish",
    "recorded_searches",
    "replay",
    "replay_page",
]
