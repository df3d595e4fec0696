"""What a user asked to be tuned; kept in the folder of the study, so that it can be continued."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError, UsageError
from adcl.launch import ANYWHERE, Placement
from adcl.mpi_libraries import OwnSetting, Whose  # noqa: TC001 - decode looks them up
from adcl.tune.profile import ProfileMethod  # noqa: TC001 - decode looks it up
from adcl.tune.study._kept_space import KeptParameter  # noqa: TC001 - decode looks it up

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["REQUEST", "KnownScenario", "StudyRequest"]

REQUEST = "study.json"
_SCHEMA = 1
_WORDS = {"launcher": "--mpi"}
"""What a user calls what is kept under another name."""

_MAY_DIFFER = ("trials", "seconds", "crowded", "suggested", "known", "space", "own")
_OF_SEARCH = ("file_name", "file_text", "search", "method", "seed", "longest_s", "analyse", "profiler", *_MAY_DIFFER)
"""What may differ between studies whose runs measure the same. Of the file's text, that is to be looked at."""


@dataclass(frozen=True)
class KnownScenario:
    """What an earlier study of the same program has measured of some settings."""

    settings: dict[str, str | int]
    """All that was passed."""

    ratios: tuple[float, ...] | None
    """Of each objective to that with the defaults; None: it failed."""


@dataclass(frozen=True)
class StudyRequest:
    """What the user asked for. It is kept with the study, so that the study can be resumed without saying it again."""

    file_name: str
    file_text: str
    program: str
    arguments: tuple[str, ...] = ()
    ranks: int = 2
    launcher: str | None = None
    """Path, name or kind; None takes the first in the search path of the file's MPI library."""

    installation: str | None = None
    """A launcher of the MPI library, for Slurm: settings are looked up where it is installed."""

    environment: dict[str, str | None] = field(default_factory=dict)
    cwd: str | None = None
    placement: Placement = ANYWHERE
    on: str | None = None
    """A cluster of the testbed, on which `Session.prepare` is told the placement."""

    grace_s: float = 5.0
    search: str | None = None
    method: ProfileMethod = "evidence"
    """How a profile is judged; with the paper's, `gde3` is its search too where the file says nothing else."""

    seed: int = 0
    trials: int | None = None
    seconds: float | None = None
    longest_s: float | None = None
    parallel: int = 1
    submit: bool = False
    sbatch_options: tuple[str, ...] = ()
    profiler: str | None = None
    analyse: bool = False
    suggested: tuple[dict[str, str | int], ...] = ()
    """Configurations that were good in earlier studies, the best first."""

    known: tuple[KnownScenario, ...] = ()
    """What was measured before of the same program and need not be run again."""

    crowded: bool | None = None
    """Whether a node had more ranks than cores when the study began, which some defaults depend on."""

    defaults: Whose = "library"
    """Whose values the defaults are. In studies of earlier versions, all that was set held in all runs."""

    own: tuple[OwnSetting, ...] | None = None
    """What the user or the site had set when the study began; None: it is not known."""

    space: tuple[KeptParameter, ...] | None = None
    """What is searched, once the study has begun."""

    def save(self, folder: Path) -> None:
        """Write it into the folder of a study. Raises `AdclError`."""
        path = folder / REQUEST
        part = folder / f".{REQUEST}.part"
        document = {"schema": _SCHEMA, "request": dataclasses.asdict(self)}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(document, indent=2, default=str) + "\n", encoding="utf-8")
            part.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            remedy = "make room in it, or make it writable, or name another folder with --study"
            raise AdclError(f"cannot write {path}: {error.strerror}; {remedy}") from error

    def differences(self, other: StudyRequest) -> list[str]:
        """Say in what another request differs; budgets and what was found out may."""
        names = (field.name for field in dataclasses.fields(self) if field.name not in _MAY_DIFFER)
        differences = []
        for name in names:
            if name == "defaults" and not self.own:
                # There was nothing that would be left out.
                continue
            old, new = getattr(self, name), getattr(other, name)
            if old != new:
                was, is_ = ("not given" if value is None else repr(value) for value in (old, new))
                told = f"{_WORDS.get(name, name)} was {was}, and is {is_} now"
                differences.append("the file was another one" if name == "file_text" else told)
        return differences

    def runs_the_same(self, other: StudyRequest) -> bool:
        """Whether both run the same in the same way, as far as that is not in the file."""
        names = (field.name for field in dataclasses.fields(self) if field.name not in (*_OF_SEARCH, "defaults"))
        return all(getattr(self, name) == getattr(other, name) for name in names)

    @staticmethod
    def read(folder: Path) -> StudyRequest:
        """Read it from the folder of a study. Raises `UsageError`."""
        path = folder / REQUEST
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document.get("schema") != _SCHEMA:
                raise UsageError(f"{path} was written by another version of adcl")
            return decode(StudyRequest, _with_placement(document["request"]))
        except OSError as error:
            raise UsageError(f"there is no study in {folder}: {error.strerror} ({REQUEST})") from error
        except (ValueError, KeyError, AttributeError, DecodeError) as error:
            raise UsageError(f"{path} is damaged: {error}") from error


def _with_placement(request: dict[str, Any]) -> dict[str, Any]:
    """Gather what earlier versions kept side by side."""
    names = [field.name for field in dataclasses.fields(Placement)]
    placement = {name: request[name] for name in names if name in request}
    return {"placement": placement, "defaults": "mine", **request}
