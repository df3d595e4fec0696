"""Find and describe the studies."""

from __future__ import annotations

import importlib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from studies._publications import Publication, Row, read_publication, rows_of

if TYPE_CHECKING:
    from studies._statements import Statement

__all__ = [
    "ROOT",
    "Agreement",
    "Code",
    "Place",
    "Rendered",
    "Study",
    "StudyError",
    "all_publications",
    "all_studies",
    "find_study",
]

ROOT = Path(__file__).resolve().parents[1]
"""The project's folder."""


class StudyError(Exception):
    """A study cannot be found, run, or rendered; the text names the remedy."""


@dataclass(frozen=True)
class Agreement:
    """Number of comparable statements of a publication, and number of statements that hold here."""

    what: str
    same: int
    of: int

    def __str__(self) -> str:
        return f"{self.what}: {self.same} of {self.of}"


@dataclass(frozen=True)
class Rendered:
    """Result of a study's `render`."""

    values: dict[str, str]
    """Tables and single values, by the names that ``text.md`` uses."""

    pictures: dict[str, str]
    """SVG documents by file name."""

    agreement: tuple[Agreement, ...] = ()
    statements: tuple[Statement, ...] = ()
    """Statements of the publication, and whether they hold here; docs/statements.md lists them."""

    extent: dict[str, str] = field(default_factory=dict)
    """Ranks and repetitions, if ``study.toml`` does not state them."""


@dataclass(frozen=True)
class Study:
    """Contents of a ``study.toml``."""

    folder: Path
    title: str
    publication: Publication
    redoes: tuple[Row, ...]
    """Tables and figures of the publication that the study reproduces: the contents of ``redoes.toml``, if any."""

    applies: str
    """Method that the study applies, if it reproduces nothing."""

    how: str
    """Machine: shared memory, simulated cluster, emulated cluster, or computed."""

    quick: str
    """Duration of a quick run on two cores."""

    full: str
    record: dict[str, str]
    """Last full run: date, commit, machine, versions, ranks, repetitions."""

    measures: bool = True
    """True if a run measures anything."""

    in_check: bool = False
    """True if `make check` runs the quick study."""

    @property
    def key(self) -> str:
        """Publication and study, as in ``exascaling/mafia``."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def recorded(self) -> bool:
        """True if there is a full run: ``study.toml`` names its commit."""
        return "commit" in self.record

    @property
    def about(self) -> str:
        """Tables and figures that the study reproduces, in one line."""
        if self.redoes:
            return "; ".join(f"{row.name} (section {row.section})" for row in self.redoes)
        return f"nothing: {self.applies}"

    def code(self) -> Code:
        """Import and return the study's module."""
        name = f"studies.{self.folder.parent.name}.{self.folder.name}.study"
        return cast("Code", importlib.import_module(name))


@dataclass(frozen=True)
class Place:
    """Folders of the records and the page of one run of a study."""

    study: Study
    folder: Path
    """Folder of ``records.jsonl``, ``page.md``, and pictures; for full runs, the study's own folder."""

    work: Path
    """Folder of the partial results of an interrupted run."""

    quick: bool = False

    @staticmethod
    def of(study: Study, *, quick: bool) -> Place:
        """Return the place of a full or a quick run. Quick runs stay below ``build/studies``."""
        work = ROOT / "build" / "studies" / study.key / ("quick" if quick else "full")
        return Place(study, work if quick else study.folder, work, quick)

    @property
    def records(self) -> Path:
        """Store of `adcl scale`."""
        return self.folder / "records.jsonl"


class Code(Protocol):
    """Functions of a ``study.py``."""

    def needs(self, *, quick: bool) -> list[tuple[str, str]]:
        """Return the programs to build first, as pairs of a CMake preset and a target."""

    def measure(self, place: Place) -> None:
        """Measure what is missing in `place`. Raises `StudyError`."""

    def render(self, place: Place) -> Rendered:
        """Compute tables and pictures from the records of `place`."""


def _read(path: Path) -> Study:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return Study(
            folder=path.parent,
            title=table["title"],
            publication=read_publication(path.parent.parent),
            redoes=_redoes(path.parent / "redoes.toml"),
            applies=table.get("applies", ""),
            how=table["how"],
            quick=table["quick"],
            full=table["full"],
            record={name: str(value) for name, value in table["record"].items()},
            measures=table.get("measures", True),
            in_check=table.get("in_check", False),
        )
    except KeyError as error:
        raise StudyError(f"{path}: the key {error} is missing") from error
    except ValueError as error:
        raise StudyError(str(error)) from error


def _redoes(path: Path) -> tuple[Row, ...]:
    return rows_of(tomllib.loads(path.read_text(encoding="utf-8")), path) if path.exists() else ()


def all_publications() -> list[Publication]:
    """Return the publications, sorted by folder."""
    return [read_publication(path.parent) for path in sorted((ROOT / "studies").glob("*/publication.toml"))]


def all_studies() -> list[Study]:
    """Return all studies, sorted by publication and name."""
    return [_read(path) for path in sorted((ROOT / "studies").glob("*/*/study.toml"))]


def find_study(name: str) -> Study:
    """Return the study with this key, or whose key ends with this part. Raises `StudyError`."""
    found = [one for one in all_studies() if name in (one.key, one.folder.name)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(one.key for one in found or all_studies())
    raise StudyError(f"{'several studies are' if found else 'no study is'} named {name!r}; available: {known}")
