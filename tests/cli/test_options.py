"""A spreadsheet with several sheets: every command that reads a table can be told which one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import incrowd as ic
from incrowd.cli import main

pytest.importorskip("fastexcel")

Run = Callable[..., tuple[int, str, str]]
SHEETS = {"notes": ["remark"], "2024": ["age,zip", "31,01067", "31,01067", "45,01069", "45,01069"]}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Give a way to run ``incrowd`` in a folder with a spreadsheet: its exit code, stdout and stderr."""
    import xlsxwriter  # noqa: PLC0415 - optional

    monkeypatch.chdir(tmp_path)
    book = xlsxwriter.Workbook("people.xlsx")
    for name, lines in SHEETS.items():
        page = book.add_worksheet(name)
        for row, line in enumerate(lines):
            page.write_row(row, 0, line.split(","))
    book.close()

    def incrowd(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return incrowd


@pytest.mark.parametrize("sheet", ["2024", "2"])
def test_assess_reads_a_sheet_by_its_name_or_its_number(sheet: str, run: Run) -> None:
    code, out, err = run("assess", "people.xlsx", "--quasi", "age,zip", "--require", "k>=2", "--sheet", sheet)
    assert (code, err) == (0, "4 rows, 2 columns\n")
    assert out.endswith("PASS  k>=2: smallest group is 2\n")


@pytest.mark.parametrize("command", [["assess", "people.xlsx", "--quasi", "age"], ["init", "people.xlsx"]])
def test_who_does_not_say_which_sheet_is_asked_to(command: list[str], run: Run) -> None:
    code, _, err = run(*command)
    assert code == 2
    assert "The file 'people.xlsx' has 2 sheets.\n" in err
    assert "by its number from 1: --sheet 1, or sheet = 1 in a plan. It has 'notes', '2024'.\n" in err


def test_init_writes_the_sheet_into_the_plan_and_the_plan_runs(run: Run) -> None:
    assert run("init", "people.xlsx", "--sheet", "2024", "--quasi", "age,zip")[0] == 0
    assert ic.Plan.read("plan.toml").data.sheet == "2024"
    assert run("anonymize", "plan.toml", "--dry-run", "--json")[0] == 0


def test_apply_and_hierarchies_read_a_sheet_too(run: Run) -> None:
    schema = ic.Schema({"age": ic.flat(), "zip": ic.flat()})
    ic.anonymize("people.xlsx", schema, model="k>=2", algorithm=ic.Optimal(), sheet="2024").save("out")
    assert run("apply", "out", "people.xlsx", "-o", "next", "--sheet", "2")[0] == 0
    code, out, _ = run("hierarchy", "build", "people.xlsx", "--sheet", "2", "--column", "zip", "--kind", "mask")
    assert (code, out.splitlines()[0]) == (0, "01067;0106*;010**;01***;0****;*")


def test_init_for_machines_has_names_numbers_and_reasons_and_no_value(run: Run) -> None:
    code, out, _ = run("init", "people.xlsx", "--sheet", "2024", "--quasi", "zip", "--json", "--quiet")
    found = json.loads(out)
    assert (code, found["schema"], found["written"], found["records"]) == (0, 1, "plan.toml", 4)
    age, zip_ = found["columns"]
    assert (age["name"], age["role"], age["sure"], age["distinct"], age["alone"]) == ("age", "quasi", True, 2, 0)
    assert (zip_["reason"], zip_["hierarchy"]) == ("you said so", {"mask": "right"})
    assert found["singling_out"]["together"] == {"columns": ["age", "zip"], "alone": 0, "share": 0.0}
    assert "01067" not in out
