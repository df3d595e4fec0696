"""Base class for libraries whose settings are environment variables with a prefix."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from adcl.mpi_libraries._base import MpiLibrary, Passed, option_words, shell_advice, split
from adcl.mpi_libraries._own import ENVIRONMENT, CleanEnvironment, OwnSetting

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from adcl.jobs import Launcher
    from adcl.mpi_libraries._base import Advice
    from adcl.mpi_libraries._catalog import Catalog
    from adcl.tune.space import Configuration

__all__ = ["EnvironmentLibrary"]


class EnvironmentLibrary(MpiLibrary):
    """Maps a parameter `eager_limit` of a library with the prefix MP_ to the environment variable MP_EAGER_LIMIT."""

    prefix: ClassVar[str]
    other_prefixes: ClassVar[tuple[str, ...]] = ()
    """Alternative prefixes of the same variables."""

    stays: ClassVar[re.Pattern[str] | None] = None
    """Matches the names of variables that control how or where ranks start, or only the library's messages."""

    def full_name(self, name: str) -> str:
        upper = name.upper()
        return upper if upper.startswith(self.prefix) else f"{self.prefix}{upper}"

    def variable_name(self, name: str) -> str:
        return name

    def _full_name_of_variable(self, name: str) -> str | None:
        """Return the full name of an environment variable; None if it does not belong to the library."""
        known = (self.prefix, *self.other_prefixes)
        prefix = next((prefix for prefix in known if name.startswith(prefix)), None)
        return None if prefix is None else f"{self.prefix}{name.removeprefix(prefix)}"

    def _own(self, name: str, value: str, source: str) -> OwnSetting:
        return OwnSetting(name, value, source, self.stays is not None and self.stays.search(name) is not None)

    def own_settings(self, home: Launcher, catalog: Catalog, *, started_by: Launcher) -> tuple[OwnSetting, ...]:  # noqa: ARG002
        named = ((self._full_name_of_variable(name), value) for name, value in sorted(os.environ.items()))
        found = {name: value for name, value in named if name is not None and name in catalog.variables}
        return tuple(self._own(name, value, ENVIRONMENT) for name, value in found.items())

    def clean_environment(
        self,
        own: Sequence[OwnSetting],
        home: Launcher,  # noqa: ARG002
        catalog: Catalog,  # noqa: ARG002
        *,
        started_by: Launcher,  # noqa: ARG002
    ) -> CleanEnvironment:
        left = {one.name for one in own if not one.stays}
        return CleanEnvironment({name: None for name in os.environ if self._full_name_of_variable(name) in left})

    def environment(self, configuration: Configuration) -> dict[str, str]:
        """Return the environment variables of a configuration."""
        parts = split(configuration)
        own = {self.full_name(name): str(value) for name, value in parts.settings.items()}
        return {**own, **{name: str(value) for name, value in parts.variables.items()}}

    def passed(self, configuration: Configuration, launcher: Launcher, *, oversubscribed: bool) -> Passed:  # noqa: ARG002
        return Passed(self.environment(configuration), tuple(option_words(split(configuration).options)))

    def advice(self, configuration: Configuration) -> Advice:
        own = split(configuration).options
        return shell_advice(self.environment(configuration), self.option_form(configuration), own, self.title)

    @abstractmethod
    def option_form(self, configuration: Configuration) -> list[str]:
        """Return the configuration as options of the library's launcher."""
