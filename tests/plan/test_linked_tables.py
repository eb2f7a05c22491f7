"""Plans of several tables: read, written, run from the command line, and every mistake named with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.cli import main
from release.test_several_tables import expect_promise, files, hospital, plain_rows
from release.verified import script

PLAN = """\
version = 1
[tables.patients]
path = "patients.csv"
key = "person_id"
[tables.visits]
path = "visits.csv"
key = "visit_id"
of = { person_id = "patients" }
[tables.diagnoses]
path = "diagnoses.csv"
of = { visit_id = "visits" }
[columns.person_id]
role = "identifier"
keep = "pseudonym"
key_file = "key.bin"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 40] }
at_least = 1
[columns.ward]
role = "quasi"
hierarchy = "flat"
[columns.day]
role = "quasi"
hierarchy = { dates = ["month", "year"] }
[columns.name]
role = "identifier"
[columns.note]
role = "insensitive"
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=2", "l>=2[disease]"]
max_suppressed = 0.6
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    files(tmp_path, hospital(), "csv")
    (tmp_path / "key.bin").write_bytes(bytes(range(32)))
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def test_a_plan_of_several_tables_is_written_as_it_is_read(plan: Path, tmp_path: Path) -> None:
    read = ic.Plan.read(plan)
    assert list(read.tables) == ["patients", "visits", "diagnoses"]
    assert read.tables["visits"].of == {"person_id": "patients"}
    (tmp_path / "elsewhere").mkdir()
    read.write(tmp_path / "elsewhere" / "plan.toml")
    text = (tmp_path / "elsewhere" / "plan.toml").read_text()
    assert "[tables.visits]" in text
    assert 'path = "../visits.csv"' in text
    again = ic.Plan.read(tmp_path / "elsewhere" / "plan.toml")
    assert again.tables["diagnoses"].of == read.tables["diagnoses"].of
    assert ic.Plan.of(read.to_dict()) == ic.Plan.of(ic.Plan.read(plan).to_dict())
    assert "tables" in ic.Plan.json_schema()["properties"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main([*map(str, arguments)])
    said = capsys.readouterr()
    return int(left.value.code or 0), said.out, said.err


@pytest.mark.filterwarnings("ignore:Column 'person_id' is published as a pseudonym")
def test_the_command_line_publishes_and_verifies_several_tables(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, told = run(capsys, "anonymize", plan, "--no-report")
    assert code == 0, told
    assert "Canary" not in said + told
    out = plan.parent / "out"
    assert sorted(path.name for path in (out / "public").iterdir()) == ["release.json", "tables", "verify.py"]
    tables = {name: plain_rows(out / "public" / "tables" / f"{name}.csv") for name in hospital()}
    expect_promise(tables, 2, 1, 2)
    assert "next: incrowd verify" in told
    assert run(capsys, "verify", out)[0] == 0
    code, said, _ = run(capsys, "verify", out, "--original", plan)
    assert code == 0, said
    assert "original: it gives the classes of the data file" in said
    assert script(out)[0] == 0
    code, said, _ = run(capsys, "anonymize", plan, "--no-report", "--dry-run", "--json")
    assert (code, json.loads(said)["written"]) == (0, None)


@pytest.mark.filterwarnings("ignore:Column 'person_id' is published as a pseudonym")
def test_reports_of_several_tables_speak_of_the_joined_rows(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "anonymize", plan, "--quiet")[0] == 0
    owner = json.loads((plan.parent / "out" / "owner" / "report.json").read_text())
    assert "visits.day" in json.dumps(owner)
    assert "Canary" not in (plan.parent / "out" / "public" / "report.html").read_text()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('path = "visits.csv"\n', "", r"(?s)tables\.visits.*does not say where the table is"),
        ('path = "visits.csv"\n', 'path = "visits.csv"\ntable = "x"\n', r"(?s)tables\.visits.*has 'path' and 'table'"),
        ('path = "visits.csv"\n', 'table = "visits"\n', "needs 'connection_env' under"),
        ('key = "visit_id"\n', "", "refers to table 'visits', of which no key is named"),
        ('of = { visit_id = "visits" }', 'of = { visit_id = "visit" }', "refers to a table 'visit', and there is none"),
        ('of = { visit_id = "visits" }', "", "2 tables refer to no other"),
        ('key = "visit_id"', 'kye = "visit_id"', "did you mean 'key'"),
        ("version = 1\n", 'version = 1\n[data]\npath = "x.csv"\n', r"(?s)data\.path.*belongs to a plan of one table"),
        (
            "version = 1\n",
            'version = 1\n[data]\nentity = "person_id"\n',
            r"(?s)data\.entity.*belongs to a plan of one table",
        ),
        ("[privacy]", '[columns.visit_id]\nrole = "quasi"\n[privacy]', "holds keys, which are published as pseudonyms"),
        (
            '[columns.name]\nrole = "identifier"',
            '[columns.name]\nrole = "identifier"\nkeep = "pseudonym"\nkey_file = "key.bin"',
            "'name' is no key of a table",
        ),
        ("[privacy]", '[output]\norder = "keep"\n[privacy]', r"(?s)output\.order.*cannot be said of several tables"),
        ("[privacy]", '[output]\nsuppression = "mask"\n[privacy]', "cannot be said of several tables"),
        ("[privacy]", '[output]\nformat = "xlsx"\n[privacy]', "of several tables is one of 'parquet', 'csv', 'csv.gz'"),
        ("[privacy]", '[search]\nalgorithm = "mondrian"\n[privacy]', "gives one value several labels"),
    ],
)
def test_what_is_wrong_with_several_tables_is_named(plan: Path, old: str, new: str, message: str) -> None:
    assert old in PLAN
    plan.write_text(PLAN.replace(old, new, 1))
    with pytest.raises(ic.PlanError, match=message):
        ic.Plan.read(plan)


