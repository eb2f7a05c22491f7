"""A file is released in its own dialect, and everything that reads the release knows it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.core import DataError, ParameterError
from incrowd.release._release_file import open_released
from release.test_tampering import answers, expect_no_forgery_to_pass

Capsys = pytest.CaptureFixture[str]
READING: dict[str, Any] = {"decimal": ",", "thousands": ".", "dates": "%d.%m.%Y"}
SCHEMA = ic.Schema(
    quasi={"alter": ic.intervals(10, 20), "aufnahme": ic.dates("month", "year")},
    sensitive=["straße", "lohn"],
    insensitive=["icd", "größe", "notiz"],
    identifiers=["name"],
)
PLACES = ["Größe-Straße", "Österweg", "=Weg", "'s Gracht"]
ROWS = [
    {
        "name": f"P{n}",
        "alter": 20 + n % 20,
        "aufnahme": ("2024-07-01", "1931-01-12")[n % 2],
        "straße": PLACES[n % 4],
        "lohn": -1.5 + n % 3 * 1250,
        "icd": ("250.01", "401.9")[n % 2],
        "größe": 1.25 + n % 4,
        "notiz": ("1,5", "", "x; y")[n % 3],
    }
    for n in range(48)
]


def german(row: dict[str, Any]) -> dict[str, str]:
    year, month, day = row["aufnahme"].split("-")
    lohn = f"{row['lohn']:,.1f}".translate(str.maketrans(",.", ".,"))
    return {**row, "aufnahme": f"{day}.{month}.{year}", "lohn": lohn, "größe": str(row["größe"]).replace(".", ",")}


def written(path: Path, rows: list[dict[str, Any]], separator: str, encoding: str) -> Path:
    cells = [[str(cell) for cell in row.values()] for row in rows]
    quoted = [[f'"{cell}"' if separator in cell else cell for cell in row] for row in cells]
    lines = [separator.join(rows[0]), *map(separator.join, quoted)]
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode(encoding))
    return path


def publish(table: Path, output: Path, model: str = "k>=3, t<=0.9[lohn, ordered]", **how: Any) -> ic.Release:
    more: dict[str, Any] = {"algorithm": ic.Optimal(), "format": "csv", "at_most": {"aufnahme": 0}, "output": output}
    return ic.anonymize(table, SCHEMA, model=model, **{**more, **how})


def rows_of(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = open_released(folder / "public/data.csv").materialise().to_pylist()
    return rows


@pytest.fixture(name="plain")
def _plain(tmp_path: Path) -> Path:
    publish(written(tmp_path / "plain.csv", ROWS, ",", "utf-8"), tmp_path / "plain")
    return tmp_path / "plain"


ENCODINGS = {"cp1252": b"", "utf-8": b"", "utf-8-sig": b"\xef\xbb\xbf", "utf-16": b"\xff\xfe"}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.filterwarnings("ignore:Column 'notiz'", "ignore:Column 'aufnahme'")
def test_a_german_file_is_released_as_one_and_is_its_plain_twin_to_all_who_read_it(
    encoding: str, plain: Path, tmp_path: Path
) -> None:
    table, out = written(tmp_path / "in.csv", [german(row) for row in ROWS], ";", encoding), tmp_path / "out"
    how = {**READING, "encoding": encoding}
    release = publish(table, out, **how)
    raw = (out / "public/data.csv").read_bytes()
    assert raw.startswith(ENCODINGS[encoding])
    lines = raw.decode(encoding).splitlines()
    assert lines[0] == "alter;aufnahme;straße;lohn;icd;größe;notiz"
    assert "[20, 30);01.07.2024;'=Weg;-1,5;250.01;3,25;1,5" in lines
    assert rows_of(out) == rows_of(plain)
    assert ic.verify(out, original=table, **how).outcome == ic.verify(out, original=table).outcome == "holds"
    ran = subprocess.run([sys.executable, "-I", out / "public/verify.py"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    attacked, twin = ic.attack(out, original=table, **how), ic.attack(plain, original=plain.with_suffix(".csv"))
    assert str(attacked) == str(twin)
    assert str(ic.attack(release, original=table, **how)) == str(twin)
    assert repr(ic.risk(out)) == repr(ic.risk(plain))
    again = ic.apply(out / "owner", table, output=tmp_path / "again", format="csv", **how)
    assert (tmp_path / "again/public/data.csv").read_bytes() == raw
    assert ic.verify(tmp_path / "again").outcome == "holds"
    again.save(tmp_path / "third", format="csv", dialect="plain")
    assert (tmp_path / "third/public/data.csv").read_bytes() == (plain / "public/data.csv").read_bytes()


@pytest.mark.filterwarnings("ignore:Column 'notiz'")
def test_a_plain_file_has_the_certificate_that_it_always_had(plain: Path) -> None:
    said = json.loads((plain / "public/release.json").read_text())["data"]
    assert {*said} == {"name", "sha256", "bytes", "rows", "escaped"}
    assert "dialect" not in json.loads((plain / "owner/input.json").read_text())


@pytest.mark.filterwarnings("ignore:Column 'notiz'")
def test_what_is_given_back_is_saved_as_it_was_read(tmp_path: Path) -> None:
    table = written(tmp_path / "in.csv", [german(row) for row in ROWS], ";", "cp1252")
    how: dict[str, Any] = {**READING, "encoding": "cp1252", "at_most": {"aufnahme": 0}}
    release = ic.anonymize(table, SCHEMA, model="k>=3", algorithm=ic.Optimal(), **how)
    release.save(tmp_path / "saved", format="csv")
    publish(table, tmp_path / "written", "k>=3", **how)
    for name in ("data.csv", "release.json"):
        assert (tmp_path / "saved/public" / name).read_bytes() == (tmp_path / "written/public" / name).read_bytes()


@pytest.mark.filterwarnings("ignore:Column 'notiz'")
def test_the_report_says_how_to_read_the_file(tmp_path: Path) -> None:
    table = written(tmp_path / "in.csv", [german(row) for row in ROWS], ";", "cp1252")
    publish(table, tmp_path / "out", encoding="cp1252", about={}, **READING)
    page = (tmp_path / "out/public/report.html").read_text(encoding="utf-8")
    how = "it has semicolons between its values, is encoded in cp1252, and has decimal commas, and days as %d.%m.%Y."
    assert how in page


@pytest.mark.filterwarnings("ignore:Column 'notiz'")
def test_one_thing_can_be_told_otherwise(tmp_path: Path) -> None:
    table = written(tmp_path / "in.csv", [german(row) for row in ROWS], ";", "cp1252")
    publish(table, tmp_path / "out", dialect={"encoding": "utf-8", "dates": "%Y-%m-%d"}, encoding="cp1252", **READING)
    text = (tmp_path / "out/public/data.csv").read_text(encoding="utf-8")
    assert "[20, 30);2024-07-01;Größe-Straße;-1,5;" in text
    assert ic.verify(tmp_path / "out").outcome == "holds"


def test_a_typed_table_can_be_written_in_a_dialect(tmp_path: Path) -> None:
    table = [{"age": 20 + n % 20, "cost": n / 4, "code": "250.01"} for n in range(40)]
    schema = ic.Schema({"age": ic.intervals(10, 20)}, ["cost"], insensitive=["code"])
    release = ic.anonymize(table, schema, model="k>=3")
    release.save(tmp_path / "out", format="csv", dialect={"separator": ";", "decimal": ","})
    assert "[20, 30);0,25;250.01" in (tmp_path / "out/public/data.csv").read_text()
    assert ic.verify(tmp_path / "out").outcome == "holds"


@pytest.mark.parametrize("saved", [False, True])
def test_a_plain_file_can_be_released_in_another_dialect(saved: bool, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("\n".join(["age,cost", *(f"{20 + n % 20},{n / 4}" for n in range(40))]))
    schema, how = ic.Schema({"age": ic.intervals(10, 20)}, ["cost"]), {"separator": ";", "decimal": ","}
    if saved:
        ic.anonymize(tmp_path / "in.csv", schema, model="k>=3").save(tmp_path / "out", format="csv", dialect=how)
    else:
        more: dict[str, Any] = {"output": tmp_path / "out", "format": "csv", "dialect": how}
        ic.anonymize(tmp_path / "in.csv", schema, model="k>=3", **more)
    assert "\n[20, 30);0,25\n" in (tmp_path / "out/public/data.csv").read_text()
    assert ic.verify(tmp_path / "out").outcome == "holds"


CODES = ("250.01", "401.9", "V45.1")


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize(
    ("how", "cells"),
    [
        ({"decimal": ","}, "0,25;250.01;1.1;2024-07-01"),
        ({"dates": "%d.%m.%Y"}, "0.25;250.01;1.1;01.07.2024"),
    ],
)
def test_a_dialect_that_is_told_leaves_codes_alone(
    how: dict[str, Any], cells: str, saved: bool, tmp_path: Path
) -> None:
    rows = (
        f"{20 + n % 20};{(n % 4) / 4 + 0.25};{CODES[n % 3]};{('1.1', '1.10')[n % 2]};2024-07-0{n % 2 + 1}"
        for n in range(48)
    )
    (tmp_path / "in.csv").write_text("\n".join(["age;cost;icd;chapter;seen", *rows]))
    schema = ic.Schema({"age": ic.intervals(10, 20)}, ["cost"], insensitive=["icd", "chapter", "seen"])
    if saved:
        ic.anonymize(tmp_path / "in.csv", schema, model="k>=3").save(tmp_path / "out", format="csv", dialect=how)
    else:
        more: dict[str, Any] = {"output": tmp_path / "out", "format": "csv", "dialect": how}
        ic.anonymize(tmp_path / "in.csv", schema, model="k>=3", **more)
    assert f"\n[20, 30);{cells}\n" in (tmp_path / "out/public/data.csv").read_text()
    assert ic.verify(tmp_path / "out").outcome == "holds"


@pytest.mark.filterwarnings("ignore:Column 'notiz'")
def test_codes_stay_when_only_days_are_told_otherwise(tmp_path: Path) -> None:
    table = written(tmp_path / "in.csv", [german(row) for row in ROWS], ";", "utf-8")
    publish(table, tmp_path / "out", dialect={"dates": "%Y-%m-%d"}, **READING)
    assert "[20, 30);2024-07-01;Größe-Straße;-1,5;250.01;" in (tmp_path / "out/public/data.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("encoding", "outcome"),
    [
        *((name, "does not hold") for name in ("latin-1", "CP1252", "windows-1252", "cp1252 ", "utf-8", "utf-16")),
        *((name, "does not hold") for name in ("idna", "rot13", "base64", "punycode", "undefined", "cp037", "", "a\0")),
        ("cp1252", "holds"),
    ],
)
def test_an_encoding_that_was_edited_is_judged_alike(
    encoding: str, outcome: str, tmp_path: Path, capsys: Capsys
) -> None:
    (tmp_path / "in.csv").write_bytes(b"alter;ort\n" + "34;Köln\n35;Bonn\n".encode("cp1252") * 3)
    schema = ic.Schema({"alter": ic.intervals(10)}, insensitive=["ort"])
    how: dict[str, Any] = {"encoding": "cp1252", "output": tmp_path / "out", "format": "csv"}
    ic.anonymize(tmp_path / "in.csv", schema, model="k>=3", **how)
    path = tmp_path / "out/public/release.json"
    said = json.loads(path.read_text())
    said["data"]["dialect"]["encoding"] = encoding
    path.write_text(json.dumps(said))
    assert answers(tmp_path / "out", capsys) == (outcome, outcome)


def test_a_sign_that_is_no_separator_elsewhere_becomes_a_comma(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("\n".join(["agexgender", *(f"{20 + n % 20}xf" for n in range(40))]))
    how: dict[str, Any] = {"separator": "x", "output": tmp_path / "out", "format": "csv"}
    schema = ic.Schema({"age": ic.intervals(10, 20)}, ["gender"])
    ic.anonymize(tmp_path / "in.csv", schema, model="k>=3", **how)
    assert (tmp_path / "out/public/data.csv").read_text().splitlines()[1] == '"[20, 30)",f'
    assert ic.verify(tmp_path / "out").outcome == "holds"


def test_averages_have_the_comma(tmp_path: Path) -> None:
    lines = ["alter;lohn", *(f"{20 + n % 20},3;{n % 5},5" for n in range(40))]
    (tmp_path / "in.csv").write_text("\n".join(lines))
    schema = ic.Schema({"alter": ic.averaged(ic.intervals(2, 10))}, ["lohn"])
    more: dict[str, Any] = {"algorithm": ic.Mondrian(), "decimal": ",", "output": tmp_path / "out", "format": "csv"}
    ic.anonymize(tmp_path / "in.csv", schema, model="k>=4", **more)
    found = [line.split(";")[0] for line in (tmp_path / "out/public/data.csv").read_text().splitlines()[1:]]
    assert any("," in cell for cell in found)
    assert not any("." in cell for cell in found)
    assert ic.verify(tmp_path / "out").outcome == "holds"


def test_a_label_that_the_encoding_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("place\nLodz\nBerlin\n" * 3, encoding="cp1252")
    schema = ic.Schema({"place": ic.tree({"Łódzkie": ["Lodz", "place"], "Brandenburg": ["Berlin"]})})
    how: dict[str, Any] = {"encoding": "cp1252", "at_least": {"place": 1}, "format": "csv", "output": tmp_path / "out"}
    with pytest.raises(
        DataError, match="Column 'place' of the release has a character that a file in cp1252"
    ) as caught:
        ic.anonymize(tmp_path / "in.csv", schema, model="k>=2", **how)
    assert "utf-8" in caught.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
    ic.anonymize(tmp_path / "in.csv", schema, model="k>=2", dialect={"encoding": "utf-8"}, **how)
    assert ic.verify(tmp_path / "out").outcome == "holds"


@pytest.mark.parametrize("told", ["german", {"thousands": "."}, {"decimal": ";"}, {"dates": "%d.%m.%y"}, 7, None])
def test_a_dialect_that_says_nothing_is_refused(told: Any, tmp_path: Path) -> None:
    release = ic.anonymize([{"age": 31}, {"age": 34}], ic.Schema({"age": ic.intervals(10)}), model="k>=2")
    with pytest.raises(ParameterError, match=r"dialect|decimal|Days"):
        release.save(tmp_path / "out", format="csv", dialect=told)
    assert not (tmp_path / "out").exists()


@pytest.mark.filterwarnings("ignore:Column 'notiz'")
def test_a_certificate_that_lies_about_the_dialect_is_called_fine_by_neither(tmp_path: Path, capsys: Capsys) -> None:
    table = written(tmp_path / "in.csv", [german(row) for row in ROWS], ";", "utf-16")
    publish(table, tmp_path / "out", encoding="utf-16", **READING)
    expect_no_forgery_to_pass(tmp_path / "out", ("data",), capsys)


@pytest.mark.parametrize("cell", ["1.5", "1,5"])
def test_two_cells_that_only_a_dialect_makes_equal_are_no_crowd(cell: str, tmp_path: Path, capsys: Capsys) -> None:
    """A forger lists a column as one of numbers, so that 1,5 and 1.5 would be counted together."""
    table = [{"size": 1.5, "ill": "a"}, {"size": 1.5, "ill": "b"}]
    release = ic.anonymize(table, ic.Schema({"size": ic.flat()}, ["ill"]), model="k>=2")
    release.save(tmp_path / "out", format="csv", dialect={"separator": ";", "decimal": ","})
    assert answers(tmp_path / "out", capsys) == ("holds", "holds")
    data, path = tmp_path / "out/public/data.csv", tmp_path / "out/public/release.json"
    data.write_text(f"size;ill\n1,5;a\n{cell};b\n")
    said = json.loads(path.read_text())
    said["data"] |= {"sha256": hashlib.sha256(data.read_bytes()).hexdigest()}
    path.write_text(json.dumps(said))
    assert answers(tmp_path / "out", capsys) == (("holds",) * 2 if cell == "1,5" else ("does not hold",) * 2)


@pytest.mark.filterwarnings("ignore:Column 'notiz'")
def test_columns_that_are_not_listed_are_read_as_they_stand_and_make_the_same_groups(
    tmp_path: Path, capsys: Capsys
) -> None:
    table = written(tmp_path / "in.csv", [german(row) for row in ROWS], ";", "utf-8")
    publish(table, tmp_path / "out", "k>=3", **READING)
    path = tmp_path / "out/public/release.json"
    said = json.loads(path.read_text())
    said["data"]["dialect"]["columns"].remove("aufnahme")
    path.write_text(json.dumps(said))
    assert answers(tmp_path / "out", capsys) == ("holds", "holds")


PLAN = 'version = 1\n[data]\npath = "p.csv"\n[columns.age]\nrole = "quasi"\n[privacy]\npromise = "k>=2"\n[output]\n'


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ('dialect = "german"', "must be 'input' or 'plain' or a table, got 'german'"),
        ('dialect = { sep = ";" }', "is unknown; there are 'separator', 'decimal', 'dates', 'encoding', 'mark'"),
        ('dialect = { separator = "ab" }', "The separator must be one character"),
        ('dialect = { encoding = "utf-9" }', "There is no encoding 'utf-9'"),
        ('dialect = { dates = "%d.%m.%y" }', r"Days cannot be written as '%d\.%m\.%y'"),
        ("labels = 1", "must be true or false"),
    ],
)
def test_a_plan_says_where_its_dialect_is_wrong(line: str, match: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN + line)
    with pytest.raises(ic.PlanError, match=match):
        ic.Plan.read(tmp_path / "plan.toml")


def test_a_plan_with_a_dialect_is_written_as_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN + 'labels = true\ndialect = { separator = ";", mark = false }\n')
    plan = ic.Plan.read(tmp_path / "plan.toml")
    (tmp_path / "again.toml").write_text(plan.text())
    assert ic.Plan.read(tmp_path / "again.toml").output == plan.output


def test_questions_about_a_release_read_its_file_as_it_was_read_then(tmp_path: Path) -> None:
    rows = [f"{1 + n % 9:02}.0{1 + n % 3}.2020;{'fm'[n % 2]};{n % 4},5;{n // 2}" for n in range(72)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["day;sex;cost;person", *rows, ""]), encoding="utf-8")
    said: dict[str, Any] = {"decimal": ",", "dates": "%d.%m.%Y"}
    schema = ic.Schema(quasi={"day": ic.dates("month", "year"), "sex": ic.flat()}, sensitive=["cost"], entity="person")
    release = ic.anonymize(path, schema, model="k>=3", **said)
    assert repr(ic.utility(release, path, queries=5)) == repr(ic.utility(release, path, queries=5, **said))
    assert repr(ic.risk(release, original=path)) == repr(ic.risk(release, original=path, **said))
    whole = repr(ic.attack(release, original=path, **said))
    assert repr(ic.attack(release, original=path)) == whole
    assert repr(ic.attack(release.save(tmp_path / "out"), original=path)) == whole
