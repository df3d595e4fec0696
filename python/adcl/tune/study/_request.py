"""The user's request, stored in the study's folder so that the study can be continued."""

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
"""Names of members in messages, where they differ from the member's own name."""

_MAY_DIFFER = ("trials", "seconds", "crowded", "suggested", "known", "space", "own")
_OF_SEARCH = ("file_name", "file_text", "search", "method", "seed", "longest_s", "analyse", "profiler", *_MAY_DIFFER)
"""Members that may differ between studies with equal measurements. The file's text is compared separately."""


@dataclass(frozen=True)
class KnownScenario:
    """Result of an earlier study of the same program for some settings."""

    settings: dict[str, str | int]
    """All settings that were passed."""

    ratios: tuple[float, ...] | None
    """Objectives relative to the defaults; None: the scenario failed."""


@dataclass(frozen=True)
class StudyRequest:
    """The user's request. It is stored with the study, so that resuming requires no options."""

    file_name: str
    file_text: str
    program: str
    arguments: tuple[str, ...] = ()
    ranks: int = 2
    launcher: str | None = None
    """Path, name or kind of the launcher; None: the first launcher in PATH that belongs to the tuning file's MPI
    library."""

    installation: str | None = None
    """With Slurm: a launcher of the MPI library, whose installation's settings are used."""

    environment: dict[str, str | None] = field(default_factory=dict)
    cwd: str | None = None
    placement: Placement = ANYWHERE
    on: str | None = None
    """Testbed cluster; `Session.prepare` receives its placement."""

    grace_s: float = 5.0
    search: str | None = None
    method: ProfileMethod = "evidence"
    """Method for evaluating a profile; with `paper`, `gde3` also uses the options of A. Sikora et al. by default."""

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
    """Configurations from earlier studies that performed well, the best first."""

    known: tuple[KnownScenario, ...] = ()
    """Earlier results of the same program that are not measured again."""

    crowded: bool | None = None
    """Whether nodes were oversubscribed when the study began; oversubscription changes some defaults."""

    defaults: Whose = "library"
    """Origin of the defaults. Studies of earlier versions used all existing settings."""

    own: tuple[OwnSetting, ...] | None = None
    """Settings of the user or the site when the study began; None if unknown."""

    space: tuple[KeptParameter, ...] | None = None
    """Space of the study; set when the study begins."""

    def save(self, folder: Path) -> None:
        """Write the request to the study's folder. Raises `AdclError`."""
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
            remedy = "free disk space, make the folder writable, or name another folder with --study"
            raise AdclError(f"cannot write {path}: {error.strerror}; {remedy}") from error

    def differences(self, other: StudyRequest) -> list[str]:
        """Return how another request differs; budgets and derived members may differ."""
        names = (field.name for field in dataclasses.fields(self) if field.name not in _MAY_DIFFER)
        differences = []
        for name in names:
            if name == "defaults" and not self.own:
                # There were no settings of the user or the site to ignore.
                continue
            old, new = getattr(self, name), getattr(other, name)
            if old != new:
                was, is_ = ("not given" if value is None else repr(value) for value in (old, new))
                difference = f"{_WORDS.get(name, name)} was {was} and is now {is_}"
                differences.append("the tuning file has changed" if name == "file_text" else difference)
        return differences

    def runs_the_same(self, other: StudyRequest) -> bool:
        """Return whether two requests run the same program in the same way, except for the tuning file."""
        names = (field.name for field in dataclasses.fields(self) if field.name not in (*_OF_SEARCH, "defaults"))
        return all(getattr(self, name) == getattr(other, name) for name in names)

    @staticmethod
    def read(folder: Path) -> StudyRequest:
        """Read the request in a study's folder. Raises `UsageError`."""
        path = folder / REQUEST
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document.get("schema") != _SCHEMA:
                raise UsageError(
                    f"{path} was written by another version of adcl; use that version, or begin a new study"
                )
            return decode(StudyRequest, _with_placement(document["request"]))
        except OSError as error:
            raise UsageError(f"{folder} contains no study: {error.strerror} ({REQUEST})") from error
        except (ValueError, KeyError, AttributeError, DecodeError) as error:
            raise UsageError(f"{path} is damaged: {error}") from error


def _with_placement(request: dict[str, Any]) -> dict[str, Any]:
    """Convert the separate members of earlier versions."""
    names = [field.name for field in dataclasses.fields(Placement)]
    placement = {name: request[name] for name in names if name in request}
    return {"placement": placement, "defaults": "mine", **request}