def test_a_missing_file_is_named_and_nothing_is_written(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (plan.parent / "visits.csv").unlink()
    code, _, told = run(capsys, "anonymize", plan)
    assert (code, "visits.csv" in told) == (2, True)
    assert not (plan.parent / "out").exists()


def test_orphans_are_named_on_the_command_line(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    visits = plan.parent / "visits.csv"
    visits.write_text(visits.read_text().replace(",100,", ",987654,"))
    code, said, told = run(capsys, "anonymize", plan)
    assert code != 0
    assert "'person_id' names no row of 'patients' in 1 row" in told
    assert "987654" not in said + told
    assert not (plan.parent / "out").exists()


def test_tables_are_read_as_their_section_says(plan: Path) -> None:
    visits = plan.parent / "visits.csv"
    visits.write_text(visits.read_text().replace(",", ";"))
    plan.write_text(PLAN.replace('path = "visits.csv"\n', 'path = "visits.csv"\nseparator = ";"\n'))
    found: Any = ic.Plan.read(plan).source()
    assert found.reading == {"visits": {"separator": ";"}}
    with pytest.warns(ic.PrivacyWarning, match="pseudonym"):
        release = ic.Plan.read(plan).run()
    assert release.verdict.holds


def test_what_is_for_one_table_is_refused_for_several(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = ic.Plan.read(plan)
    with pytest.raises(ic.ParameterError, match="A frontier is for one table, and this plan names 3"):
        read.frontier()
    with pytest.raises(ic.ParameterError, match="Searches side by side is for one table"):
        read.alternatives()
    code, _, told = run(capsys, "alternatives", plan)
    assert code == 2
    assert "is for one table" in told
    code, _, told = run(capsys, "anonymize", plan, "--sample", "10")
    assert code == 2
    assert "A sample cannot be taken of several tables" in told
    code, _, told = run(capsys, "anonymize", plan, "--engine", "spark")
    assert (code, "names several tables, and these are joined on this machine, not on a cluster" in told) == (2, True)
