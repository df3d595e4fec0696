"""First phase of a study: runs of the defaults, the reference of all comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from adcl.errors import AdclError

if TYPE_CHECKING:
    from adcl.tune.search import Search
    from adcl.tune.study._ledger import Ledger
    from adcl.tune.study._plan import PlannedRun, Sample

__all__ = ["Defaults", "DefaultsFailedError"]


class DefaultsFailedError(AdclError):
    """The program fails with the MPI library's defaults, so there is no reference."""


class Defaults:
    """Runs the defaults, after warm-up runs."""

    name: ClassVar[Literal["defaults"]] = "defaults"

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._warm_ups = 0

    def next(self) -> PlannedRun | None:
        """Return the next run; None if all runs have begun."""
        ledger, policy = self._ledger, self._ledger.policy
        if self._warm_ups < policy.warm_ups:
            self._warm_ups += 1
            return ledger.issue("warm-up", None)
        waiting = sum(order.kind == "default" for order in ledger.running.values())
        if len(ledger.defaults.samples) + waiting < policy.defaults_first:
            return ledger.issue("default", None)
        return None

    def raise_on_failure(self, sample: Sample, values: tuple[float, ...] | None) -> None:
        """Raise `DefaultsFailedError` for a failed run."""
        if values is None:
            raise DefaultsFailedError(
                f"the program failed with the MPI library's defaults ({sample.status}: {sample.reason}), so settings "
                "cannot be compared with them; fix the program or its launcher first"
            )

    def tell(self, search: Search) -> None:
        """Pass the default scenario's result to a search if all defaults are known and in the space."""
        space = search.space
        home = space.home()
        exact = all(
            parameter.default is not None and parameter.values[parameter.home] == parameter.default
            for parameter, active in zip(space.parameters, space.active_mask(home), strict=True)
            if active
        )
        if exact and search.fresh(home):
            search.tell(home, self._ledger.defaults.mean())
