"""``python -m studies``: list, run, and render the studies. `make study` calls it."""

from __future__ import annotations

import argparse
import re
import sys
import time

from studies._catalog import Place, Study, StudyError, all_publications, all_studies, find_study
from studies._front import front_differences, write_front
from studies._listings import listing_differences, rewrite_listings
from studies._machine import record_of, store_record
from studies._page import compared, differences, page_of, write
from studies._rows import front_rows, rendered_studies, summary

__all__ = ["main"]


def _plain(cell: str) -> str:
    """Return a cell of the front page without its links."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).removesuffix(" (more)")


def _list() -> None:
    print("make study NAME=x runs a study in full, make study NAME=x QUICK=1 its quick form.\n")
    rows = front_rows(rendered_studies())
    for publication in all_publications():
        own = [one for one in rows if one.publication.key == publication.key]
        if own:
            print(publication.title)
        for one in own:
            print(f"  {one.row.name}: {one.row.shows}")
            print(f"    command {one.command}  ({one.duration})")
            print(f"    record  {_plain(one.record)}")
            print(f"    agrees  {_plain(one.agrees)}")
    print(f"\n{summary(rows)}. docs/studies.md has this list, docs/statements.md each statement.\n")
    for study in all_studies():
        print(f"{study.key}: {study.title}")
        print(f"  repeats {study.about}")
        print(f"  quick   {study.quick}")
        print(f"  full    {study.full}")
        if not study.recorded:
            print("  state   no full run is stored")
            continue
        place = Place.of(study, quick=False)
        try:
            written = page_of(place)
        except StudyError as error:
            print(f"  state   the text must be corrected: {error}")
            continue
        state = "page is out of date" if compared(place, written) else "page is current"
        print(f"  state   {state}; record of {study.record.get('date', study.record.get('commit', 'unknown'))}")
        print("".join(f"  agrees  {one}\n" for one in written.agreement), end="")


def _run(study: Study, *, quick: bool) -> None:
    place = Place.of(study, quick=quick)
    print(f"{study.key}: a {'quick' if quick else 'full'} run takes {study.quick if quick else study.full}", flush=True)
    place.folder.mkdir(parents=True, exist_ok=True)
    place.work.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    study.code().measure(place)
    if study.measures and not quick:
        store_record(study.folder / "study.toml", record_of(time.monotonic() - begin))
        place = Place.of(find_study(study.key), quick=False)
        print(f"date, commit, machine, and versions: {study.folder / 'study.toml'}")
    for one in study.code().render(place).agreement:
        print(f"agrees: {one}")
    try:
        print(f"page: {write(place)}")
    except StudyError as error:
        raise StudyError(
            f"{error}; the records are stored: correct the text, then run python -m studies render"
        ) from None


def _render() -> None:
    for study in all_studies():
        if study.recorded:
            print(write(Place.of(study, quick=False)))
    for path in rewrite_listings():
        print(path)
    print(*write_front(), sep="\n")


def _check() -> int:
    found = [line for study in all_studies() for line in differences(Place.of(study, quick=False))]
    found += [*listing_differences(), *front_differences()]
    for line in found:
        print(line)
    return 1 if found else 0


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the studies with duration and state")
    for name, text in (("run", "run a study and write its page"), ("needs", "print what must be built first")):
        command = commands.add_parser(name, help=text)
        command.add_argument("name")
        command.add_argument("--quick", action="store_true", help="run the quick form, below build/studies")
    commands.add_parser(
        "names", help="print the keys of the studies; with --check, only of those in make check"
    ).add_argument("--check", action="store_true")
    commands.add_parser("render", help="write all pages and listings from the stored records")
    commands.add_parser("check", help="list pages and listings that differ from the output of the current code")
    options = parser.parse_args(arguments)
    try:
        match options.command:
            case "list":
                _list()
            case "run":
                _run(find_study(options.name), quick=options.quick)
            case "needs":
                for preset, target in find_study(options.name).code().needs(quick=options.quick):
                    print(preset, target)
            case "names":
                print("\n".join(one.key for one in all_studies() if one.in_check or not options.check))
            case "render":
                _render()
            case _:
                return _check()
    except StudyError as error:
        print(f"studies: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
