"""Profiles and experiments of other tools: CUBE, Extra-P's archives and older JSON, Thicket, Hatchet."""

from __future__ import annotations

import io
import json
import os
import struct
import threading
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cube_support import write_cube
from support import within

from adcl.errors import AdclError
from adcl.scale import open_any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]


def _rows(path: Path) -> tuple[dict[tuple[str, str], list[tuple[dict[str, float], tuple[float, ...]]]], list[str], str]:
    found = open_any(path)
    rows: dict[tuple[str, str], list[tuple[dict[str, float], tuple[float, ...]]]] = {}
    for one in found.rows:
        rows.setdefault((one.function, one.metric), []).append((one.parameters, one.repetitions))
    return rows, found.notes, found.kind


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_profile_has_call_paths_and_the_slowest_rank(tmp_path: Path, order: str) -> None:
    write_cube(tmp_path / "profile.cubex", [[9.0, 10.0], [6.0, 8.0], [1.0, 5.0]], [[1, 1], [3, 2], [7, 7]], order)
    rows, notes, kind = _rows(tmp_path / "profile.cubex")
    assert kind == "CUBE profile"
    assert rows["main", "inclusive_time_s"] == [({"p": 2.0}, (10.0,))], "the number of processes is p"
    assert rows["main", "time_s"] == [({"p": 2.0}, (3.0,))]
    assert rows["main/solve", "time_s"] == [({"p": 2.0}, (5.0,))], "6 - 1 and 8 - 5: the largest"
    assert rows["main/solve/MPI_Send", "time_s"] == [({"p": 2.0}, (5.0,))]
    assert rows["main/solve", "visits"] == [({"p": 2.0}, (3.0,))]
    assert notes == ["omitted metrics that have no data or are not summed along the call tree: bytes_sent, min_time"]


def test_a_folder_of_profiles_is_a_study(tmp_path: Path, adcl: Adcl) -> None:
    for p in (2, 4, 8, 16, 32):
        for run in (1, 2):
            folder = tmp_path / "runs" / f"solver.p{p}.n1e.r{run}"
            folder.mkdir(parents=True)
            seconds = [[4.0 + p + run / 100] * 3, [3.0 + p] * 3, [1.0] * 3]
            write_cube(folder / "profile.cubex", seconds, [[1] * 3] * 3)
    expected = {"main/solve": "p", "main/solve/MPI_Send": "1"}
    study = "".join(f'[[expect]]\nfunction = "{name}"\ngrowth = "{growth}"\n' for name, growth in expected.items())
    (tmp_path / "s.toml").write_text(study, encoding="utf-8")
    added = adcl("scale", "add", "s.toml", "runs")
    assert added.code == 0, added.err
    assert added.out.startswith("runs: 90 measurements (10 CUBE profiles)")
    checked = adcl("scale", "check", "s.toml", "--json")
    assert checked.code == 0, checked.err
    assert [row["match"] for row in json.loads(checked.out)["rows"]] == ["total", "total"]


def _experiment(path: Path, rows: dict[str, list[Any]], *, kept: bool) -> None:
    """Return an archive in Extra-P's format with points p = 2, 4, and so on."""
    values, index, measurements = io.BytesIO(), list[int](), dict[str, Any]()
    values.write(b"Extra-P VALUES\0\0")
    for function, points in rows.items():
        entries = []
        for at, repetitions in enumerate(points, 1):
            entry = {"coordinate": [2.0**at], "median": float(np.median(repetitions)), "repetitions": len(repetitions)}
            entries.append({**entry, "values": [0, len(index)] if kept else None})
            index.append(values.tell())
            np.lib.format.write_array(values, np.array(repetitions))
        measurements[function] = {"time": entries}
    with zipfile.ZipFile(path, "w") as archive:
        if kept:
            archive.writestr("values/0.vals", values.getvalue())
            offsets = struct.pack(f"<{len(index) + 1}Q", len(index), *index)
            archive.writestr("values/0.indx", b"Extra-P INDEX\0\0\0" + offsets)
        archive.writestr("experiment.json", json.dumps({"parameters": ["p"], "measurements": measurements}))


def test_an_experiment_of_extra_p(tmp_path: Path) -> None:
    data = {"main->solve": [[1.0, 3.0, 2.0], [4.0, 5.0, 6.0]], "main": [[7.0], [8.0]]}
    _experiment(tmp_path / "kept.extra-p", data, kept=True)
    rows, notes, kind = _rows(tmp_path / "kept.extra-p")
    assert (kind, notes) == ("Extra-P experiment", [])
    assert rows["main->solve", "time"] == [({"p": 2.0}, (1.0, 3.0, 2.0)), ({"p": 4.0}, (4.0, 5.0, 6.0))]
    _experiment(tmp_path / "plain.extra-p", data, kept=False)
    rows, notes, _ = _rows(tmp_path / "plain.extra-p")
    assert rows["main->solve", "time"] == [({"p": 2.0}, (2.0,)), ({"p": 4.0}, (5.0,))]
    assert notes == ["measurements with only a median: 2; Extra-P keeps all values with --keep-values"]


