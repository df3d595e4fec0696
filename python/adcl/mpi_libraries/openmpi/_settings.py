"""Open MPI: `ompi_info` lists the MCA parameters; `mpi_show_mca_params` verifies them."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, ClassVar

from adcl.mpi_libraries._base import (
    Advice,
    Evidence,
    LauncherFile,
    MpiLibrary,
    Passed,
    option_words,
    shell_lines,
    split,
)
from adcl.mpi_libraries._eager import Cells, EagerLimit, MemoryBuffer, named
from adcl.mpi_libraries._mpi_t import variables_in_use
from adcl.mpi_libraries._native import companion_environment
from adcl.mpi_libraries._own import CleanEnvironment, OwnSetting
from adcl.mpi_libraries.openmpi._info import (
    LAUNCHER_FRAMEWORKS,
    PREFIX,
    aliases_in_file,
    catalog_of,
    found_settings,
    is_kept,
    readable_source,
    settings_of_launcher,
)
from adcl.mpi_libraries.openmpi._launcher import FAMILY, OPEN_MPI_4, OPEN_MPI_5

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.jobs import Family, Launcher, LauncherKind
    from adcl.mpi_libraries._catalog import Catalog, Variable
    from adcl.tune.space import Configuration

__all__ = ["OpenMpi4", "OpenMpi5"]

_SHOW = "mpi_show_mca_params"
_TOLD = re.compile(r"^\[[^\s\]]+:\d+\] (\w+)=(.*) \([^()]*\)\s*$", re.MULTILINE)
_YIELD = "mpi_yield_when_idle"
_DYNAMIC = "coll_tuned_use_dynamic_rules"

_FORCED = re.compile(r"^coll_tuned_[a-z]+(?:_[a-z]+)*_algorithm(?:_\w+)?$")
_PRESELECTED = re.compile(
    r"^btl_(?:sm|vader)_(?:eager_limit|max_send_size|fbox_size|fbox_threshold|single_copy_mechanism|free_list_num)$"
    r"|^btl_tcp_(?:eager_limit|rndv_eager_limit|max_send_size|sndbuf|rcvbuf|links)$"
    r"|^pml_ob1_(?:send_pipeline_depth|recv_pipeline_depth)$"
    r"|^mpi_(?:leave_pinned|yield_when_idle)$"
    r"|^coll_tuned_(?:allreduce|alltoall|alltoallv|allgather|allgatherv|bcast|reduce|barrier)_algorithm$"
    r"|^coll_tuned_use_dynamic_rules$"
)
_RELEVANT = re.compile(
    r"^(?:btl|pml|mtl|coll|osc|opal|mpi|smsc|rcache|mpool|accelerator)_?.*"
    r"(?:limit|size|_num|_max|length|depth|algorithm|fanout|priority|pipeline|pinned|yield|threshold|count|links|flags|mechanism|segsize|"
    r"factor|segments|degree|buf|inline|btls?|requests|rules|_low_module|_up_module|radix|tick_rate)"
    r"|^(?:btl|pml|coll|osc|mtl|smsc)$"
)
_NETWORK = re.compile(r"^(?:btl_(?!sm_|vader_|self_)|mtl_|pml_ucx|osc_ucx)")
_DIAGNOSTIC = re.compile(
    r"verbose|version|_debug|monitoring|show_|abort|warn|stacktrace|_dump|port_m|filename|directory"
)
_COMPONENT = re.compile(r"^(?:pml|mtl|btl|osc|coll|smsc|rcache|mpool|accelerator)_[a-z0-9]+(?=_)")


class _OpenMpi(MpiLibrary):
    aliases: ClassVar[tuple[str, ...]] = ("openmpi",)
    family: ClassVar[Family] = FAMILY
    proof: ClassVar[Mapping[str, str]] = {f"{PREFIX}{_SHOW}": "enviro"}
    when_oversubscribed: ClassVar[Mapping[str, str]] = {_YIELD: "1"}
    # This option would bind the first rank of every job to the same core.
    when_sharing: ClassVar[Mapping[str, str]] = {"--bind-to": "none"}
    settings_file: ClassVar[str] = "~/.openmpi/mca-params.conf"
    launcher_file: ClassVar[LauncherFile | None] = LauncherFile("mpi-settings.tune", "--tune")
    # ompi_info: "maximum size (in bytes, including header) of short messages". btl_self handles a rank's messages to
    # itself.
    eager_limits: ClassVar[tuple[EagerLimit, ...]] = (
        EagerLimit(named(r"(?:OMPI_MCA_)?btl_(?!self_)[a-z0-9]+_eager_limit"), overhead=256),
    )
    memory_buffers: ClassVar[tuple[MemoryBuffer, ...]] = (
        # A fast box rejects messages larger than a quarter of its size.
        MemoryBuffer(named(r"(?:OMPI_MCA_)?btl_(?:sm|vader)_fbox_size"), of_each_process=True, messages=4),
        MemoryBuffer(named(r"(?:OMPI_MCA_)?btl_[a-z0-9]+_free_list_num"), cells=Cells(None)),
    )
    one_sided: ClassVar[re.Pattern[str]] = named(r"(?:OMPI_MCA_)?osc(?:_.*)?")
    counts: ClassVar[re.Pattern[str]] = re.compile("links")
    for_two_ranks: ClassVar[tuple[str, ...]] = ("two_proc",)
    only_a_switch: ClassVar[re.Pattern[str]] = named(rf"(?:{PREFIX})?{_DYNAMIC}")
    placement: ClassVar[re.Pattern[str]] = named(r"(?:OMPI_MCA_)?(?:hwloc_base|rmaps)_.*")
    collective: ClassVar[re.Pattern[str]] = named(r"(?:OMPI_MCA_)?coll_[a-z0-9]+_(?P<operation>.+?)_algorithm(?:_.*)?")

    def full_name(self, name: str) -> str:
        return name.removeprefix(PREFIX)

    def variable_name(self, name: str) -> str:
        return f"{PREFIX}{name}"

    def catalog(self, launcher: Launcher) -> Catalog:
        return catalog_of(launcher)

    def own_settings(self, home: Launcher, catalog: Catalog, *, started_by: Launcher) -> tuple[OwnSetting, ...]:  # noqa: ARG002
        return tuple(
            OwnSetting(name, value, readable_source(source), is_kept(name, source))
            for name, (value, source) in sorted(found_settings(home, catalog, exported=True).items())
        )

    def clean_environment(
        self,
        own: Sequence[OwnSetting],
        home: Launcher,
        catalog: Catalog,
        *,
        started_by: Launcher,  # noqa: ARG002
    ) -> CleanEnvironment:
        left = {one.name for one in own if not one.stays}
        if not left:
            return CleanEnvironment()
        environment: dict[str, str | None] = {}
        for variable in os.environ:
            known = catalog.variables.get(variable.removeprefix(PREFIX))
            if variable.startswith(PREFIX) and known is not None and left & {known.name, known.alias}:
                environment[variable] = None
        # The launcher of version 5 always reads the user's file, but the environment overrides it.
        in_files = found_settings(home, catalog, exported=False)
        for name in sorted(left & in_files.keys()):
            for written in (name, *aliases_in_file(name, in_files[name][1], catalog)):
                environment[f"{PREFIX}{written}"] = catalog.variables[name].default
        return CleanEnvironment(environment)

    def _named(self, configuration: Configuration) -> dict[str, str]:
        return {self.full_name(name): str(value) for name, value in split(configuration).settings.items()}

    def passed(self, configuration: Configuration, launcher: Launcher, *, oversubscribed: bool) -> Passed:
        parts, named = split(configuration), self._named(configuration)
        others = {name: str(value) for name, value in parts.variables.items()}
        options = option_words(parts.options)
        if launcher.kind not in self.launchers:
            return Passed({**_variables(named), **others}, tuple(options))
        # Options reach the launcher, its daemons and the ranks; variables would reach only the ranks.
        settings = [word for name, value in named.items() for word in ("--mca", name, value)]
        own = oversubscribed and (_YIELD in named or "--map-by" in parts.options or "--bind-to" in parts.options)
        if own:
            # If the option came twice, the launcher would join the two values of the parameter.
            options = self._oversubscribed_options(options)
            settings += [] if _YIELD in named else ["--mca", _YIELD, "1"]
        return Passed(others, (*settings, *options), own)

    def _oversubscribed_options(self, options: list[str]) -> list[str]:
        return ["--oversubscribe", *options]

    def evidence(self, output: str) -> Evidence | None:
        effective = {match[1]: match[2] for match in _TOLD.finditer(output)}
        # If this parameter is missing in the output, the library has not printed its list.
        if _SHOW not in effective:
            return None
        ignored = {}
        if effective.get(_DYNAMIC) != "true":
            reason = f"Open MPI ignores it unless {_DYNAMIC} is true"
            ignored = {name: reason for name in effective if _FORCED.match(name)}
        return Evidence(effective, ignored)

    def is_evidence(self, line: str) -> bool:
        return _TOLD.match(line) is not None

    def provable(self, name: str) -> bool:
        return LAUNCHER_FRAMEWORKS.match(name) is None

    def needs(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        return (_DYNAMIC, ("true", "1", "yes")) if _FORCED.match(name) else None

    def advice(self, configuration: Configuration) -> Advice:
        parts, named = split(configuration), self._named(configuration)
        others = {name: str(value) for name, value in parts.variables.items()}
        words = [word for name, value in named.items() for word in ("--mca", name, value)]
        words += [word for name, value in others.items() for word in ("-x", f"{name}={value}")]
        return Advice(
            shell_lines({**_variables(named), **others}),
            shlex.join([*words, *option_words(parts.options)]),
            self.settings_file,
            "".join(f"{name} = {value}\n" for name, value in named.items()),
            "Open MPI reads this file at every start; for all users, use the installation's etc/openmpi-mca-params.conf"
            + ("; the file cannot contain options or other variables" if others or parts.options else ""),
            shlex.join(option_words(parts.options)),
            _tune_file(named, others),
        )

    def unused_components(self, catalog: Catalog, launcher: Launcher) -> frozenset[str] | None:
        own = [name for name in os.environ if name.startswith(PREFIX)]
        environment = {name: value for name, value in companion_environment(launcher).items() if name not in own}
        used = variables_in_use(launcher, ("mpicc.openmpi", "mpicc"), environment, own)
        if used is None:
            return None
        components = {match[0] for name in used if (match := _COMPONENT.match(name))}
        matches = ((name, _COMPONENT.match(name)) for name in catalog.variables)
        return frozenset(name for name, match in matches if match is not None and match[0] not in components)

    def is_network_only(self, variable: Variable) -> bool:
        return _NETWORK.match(variable.name) is not None

    def preselected(self, variable: Variable) -> bool:
        return not variable.alias and _PRESELECTED.match(variable.name) is not None

    def relevant(self, variable: Variable) -> bool:
        return (
            not variable.alias
            and _RELEVANT.search(variable.name) is not None
            and _DIAGNOSTIC.search(variable.name) is None
        )


def _tune_file(named: dict[str, str], others: dict[str, str]) -> str:
    """Return the file for mpirun's --tune, which splits lines at spaces; empty if a value contains one."""
    if any(len(value.split()) != 1 for value in (*named.values(), *others.values())):
        return ""
    lines = [f"--mca {name} {value}" for name, value in named.items()]
    lines += [f"-x {name}={value}" for name, value in others.items()]
    return "".join(f"{line}\n" for line in lines)


