"""Study of FT and Euler3D on simulated clusters: messages, best and worst codelets, and statements."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT

if str(PROJECT) not in sys.path:
    sys.path.append(str(PROJECT))

from studies._catalog import Place, Rendered, StudyError, find_study
from studies.thesis.simulated import study
from studies.thesis.simulated.study import Case, Measured, of_bench

if TYPE_CHECKING:
    from pathlib import Path

_FT = Case("ft", "laki", 8, "A")
_EULER = Case("euler3d", "shark", 8, "XS")


def _times(case: Case, **seconds: float) -> list[Measured]:
    codelets = study._ALLTOALL if case.program == "ft" else study._NEIGHBORHOOD
    return [Measured(case.program, case.name, one, case.message, seconds.get(one, 2.0)) for one in codelets]


def _rendered(tmp_path: Path, *every: list[Measured]) -> Rendered:
    lines = [json.dumps(asdict(one)) for own in every for one in own]
    (tmp_path / "records.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return study.render(Place(find_study("thesis/simulated"), tmp_path, tmp_path))


def _held(rendered: Rendered) -> dict[str, bool | None]:
    return {one.text.partition(":")[0]: one.holds for one in rendered.statements}


def test_messages_are_those_of_the_programs() -> None:
    assert (_FT.name, _FT.message, _FT.sent) == ("laki_8A", 2097152, 14680064)
    assert (_EULER.name, _EULER.message, _EULER.sent) == ("shark_8XS", 36000, 1512000)


def _record(**parameters: int) -> str:
    return json.dumps({"function": "alltoall:Bruck", "repetitions": [3.0, 1.0, 2.0], "parameters": parameters})


def test_records_of_the_bench_are_checked() -> None:
    assert of_bench(_FT, [_record(p=8, bytes=2097152)]) == [Measured("ft", "laki_8A", "Bruck", 2097152, 2.0)]
    with pytest.raises(StudyError, match="sent 2097151 bytes on 8 ranks, not 2097152"):
        of_bench(_FT, [_record(p=8, bytes=2097151)])
    assert of_bench(_EULER, [_record(p=8, block=30, components=5)])[0].message == 36000
    with pytest.raises(StudyError, match="sent 7200 bytes"):
        of_bench(_EULER, [_record(p=8, block=30, components=1)])


def test_statements_of_the_thesis_are_decided(tmp_path: Path) -> None:
    ft = _times(_FT, Linear=1.0, Native=1.25)
    held = _held(_rendered(tmp_path, ft, _times(_EULER, IsIr_pair=1.0, IsIr_aao=3.0)))
    assert held == {
        "The simulations send as many bytes as the programs, whose messages the profiler counts.": True,
        "laki_impi_8A": None,
        "laki_ompi_8A": True,
        "8A": True,
        "shark_8XS_eth": True,
    }
    rendered = _rendered(tmp_path, _times(_FT, Native=1.0), _times(_EULER, Sr_pair=1.0, IsIr_pair_pack=3.0))
    assert _held(rendered) == held | {"laki_ompi_8A": False, "8A": False, "shark_8XS_eth": False}
    row = "| laki_8A | Native | 0.00 | C7 (blocks of 8), 0.67 ± 0.19 | C4 (Linear), 1.83 ± 1.23 |"
    assert row in rendered.values["gains"]


def test_codelets_that_differ_little_are_equally_good(tmp_path: Path) -> None:
    rendered = _rendered(tmp_path, _times(_FT, Pairwise=1.0, Bruck=1.009, Linear=1.02))
    assert rendered.values["laki_8A/best"] == "Pairwise, Bruck"


def test_other_messages_than_the_programs_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "_EXCHANGES", 6)
    (first, *_) = _rendered(tmp_path, _times(_FT), _times(_EULER)).statements
    assert (first.here, first.holds) == ("1 of 2 cases", False)


def test_the_simulated_commands_name_platform_hosts_and_codelets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    class _Done:
        returncode, stdout, stderr = 0, "", ""

    def fake(command: list[str], **_: Any) -> _Done:
        commands.append(command)
        return _Done()

    monkeypatch.setattr("subprocess.run", fake)
    assert study._run(_EULER, _EULER.codelets, tmp_path) == []
    (command,) = commands
    assert command[:5] == ["smpirun", "-np", "8", "-platform", str(study._HERE / "shark.xml")]
    assert (tmp_path / "shark.hosts").read_text() == "shark0:2\nshark1:2\nshark2:2\nshark3:2\n"
    assert "neighborhood:IsIr_aao,neighborhood:IsIr_aao_pack" in command[command.index("--codelets") + 1]
    assert command[command.index("--block") : command.index("--block") + 4] == ["--block", "30", "--components", "5"]


def test_a_simulation_that_needs_much_memory_runs_one_codelet() -> None:
    large = Case("ft", "laki", 128, "C")
    assert large.groups == [("Native",), ("Linear_sync",), ("Pairwise",), ("Pairwise_excl",), ("Linear",)]
    assert large.arguments(large.groups[0]) == ["--codelets", "alltoall:Native", "--bytes", "131072"]
    assert _FT.groups == [_FT.codelets]
    assert _EULER.groups == [_EULER.codelets]
