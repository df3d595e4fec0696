"""What libraries have in common whose settings are environment variables with a prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from adcl.tune.libraries._base import MpiLibrary, Passed, option_words, shell_advice, split

if TYPE_CHECKING:
    from adcl.launch import Launcher
    from adcl.tune.libraries._base import Advice
    from adcl.tune.space import Configuration

__all__ = ["EnvironmentLibrary"]


class EnvironmentLibrary(MpiLibrary):
    """A parameter `eager_limit` of a library with the prefix MP_ is the environment variable MP_EAGER_LIMIT."""

    prefix: ClassVar[str]

    def full_name(self, name: str) -> str:
        upper = name.upper()
        return upper if upper.startswith(self.prefix) else f"{self.prefix}{upper}"

    def variable_name(self, name: str) -> str:
        return name

    def environment(self, configuration: Configuration) -> dict[str, str]:
        """Return the variables of a configuration, the library's own and others."""
        parts = split(configuration)
        own = {self.full_name(name): str(value) for name, value in parts.settings.items()}
        return {**own, **{name: str(value) for name, value in parts.variables.items()}}

    def passed(self, configuration: Configuration, launcher: Launcher, *, oversubscribed: bool) -> Passed:  # noqa: ARG002
        return Passed(self.environment(configuration), tuple(option_words(split(configuration).options)))

    def advice(self, configuration: Configuration) -> Advice:
        own = split(configuration).options
        return shell_advice(self.environment(configuration), self.option_form(configuration), own, self.title)

    def option_form(self, configuration: Configuration) -> list[str]:
        """Write the configuration as options of Hydra, which MPICH and Intel MPI share."""
        words = [word for pair in self.environment(configuration).items() for word in ("-genv", *pair)]
        return [*words, *option_words(split(configuration).options)]
