"""Parsing the parameter listings of MPI libraries, and starting files made from them. Pure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adcl._source import Source, SourceError
from adcl.errors import AdclError, UsageError
from adcl.launch import Launcher
from adcl.mpi_libraries import LIBRARIES
from adcl.mpi_libraries._catalog import Catalog, Variable
from adcl.mpi_libraries._mpi_t import parse_listing
from adcl.mpi_libraries.intel._settings import parse_impi_info
from adcl.mpi_libraries.mpich._settings import control_variable
from adcl.mpi_libraries.openmpi._info import parse_ompi_info
from adcl.tune.file import Checked, check_file, parse
from adcl.tune.file._starting_file import starting_file
from adcl.tune.space._space import Choices, Parameter, Space, Steps

if TYPE_CHECKING:
    from adcl.mpi_libraries import MpiLibrary


def _launcher(library: MpiLibrary) -> Launcher:
    return Launcher(library.launchers[0], Path("/opt/mpi/bin/launch"), "1.0")


_OMPI_INFO = """\
package:Open MPI
mca:btl:sm:param:btl_sm_eager_limit:value:4096
mca:btl:sm:param:btl_sm_eager_limit:help:Largest: "short" message
mca:btl:sm:param:btl_sm_eager_limit:type:size_t
mca:btl:vader:param:btl_vader_eager_limit:value:4096
mca:btl:vader:param:btl_vader_eager_limit:type:size_t
mca:btl:vader:param:btl_vader_eager_limit:synonym_of:name:btl_sm_eager_limit
mca:mpi:base:param:mpi_leave_pinned:value:auto
mca:mpi:base:param:mpi_leave_pinned:enumerator:value:0:false
mca:mpi:base:param:mpi_leave_pinned:enumerator:value:1:true
mca:mpi:base:param:mpi_leave_pinned:enumerator:value:-1:auto
mca:mpi:base:param:mpi_leave_pinned:type:int
mca:mpi:base:param:mpi_yield_when_idle:value:false
mca:mpi:base:param:mpi_yield_when_idle:type:bool
mca:coll:tuned:param:coll_tuned_use_dynamic_rules:value:false
mca:coll:tuned:param:coll_tuned_use_dynamic_rules:type:bool
mca:coll:tuned:param:coll_tuned_bcast_algorithm:value:ignore
mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:0:ignore
mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:3:ring
mca:coll:tuned:param:coll_tuned_bcast_algorithm:type:int
"""


def test_ompi_info() -> None:
    variables = parse_ompi_info(_OMPI_INFO)
    limit, pinned = variables["btl_sm_eager_limit"], variables["mpi_leave_pinned"]
    assert (limit.kind, limit.default, limit.minimum) == ("number", "4096", 0)
    assert limit.description == 'Largest: "short" message'
    assert (pinned.kind, dict(pinned.choices)) == ("choice", {"false": 0, "true": 1, "auto": -1})
    assert variables["btl_vader_eager_limit"].alias == "btl_sm_eager_limit"
    assert pinned.same("true", "1")
    assert not pinned.same("true", "0")
    assert variables["mpi_yield_when_idle"].same("yes", "true")


def test_starting_file_lists_the_variables_of_the_library() -> None:
    library = LIBRARIES["openmpi5"]
    catalog = Catalog("Open MPI 5", "ompi_info", parse_ompi_info(_OMPI_INFO))
    text = starting_file(library, catalog, ranks=4)
    file = parse(Source(text, "start"))
    assert file.mpi == "openmpi5"
    known = {one.name: one for one in file.space.parameters}
    assert list(known) == [
        *("coll_tuned_use_dynamic_rules", "btl_sm_eager_limit", "coll_tuned_bcast_algorithm"),
        *("mpi_leave_pinned", "mpi_yield_when_idle"),
    ]
    assert known["btl_sm_eager_limit"] == Parameter("btl_sm_eager_limit", Steps(512, 65536, multiply=2), 4096)
    bcast = known["coll_tuned_bcast_algorithm"]
    assert (bcast.values, bcast.default) == (("ignore", "ring"), "ignore")
    assert bcast.when is not None
    assert (bcast.when.parameter, bcast.when.values) == ("coll_tuned_use_dynamic_rules", ("true",))
    assert '# Largest: "short" message' in text


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("openmpi4", "coll_tuned_alltoallv_algorithm"),
        ("openmpi5", "coll_tuned_alltoallv_algorithm"),
        ("mpich", "MPIR_CVAR_ALLTOALLV_INTRA_ALGORITHM"),
        ("intel", "I_MPI_ADJUST_ALLTOALLV"),
    ],
)
def test_starting_file_has_algorithms_of_costly_collectives(key: str, name: str) -> None:
    """`adcl tune analyze` may advise to try the algorithms of any costly operation, so all must be present."""
    assert LIBRARIES[key].preselected(Variable(name, "choice"))
    assert LIBRARIES[key].operation(name) == "alltoallv"


_CELLS, _PACK = "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "MPIR_CVAR_CH4_PACK_BUFFER_SIZE"


def _mpich(cell_size: int) -> Catalog:
    sizes = {_CELLS: cell_size, _PACK: 16384}
    return Catalog("MPICH", "MPI_T", {name: Variable(name, "number", str(size)) for name, size in sizes.items()})


def _checked(monkeypatch: pytest.MonkeyPatch, parameters: str, cell_size: int = 8192) -> Checked:
    library = LIBRARIES["mpich"]
    monkeypatch.setattr(library, "catalog", lambda _: _mpich(cell_size), raising=False)
    monkeypatch.setattr(library, "own_settings", lambda *_, **__: (), raising=False)
    source = Source(f'mpi = "mpich"\n\n[parameters]\n{parameters}\n', "t.toml")
    return check_file(parse(source), _launcher(library))


def test_values_with_which_the_library_does_not_start_are_not_offered() -> None:
    """MPICH 5 fails an assertion of MPI_Init if cells are larger than the buffers for packing."""
    library = LIBRARIES["mpich"]

    text = starting_file(library, _mpich(8192))

    known = {one.name: one for one in parse(Source(text, "start")).space.parameters}
    assert known[_CELLS].values == (1024, 2048, 4096, 8192, 16384)
    assert f"# not above {_PACK}, which is 16384 by default" in text
    older = parse(Source(starting_file(library, _mpich(69632)), "start")).space
    assert max(older.parameter(_CELLS).values) == 1 << 20, "MPICH 4 has larger cells by default"


def test_values_with_which_the_library_does_not_start_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = _checked(monkeypatch, f"{_CELLS} = [8192, 16384, 65536]")
    assert alone.space.parameter(_CELLS).values == (8192, 16384)
    assert alone.notices == (f"{_CELLS} is tried only up to 16384, because {_PACK} is 16384",)

    both = _checked(monkeypatch, f"{_CELLS} = [8192, 65536]\nCH4_PACK_BUFFER_SIZE = [16384, 65536]").space
    assert [constraint.text for constraint in both.constraints] == [f"{_CELLS} <= CH4_PACK_BUFFER_SIZE"]
    assert both.size() == 3

    with pytest.raises(SourceError, match=f"t.toml:4:1: {_CELLS} must not exceed {_PACK}, which is 16384"):
        _checked(monkeypatch, f"{_CELLS} = [65536, 131072]")

    older = _checked(monkeypatch, f"{_CELLS} = [8192, 131072]", 69632).space
    assert older.parameter(_CELLS).values == (8192, 69632, 131072)


def test_variables_of_components_that_are_not_used_are_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open MPI closes unused components; their variables are gone after MPI_Init."""
    library = LIBRARIES["openmpi4"]
    names = ("pml_ob1_send_pipeline_depth", "pml_ucx_priority", "mpi_leave_pinned", "coll_tuned_x", "coll_base_y")
    catalog = Catalog("Open MPI", "", {name: Variable(name, "number", "4") for name in names})
    used = {"pml_ob1_recv_pipeline_depth", "coll_tuned_z", "coll_base_y", "pml_base_verbose"}
    monkeypatch.setattr("adcl.mpi_libraries.openmpi._settings.variables_in_use", lambda *_: frozenset(used))

    unused = library.unused_components(catalog, _launcher(library))
    text = starting_file(library, catalog, unused=unused or ())

    assert unused == frozenset({"pml_ucx_priority"})
    assert "pml_ob1_send_pipeline_depth = " in text
    assert "pml_ucx" not in text
    assert "pml_ucx" in starting_file(library, catalog, unused=unused or (), everything=True)


