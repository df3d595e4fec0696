"""Import numpy with single-threaded linear algebra, if this module imports numpy first.

For small matrices threads cost more than they save, and they disturb a program under measurement on busy cores. The
environment variables are restored afterward, so that child processes do not inherit them.
"""

from __future__ import annotations

import os

__all__ = ["np"]

_NAME = "OPENBLAS_NUM_THREADS"

_own = _NAME not in os.environ
if _own:
    os.environ[_NAME] = "1"
try:
    # Each BLAS library reads its variable when it is loaded.
    import numpy as np
    import scipy.linalg  # noqa: F401
finally:
    if _own:
        del os.environ[_NAME]
