"""The option ``--method`` of ``adcl scale``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from adcl.errors import UsageError

if TYPE_CHECKING:
    from adcl import scale

__all__ = ["chosen_method", "judged_by"]


def chosen_method(name: str | None, default: scale.JudgeMethod) -> scale.JudgeMethod:
    """Return the method of this name, or the default without a name. Raises `UsageError` for an unknown name."""
    from adcl import scale

    if name is None:
        return default
    known = [one.value for one in scale.JudgeMethod]
    if name not in known:
        raise UsageError(f"--method {name!r} is none of {', '.join(known)}")
    return scale.JudgeMethod(name)


def judged_by(study: scale.ScaleStudy, name: str | None) -> scale.ScaleStudy:
    """Return the study with the method of this name. Raises `UsageError` for an unknown name."""
    return dataclasses.replace(study, method=chosen_method(name, study.method))
