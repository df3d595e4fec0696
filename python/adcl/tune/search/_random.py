"""Random scenarios, of a distribution that can be chosen (the paper, section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.tune.search._base import Search

if TYPE_CHECKING:
    from adcl.tune.space import Coordinates

__all__ = ["RandomSearch"]


class RandomSearch(Search):
    """Draws scenarios without putting any back."""

    most_objectives = 2

    def __init__(self, *arguments: object, **settings: object) -> None:
        super().__init__(*arguments, **settings)  # type: ignore[arg-type]
        self._drawn = 0

    def propose(self) -> Coordinates | None:
        """Return the next one; None after as many as the options say."""
        if self._drawn == self.options.samples > 0:
            return None
        self._drawn += 1
        return self.draw(self.options.distribution)
