"""Tuning files in both forms: parsing, error messages, and writing."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from adcl._source import Source, SourceError
from adcl.errors import UsageError
from adcl.tune.file._objective import Objective
from adcl.tune.file._pipo import write_pipo
from adcl.tune.file._read import load, parse
from adcl.tune.file._toml_writer import write_toml
from adcl.tune.file._tuning_file import Budget, Case, Preparation, TuningFile, search_names
from adcl.tune.space._constraint import Constraint
from adcl.tune.space._space import Choices, Condition, Parameter, Space, Steps

if TYPE_CHECKING:
    from adcl.tune.space._space import Value

FILES = Path(__file__).parent / "tuning_files"


def _parsed(text: str) -> TuningFile:
    return parse(Source(text, "f"))


def test_first_listing_of_the_paper_has_1024_scenarios() -> None:
    file = load(FILES / "exhaustive.pipo")
    assert (file.mpi, file.search, file.space.size()) == ("ibm", "exhaustive", 1024)
    assert len(list(file.space)) == 1024
    assert file.space.parameter("eager_limit").values == (1024, 9216, 17408, 25600, 33792, 41984, 50176, 58368)


def test_second_listing_of_the_paper() -> None:
    file = load(FILES / "heuristic.pipo")
    assert file.search == "gde3"
    assert file.search_options == {"population": 10, "elite": 5}, "section 4.1"
    assert [one.name for one in file.space.parameters] == [
        *("eager_limit", "buffer_mem", "use_bulk_xfer", "bulk_min_msg_size", "task_affinity", "pe_affinity"),
        *("cc_scratch_buf", "wait_mode", "css_interrupt", "polling_interval"),
    ]
    assert file.space.parameter("bulk_min_msg_size").domain == Steps(4096, 1048576)
    assert file.space.parameter("task_affinity").domain == Choices(("CORE", "MCM"))
    assert len(file.space.parameter("polling_interval").values) == 100


@pytest.mark.parametrize("name", ["exhaustive.pipo", "heuristic.pipo"])
@pytest.mark.parametrize("write", [write_pipo, write_toml])
def test_listings_round_trip(name: str, write: object) -> None:
    file = load(FILES / name)
    assert callable(write)
    assert _parsed(write(file)) == file


def test_other_spellings_of_the_paper_form() -> None:
    file = _parsed(
        "# head\n\nMPIPO_BEGIN Intel // why not\n a = 1:*4:100 ;b=x , y,CORE:2;c=-5:5:5; SEARCH = random;\nMPIPO_END\n#"
    )
    assert (file.mpi, file.search) == ("intel", "random")
    assert [one.domain for one in file.space.parameters] == [
        Steps(1, 100, multiply=4),
        Choices(("x", "y", "CORE:2")),
        Steps(-5, 5, 5),
    ]
    assert file.space.parameter("a").values == (1, 4, 16, 64)


_PIPO_MISTAKES = {
    "MPI_PIPO START ibm": (1, 1, "expected MPI_PIPO BEGIN, found 'MPI_PIPO'"),
    "MPI_PIPO BEGIN imb\na=1;\nMPI_PIPO END": (1, 16, "expected an MPI library .*, found 'imb'; did you mean ibm"),
    "MPI_PIPO BEGIN ibm\na=1,2\nb=3;\nMPI_PIPO END": (3, 1, "expected ';' after the values of a, found 'b'"),
    "MPI_PIPO BEGIN ibm\na 1;\nMPI_PIPO END": (2, 3, "expected '=' after a, found '1'"),
    "MPI_PIPO BEGIN ibm\na=;\nMPI_PIPO END": (2, 3, "expected a value of a, found ';'"),
    "MPI_PIPO BEGIN ibm\na=x,;\nMPI_PIPO END": (2, 5, "expected a value of a, found ';'"),
    "MPI_PIPO BEGIN ibm\na=1:64K;\nMPI_PIPO END": (2, 5, "expected the step or the end of a, .*, found '64K'"),
    "MPI_PIPO BEGIN ibm\na=1:2:;\nMPI_PIPO END": (2, 7, "expected the end of a, a whole number, found ';'"),
    "MPI_PIPO BEGIN ibm\na=1:*2;\nMPI_PIPO END": (2, 7, "expected ':' and the end of a, found ';'"),
    "MPI_PIPO BEGIN ibm\na=9:1;\nMPI_PIPO END": (2, 3, "a: a range cannot go from 9 to the smaller 1"),
    "MPI_PIPO BEGIN ibm\na=1:0:4;\nMPI_PIPO END": (2, 3, "a: the step"),
    "MPI_PIPO BEGIN ibm\na=x,y,x;\nMPI_PIPO END": (2, 3, "a: the value x is listed twice"),
    "MPI_PIPO BEGIN ibm\na=1;\n  a=2;\nMPI_PIPO END": (3, 3, "duplicate name 'a'; it is already set at 2:1"),
    "MPI_PIPO BEGIN ibm\nSEARCH=gde4;\nMPI_PIPO END": (2, 8, "expected a search .*, found 'gde4'; did you mean gde3"),
    "MPI_PIPO BEGIN ibm\na=1;\n": (3, 1, "expected a parameter's name, SEARCH or MPI_PIPO END, found the end"),
    "MPI_PIPO BEGIN ibm\na=1;\nMPI_PIPO END\nb=2;": (4, 1, "expected the end of the file .*, found 'b'"),
}


@pytest.mark.parametrize("text", _PIPO_MISTAKES)
def test_mistakes_in_the_paper_form(text: str) -> None:
    line, column, message = _PIPO_MISTAKES[text]
    with pytest.raises(SourceError, match=message) as caught:
        _parsed(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"f:{line}:{column}: ")


def test_all_features_of_toml_files() -> None:
    file = load(FILES / "everything.toml")
    dynamic = Parameter("coll_tuned_use_dynamic_rules", Choices(("true", "false")))
    assert file == TuningFile(
        "openmpi5",
        Space(
            (
                Parameter("btl_sm_eager_limit", Steps(1024, 65536, multiply=2), 4096),
                Parameter("btl_sm_max_send_size", Steps(8192, 131072, 8192)),
                dynamic,
                Parameter(
                    "coll_tuned_bcast_algorithm",
                    Choices(("ring", "chain", 5)),
                    when=Condition("coll_tuned_use_dynamic_rules", ("true",)),
                ),
                Parameter("env:UCX_TLS", Choices(("a,b", 'with "quotes"'))),
                Parameter("mpi_yield_when_idle", Choices(("true", "false")), "false"),
            ),
            (
                Constraint("btl_sm_max_send_size >= btl_sm_eager_limit"),
                Constraint('coll_tuned_use_dynamic_rules == "true" or btl_sm_eager_limit < 64K'),
            ),
        ),
        "gde3",
        {"population": 10, "crossover": 0.9},
        (Objective("output", "Time in seconds = *([0-9.]+)", "mean"), Objective("energy")),
        r"VERIFICATION\s+SUCCESSFUL",
        Budget(300, 5400.0),
        Preparation(own_folder=True, files=("mesh", "input/a.dat"), setup="make-input > b.dat", cleanup="rm -f out.*"),
        (Case("small", arguments=("--n", "32"), weight=2.5), Case("large", "./other", ranks=4)),
    )
    assert _parsed(write_toml(file)) == file


_HEAD = 'mpi = "ibm"\n'
_TOML_MISTAKES = {
    "mpi = ": (1, 7, "invalid TOML"),
    'mpi = "ibm"\nx = [1,\n': (3, 1, "invalid TOML"),
    "[parameters]\na=[1]": (1, 1, 'expected mpi = "…"'),
    'mpi = "opnempi"\n[parameters]': (1, 7, "found 'opnempi'; did you mean openmpi"),
    f"{_HEAD}": (1, 1, r"expected a table \[parameters\]"),
    f"{_HEAD}serach = 'gde3'\n[parameters]": (2, 1, "found 'serach'; did you mean search"),
    f"{_HEAD}search = 'gde4'\n[parameters]": (2, 10, "search: expected one of .*; did you mean gde3"),
    f"{_HEAD}[parameters]\na = 5": (3, 5, "a: expected a list of values, or .*, found 5"),
    f"{_HEAD}[parameters]\na = [1, 2.5]": (3, 9, "a: expected text or a whole number, found 2.5"),
    f"{_HEAD}[parameters]\na = []": (3, 5, "a: a list of values cannot be empty"),
    f"{_HEAD}[parameters]\na = {{ from = 1, too = 5 }}": (3, 17, "found 'too'; did you mean to"),
    f"{_HEAD}[parameters]\na = {{ from = 1 }}": (3, 5, "a: expected values = .*, found no to"),
    f"{_HEAD}[parameters]\na = {{ from = '1', to = 2 }}": (3, 14, "from: expected a whole number, found '1'"),
    f"{_HEAD}[parameters]\na = {{ from = 5, to = 2 }}": (3, 5, "a: a range cannot go from 5"),
    f"{_HEAD}[parameters]\n[parameters.a]\nvalues = [1]\nto = 3": (5, 1, "either values or a range, found both"),
    f"{_HEAD}[parameters]\na = [1]\nb = {{ values = [2], when = {{ c = 1 }} }}": (4, 30, "this file, found 'c'"),
    f"{_HEAD}[parameters]\na = [1]\nb = {{ values = [2], when = {{ a = 3 }} }}": (
        4,
        34,
        r"a value of a \(1\), found 3",
    ),
    f"{_HEAD}constraints = ['a < 3', 'a >']\n[parameters]\na = [1]": (2, 29, "expected a parameter, a number"),
    f"{_HEAD}constraints = ['a == yes']\n[parameters]\na = ['yes']": (2, 22, "found 'yes'; write text in quotes; "),
    f"{_HEAD}expect = '('\n[parameters]\na = [1]": (2, 10, "expect: expected a regular expression"),
    f"{_HEAD}[parameters]\na = [1]\n[objective]\npattern = 'x'": (5, 11, "must have one group"),
    f"{_HEAD}[parameters]\na = [1]\n[objective]\nmeasure = 'output'": (5, 11, "requires a pattern"),
    f"{_HEAD}[parameters]\na = [1]\n[objective]\nmeasure = 'wal'": (5, 11, "found 'wal'; did you mean wall"),
    f"{_HEAD}[parameters]\na = [1]\n[[objective]]\n[[objective]]": (5, 3, "found 'wall' twice"),
    f"{_HEAD}[parameters]\na = [1]\n[budget]\ntime = '5 minutes'": (5, 8, "time: expected a time such as"),
    f"{_HEAD}[parameters]\na = [1]\n[[case]]\nranks = 3": (4, 3, 'case: expected a name = "…", found none'),
    f"{_HEAD}[parameters]\na = [1]\n[[case]]\nname = 'x'\nranks = 1": (6, 9, "ranks: expected 2 or more, found 1"),
    f"{_HEAD}[parameters]\na = [1]\n[[case]]\nname = 'x'\nweight = 0": (6, 10, "weight: expected a number above 0"),
    f"{_HEAD}[parameters]\na = [1]\n[[case]]\nname = 'x'\n[[case]]\nname = 'x'": (7, 8, "duplicate name 'x'"),
    f"{_HEAD}[parameters]\na = [1]\n[case]\nname = 'x'": (4, 2, r"tables written \[\[case\]\]"),
    f"{_HEAD}[parameters]\na = [1]\n[budget]\ntrials = 0": (5, 10, "trials: expected at least 1, found 0"),
    f"{_HEAD}[parameters]\na = [1]\n[trial]\nset_up = 'x'": (5, 1, "found 'set_up'; did you mean setup"),
    f"{_HEAD}[parameters]\na = [1]\n[trial]\nfiles = ['../x']": (5, 10, "in or below the current folder, found '../x'"),
    f"{_HEAD}[parameters]\na = [1]\n[trial]\nfiles = [1]": (5, 10, "files: expected text, found 1"),
    f"{_HEAD}[parameters]\na = [1]\n[trial]\nfiles = ['x']\nfolder = false": (6, 10, "true because files are listed"),
}


@pytest.mark.parametrize("text", _TOML_MISTAKES)
def test_mistakes_in_toml(text: str) -> None:
    line, column, message = _TOML_MISTAKES[text]
    with pytest.raises(SourceError, match=message) as caught:
        _parsed(text)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)


def _random_file(random_source: random.Random) -> TuningFile:
    def word() -> str:
        letters = "abcXYZ019_-.:/ \"'\\#=,;[]{}é\t"
        return "".join(random_source.choice(letters) for _ in range(random_source.randint(1, 8)))

    def domain() -> Steps | Choices:
        start, kind = random_source.randint(1, 100), random_source.randrange(4)
        end = start + random_source.randint(0, 10_000)
        if kind == 0:
            return Steps(start, end)
        if kind == 1:
            return Steps(start, end, add=random_source.randint(1, 50))
        if kind == 2:
            return Steps(start, end, multiply=random_source.randint(2, 9))
        values: list[Value] = [random_source.randint(-9, 9), *(word() for _ in range(3))]
        return Choices(tuple(dict.fromkeys(values)))

    parameters: list[Parameter] = []
    for number in range(random_source.randint(1, 6)):
        when = None
        if parameters and random_source.random() < 0.5:
            master = random_source.choice(parameters)
            when = Condition(master.name, tuple(random_source.sample(master.values, 1)))
        default = random_source.choice([None, 5, word()])
        parameters.append(Parameter(f"{word()}{number}", domain(), default, when))
    return TuningFile(
        "mpich",
        Space(tuple(parameters)),
        random_source.choice([None, *search_names()]),
        expect=random_source.choice([None, re.escape(word())]),
        budget=random_source.choice([Budget(), Budget(3, 1.5)]),
        preparation=random_source.choice(
            [
                Preparation(),
                Preparation(own_folder=True),
                Preparation(own_folder=True, files=(word().replace("/", "_"),), setup=word()),
            ]
        ),
    )


def test_random_files_round_trip_through_toml() -> None:
    seed = random.randrange(1 << 30)
    random_source = random.Random(seed)
    for _ in range(200):
        file = _random_file(random_source)
        assert _parsed(write_toml(file)) == file, f"seed {seed}"


@pytest.mark.parametrize(
    "parameter",
    [
        Parameter("a", Choices(("x y",))),
        Parameter("a", Choices(("a,b",))),
        Parameter("a", Choices(("1:2",))),
        Parameter("a", Choices(("1",))),
        Parameter("--bind-to", Choices((1,))),
        Parameter("a", Choices((1,)), default=1),
    ],
)
def test_features_missing_in_the_paper_form_are_rejected(parameter: Parameter) -> None:
    with pytest.raises(UsageError, match="the paper's form"):
        write_pipo(TuningFile("ibm", Space((parameter,)), "exhaustive"))


_VALUES: dict[str, Value] = {"a": 4, "b": 6, "t": "yes", "n": "12"}
_HOLD = ["a < b", "a*2-2 == b", "b % a == 2", "not a > b", "a > b or t == 'yes'", "-a < 0 and (b-a)*2 >= 4"]
_HOLD += ["a == 4 and b == 6 or a == 9", 'not (t != "yes")', "n == 12", "1K == 1024 and 2M == 2*1024K", "`a` <= 4"]
_HOLD += ["b/a == 3/2", "a > zz", "not a < zz"]
_HOLD += ["a == 4 or b == 6 and t == 'no'", "t == 'no' and b == 6 or a == 4", "not a == 9 and b == 6"]
_HOLD += ["a + b * 2 == 16", "b - a / 2 == 4", "2 + b % a == 4", "b - a + 1 == 3", "b / 2 * 3 == 9", "-a + b == 2"]


@pytest.mark.parametrize("text", _HOLD)
def test_constraints_that_hold(text: str) -> None:
    assert Constraint(text).holds(_VALUES)


_FAIL = ["a > b", "not a < b", "t == 'no'", "a - b - b >= 0", "a == 4 and (b == 7 or b == 8)"]
_FAIL += ["(a == 4 or b == 6) and t == 'no'", "t == 'no' and (b == 6 or a == 4)", "not (a == 9 or b == 6)"]
_FAIL += ["(a + b) * 2 == 16", "(b - a) / 2 == 4", "-(a + b) == 2"]


@pytest.mark.parametrize("text", _FAIL)
def test_constraints_that_do_not_hold(text: str) -> None:
    assert not Constraint(text).holds(_VALUES)


_WRONG = {
    "": 1,
    "a <": 4,
    "a = 4": 3,
    "a < 4 b": 7,
    "(a < 4": 7,
    "a & b": 3,
    "a < 4.5": 5,
    "a < 4k": 6,
    "f(a)": 2,
    "a < b < 3": 9,
    "__import__('os')": 11,
    "a.b == 1": 2,
    "a ^ 2 == 4": 3,
    "a == {4}": 6,
    "a == 1)": 7,
    "a == not b": 10,
    "(" * 100 + "a" + ")" * 100: None,
    "-" * 5000 + "a": None,
}


@pytest.mark.parametrize("text", _WRONG)
def test_invalid_constraints(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Constraint(text)
    if _WRONG[text] is not None:
        assert getattr(caught.value, "column", None) == _WRONG[text], str(caught.value)


@pytest.mark.parametrize("text", ["a < t", "a + t == 3", "a / (b - 6) == 1", "a + b", "a and b == 6", "not a"])
def test_constraints_that_cannot_be_evaluated(text: str) -> None:
    with pytest.raises(UsageError, match="constraint"):
        Constraint(text).holds(_VALUES)


def test_objective_reads_numbers() -> None:
    output = "t = 3.5\nnoise\nt = 1e0\n"
    expected = {"first": 3.5, "last": 1.0, "smallest": 1.0, "largest": 3.5, "sum": 4.5, "mean": 2.25}
    for take, value in expected.items():
        assert Objective("output", r"^t = (\S+)", take).printed(output) == value  # type: ignore[arg-type]
    assert Objective("output", r"^t = (\S+)", larger_is_better=True).printed("t = 4") == 0.25


@pytest.mark.parametrize("output", ["", "t = x", "t = nan", "t = inf", "t = 1 2", "T = 3"])
def test_objective_rejects_invalid_output(output: str) -> None:
    from adcl.tune.file._objective import BadOutputError

    with pytest.raises(BadOutputError):
        Objective("output", r"^t = (.*)$").printed(output)
