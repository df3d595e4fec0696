"""Option ``--method`` of ``adcl scale``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from adcl.errors import UsageError

if TYPE_CHECKING:
    from adcl import scale

__all__ = ["chosen_method", "with_method"]


def chosen_method(name: str | None, default: scale.JudgeMethod) -> scale.JudgeMethod:
    """Return the method of this name, or the default if no name is given. Raises `UsageError`."""
    from adcl import scale

    if name is None:
        return default
    known = [one.value for one in scale.JudgeMethod]
    if name not in known:
        raise UsageError(f"--method {name!r} is not one of {', '.join(known)}")
    return scale.JudgeMethod(name)


def with_method(study: scale.ScaleStudy, name: str | None) -> scale.ScaleStudy:
    """Return the study with its method replaced. Raises `UsageError` for an unknown name."""
    return dataclasses.replace(study, method=chosen_method(name, study.method))
