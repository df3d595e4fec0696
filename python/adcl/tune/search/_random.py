"""Random scenarios with a selectable distribution (section 4.1 of A. Sikora et al.)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from adcl.errors import UsageError
from adcl.tune.search._base import Search
from adcl.tune.search._options import option

if TYPE_CHECKING:
    from adcl.tune.space import Coordinates

__all__ = ["DISTRIBUTIONS", "Distribution", "RandomOptions", "RandomSearch"]

Distribution: TypeAlias = Literal["uniform", "near_default", "ends"]

DISTRIBUTIONS: dict[Distribution, str] = {
    "uniform": "every value of a parameter has the same probability",
    "near_default": "values near the default are more probable",
    "ends": "the smallest and the largest values are more probable than the values between them",
}


@dataclass(frozen=True)
class RandomOptions:
    """Options of `random`. Raises `UsageError`."""

    distribution: str = option(
        "uniform",
        "distribution of the values: `uniform`, `near_default` (values near the default are more probable) or `ends` "
        "(the smallest and the largest values are more probable)",
    )
    samples: int = option(0, "maximum number of scenarios; 0: until the budget ends")
    spread: float = option(0.25, "standard deviation of `near_default`, as a share of a parameter's values")
    shape: float = option(
        0.5,
        "both parameters of the beta distribution of `ends`; above 1, values in the middle are more probable",
    )

    def __post_init__(self) -> None:
        """Reject values out of range."""
        if self.distribution not in DISTRIBUTIONS:
            raise UsageError(f"unknown distribution {self.distribution}; distributions: {', '.join(DISTRIBUTIONS)}")
        if self.samples < 0:
            raise UsageError(f"the number of samples must be at least 0, not {self.samples}")
        if self.spread <= 0 or self.shape <= 0:
            raise UsageError(f"spread and shape must be above 0, not {self.spread} and {self.shape}")


class RandomSearch(Search):
    """Draws scenarios without replacement."""

    most_objectives = 2
    options_kind: ClassVar[type[RandomOptions]] = RandomOptions
    options: RandomOptions

    def __init__(self, *arguments: object, **settings: object) -> None:
        super().__init__(*arguments, **settings)  # type: ignore[arg-type]
        self._drawn = 0

    def propose(self) -> Coordinates | None:
        """Return the next scenario; None after the maximum number of scenarios."""
        if self._drawn == self.options.samples > 0:
            return None
        self._drawn += 1
        return self.draw()

    def _position(self, place: int) -> int:
        count = self.space.shape[place]
        parameter = self.space.parameters[place]
        if self.options.distribution == "uniform" or not parameter.ordered:
            return super()._position(place)
        if self.options.distribution == "ends":
            shape = self.options.shape
            return min(count - 1, int(self.generator.betavariate(shape, shape) * count))
        spread = max(1.0, count * self.options.spread)
        return min(count - 1, max(0, round(self.generator.gauss(parameter.home, spread))))
