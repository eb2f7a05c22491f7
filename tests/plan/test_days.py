"""Columns of days, however they are written: files and frames get the same ladder and the same questions."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import incrowd as ic
from incrowd.hierarchies._day_forms import newest_of
from incrowd.plan._sections import DatesForm, FlatForm

FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
DAYS = [dt.date(2018, 1, 1) + dt.timedelta(days=(number * 37) % 900) for number in range(300)]
FORMS: dict[str, Callable[[dt.date], str]] = {
    "2020.03.07": lambda day: day.strftime("%Y.%m.%d"),
    "07 Mar 2020": lambda day: day.strftime("%d %b %Y"),
    "07MAR2020": lambda day: day.strftime("%d%b%Y").upper(),
    "March 7, 2020": lambda day: f"{day:%B} {day.day}, {day.year}",
    "7 mars 2020": lambda day: f"{day.day} {FRENCH.split()[day.month - 1]} {day.year}",
    "7. März 2020": lambda day: f"{day.day}. {GERMAN.split()[day.month - 1]} {day.year}",
    "2020-03-07T10:12:13": lambda day: f"{day}T10:12:13",
    "2020-03-07T10:12:13Z": lambda day: f"{day}T10:12:13Z",
    "2020-03-07T10:12:13.5Z": lambda day: f"{day}T10:12:13.5Z",
    "2020-03-07 10:12:13+02:00": lambda day: f"{day} 10:12:13+02:00",
    "07.03.2020": lambda day: day.strftime("%d.%m.%Y"),
    "07.03.2020 10:12": lambda day: f"{day:%d.%m.%Y} 10:12",
    "03/07/2020 1:05 PM": lambda day: f"{day:%m/%d/%Y} 1:05 PM",
    "2020年3月7日": lambda day: f"{day.year}年{day.month}月{day.day}日",
    "20200307": lambda day: day.strftime("%Y%m%d"),
    "202003071012": lambda day: day.strftime("%Y%m%d1012"),
    "202003": lambda day: day.strftime("%Y%m"),
    "2020-03": lambda day: day.strftime("%Y-%m"),
}


def tables(texts: list[str], folder: Path) -> dict[str, Any]:
    """Give the same table as a file and as frames of texts."""
    frame = pd.DataFrame({"admission": texts, "sex": ["f", "m"] * (len(texts) // 2)})
    frame.to_csv(folder / "table.csv", index=False)
    return {"file": folder / "table.csv", "pandas": frame, "polars": pl.DataFrame(frame.to_dict("list"))}


@pytest.mark.parametrize("form", FORMS)
def test_days_get_periods_however_they_are_written_in_files_and_frames(form: str, tmp_path: Path) -> None:
    published = []
    for table in tables([FORMS[form](day) for day in DAYS], tmp_path).values():
        found = ic.suggest(table, missing_values=[""])
        column = found.columns[0]
        assert column.role == "quasi"
        assert isinstance(column.hierarchy, DatesForm)
        assert column.hierarchy.dates[-3:] == ("quarter", "year", "decade")
        release = ic.anonymize(table, found.schema, model="k>=5", **found.reading)
        published.append(sorted(map(str, [*release.table["admission"]])))
    assert published[0] == published[1] == published[2]
    assert published[0][0][:4] == "2018"


@pytest.mark.parametrize(
    ("form", "mark"),
    [
        ("07.03.2020", "unbekannt"),
        ("2020-03-07T10:12:13Z", "unknown"),
        ("7 mars 2020", "unbekannt"),
        ("20200307", "unknown"),
    ],
)
def test_a_mark_among_days_is_asked_about_and_days_get_periods_once_it_is_called_missing(
    form: str, mark: str, tmp_path: Path
) -> None:
    texts = [mark if place % 40 == 0 else FORMS[form](day) for place, day in enumerate(DAYS)]
    for table in tables(texts, tmp_path).values():
        asked = ic.suggest(table)
        assert asked.columns[0].role == "quasi"
        assert isinstance(asked.columns[0].hierarchy, FlatForm)
        assert any(mark in question and "would then be of numbers or dates" in question for question in asked.asked)
        answered = ic.suggest(table, missing_values=["", mark])
        assert isinstance(answered.columns[0].hierarchy, DatesForm)


def test_words_among_days_that_are_no_known_marks_are_asked_about_without_being_named(tmp_path: Path) -> None:
    texts = ["nicht erfasst" if place % 40 == 0 else day.isoformat() for place, day in enumerate(DAYS)]
    for table in tables(texts, tmp_path).values():
        found = ic.suggest(table)
        assert isinstance(found.columns[0].hierarchy, FlatForm)
        assert "'admission' has days beside 8 other values, and stays text: are these missing?" in found.asked
        assert "nicht erfasst" not in str(found)


@pytest.mark.parametrize(
    ("form", "mark"),
    [
        ("20200307", "99999999"),
        ("07.03.2020", "31.12.9999"),
        ("07.03.2020", "01.01.1900"),
        ("2020-03-07T10:12:13", "1900-01-01T00:00:00"),
        ("2020年3月7日", "9999年12月31日"),
    ],
)
def test_days_that_programs_write_where_there_is_none_are_asked_about(form: str, mark: str, tmp_path: Path) -> None:
    texts = [mark if place % 40 == 0 else FORMS[form](day) for place, day in enumerate(DAYS)]
    for kind, table in tables(texts, tmp_path).items():
        found = ic.suggest(table)
        assert found.columns[0].role == "quasi", kind
        assert [question for question in found.asked if mark in question and "mean missing" in question], kind
        answered = ic.suggest(table, missing_values=["", mark])
        assert answered.profile["admission"].missing == 8
        assert isinstance(answered.columns[0].hierarchy, DatesForm)


def test_days_of_a_typed_column_that_mean_missing_are_asked_about() -> None:
    days = [dt.date(1899, 12, 30) if place % 40 == 0 else day for place, day in enumerate(DAYS)]
    asked = ic.suggest(pl.DataFrame({"admission": days})).asked
    assert any("'1899-12-30' stands 8 times" in question and "make it null" in question for question in asked)


def test_a_usual_day_is_no_candidate_for_missing() -> None:
    births = [dt.date(1969, 12, 1) + dt.timedelta(days=17 * number) for number in range(300)] + [dt.date(1970, 1, 1)]
    assert ic.suggest(pl.DataFrame({"birth": births})).asked == ()


@pytest.mark.parametrize(
    "texts",
    [
        [f"{number:06d}" for number in range(101_001, 101_041)],
        [f"{number}" for number in range(200_001, 200_013)],
        [f"room {number}" for number in range(10, 50)],
        [f"{number}.{number + 1}.{number + 2}" for number in range(40, 80)],
    ],
)
def test_codes_are_no_days(texts: list[str]) -> None:
    found = ic.suggest([{"x": text} for text in texts], roles={"x": "quasi"}).columns[0]
    assert not isinstance(found.hierarchy, DatesForm)


def test_years_of_two_digits_are_to_be_checked() -> None:
    found = ic.suggest([{"x": day.strftime("%d.%m.%y")} for day in DAYS], roles={"x": "quasi"}).columns[0]
    assert "century" in found.check


def test_numbers_that_a_frame_holds_as_texts_get_the_ladder_that_a_file_gives_them(tmp_path: Path) -> None:
    frame = pd.DataFrame({"visits": [str((number * 7) % 200) for number in range(500)]}, dtype=object)
    frame.to_csv(tmp_path / "table.csv", index=False)
    of_file, of_frame = (ic.suggest(table, roles={"visits": "quasi"}) for table in (tmp_path / "table.csv", frame))
    assert of_frame.columns[0].hierarchy == of_file.columns[0].hierarchy


def born(first: int, last: int) -> list[dt.date]:
    return [
        dt.date(year, 1 + (7 * year + turn) % 12, 1 + (11 * year + 5 * turn) % 28)
        for turn in range(12)
        for year in range(first, last + 1)
    ]


@pytest.mark.parametrize(
    ("form", "first", "last"),
    [
        *(("%d.%m.%y", first, last) for first, last in [(1930, 1968), (1935, 2004), (1990, 2019), (1970, 1999)]),
        *((form, 1921, 2008) for form in ("%d.%m.%y", "%y%m%d", "%d/%m/%y")),
    ],
)
def test_years_of_two_digits_are_read_in_the_past_and_asked_about(
    form: str, first: int, last: int, tmp_path: Path
) -> None:
    people = born(first, last)
    frame = pd.DataFrame({"birth_date": [day.strftime(form) for day in people], "sex": ["f", "m"] * (len(people) // 2)})
    frame.to_csv(tmp_path / "table.csv", index=False)
    for table in (tmp_path / "table.csv", frame, pl.DataFrame(frame.to_dict("list"))):
        found = ic.suggest(table, roles={"birth_date": "quasi"})
        column = found.columns[0]
        assert isinstance(column.hierarchy, DatesForm)
        assert column.hierarchy.format == form
        assert column.check
        release = ic.anonymize(table, found.schema, model="k>=5", **found.reading)
        assert {label[:3] for label in map(str, [*release.table["birth_date"]]) if label != "*"} <= {
            str(year)[:3] for year in range(first, last + 1)
        }


@pytest.mark.parametrize("form", ["%d.%m.%y", "%y%m%d"])
def test_births_of_a_whole_century_are_shown_in_no_period_until_it_is_said(form: str) -> None:
    people = born(1918, 2015)
    rows = [{"birth_date": day.strftime(form), "sex": "fm"[day.day % 2]} for day in people]
    column = ic.suggest(rows).columns[0]
    assert isinstance(column.hierarchy, FlatForm)
    assert column.tree is None
    assert "newest = 2020" in column.check
    said = ic.Schema(quasi={"birth_date": ic.dates("decade", format=form, newest=2017), "sex": ic.flat()})
    released = pl.DataFrame(ic.anonymize(rows, said, model="k>=5").table)
    assert {*released["birth_date"]} == {f"{decade}0s" for decade in range(191, 202)}


@pytest.mark.parametrize(
    ("years", "newest"),
    [([30, 68], 1970), ([35, 60, 80, 4], 2010), ([18, 21, 23], 2030), ([*range(100)], None), ([99], 2000), ([], None)],
)
def test_two_digit_years_lie_as_close_together_as_they_can(years: list[int], newest: int | None) -> None:
    assert newest_of(years) == newest


def test_newest_is_a_year_beside_a_format_with_years_of_two_digits() -> None:
    with pytest.raises(ic.ParameterError, match="newest must be a year"):
        ic.dates("year", format="%d.%m.%Y", newest=2020)
    with pytest.raises(ic.ParameterError, match="newest must be a year"):
        ic.dates("year", format="%d.%m.%y", newest=20)


DRAW = random.Random(5)
EVENTS = [dt.date(2012, 1, 1) + dt.timedelta(days=DRAW.randrange(3_000)) for _ in range(240)]
FIVE = dt.timedelta(days=5)


def since(year: int, month: int, day: int, seconds: int = 0) -> Callable[[dt.date], int]:
    first = dt.date(year, month, day)
    return lambda when: (when - first).days * (seconds or 1) + (DRAW.randrange(seconds) if seconds else 0)


WRITTEN: dict[str, Callable[[dt.date], Any]] = {
    "yymmdd": lambda day: f"{day:%y%m%d}",
    "yymmdd as a number": lambda day: int(f"{day:%y%m%d}"),
    "ddmmyyyy": lambda day: f"{day:%d%m%Y}",
    "ddmmyyyy as a number": lambda day: int(f"{day:%d%m%Y}"),
    "mmddyyyy": lambda day: f"{day:%m%d%Y}",
    "mmddyy as a number": lambda day: int(f"{day:%m%d%y}"),
    "yyyymm": lambda day: f"{day:%Y%m}",
    "yyyymm as a number": lambda day: int(f"{day:%Y%m}"),
    "mm/yyyy": lambda day: f"{day:%m/%Y}",
    "mm.yyyy": lambda day: f"{day:%m.%Y}",
    "mm/yy": lambda day: f"{day:%m/%y}",
    "dd.mm.": lambda day: f"{day:%d.%m.}",
    "day of the year": lambda day: int(f"{day:%Y%j}"),
    "week": lambda day: f"KW {day:%V/%G}",
    "quarter": lambda day: f"Q{(day.month + 2) // 3} {day.year}",
    "range": lambda day: f"{day:%d.%m.%Y} - {day + FIVE:%d.%m.%Y}",
    "range without its first year": lambda day: f"{day:%d.%m.}-{day + FIVE:%d.%m.%Y}",
    "range of ISO dates": lambda day: f"{day}/{day + FIVE}",
    "range in words": lambda day: f"{day:%m/%d/%Y} to {day + FIVE:%m/%d/%Y}",
    "with a remark": lambda day: f"{day:%d/%m/%Y} (approx.)",
    "Japanese": lambda day: f"{day.year}年{day.month}月{day.day}日",
    "Japanese era": lambda day: f"令和{day.year - 2010}年{day.month}月{day.day}日",
    "spreadsheet": since(1899, 12, 30),
    "spreadsheet with the hour": lambda day: (day - dt.date(1899, 12, 30)).days + DRAW.randrange(1, 24) / 24,
    "days since 1970": since(1970, 1, 1),
    "days since 1960": since(1960, 1, 1),
    "seconds since 1970": since(1970, 1, 1, 86_400),
    "milliseconds since 1970": since(1970, 1, 1, 86_400_000),
    "seconds since 1582": since(1582, 10, 14, 86_400),
    "decimal year": lambda day: round(day.year + day.timetuple().tm_yday / 366, 3),
    "year": lambda day: day.year,
}
NAMES = ["diagnosis_date", "diagnosis", "admission", "dod", "surgery", "death", "hiv_test", "Entlassung", "prison"]


def role_of(table: Any, name: str) -> str:
    return next(column.role for column in ic.suggest(table).columns if column.name == name)


@pytest.mark.parametrize(  # three names for each way to write it, and every name with several ways
    ("name", "form"),
    [(NAMES[(place + step) % len(NAMES)], form) for place, form in enumerate(WRITTEN) for step in (0, 3, 6)],
)
def test_the_time_of_an_event_is_not_confidential_but_known_to_others(name: str, form: str) -> None:
    values = [WRITTEN[form](day) for day in EVENTS]
    frame = pd.DataFrame({name: values, "age": [place % 70 for place in range(240)]})
    assert role_of(frame, name) == "quasi"


@pytest.mark.parametrize("form", WRITTEN)
def test_it_is_seen_in_files_and_in_every_kind_of_frame(form: str, tmp_path: Path) -> None:
    columns = {"admission": [WRITTEN[form](day) for day in EVENTS], "age": [place % 70 for place in range(240)]}
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    tables = [tmp_path / "t.csv", frame, pl.DataFrame(columns)]
    assert [role_of(table, "admission") for table in tables] == ["quasi"] * 3


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("platelets", [DRAW.randrange(150_000, 400_000) for _ in range(240)]),
        ("diagnosis", [f"{DRAW.choice('ABC')}{DRAW.randrange(10, 99)}.{DRAW.randrange(9)}" for _ in range(240)]),
        ("cholesterol", [DRAW.randrange(110, 330) for _ in range(240)]),
        ("income", [DRAW.randrange(20_000, 60_000) for _ in range(240)]),
        ("blood_pressure", [f"{DRAW.randrange(90, 180)}/{DRAW.randrange(60, 99)}" for _ in range(240)]),
        ("creatinine", [round(DRAW.uniform(0.4, 9), 4) for _ in range(240)]),
    ],
)
def test_measured_numbers_are_not_taken_for_days(name: str, values: list[Any]) -> None:
    assert role_of(pd.DataFrame({name: values}), name) == "sensitive"
