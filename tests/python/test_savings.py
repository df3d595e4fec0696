"""The interposer's report: output of `adcl report`, and runs with `adcl run --tune`."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT

from adcl.errors import DataError
from adcl.trace import gain, history_sentence, is_savings_report, outcome, read_savings, sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended


def _row(**changed: Any) -> dict[str, Any]:
    return {
        "call": "MPI_Alltoall",
        "up_to_bytes": 65536,
        "state": "production",
        "winner": "Shm_Linear",
        "reason": "",
        "searches": 1,
        "calls": 20000,
        "winner_calls": 18000,
        "seconds": 1.2,
        "winner_seconds": 1.0,
        "search_seconds": 0.02,
        "pairs": 16,
        "saved": {"seconds": 0.5, "low": 0.4, "high": 0.6},
        "with_any_bits": None,
        "guidelines": [],
        **changed,
    }


def _report(tmp_path: Path, *rows: dict[str, Any], **changed: Any) -> Path:
    document = {
        "adcl_interpose": 1,
        "program": "solver",
        "mpi_library": "MPI 1.0",
        "ranks": 2,
        "seconds": 10.0,
        "bits": "native",
        "collective_seconds": 1.2,
        "search_seconds": 0.02,
        "saved": {"seconds": 0.5, "low": 0.4, "high": 0.6},
        "with_any_bits": None,
        "searched": rows,
        "passed": {"MPI_Barrier": 7},
        **changed,
    }
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_the_sentence_has_the_saved_time_and_its_interval(tmp_path: Path) -> None:
    report = read_savings(_report(tmp_path, _row()))
    assert sentence(report) == (
        "ADCL saved 500 ms (95 % interval 400 ms to 600 ms) in solver on 2 ranks (10.0 s); the searches cost 20.0 ms."
    )
    assert outcome(report.searched[0]) == "Shm_Linear"


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        ({"seconds": -0.1, "low": -0.2, "high": -0.05}, "ADCL lost 100 ms (95 % interval -200 ms to -50.0 ms)"),
        ({"seconds": 0.1, "low": -0.2, "high": 0.3}, "ADCL made no measurable difference"),
    ],
)
def test_losses_and_uncertainty_are_said(tmp_path: Path, saved: dict[str, float], words: str) -> None:
    assert sentence(read_savings(_report(tmp_path, _row(), saved=saved))).startswith(words)


def test_nothing_is_claimed_without_a_comparison(tmp_path: Path) -> None:
    kept = _row(state="native", winner="", reason="no candidate is faster", winner_calls=0, saved=None)
    report = read_savings(_report(tmp_path, kept))
    assert sentence(report).startswith("ADCL kept the MPI library's calls in solver")
    assert outcome(report.searched[0]) == "MPI library: no candidate is faster"
    short = read_savings(_report(tmp_path, _row(saved=None)))
    assert "too few calls to measure" in sentence(short)
    assert gain(short.searched[0]) == "–"


def test_too_few_calls_name_the_comparison_that_chose_the_winner(tmp_path: Path) -> None:
    proof = {"speedup": 1.91, "low": 1.7, "high": 2.25}
    short = read_savings(_report(tmp_path, _row(saved=None, proof=proof), _row(saved=None, winner_calls=0)))
    assert sentence(short) == (
        "ADCL used codelets in solver on 2 ranks (10.0 s) for too few calls to measure the saved time; "
        "when ADCL chose Shm_Linear, it was 1.91× as fast (1.70× to 2.25×) as MPI_Alltoall of the MPI library; "
        "the searches cost 20.0 ms."
    )
    assert gain(short.searched[0]) == "too few calls to measure; when chosen, 1.91× as fast (1.70× to 2.25×)"
    measured = read_savings(_report(tmp_path, _row(proof=proof)))
    assert "when" not in sentence(measured)


def test_a_dry_run_is_described_in_the_conditional(tmp_path: Path) -> None:
    saved = {"seconds": 0.5, "low": 0.4, "high": 0.6}
    row = _row(state="recommended", saved=None, would_save=saved)
    report = read_savings(_report(tmp_path, row, mode="measure", would_save=saved))
    assert sentence(report) == (
        "ADCL would have saved 500 ms (95 % interval 400 ms to 600 ms) in solver on 2 ranks (10.0 s); "
        "the searches cost 20.0 ms, and all other calls ran the MPI library's functions."
    )
    assert outcome(report.searched[0]) == "MPI library: Shm_Linear would run, but this is a dry run"
    for changed, words in (
        ({"seconds": -0.1, "low": -0.2, "high": -0.05}, "ADCL would have lost 100 ms"),
        ({"seconds": 0.1, "low": -0.2, "high": 0.3}, "ADCL would have made no measurable difference"),
    ):
        said = sentence(read_savings(_report(tmp_path, row, mode="measure", would_save=changed)))
        assert said.startswith(words)
    few = read_savings(_report(tmp_path, {**row, "would_save": None}, mode="measure", would_save=saved))
    assert "too few calls to estimate" in sentence(few)
    kept = _row(state="native", winner="", reason="no candidate is faster", winner_calls=0, saved=None)
    none = read_savings(_report(tmp_path, kept, mode="measure", would_save=saved))
    assert sentence(none).startswith("ADCL would have kept the MPI library's calls in solver")


def test_the_history_is_named_with_what_was_not_stored(tmp_path: Path) -> None:
    used = {"folder": "/home/user/history", "known": 1, "stored": 0, "trouble": "the disk is full"}
    report = read_savings(_report(tmp_path, _row(), history=used))
    assert history_sentence(report) == "history in /home/user/history: read 1 entry, stored nothing (the disk is full)"
    assert history_sentence(read_savings(_report(tmp_path, _row()))) == "history: off"


def test_the_command_prints_a_row_for_each_kind_of_call(tmp_path: Path, adcl: Callable[..., Ended]) -> None:
    done = adcl("report", str(_report(tmp_path, _row())))
    assert done.code == 0, done.err
    assert done.out.startswith("ADCL saved 500 ms")
    assert "MPI_Alltoall" in done.out
    assert "Shm_Linear" in done.out
    assert "calls passed through to the MPI library: 7 MPI_Barrier" in done.out
    mixed = adcl("report", str(_report(tmp_path, _row(call="MPI_Alltoallv", up_to_bytes=0))))
    assert "any size" in mixed.out
    parsed = json.loads(adcl("report", "--json", str(tmp_path / "report.json")).out)
    assert parsed["saved"] == {"seconds": 0.5, "low": 0.4, "high": 0.6}


_ANY = {"seconds": 0.12, "low": 0.1, "high": 0.14}
_BITS = "the last bits of a floating-point reduction may differ (ADCL_INTERPOSE_BITS=native)"


def test_the_estimate_of_other_bits_is_in_the_sentence_and_in_its_row(tmp_path: Path) -> None:
    kept = _row(winner="Doubling", state="native", reason=_BITS, saved=None, winner_calls=0, with_any_bits=_ANY)
    report = read_savings(_report(tmp_path, _row(), kept, with_any_bits=_ANY))
    assert sentence(report).endswith(
        "; the searches cost 20.0 ms. ADCL_INTERPOSE_BITS=any would save another 120 ms (100 ms to 140 ms)."
    )
    assert outcome(report.searched[1]) == f"MPI library: {_BITS}"
    assert gain(report.searched[1]) == "Doubling would save 120 ms (100 ms to 140 ms) with ADCL_INTERPOSE_BITS=any"
    assert gain(report.searched[0]) == "500 ms (400 ms to 600 ms)"
    uncertain = read_savings(_report(tmp_path, kept, with_any_bits={"seconds": 0.1, "low": -0.1, "high": 0.3}))
    assert "ADCL_INTERPOSE_BITS" not in sentence(uncertain)


def test_the_reason_is_known_while_the_estimate_is_not(tmp_path: Path) -> None:
    report = read_savings(_report(tmp_path, _row(state="searching", winner="", reason=_BITS, saved=None)))
    assert outcome(report.searched[0]) == f"MPI library: {_BITS}"


def test_broken_guidelines_are_in_the_tables_and_on_the_page(tmp_path: Path, adcl: Callable[..., Ended]) -> None:
    broken = [{"composition": "a gather and a broadcast", "factor": 1.6, "low": 1.2}]
    report = _report(tmp_path, _row(), _row(call="MPI_Allgather", up_to_bytes=4096, guidelines=broken))
    line = "MPI_Allgather up to 4 KiB takes 1.60× the time of a gather and a broadcast"
    lines = adcl("report", str(report)).out.splitlines()
    assert lines[lines.index("guidelines that the MPI library violates:") + 1] == f"- {line}"
    adcl("report", str(report), "-o", str(tmp_path / "saved.html"))
    assert line in (tmp_path / "saved.html").read_text(encoding="utf-8")
    assert "guidelines" not in adcl("report", str(_report(tmp_path, _row()))).out


def test_the_output_is_a_page_with_the_sentence_and_all_rows(tmp_path: Path, adcl: Callable[..., Ended]) -> None:
    page = tmp_path / "saved.html"
    done = adcl("report", str(_report(tmp_path, _row(), _row(call="MPI_Bcast"))), "--output", str(page))
    assert done.code == 0, done.err
    assert done.out.splitlines() == [sentence(read_savings(tmp_path / "report.json")), f"page: {page}"]
    text = page.read_text(encoding="utf-8")
    for words in ("ADCL saved 500 ms", "MPI_Alltoall", "MPI_Bcast", "Shm_Linear", "MPI 1.0", "7 MPI_Barrier"):
        assert words in text, words


def test_the_command_prints_rows_reasons_and_history(tmp_path: Path, adcl: Callable[..., Ended]) -> None:
    exchange = _row(saved={"seconds": 0.44, "low": 0.39, "high": 0.5})
    kept = _row(
        call="MPI_Allreduce",
        up_to_bytes=8,
        state="native",
        winner="",
        reason="no candidate is faster",
        seconds=0.021,
        saved=None,
    )
    used = {"folder": "/home/user/.cache/adcl/history", "known": 1, "stored": 2, "trouble": ""}
    report = _report(tmp_path, exchange, kept, saved={"seconds": 0.44, "low": 0.39, "high": 0.5}, history=used)
    shown = adcl("report", str(report)).out
    for words in (
        "ADCL saved 440 ms (95 % interval 390 ms to 500 ms)",
        "MPI_Alltoall",
        "MPI library: no",
        "calls passed through to the MPI library: 7 MPI_Barrier",
        "history in /home/user/.cache/adcl/history: read 1 entry, stored 2 entries",
    ):
        assert words in shown, words


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = _report(tmp_path, adcl_interpose=2)
    assert is_savings_report(path)
    with pytest.raises(DataError, match="schema 1"):
        read_savings(path)
    path.write_text('{"adcl_interpose": 1', encoding="utf-8")
    with pytest.raises(DataError, match="cannot read"):
        read_savings(path)
    path.write_text("{}", encoding="utf-8")
    assert not is_savings_report(path)


_PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
  int rank = 0, size = 0, in[64] = {0}, out[64] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 200; ++i) {
    in[0] = rank + i;
    MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (out[0] != size * i + size * (size - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
def test_a_program_without_adcl_is_tuned_and_reported(tmp_path: Path, adcl: Callable[..., Ended], library: str) -> None:
    compiler = shutil.which(f"mpicc.{library}")
    built = PROJECT / f"build/{library}/lib/libadcl-interpose.so"
    if compiler is None or not built.is_file():
        pytest.skip(f"needs mpicc.{library} and {built.name}")
    (tmp_path / "program.c").write_text(_PROGRAM, encoding="utf-8")
    subprocess.run([compiler, "program.c", "-o", "program"], cwd=tmp_path, check=True)
    report = tmp_path / "report.json"
    words = ["run", "--tune", "-n", "2", "--oversubscribe", "-x", "ADCL_INTERPOSE_BUDGET=1000000"]
    words += ["-x", f"ADCL_INTERPOSE_REPORT={report}"]
    done = adcl(*words, "--", str(tmp_path / "program"))
    assert done.code == 0, done.err
    assert done.out == ""
    found = read_savings(report)
    assert found.ranks == 2
    assert found.passed == {"MPI_Barrier": 1}
    (row,) = found.searched
    assert (row.call, row.up_to_bytes, row.calls) == ("MPI_Allreduce", 16, 200)
    assert row.state != "watching"

    report.unlink()
    dry = [*words[:2], "--dry-run", *words[2:]]
    done = adcl(*dry, "--", str(tmp_path / "program"))
    assert done.code == 0, done.err
    assert read_savings(report).mode == "measure"
    assert adcl("run", "--dry-run", str(tmp_path / "program")).code == 2

    report.unlink()
    done = adcl(*words, "-x", "ADCL_INTERPOSE=off", "--", str(tmp_path / "program"))
    assert done.code == 0, done.err
    assert not report.exists()
