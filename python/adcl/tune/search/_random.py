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

    def propose(self) -> Coordinates | None:
        """Return the next one."""
        return self.draw(self.options.distribution)
