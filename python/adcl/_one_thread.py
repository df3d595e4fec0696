"""numpy, with one thread for linear algebra, where this is the first to load it.

Threads cost small matrices more than they gain, and many times more where all cores are busy with a program that is
being measured, which they disturb. What is said to the library by the environment is not left to other processes.
"""

from __future__ import annotations

import os

__all__ = ["np"]

_NAME = "OPENBLAS_NUM_THREADS"

_own = _NAME not in os.environ
if _own:
    os.environ[_NAME] = "1"
try:
    # Each brings a library of its own, which looks at the environment when it is loaded.
    import numpy as np
    import scipy.linalg  # noqa: F401
finally:
    if _own:
        del os.environ[_NAME]