def test_without_a_startable_program_no_variable_is_omitted() -> None:
    library = LIBRARIES["openmpi4"]
    assert library.unused_components(Catalog("Open MPI", "", {}), _launcher(library)) is None


def test_defaults_come_from_the_library() -> None:
    catalog = Catalog("Open MPI 5", "ompi_info", parse_ompi_info(_OMPI_INFO))
    space = Space(
        (
            Parameter("btl_sm_eager_limit", Steps(1024, 8192, multiply=2)),
            Parameter("mpi_yield_when_idle", Choices((1, 0))),
            Parameter("mpi_leave_pinned", Choices(("unset", 0, 1))),
            Parameter("own", Choices(("unset", 7)), default=7),
            Parameter("env:UCX_TLS", Choices(("sm,self", "unset"))),
            Parameter("--bind-to", Choices(("core", "none"))),
        )
    )
    names = {one.name: one.name for one in space.parameters if one.name.isidentifier()}
    filled = catalog.with_defaults(space, names)
    assert [one.default for one in filled.parameters] == [4096, 0, "unset", 7, "unset", None]


def test_mpi_t_of_a_library_without_enumerations() -> None:
    joined = "Select barrier algorithmauto - Internal (or X)nb   - Force nonblocking algorithmsmp - Force smp"
    variable = {"type": "int", "scope": "all_eq", "bound": False, "value": "0"}
    described = {"A": "Pick one\nauto - Internal\nring   - Force ring\n", "B": joined}
    rows: list[dict[str, Any]] = [
        {"library": "MPICH Version:      5.0.2\nMPICH Release date: today"},
        *({**variable, "name": f"MPIR_CVAR_{name}", "description": text} for name, text in described.items()),
        {**variable, "name": "MPIR_CVAR_C", "value": "1", "description": "If true, x"},
        {**variable, "name": "MPIR_CVAR_D", "scope": "constant", "description": ""},
    ]
    lines = [json.dumps(row) for row in rows]
    catalog = parse_listing("\n".join(lines), "test", control_variable)
    variables = catalog.variables
    assert catalog.library == "MPICH 5.0.2"
    assert (list(variables["MPIR_CVAR_A"].choices), variables["MPIR_CVAR_A"].default) == (["auto", "ring"], "auto")
    assert list(variables["MPIR_CVAR_B"].choices) == ["auto", "nb", "smp"]
    assert variables["MPIR_CVAR_C"].kind == "switch"
    with pytest.raises(UsageError, match="MPIR_CVAR_D is a constant"):
        catalog.find("MPIR_CVAR_D", "MPIR_CVAR_D")


