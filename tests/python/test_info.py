"""`adcl info` with documents of a fake and, if built, the real `adcl-describe`."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from adcl.info import DescribeError, DescribeNotFoundError, ListedCodelet, describe, find_describe, parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    type_of_adcl = Callable[..., Ended]
    type_of_fake = Callable[[object], Path]


def _program(path: Path, mtime: float = 0.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    os.utime(path, (mtime, mtime))
    return path


class TestFinding:
    def test_variable_comes_first(self, tmp_path: Path) -> None:
        named, in_path = _program(tmp_path / "mine"), _program(tmp_path / "bin" / "adcl-describe")
        found = find_describe({"ADCL_DESCRIBE": str(named), "PATH": str(in_path.parent)}, package=tmp_path / "a" / "b")
        assert found == named

    def test_variable_with_a_missing_path_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(DescribeNotFoundError, match=r"ADCL_DESCRIBE=.*gone is not a program; unset"):
            find_describe({"ADCL_DESCRIBE": str(tmp_path / "gone")})

    def test_beside_the_installed_package(self, tmp_path: Path) -> None:
        package = tmp_path / "opt" / "lib" / "python3.11" / "site-packages" / "adcl"
        program = _program(tmp_path / "opt" / "bin" / "adcl-describe")
        assert find_describe({"PATH": ""}, package) == program

    def test_newest_build_of_the_source_tree(self, tmp_path: Path) -> None:
        (tmp_path / "include").mkdir()
        (tmp_path / "include" / "ADCL.h").touch()
        old = _program(tmp_path / "build" / "openmpi" / "bin" / "adcl-describe", 1000.0)
        new = _program(tmp_path / "build" / "mpich" / "bin" / "adcl-describe", 2000.0)
        package = tmp_path / "python" / "adcl"
        assert find_describe({"PATH": ""}, package) == new
        new.chmod(0o644)
        assert find_describe({"PATH": ""}, package) == old

    def test_build_folder_of_something_else_is_not_searched(self, tmp_path: Path) -> None:
        _program(tmp_path / "build" / "openmpi" / "bin" / "adcl-describe")
        with pytest.raises(DescribeNotFoundError):
            find_describe({"PATH": ""}, tmp_path / "python" / "adcl")

    def test_search_path_comes_last(self, tmp_path: Path) -> None:
        program = _program(tmp_path / "bin" / "adcl-describe")
        assert find_describe({"PATH": str(program.parent)}, tmp_path / "a" / "b") == program

    def test_nowhere_is_an_error_with_a_remedy(self, tmp_path: Path) -> None:
        with pytest.raises(DescribeNotFoundError, match=r"build it .*ADCL_DESCRIBE"):
            find_describe({"PATH": ""}, tmp_path / "a" / "b")


class TestReading:
    def test_document_becomes_records(self, document: dict[str, Any]) -> None:
        raw, description = parse(json.dumps(document), "test")
        assert raw == document
        first = description.function_sets[0]
        assert first.attributes[1].values[1].value_class == "one-sided"
        assert isinstance(first.codelets[0], ListedCodelet)
        assert first.codelets[0].attributes["completion"] is None
        assert first.codelets[1].capabilities.progress_depth == 2
        assert description.options[1].minimum == 0.0
        assert description.options[2].maximum is None

    def test_codelet_without_progress_has_no_depth(self, document: dict[str, Any]) -> None:
        document["function_sets"][0]["codelets"][0]["capabilities"]["progress_depth"] = None
        _, description = parse(json.dumps(document), "test")
        assert description.function_sets[0].codelets[0].capabilities.progress_depth is None

    @pytest.mark.parametrize("schema", [0, 2, "1", None, True])
    def test_another_schema_is_rejected(self, document: dict[str, Any], schema: object) -> None:
        document["schema"] = schema
        with pytest.raises(DescribeError, match=r"uses schema .*, but this adcl reads schema 1; install"):
            parse(json.dumps(document), "test")

    def test_mismatch_names_program_and_place(self, document: dict[str, Any]) -> None:
        document["function_sets"][0]["codelets"][1]["available"] = "no"
        with pytest.raises(DescribeError, match=r"test printed .*function_sets\[0\]\.codelets\[1\]\.available"):
            parse(json.dumps(document), "test")

    @pytest.mark.parametrize("text", ["", "[1", "Segmentation fault"])
    def test_invalid_json_is_rejected(self, text: str) -> None:
        with pytest.raises(DescribeError, match="did not print a JSON document"):
            parse(text, "test")

    def test_additions_within_the_schema_are_accepted(self, document: dict[str, Any]) -> None:
        document["function_sets"][0]["codelets"][0]["news"] = [1]
        parse(json.dumps(document), "test")

    def test_failure_reports_code_and_message(self, tmp_path: Path) -> None:
        program = tmp_path / "describe"
        program.write_text("#!/bin/sh\necho 'ADCL_SERCH is no option' >&2\nexit 3\n", encoding="utf-8")
        program.chmod(0o755)
        with pytest.raises(DescribeError, match="failed with exit code 3: ADCL_SERCH is no option"):
            describe(program)

    def test_crash_is_named(self, tmp_path: Path) -> None:
        program = tmp_path / "describe"
        program.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
        program.chmod(0o755)
        with pytest.raises(DescribeError, match="was ended by SIGSEGV"):
            describe(program)

    def test_library_does_not_see_our_variable(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        program = tmp_path / "describe"
        program.write_text('#!/bin/sh\necho "variable: ${ADCL_DESCRIBE-unset}" >&2\nexit 1\n', encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("ADCL_DESCRIBE", str(program))
        with pytest.raises(DescribeError, match="variable: unset"):
            describe()


class TestShowing:
    def test_json_is_the_extended_document_of_the_library(
        self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any]
    ) -> None:
        document["of_the_future"] = 1
        program = fake_describe(document)
        ended = adcl("info", "--json", ADCL_DESCRIBE=str(program))
        shown = json.loads(ended.out)
        python = shown.pop("python")
        assert shown == document
        assert python["describe"] == str(program)
        assert python["python"] == ".".join(map(str, sys.version_info[:3]))

    @pytest.mark.parametrize("columns", [80, 132, 200])
    def test_everything_is_shown_within_the_width(
        self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any], columns: int
    ) -> None:
        ended = adcl("info", ADCL_DESCRIBE=str(fake_describe(document)), COLUMNS=str(columns))
        assert ended.code == 0
        assert max(map(len, ended.out.splitlines())) <= columns
        assert "\x1b" not in ended.out
        words = " ".join(ended.out.split())
        for expected in (
            "GNU 12.2.0",
            "-O2 -g -DNDEBUG",
            "ADCL_FNCTSET_NEIGHBORHOOD",
            "IsIr_aao",
            "isend_irecv",
            "WinfencePut_pair",
            "ADCL_FNCTSET_ALLREDUCE",
            "brute_force",
            "ADCL_OUTLIER_FRACTION",
            "0…1",
            "1…",
            "from environment",
        ):
            assert expected in words

    def test_wide_output_has_a_column_for_each_attribute(
        self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any]
    ) -> None:
        ended = adcl("info", "neighborhood", ADCL_DESCRIBE=str(fake_describe(document)), COLUMNS="200")
        assert re.search(r"codelet +partners +primitive +completion +capabilities +requires +source", ended.out)
        assert re.search(
            r"IsIr_aao +aao +isend_irecv +– +non-blocking, fixed buffers of several vectors +thesis Table 3\.1",
            ended.out,
        )
        assert "[red]one-sided[/red] communication" in ended.out

    @pytest.mark.parametrize("name", ["allreduce", "ADCL_FNCTSET_ALLREDUCE", "AllReduce"])
    def test_one_set_by_either_name(
        self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any], name: str
    ) -> None:
        ended = adcl("info", "--codelets", name, ADCL_DESCRIBE=str(fake_describe(document)))
        assert "Reduction with the result on all ranks" in ended.out
        assert "IsIr_aao" not in ended.out
        assert "ADCL_SEARCH" not in ended.out

    def test_options_alone(self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any]) -> None:
        ended = adcl("info", "--options", ADCL_DESCRIBE=str(fake_describe(document)))
        assert "ADCL_MEASUREMENTS" in ended.out
        assert "IsIr_aao" not in ended.out

    def test_unknown_set_offers_the_nearest(
        self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any]
    ) -> None:
        program = str(fake_describe(document))
        ended = adcl("info", "neighbourhod", ADCL_DESCRIBE=program)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err == "adcl: unknown name 'neighbourhod'; did you mean neighborhood?\n"
        assert adcl("info", "ADCL_SERCH", ADCL_DESCRIBE=program).err.endswith("did you mean ADCL_SEARCH?\n")
        assert adcl("info", "xyz", ADCL_DESCRIBE=program).err.endswith("'adcl info' lists all names\n")

    @pytest.mark.parametrize("name", ["IsIr_aao", "isir_aao", "neighborhood:IsIr_aao"])
    def test_one_codelet(
        self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any], name: str
    ) -> None:
        ended = adcl("info", name, ADCL_DESCRIBE=str(fake_describe(document)))
        assert ended.code == 0
        facts = dict(re.findall(r"^  (\S+) +(.*?) *$", ended.out, re.MULTILINE))
        assert facts == {
            "function": "set  neighborhood",
            "partners": "aao",
            "primitive": "isend_irecv (class two-sided)",
            "completion": "–",
            "capabilities": "non-blocking, fixed buffers of several vectors",
            "scaling": "O(1)",
            "source": "thesis Table 3.1",
            "select": "only   ADCL_CODELETS=neighborhood:IsIr_aao",
            "exclude": "ADCL_CODELETS=neighborhood:^IsIr_aao",
        }

    @pytest.mark.parametrize("name", ["ADCL_MEASUREMENTS", "measurements"])
    def test_one_option(
        self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any], name: str
    ) -> None:
        option = next(one for one in document["options"] if one["name"] == "ADCL_MEASUREMENTS")
        ended = adcl("info", name, ADCL_DESCRIBE=str(fake_describe(document)))
        facts = dict(re.findall(r"^  (\S+) +(.*?) *$", ended.out, re.MULTILINE))
        assert facts["meaning"] == option["help"]
        assert facts["default"] == option["default"]
        assert facts["current"] == f"value  {option['value']}"
        assert facts["origin"] == option["origin"]
        assert facts["affects"] == "choice of the codelet"
        assert facts["read"].split() == ["by", "brute_force,", "hypothesis"]
        assert "ADCL_SEARCH" not in ended.out

    def test_several_names(self, adcl: type_of_adcl, fake_describe: type_of_fake, document: dict[str, Any]) -> None:
        method = document["searches"][0]
        ended = adcl("info", method["name"], "allreduce", ADCL_DESCRIBE=str(fake_describe(document)))
        assert method["summary"] in " ".join(ended.out.split())
        assert "Reduction with the result on all ranks" in ended.out

    def test_failures_are_one_line(self, adcl: type_of_adcl, fake_describe: type_of_fake, tmp_path: Path) -> None:
        ended = adcl("info", ADCL_DESCRIBE=str(tmp_path / "gone"))
        assert ended.code == 1
        assert ended.err.count("\n") == 1
        ended = adcl("info", ADCL_DESCRIBE=str(fake_describe({"schema": 7})))
        assert ended.code == 1
        assert "schema 7" in ended.err
        assert ended.err.count("\n") == 1


class TestRealProgram:
    @pytest.fixture
    def program(self) -> Path:
        try:
            return find_describe()
        except DescribeNotFoundError as error:
            pytest.skip(str(error))

    def test_its_document_fits_the_schema(self, program: Path) -> None:
        description = describe(program).description
        assert description.build.mpi_library
        sets = {one.name: one for one in description.function_sets}
        assert sets["neighborhood"].constant == "ADCL_FNCTSET_NEIGHBORHOOD"
        for one in description.function_sets:
            assert one.codelets, one.name
            assert len({codelet.name for codelet in one.codelets}) == len(one.codelets), one.name
            values = {attribute.name: {value.name for value in attribute.values} for attribute in one.attributes}
            for codelet in one.codelets:
                assert set(codelet.attributes) == set(values), codelet.name
                for name, value in codelet.attributes.items():
                    assert value is None or value in values[name], codelet.name
                assert codelet.available or codelet.unavailable_because, codelet.name

    def test_options_are_within_their_ranges(self, program: Path) -> None:
        options = describe(program).description.options
        assert "ADCL_SEARCH" in {option.name for option in options}
        for option in options:
            assert option.help, option.name
            if option.type == "choice":
                assert {option.default, option.value} <= set(option.choices), option.name
            if option.type in ("integer", "real"):
                assert option.minimum is None or float(option.default) >= option.minimum, option.name
                assert option.maximum is None or float(option.default) <= option.maximum, option.name

    def test_environment_reaches_the_options(self, program: Path, adcl: type_of_adcl) -> None:
        ended = adcl("info", "--json", ADCL_DESCRIBE=str(program), ADCL_SEARCH="brute_force")
        option = next(one for one in json.loads(ended.out)["options"] if one["name"] == "ADCL_SEARCH")
        assert (option["value"], option["origin"]) == ("brute_force", "environment")

    def test_it_is_shown_within_80_columns(self, program: Path, adcl: type_of_adcl) -> None:
        ended = adcl("info", ADCL_DESCRIBE=str(program), COLUMNS="80")
        assert ended.code == 0
        assert max(map(len, ended.out.splitlines())) <= 80
