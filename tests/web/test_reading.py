"""How a file is read: found out or said, and the same on every screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from web.serving import PATIENTS, Visitor

GERMAN = "Name;Größe;Lohn;Tag\n" + "".join(
    f"Jürgen {row};1,{60 + row % 30};1.{row:03},50;{1 + row % 28:02}.03.2024\n" for row in range(40)
)
SAID = {"encoding": "cp1252", "decimal": ",", "thousands": ".", "dates": "%d.%m.%Y"}


def opened(visitor: Visitor, name: str, **said: Any) -> Any:
    return visitor.ask("POST", "/api/open", json={"name": name, **said})


def test_what_was_said_is_told_from_what_was_found_out(visitor: Visitor) -> None:
    assert opened(visitor, "patients.csv")["said"] == []
    assert opened(visitor, "patients.csv", separator=",", header=True)["said"] == ["separator", "header"]
    visitor.ask("PATCH", "/api/plan", json={"data": {"encoding": "latin-1"}})
    assert visitor.ask("GET", "/api/plan")["said"] == ["separator", "encoding", "header"]
    assert opened(visitor, "patients.csv")["said"] == []


def test_a_plan_that_was_never_opened_here_says_what_it_says(planned: Visitor) -> None:
    assert planned.ask("GET", "/api/plan")["said"] == []
    assert planned.ask("GET", "/api/plan")["about"] == {}


def test_the_layout_has_every_part_of_how_a_text_file_is_read(visitor: Visitor, folder: Path) -> None:
    (folder / "g.csv").write_bytes(GERMAN.encode("cp1252"))
    opened(visitor, "g.csv", **SAID)
    found = visitor.ask("GET", "/api/table/profile")
    layout = {key: found["layout"][key] for key in ("kind", "separator", *SAID, "header")}
    assert layout == {"kind": "text", "separator": ";", **SAID, "header": True}
    assert [one["kind"] for one in found["columns"]] == ["text", "number", "number", "date"]


def test_rows_are_shown_as_they_stand_in_the_file(visitor: Visitor, folder: Path) -> None:
    (folder / "g.csv").write_bytes(GERMAN.encode("cp1252"))
    opened(visitor, "g.csv", **SAID)
    assert visitor.ask("GET", "/api/table/rows")["rows"][1] == ["Jürgen 1", "1,61", "1.001,50", "02.03.2024"]


def test_a_file_without_a_header_shows_its_first_line_as_a_row(visitor: Visitor, folder: Path) -> None:
    (folder / "bare.csv").write_bytes(b"\xef\xbb\xbf" + b"\n".join(b"%d,f,01067" % (20 + row) for row in range(30)))
    opened(visitor, "bare.csv", header=False)
    found = visitor.ask("GET", "/api/table/rows")
    assert found["columns"] == ["column1", "column2", "column3"]
    assert (found["rows"][0], len(found["rows"])) == (["20", "f", "01067"], 20)
    assert visitor.ask("GET", "/api/table/profile")["layout"]["header"] is False


def test_rows_of_a_release_are_found_though_the_file_writes_them_otherwise(visitor: Visitor, folder: Path) -> None:
    (folder / "g.csv").write_bytes(GERMAN.encode("cp1252"))
    opened(visitor, "g.csv", **SAID)
    columns = {"Name": {"role": "identifier"}, "Lohn": {"role": "drop"}, "Tag": {"role": "quasi", "hierarchy": "auto"}}
    size = {"role": "quasi", "hierarchy": {"intervals": ["0.1", "0.2", "0.4"]}}
    change = {"columns": {**columns, "Größe": size}, "privacy": {"promise": ["k>=3"], "max_suppressed": "0.5"}}
    visitor.ask("PATCH", "/api/plan", json=change)
    done = visitor.work(kind="run")
    assert done["state"] == "done", done["error"]
    rows = visitor.ask("GET", f"/api/runs/{done['run']}")["rows"]
    assert rows["columns"] == ["Größe", "Tag"]
    assert any(row is not None for row in rows["after"])


def test_the_sheets_of_a_spreadsheet_are_named(visitor: Visitor, folder: Path) -> None:
    import xlsxwriter  # noqa: PLC0415 - an extra

    frame = pl.DataFrame({"age": list(range(20, 60)), "sex": ["f", "m"] * 20})
    with xlsxwriter.Workbook(str(folder / "two.xlsx")) as book:
        frame.write_excel(book, worksheet="2023")
        frame.head(30).write_excel(book, worksheet="Stand 2024")
    refused = visitor.ask("POST", "/api/open", 422, json={"name": "two.xlsx"})
    assert refused["message"] == "The file 'two.xlsx' has 2 sheets."
    offered = [(one["words"], one["again"]) for one in refused["repairs"]]
    assert offered[1] == ("Read the sheet Stand 2024", {"sheet": "Stand 2024"})
    assert opened(visitor, "two.xlsx", sheet="Stand 2024")["said"] == ["sheet"]
    found = visitor.ask("GET", "/api/table/profile")
    assert (found["records"], found["layout"]["kind"]) == (30, "sheets")
    assert (found["layout"]["sheets"], found["layout"]["sheet"]) == (["2023", "Stand 2024"], "Stand 2024")
    assert len(visitor.ask("GET", "/api/table/rows")["rows"]) == 20


def test_a_parquet_file_has_nothing_to_say_about_its_reading(visitor: Visitor, folder: Path) -> None:
    pl.DataFrame({"age": [20, 30], "sex": ["f", "m"]}).write_parquet(folder / "a.parquet")
    opened(visitor, "a.parquet")
    layout = visitor.ask("GET", "/api/table/profile")["layout"]
    assert {layout[key] for key in ("separator", "encoding", "sheet", *SAID, "header")} == {None}


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"encoding": "utf-99"}, 422),
        ({"decimal": ";"}, 422),
        ({"thousands": "x"}, 422),
        ({"decimal": ",", "thousands": ","}, 422),
        ({"dates": "%d.%m.%y"}, 422),
        ({"dates": "soon"}, 422),
        ({"header": "maybe"}, 422),
        ({"separator": ";;"}, 422),
    ],
)
def test_what_cannot_be_is_refused_and_the_plan_stays(visitor: Visitor, said: Any, status: int) -> None:
    before = opened(visitor, "patients.csv")["text"]
    refused = visitor.ask("POST", "/api/open", status, json={"name": "patients.csv", **said})
    assert refused["message"]
    assert visitor.ask("GET", "/api/plan")["text"] == before


def test_marks_of_missing_values_are_counted_by_columns(visitor: Visitor, folder: Path) -> None:
    (folder / "m.csv").write_text(PATIENTS.replace("flu", "NA").replace("Ann", "NA").replace("Ben", "?"), "utf-8")
    opened(visitor, "m.csv")
    marks = visitor.ask("GET", "/api/table/profile")["layout"]["marks"]
    assert marks == [{"mark": "NA", "count": 5, "columns": 2}, {"mark": "?", "count": 1, "columns": 1}]


def test_a_german_file_is_read_without_a_word(visitor: Visitor, folder: Path) -> None:
    (folder / "g.csv").write_bytes(GERMAN.encode("cp1252"))
    plan = opened(visitor, "g.csv")
    assert plan["said"] == []
    found = {key: plan["plan"]["data"][key] for key in ("separator", *SAID)}
    assert found == {"separator": ";", **SAID}
    assert [one["kind"] for one in visitor.ask("GET", "/api/table/profile")["columns"]][1:] == ["number"] * 2 + ["date"]


def test_what_could_be_read_otherwise_is_asked_without_words_of_the_plan(visitor: Visitor, folder: Path) -> None:
    rows = "".join(f"{row % 12 + 1:02}/03/2024,{20240101 + row % 28},{row % 9}\n" for row in range(60))
    (folder / "d.csv").write_text(f"seen,code,size\n{rows}", encoding="utf-8")
    asked = opened(visitor, "d.csv")["about"]["reading"]
    assert any("tells day from month" in one for one in asked)
    assert any(one.endswith("Say so below if they are.") for one in asked)
    assert not any("=" in one for one in asked)


def test_nothing_between_thousands_can_be_said(visitor: Visitor, folder: Path) -> None:
    (folder / "t.csv").write_text("age;cost\n" + "".join(f"{row};1.{row:03}\n" for row in range(40)), "utf-8")
    plan = opened(visitor, "t.csv", decimal=".", thousands="none")
    assert plan["said"] == ["decimal", "thousands"]
    assert "thousands" not in plan["plan"]["data"]


def test_iso_dates_can_be_said(visitor: Visitor) -> None:
    assert opened(visitor, "patients.csv", dates="%Y-%m-%d")["said"] == ["dates"]


@pytest.mark.parametrize(("kind", "asked"), [("csv", ["-9"]), ("parquet", [])])
def test_a_number_is_asked_about_only_where_it_can_be_called_missing(
    visitor: Visitor, folder: Path, kind: str, asked: list[str]
) -> None:
    frame = pl.DataFrame(
        {"age": [-9 if row % 7 == 0 else 20 + row % 50 for row in range(200)], "sex": ["f", "m"] * 100}
    )
    getattr(frame, f"write_{kind}")(folder / f"n.{kind}")
    opened(visitor, f"n.{kind}")
    assert [one["mark"] for one in visitor.ask("GET", "/api/table/profile")["layout"]["marks"]] == asked


@pytest.mark.parametrize(
    ("dialect", "encoding", "first"), [("input", "cp1252", "Größe;Tag"), ("plain", "utf-8", "Größe,Tag")]
)
def test_a_release_is_written_as_the_file_was_read_or_plainly(
    visitor: Visitor, folder: Path, dialect: str, encoding: str, first: str
) -> None:
    (folder / "g.csv").write_bytes(GERMAN.encode("cp1252"))
    plan = opened(visitor, "g.csv")
    visitor.ask("POST", "/api/plan/confirm", json={"columns": plan["unsure"]})
    roles = {"Name": {"role": "identifier"}, "Lohn": {"role": "drop"}}
    quasi = {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in ("Größe", "Tag")}
    change = {"columns": {**roles, **quasi}, "privacy": {"promise": ["k>=2"], "max_suppressed": "1"}}
    visitor.ask("PATCH", "/api/plan", json={**change, "output": {"dialect": dialect}})
    done = visitor.work(kind="run")
    assert done["state"] == "done", done["error"]
    run = visitor.ask("GET", f"/api/runs/{done['run']}")
    assert (run["dialect"]["separator"], run["dialect"]["decimal"], run["dialect"]["encoding"]) == (";", ",", "cp1252")
    names = [one["name"] for one in visitor.ask("GET", f"/api/runs/{done['run']}/review")["items"]]
    anyway = {"reason": "a test", "name": "A. Tester", "items": names}
    written = visitor.work(kind="export", run=done["run"], anyway=anyway)
    assert written["state"] == "done", written["error"]
    text = (folder / "out/public/data.csv").read_bytes().decode(encoding)
    assert text.splitlines()[0] == first


@pytest.mark.parametrize("first", ["1,f,1", "34,f,01067", ",f,01067"])
def test_a_first_line_that_is_a_record_is_asked_about(visitor: Visitor, folder: Path, first: str) -> None:
    (folder / "bare.csv").write_text(f"{first}\n35,m,01069\n", encoding="utf-8")
    refused = visitor.ask("POST", "/api/open", 422, json={"name": "bare.csv"})
    assert refused["repairs"][0]["again"] == {"header": False}
    assert len(opened(visitor, "bare.csv", header=False)["plan"]["columns"]) == 3


MIXED = "\n".join(
    ["id,town,height,smoker", *(f"{row},{'abc'[row % 3]},{150 + row % 40},{'yn'[row % 2]}" for row in range(90)), ""]
)


def test_confirmed_roles_outlast_another_reading_where_the_kind_of_a_column_stays(
    visitor: Visitor, folder: Path
) -> None:
    (folder / "mixed.csv").write_text(MIXED, encoding="utf-8")
    before = visitor.ask("POST", "/api/open", json={"name": "mixed.csv"})
    roles = {one["name"]: one["role"] for one in before["columns"]}
    assert roles["town"] == "quasi"
    changed = {"town": {"role": "sensitive"}, "height": {"role": "quasi"}}
    visitor.ask("PATCH", "/api/plan", json={"columns": changed})
    after = visitor.ask("POST", "/api/open", json={"name": "mixed.csv", "missing": ["", "n"], "again": True})
    found = {one["name"]: one for one in after["columns"]}
    assert (found["town"]["role"], found["town"]["suggested"], found["town"]["confirmed"]) == (
        "sensitive",
        "quasi",
        True,
    )
    assert (found["height"]["role"], found["height"]["confirmed"]) == ("quasi", True)


def test_a_column_of_another_kind_loses_what_was_confirmed(visitor: Visitor, folder: Path) -> None:
    (folder / "mixed.csv").write_text(MIXED.replace("150,", "k.A.,"), encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "mixed.csv"})
    visitor.ask("PATCH", "/api/plan", json={"columns": {"height": {"role": "insensitive"}}})
    after = visitor.ask("POST", "/api/open", json={"name": "mixed.csv", "missing": ["", "k.A."], "again": True})
    height = next(one for one in after["columns"] if one["name"] == "height")
    assert height["role"] == height["suggested"] != "insensitive"


def test_a_file_that_is_opened_anew_is_suggested_anew(visitor: Visitor, folder: Path) -> None:
    (folder / "mixed.csv").write_text(MIXED, encoding="utf-8")
    visitor.ask("POST", "/api/open", json={"name": "mixed.csv"})
    visitor.ask("PATCH", "/api/plan", json={"columns": {"town": {"role": "sensitive"}, "height": {"role": "quasi"}}})
    after = visitor.ask("POST", "/api/open", json={"name": "mixed.csv"})
    assert next(one["role"] for one in after["columns"] if one["name"] == "town") == "quasi"