def _of_mpich(description: str, value: str = "0") -> Variable:
    row = {"name": "MPIR_CVAR_X", "type": "int", "scope": "all_eq", "bound": False, "value": value}
    return control_variable({**row, "description": description})


def test_descriptions_of_mpich_without_line_ends() -> None:
    """MPICH 4.0 joins the lines of its descriptions without a space."""
    lines = [
        "Variable to select iallgather algorithm",
        "auto - Internal algorithm selection for sched-based algorithms",
        "sched_ring   - Force ring algorithm",
        "smp - Force smp algorithm",
        "tsp_recexch_doubling - Force exchange with neighbours doubling in distance in each phase",
        "tsp_ring - Force release, gather primitives",
        "nb    - Force nonblocking algorithm",
    ]
    told = (
        "Variable to select iallgather algorithm; auto: Internal algorithm selection for sched-based algorithms; "
        "sched_ring: Force ring algorithm; smp: Force smp algorithm; tsp_recexch_doubling: Force exchange with "
        "neighbours doubling in distance in each phase; tsp_ring: Force release, gather primitives; "
        "nb: Force nonblocking algorithm"
    )
    for end in ("", "\n"):
        variable = _of_mpich(end.join(lines))
        assert list(variable.choices) == ["auto", "sched_ring", "smp", "tsp_recexch_doubling", "tsp_ring", "nb"]
        assert variable.description == told

    joined = "Select whether the device can override theMPIR-level algorithms.all  - Always collectivesnone - Never"
    assert "override the MPIR-level algorithms; all: " in _of_mpich(joined).description


def test_words_of_a_sentence_are_not_values() -> None:
    trees = "Enable trees which leverage the memory. For Bcast - Assemble the leaders. For Reduce - Assemble them"
    variable = _of_mpich(trees, "1")
    assert (variable.kind, variable.description) == ("switch", trees)


@pytest.mark.parametrize("text", ["", "nonsense", '{"library": "x"}\n{"name": 3}'])
def test_garbage_instead_of_a_listing(text: str) -> None:
    with pytest.raises(AdclError, match="did not print a list of control variables"):
        parse_listing(text, "test")


def test_impi_info() -> None:
    described = (
        "I_MPI_ADJUST_BCAST \n  MPI Datatype:\n    MPI_CHAR\n  Description:\n    Controls bcast: con\n"
        "   trol selection\n    range: 0-22 \n   Default:\n    -1\nI_MPI_PIN\n  MPI Datatype:\n    MPI_INT\n"
    )
    rows = ("NAME | DEFAULT VALUE | DATA TYPE", "I_MPI_PIN   | on     | MPI_INT ", "I_MPI_X | not defined | MPI_INT")
    table = "".join(f" | {row} |\n" for row in rows)
    variables = parse_impi_info(described, table)
    bcast = variables["I_MPI_ADJUST_BCAST"]
    assert (bcast.minimum, bcast.maximum) == (0, 22)
    assert bcast.description.startswith("Controls bcast: control selection")
    assert variables["I_MPI_PIN"].kind == "switch"
    assert variables["I_MPI_X"] == Variable("I_MPI_X", "text")