@pytest.mark.parametrize("length", [40, 300, 700])
@pytest.mark.parametrize("name", ["kept.extra-p", "profile.cubex"])
def test_truncated_files_are_rejected(tmp_path: Path, name: str, length: int) -> None:
    path = tmp_path / name
    if name.endswith("cubex"):
        write_cube(path, [[1.0], [1.0], [1.0]], [[1], [1], [1]])
    else:
        _experiment(path, {"f": [[1.0, 2.0]] * 5}, kept=True)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(AdclError, match=name):
        list(open_any(path).rows)


def test_values_may_be_per_process(tmp_path: Path) -> None:
    path = tmp_path / "two.extra-p"
    _experiment(path, {"f": [[[1.0, 9.0], [2.0, 3.0]]]}, kept=True)
    rows, _, _ = _rows(path)
    assert rows["f", "time"] == [({"p": 2.0}, (9.0, 3.0))], "of the processes the largest"


def test_the_older_json_of_extra_p(tmp_path: Path) -> None:
    document = {
        "parameters": [{"id": 1, "name": "p"}],
        "callpaths": [{"id": 1, "name": "main"}, {"id": 2, "name": "main->io"}],
        "metrics": [{"id": 1, "name": "time"}],
        "coordinates": [
            {"id": at, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 2**at}]} for at in (1, 2)
        ],
        "measurements": [
            {"callpath_id": 2, "metric_id": 1, "coordinate_id": 2, "value": value} for value in (3.0, 4.0)
        ],
    }
    (tmp_path / "old.json").write_text(json.dumps(document), encoding="utf-8")
    rows, _, kind = _rows(tmp_path / "old.json")
    assert kind == "older Extra-P JSON"
    assert rows == {("main->io", "time"): [({"p": 4.0}, (3.0, 4.0))]}


def _ensemble() -> dict[str, Any]:
    node = {"0": ("main", [1]), "1": ("solve", [])}
    graph = {
        number: {"data": {"name": name, "type": "function"}, "children": children}
        for number, (name, children) in node.items()
    }
    profiles = {11: 2, 12: 4}
    frame = [
        {
            "node": number,
            "profile": profile,
            "rank": rank,
            "nid": 5,
            "name": "x",
            "time": p * (1.0 + rank),
            "time (inc)": 9.0,
        }
        for profile, p in profiles.items()
        for number in (0, 1)
        for rank in (0, 1)
    ]
    metadata = [
        {"profile": profile, "jobsize": str(p), "launchdate": 1700000000 + p, "cluster": "a", "size": 30}
        for profile, p in profiles.items()
    ]
    indices = ["node", "profile", "rank"]
    return {"graph": [graph], "dataframe_indices": indices, "dataframe": frame, "metadata": metadata}


def test_an_ensemble_of_thicket(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(_ensemble()), encoding="utf-8")
    rows, notes, kind = _rows(tmp_path / "t.json")
    assert (kind, notes) == ("Thicket", [])
    assert rows["main/solve", "time_s"] == [({"p": 2.0}, (4.0,)), ({"p": 4.0}, (8.0,))]
    assert set(rows) == {(path, metric) for path in ("main", "main/solve") for metric in ("time_s", "inclusive_time_s")}


def test_a_frame_of_hatchet_has_no_parameters(tmp_path: Path) -> None:
    document = {name: value for name, value in _ensemble().items() if name != "metadata"}
    (tmp_path / "h.json").write_text(json.dumps(document), encoding="utf-8")
    rows, notes, kind = _rows(tmp_path / "h.json")
    assert kind == "Hatchet"
    assert rows["main", "inclusive_time_s"] == [({}, (9.0,)), ({}, (9.0,))]
    assert notes == ["no parameters found; put them into the file name, as in solver.p8.n100.json"]


def test_a_frame_of_hatchet_has_the_parameters_of_its_name(tmp_path: Path) -> None:
    document = {name: value for name, value in _ensemble().items() if name != "metadata"}
    path = tmp_path / "solver.p8.n100.r3.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    rows, notes, _ = _rows(path)
    assert rows["main", "inclusive_time_s"] == [({"p": 8.0, "n": 100.0}, (9.0,))] * 2
    assert not notes


def test_records_may_come_through_a_pipe(tmp_path: Path, adcl: Adcl) -> None:
    """The detection of archives does not consume data from the pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    line = {"schema": 1, "function": "f", "metric": "time_s", "parameters": {"p": 2.0}, "repetitions": [1.0]}
    writer = threading.Thread(target=pipe.write_text, args=((json.dumps(line) + "\n") * 200, "utf-8"), daemon=True)
    writer.start()
    (tmp_path / "s.toml").write_text('[[expect]]\nfunction = "f"\n', encoding="utf-8")
    added = adcl("scale", "add", "s.toml", "pipe", timeout_s=20.0)
    assert added.out == "pipe: 200 measurements (records)\n", added.err
    writer.join(timeout=within(10))