def _variables(named: dict[str, str]) -> dict[str, str]:
    return {f"{PREFIX}{name}": value for name, value in named.items()}


class OpenMpi4(_OpenMpi):
    """Open MPI up to version 4."""

    key: ClassVar[str] = "openmpi4"
    title: ClassVar[str] = "Open MPI 4"
    launchers: ClassVar[tuple[LauncherKind, ...]] = (OPEN_MPI_4,)


class OpenMpi5(_OpenMpi):
    """Open MPI from version 5 on."""

    key: ClassVar[str] = "openmpi5"
    title: ClassVar[str] = "Open MPI 5"
    launchers: ClassVar[tuple[LauncherKind, ...]] = (OPEN_MPI_5,)

    def own_settings(self, home: Launcher, catalog: Catalog, *, started_by: Launcher) -> tuple[OwnSetting, ...]:
        return (*super().own_settings(home, catalog, started_by=started_by), *settings_of_launcher(home))

    def _oversubscribed_options(self, options: list[str]) -> list[str]:
        # From version 5 on, oversubscription is part of the mapping.
        if "--map-by" not in options:
            return ["--map-by", ":OVERSUBSCRIBE", *options]
        place = options.index("--map-by") + 1
        return [*options[:place], f"{options[place]}:OVERSUBSCRIBE", *options[place + 1 :]]
