"""Run the programs of a build on clusters and store their results, for benches that take hours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from adcl.launch import Job, Placement, detect, run
from bench._programs import FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["Named", "measure_missing", "results_of"]


class Named(Protocol):
    """A setting whose results are stored in the file with its name."""

    @property
    def name(self) -> str:
        """Name, unique in its bench."""


_S = TypeVar("_S", bound=Named)


def results_of(
    program: Path, words: Sequence[str], placement: Placement, *, library: str, ranks: int, folder: Path, limit_s: float
) -> list[Any]:
    """Return the results in the document that a program writes to the file that replaces `FILE`.

    The program runs in `folder`, because smpirun writes files to its working directory. `library` selects the launcher.
    """
    file = folder / "report.json"
    given = tuple(str(file) if word == FILE else word for word in words)
    job = Job(str(program), given, ranks=ranks, timeout_s=limit_s, placement=placement, cwd=folder)
    run(job, detect(library, program=program)).check()
    return list(json.loads(file.read_text(encoding="utf-8"))["context"]["results"])


def measure_missing(
    settings: Iterable[_S],
    folder: Path,
    enter: Callable[[], AbstractContextManager[Placement]],
    measure: Callable[[_S, Placement], Any],
    *,
    only: str = "",
    keep: bool = False,
) -> dict[_S, Any]:
    """Measure the settings of one machine whose names begin with `only`; return the results by setting.

    With `keep`, results that are already in the folder are not measured again, and the results of all settings are
    returned. `measure` returns None if it has no result. `enter` creates the machine; it is called only if something
    must be measured.
    """
    known = list(settings)
    wanted = [one for one in known if one.name.startswith(only)]
    files = {one: folder / f"{one.name}.json" for one in known}
    missing = [one for one in wanted if not keep or not files[one].exists()]
    if missing:
        with enter() as placement:
            for one in missing:
                files[one].unlink(missing_ok=True)
                if (found := measure(one, placement)) is not None:
                    files[one].write_text(json.dumps(found), encoding="utf-8")
    read = known if keep else wanted
    return {one: json.loads(files[one].read_text(encoding="utf-8")) for one in read if files[one].exists()}
