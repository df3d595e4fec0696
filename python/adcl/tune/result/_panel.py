"""Contents that the panels of a study's page share."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.tune.result._analysis import analyze_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.pages import Cell
    from adcl.tune.profile import Profile
    from adcl.tune.result._analysis import Effect, Interaction
    from adcl.tune.result._conclusion import Conclusion
    from adcl.tune.study import StudyResult

__all__ = ["StudyContent"]


@dataclass(frozen=True)
class StudyContent:
    """Contents of a page: the result of a study, its conclusion, and facts about its session."""

    result: StudyResult
    about: Mapping[str, Cell] = field(default_factory=dict)
    """Conditions of the study."""

    advice: Mapping[str, str] = field(default_factory=dict)
    """Ways of applying the settings, by heading."""

    conclusion: Conclusion | None = None
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    """Profiles of the program by case."""

    notices: Sequence[str] = ()
    """Notices about the settings of the study."""

    @functools.cached_property
    def analysis(self) -> tuple[Sequence[Effect], Sequence[Interaction]]:
        """Effects and interactions of the parameters."""
        return analyze_parameters(self.result)
