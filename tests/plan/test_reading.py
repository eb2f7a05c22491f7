"""A stranger's file: a suggestion finds out how it is written, says so, and asks; every other door is strict."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import incrowd as ic
from incrowd.core import DataError
from incrowd.engines import write_table
from plan.plans import suggested

GERMAN = {"decimal": ",", "thousands": ".", "dates": "%d.%m.%Y", "separator": ";", "encoding": "cp1252"}
SCHEMA = ic.Schema(quasi={"geschlecht": ic.flat(), "geboren": ic.dates("year", "decade")}, sensitive=["kosten"])


def rows(count: int = 120) -> list[tuple[str, dt.date, int]]:
    born = [dt.date(1950, 1, 1) + dt.timedelta(days=n * 97) for n in range(count)]
    return [("mw"[n % 2], day, 900 + 37 * (n % 11)) for n, day in enumerate(born)]


def german(path: Path) -> Path:
    lines = [f"{sex};{day:%d.%m.%Y};{cost // 1000}.{cost % 1000:03},50;Köln" for sex, day, cost in rows()]
    lines = [line.replace(";0.", ";") for line in lines]
    path.write_bytes("\r\n".join(["geschlecht;geboren;kosten;ort", *lines]).encode("cp1252"))
    return path


def plain(path: Path) -> Path:
    lines = [f"{sex},{day},{cost}.50,Köln" for sex, day, cost in rows()]
    path.write_text("\n".join(["geschlecht,geboren,kosten,ort", *lines]), encoding="utf-8")
    return path


DOORS: dict[str, Callable[[Path, dict[str, Any]], Any]] = {
    "census": lambda file, reading: ic.census(file, SCHEMA, **reading),
    "profile": lambda file, reading: [*ic.profile(file, **reading).domains.values()],
    "assess": lambda file, reading: ic.assess(file, SCHEMA, **reading).to_dict(),
    "check": lambda file, reading: ic.check(file, SCHEMA, "k>=2", **reading).findings,
    "anonymize": lambda file, reading: ic.anonymize(
        file, SCHEMA, model="k>=5", others="drop", max_suppressed=0.1, **reading
    ).table.to_pylist(),
    "frontier": lambda file, reading: repr(ic.frontier(file, SCHEMA, max_suppressed=0.1, **reading)),
    "suggest": lambda file, reading: [(one.name, one.role) for one in ic.suggest(file, **reading).columns],
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_a_german_file_as_the_plain_one(door: str, tmp_path: Path) -> None:
    ask = DOORS[door]
    assert ask(german(tmp_path / "german.csv"), GERMAN) == ask(plain(tmp_path / "plain.csv"), {})


@pytest.mark.parametrize("door", ["census", "assess", "anonymize"])
def test_the_other_doors_do_not_guess(door: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"it can be read with encoding='cp1252'"):
        DOORS[door](german(tmp_path / "german.csv"), {})


def test_a_plan_reads_a_file_as_it_says(tmp_path: Path) -> None:
    german(tmp_path / "german.csv")
    found = ic.suggest(tmp_path / "german.csv")
    assert found.reading == GERMAN
    assert set(found.found) == set(GERMAN)
    plan = found.write(tmp_path / "plan.toml", "german.csv")
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert 'dates = "%d.%m.%Y"  # found out from the file\n' in text
    assert ic.Plan.read(tmp_path / "plan.toml") == plan
    assert plan.reading() == GERMAN
    assert found.profile["geboren"].kind == "date"
    assert found.profile["kosten"].kind == "number"
    assert found.asked == ()


def test_a_plain_file_is_found_to_be_one(tmp_path: Path) -> None:
    found = ic.suggest(plain(tmp_path / "plain.csv"))
    assert (found.reading, found.found, found.asked) == ({}, (), ())


def test_american_files_are_told_by_their_days_and_thousands(tmp_path: Path) -> None:
    lines = [f'{day.month}/{day.day}/{day.year},"1,{100 + n}.25"' for n, (_, day, _) in enumerate(rows())]
    found = suggested(tmp_path / "t.csv", "\n".join(["born,amount", *lines]))
    assert found.reading == {"thousands": ",", "dates": "%m/%d/%Y"}
    assert [column.kind for column in found.profile.columns] == ["date", "number"]


def test_a_first_line_that_is_a_record_can_be_read_as_one(tmp_path: Path) -> None:
    text = "\n".join(f"{n},19{n % 90 + 10}-01-01,f" for n in range(30))
    with pytest.raises(DataError, match=r"does not look like names of columns.*or say header=False"):
        suggested(tmp_path / "t.csv", text)
    found = suggested(tmp_path / "t.csv", text, header=False)
    assert [column.name for column in found.columns] == ["column1", "column2", "column3"]
    assert found.profile.records == 30


def test_a_header_that_is_read_as_a_record_is_asked_about(tmp_path: Path) -> None:
    found = suggested(tmp_path / "t.csv", "age,sex\n" + "31,f\n52,m\n" * 10, header=False)
    assert found.asked[0] == "the first line looks like names of columns: then leave header = false out"


def test_three_digits_after_a_point_are_asked_about_where_decimals_have_commas(tmp_path: Path) -> None:
    lines = [f"{n % 9 + 1}.{n + 100};{n},5" for n in range(40)]
    found = suggested(tmp_path / "t.csv", "\n".join(["x;y", *lines]))
    assert [question for question in found.asked if "'x'" in question] == [
        (
            "the point in 'x' is read as a decimal point, so that 1.234 is a little more than one. Is that right? "
            'If it stands between thousands, say thousands = "." and decimal = ","'
        )
    ]


def test_a_mark_that_is_read_as_one_between_thousands_is_asked_about_as_such(tmp_path: Path) -> None:
    lines = [f"{n % 9 + 1}.{n + 100};{n + 1}.234,5" for n in range(40)]
    found = suggested(tmp_path / "t.csv", "\n".join(["x;y", *lines]))
    assert found.reading == {"separator": ";", "decimal": ",", "thousands": "."}
    assert found.asked == (
        (
            "the point in 'x' is read as a mark between thousands, so that 1.234 is more than a thousand. "
            'Is that right? If decimals follow it, say decimal = "."'
        ),
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dates": "%d.%m.%Y"}, "dates was given, and no column has days of this form"),
        ({"decimal": ","}, "decimal was given, and no column has numbers with a decimal comma"),
        ({"thousands": "'"}, "thousands was given, and no column has numbers with this mark between thousands"),
    ],
)
def test_what_was_said_and_fits_nothing_is_said(given: dict[str, Any], words: str, tmp_path: Path) -> None:
    text = "age,town\n" + "31,Bonn\n32,Ulm\n" * 5
    found = suggested(tmp_path / "t.csv", text, **given)
    assert found.asked[0] == f"{words}: a column is read so only if all its values fit. Is it right?"
    schema = ic.Schema({"age": ic.intervals(10)}, insensitive=["town"])
    with pytest.warns(ic.PrivacyWarning, match=words):
        ic.anonymize(tmp_path / "t.csv", schema, model="k>=2", **given)


def test_what_was_said_of_a_sheet_and_fits_nothing_is_said(tmp_path: Path) -> None:
    write_table([{"age": 31, "town": "Bonn"}, {"age": 32, "town": "Ulm"}], tmp_path / "t.xlsx")
    found = ic.suggest(tmp_path / "t.xlsx", dates="%d.%m.%Y")
    assert found.asked[0].startswith("dates was given, and no column has days of this form")


def test_what_was_said_and_fits_is_not_mentioned(tmp_path: Path) -> None:
    lines = [f"{n % 28 + 1:02}.05.2024;1.{n + 100},5" for n in range(40)]
    given = {"dates": "%d.%m.%Y", "decimal": ",", "thousands": "."}
    assert suggested(tmp_path / "t.csv", "\n".join(["day;cost", *lines]), **given).asked == ()


def test_columns_with_days_of_two_orders_are_both_named_and_neither_is_guessed(tmp_path: Path) -> None:
    lines = [
        f"{n % 12 + 1}/{n % 7 + 1}/1990,{n % 28 + 1}/{n % 12 + 1}/2020,{n % 12 + 1}/{n % 28 + 1}/2021"
        for n in range(60)
    ]
    found = suggested(tmp_path / "t.csv", "\n".join(["born,seen,left", *lines]))
    assert found.asked == (
        (
            "'seen' has days as dd/mm/yyyy, and stays text, because a file has one form of days "
            "('born', 'left' as mm/dd/yyyy): write them alike, or give 'seen' a ladder of dates with its own format"
        ),
        "no day of 'born' tells day from month: they are read as mm/dd/yyyy. Is that right?",
    )


def test_decimal_commas_are_no_separators_without_a_header(tmp_path: Path) -> None:
    found = suggested(tmp_path / "t.csv", "\n".join(f"{n % 7},5;{n % 3},25;x" for n in range(30)), header=False)
    assert found.reading == {"header": False, "separator": ";", "decimal": ","}
    assert len(found.columns) == 3


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-8"])
def test_a_byte_order_mark_is_no_part_of_a_name(encoding: str, tmp_path: Path) -> None:
    text = "age,sex\n" + "31,f\n52,m\n" * 10
    mark = "" if encoding == "utf-16" else "\ufeff"
    (tmp_path / "t.csv").write_bytes(f"{mark}{text}".encode(encoding))
    assert [column.name for column in ic.suggest(tmp_path / "t.csv", encoding=encoding).columns] == ["age", "sex"]
    schema = ic.Schema({"age": ic.intervals(20)}, insensitive=["sex"])
    assert len(ic.anonymize(tmp_path / "t.csv", schema, model="k>=2", encoding=encoding).table) == 20


def test_decimal_commas_far_below_are_found_too(tmp_path: Path) -> None:
    lines = [f"{n};{'' if n < 20_000 else '1,5'}" for n in range(20_100)]
    found = suggested(tmp_path / "t.csv", "\n".join(["x;y", *lines]))
    assert found.reading == {"separator": ";", "decimal": ","}
    assert found.profile["y"].kind == "number"


def test_a_first_line_whose_texts_are_values_of_their_columns_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Bob,f,hiv\n" + "Bob,f,hiv\nAda,m,flu\n" * 9, encoding="utf-8")
    with pytest.raises(ic.DataError, match="names of columns: 3 of 3 are values of their columns") as error:
        ic.suggest(path)
    assert "hiv" not in str(error.value)
    assert ic.suggest(path, header=False).profile.records == 19


def test_files_of_a_folder_in_two_encodings_are_refused(tmp_path: Path) -> None:
    for name, encoding in (("a.csv", "utf-8"), ("b.csv", "cp1252")):
        (tmp_path / name).write_text("age;d\n" + "30;Grün\n" * 4, encoding=encoding)
    with pytest.raises(ic.DataError, match="different encodings: cp1252, utf-8"):
        ic.suggest(tmp_path)


def test_other_encodings_that_fit_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"name,age\n" + "Kučera,31\nNovák,32\n".encode("cp1250") * 5)
    asked = ic.suggest(tmp_path / "t.csv").asked
    assert asked[0].startswith("special characters are read as cp1252; cp1250, iso8859-2")
    assert asked[0].endswith(" fit too. Do names look right? Else say encoding")


@pytest.mark.parametrize(
    ("first", "line", "has"),
    [
        ("Patients of ward 3\n", 2, "1 value"),
        ("Patients, ward 3\nmade in May\n\n", 4, "1 value"),
        ("Patients of ward 3;;;\n", 2, "1 value"),
        ("sep=;\n", 2, "1 value"),
    ],
)
@pytest.mark.parametrize("header", [True, False])
def test_a_title_is_not_taken_for_the_names_of_columns(
    first: str, line: int, has: str, header: bool, tmp_path: Path
) -> None:
    text = first + "age;sex;town;cost\n" + "31;f;Bonn;1,5\n52;m;Ulm;2,5\n" * 10
    with pytest.raises(DataError, match=f"has {has}, and most lines after it have 4") as caught:
        suggested(tmp_path / "t.csv", text, header=header)
    assert f"line {line}" in caught.value.hint
    assert "Patients" not in str(caught.value)
    with pytest.raises(DataError, match=f"has {has}, and most lines after it have 4"):
        ic.profile(tmp_path / "t.csv", header=header)


def test_an_empty_first_line_is_refused_with_the_line_of_the_names(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"first line of the file 't\.csv' is empty"):
        suggested(tmp_path / "t.csv", "\n\nage;sex\n31;f\n")


def test_fields_of_blanks_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age;d\n" + "30; \n30;hiv\n31; \n31;flu\n" * 5, encoding="utf-8")
    assert any(question.startswith("' ' stands 10 times in 'd'") for question in ic.suggest(path).questions)


@pytest.mark.parametrize(
    ("cells", "asked"),
    [
        (["flu", "flu ", " hiv"], "'d' has 12 values with blanks at an end, which count as part of them"),
        (["flu", "h\x02v"], "'d' has 9 values with signs that no text has: is the file damaged?"),
        ([*map(str, range(20)), "<5"], "'d' has numbers beside 1 other value, and stays text: are these missing?"),
    ],
)
def test_what_nobody_sees_is_asked_about(cells: list[str], asked: str, tmp_path: Path) -> None:
    lines = [f"{30 + n % 9},{cells[n % len(cells)]}" for n in range({3: 18, 2: 18, 21: 21}[len(cells)])]
    found = suggested(tmp_path / "t.csv", "\n".join(["age,d", *lines]))
    assert any(question.startswith(asked) for question in found.asked)


def test_a_file_of_one_column_with_blanks_in_its_name_is_asked_about(tmp_path: Path) -> None:
    found = suggested(tmp_path / "t.csv", "age sex\n" + "31 f\n52 m\n" * 10)
    assert found.asked[0] == "the file is read as one column: if a sign stands between values, say separator"


def test_a_title_and_empty_cells_before_the_names_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Survey 2021;;\n;;\nage;sex;income\n30;m;5\n40;f;6\n", encoding="utf-8")
    with pytest.raises(ic.DataError, match="seems to be line 3"):
        ic.suggest(path)


@pytest.mark.parametrize(("decimal", "thousands"), [(",", "."), (",", None), (".", ",")])
def test_texts_of_a_frame_that_are_numbers_with_marks_have_the_roles_of_the_file_and_are_asked_about(
    decimal: str, thousands: str | None, tmp_path: Path
) -> None:
    draw = random.Random(8)

    def written(value: float) -> str:
        text = f"{value:,.2f}" if thousands else f"{value:.2f}"
        whole, _, decimals = text.partition(".")
        return f"{whole.replace(',', thousands or '')}{decimal}{decimals}"

    rows = {
        "age": [str(draw.randrange(18, 90)) for _ in range(400)],
        "sex": [draw.choice("mf") for _ in range(400)],
        "income": [written(draw.uniform(9_000, 90_000)) for _ in range(400)],
        "height": [written(draw.gauss(170, 8)) for _ in range(400)],
    }
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv", separator=";")
    file, frame = ic.suggest(tmp_path / "t.csv"), ic.suggest(pl.DataFrame(rows))
    assert [(one.name, one.role) for one in frame.columns] == [(one.name, one.role) for one in file.columns]
    asked = [question for question in frame.questions if "make numbers of them" in question]
    assert len(asked) == 1
    assert asked[0].startswith("'income', 'height' hold" if decimal == "," else "'income' holds")
    ic.anonymize(pl.DataFrame(rows), frame.schema, model="k>=5", max_suppressed=0.05)
