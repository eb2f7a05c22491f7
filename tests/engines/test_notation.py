"""A file with decimal commas, thousands and days of any form is the same table as the plain one."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import incrowd as ic
from incrowd.core import CensusRequest, DataError
from incrowd.engines import Notation, open_table, plain_day, plain_number, write_table

FORMS = ("%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y%m%d", "%Y/%m/%d", "%d-%b-%Y", "%Y年%m月%d日")

notations = st.builds(
    Notation.of,
    st.just(","),
    st.sampled_from([None, ".", " ", "'"]),
    st.sampled_from([None, *FORMS]),
) | st.builds(Notation.of, st.just("."), st.sampled_from([",", " ", "'"]), st.sampled_from(FORMS))

rows = st.lists(
    st.tuples(
        st.none() | st.decimals(-(10**7), 10**7, places=2),
        st.none() | st.integers(-(10**9), 10**9),
        st.none() | st.dates(dt.date(1000, 1, 1), dt.date(9999, 12, 31)),
        st.none() | st.sampled_from(["a", "1,5 mg", "x.y", "007", "31.02.2024"]),
    ),
    min_size=1,
)


def written(rows: list[Any], notation: Notation, separator: str, blank: str = "") -> str:
    """Write rows as a person would in this notation; the plain notation is what the others are held to."""
    thousands = notation.thousands or ""

    def number(value: Any) -> str:
        text = format(value, ",f" if isinstance(value, Decimal) else ",d")
        return text.translate({ord(","): thousands, ord("."): notation.decimal})

    def day(value: dt.date) -> str:
        return value.strftime(notation.dates) if notation.dates else value.isoformat()

    writes: list[Callable[[Any], str]] = [number, number, day, str]
    out = io.StringIO()
    table = csv.writer(out, delimiter=separator)
    table.writerow(["cost", "visits", "born", "note"])
    for row in rows:
        table.writerow([blank if value is None else write(value) for write, value in zip(writes, row, strict=True)])
    return out.getvalue()


@given(rows, notations, st.sampled_from([";", ",", "\t"]), st.sampled_from(["utf-8", "utf-16", "gb18030"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_a_file_in_any_dialect_is_the_plain_table(
    tmp_path: Path, rows: list[Any], notation: Notation, separator: str, encoding: str
) -> None:
    plain, other = tmp_path / "plain.csv", tmp_path / "other.csv"
    plain.write_bytes(written(rows, Notation(), ",").encode())
    other.write_bytes(written(rows, notation, separator, "k.A.").encode(encoding))
    said: dict[str, Any] = {"decimal": notation.decimal, "thousands": notation.thousands, "dates": notation.dates}
    one = open_table(plain)
    two = open_table(other, separator=separator, encoding=encoding, missing_values=["", "k.A."], **said)
    names = list(one.columns())
    assert list(two.columns()) == names
    domains, others = one.domains(names), two.domains(names)
    for name in names:
        assert domains[name] == others[name]
        assert domains[name].texts.tolist() == others[name].texts.tolist()
    request = CensusRequest(("cost", "born"), ("note",))
    assert one.census(request) == two.census(request)
    assert one.materialise().equals(two.materialise())


@given(rows, notations)
def test_what_the_door_does_is_what_is_obvious(rows: list[Any], notation: Notation) -> None:
    for text, plain in zip(
        written(rows, notation, "|").split("\r\n")[1:], written(rows, Notation(), "|").split("\r\n")[1:], strict=True
    ):
        for written_, expected in zip(text.split("|")[:2], plain.split("|")[:2], strict=True):
            assert not written_ or plain_number(notation, written_) == expected
        if notation.dates and text and (day := text.split("|")[2]):
            assert plain_day(notation, day) == plain.split("|")[2]


@pytest.mark.parametrize(
    "values",
    [
        ["1,5", "2.5"],  # two decimal marks
        ["1.23", "1,5"],  # no group of three digits
        ["13.01.2024", "01.13.2024"],  # two orders
        ["31.02.2024", "01.02.2024"],  # no such day
        ["01.02.24", "01.02.2024"],
        ["1,5 ", "2,5"],
        ["1,5", "x"],
    ],
)
def test_a_column_that_is_written_in_two_ways_stays_as_it_is(values: list[str], tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("x;y\n" + "".join(f"{value};1,5\n" for value in values))
    engine = open_table(file, decimal=",", thousands=".", dates="%d.%m.%Y")
    assert engine.domains(["x"])["x"].texts.tolist() == sorted(values)
    assert engine.rewritten == {"y": "number"}  # type: ignore[attr-defined]


def test_a_time_of_day_stays_with_its_day(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("x;y\n1.2.2024 8:30;1\n01.02.2024 18:30:05;2\n3.12.2024;3\n")
    domain = open_table(file, dates="%d.%m.%Y").domains(["x"])["x"]
    assert domain.kind == "datetime"
    assert domain.texts.tolist() == ["2024-02-01 08:30", "2024-02-01 18:30:05", "2024-12-03"]


def test_a_mark_for_missing_stays_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("x;y\n01.01.1900;9.999,0\n02.01.2024;1,5\n")
    engine = open_table(
        file, decimal=",", thousands=".", dates="%d.%m.%Y", missing_values=["", "01.01.1900", "9.999,0"]
    )
    assert [domain.texts.tolist() for domain in engine.domains(["x", "y"]).values()] == [
        ["2024-01-02", None],
        ["1.5", None],
    ]


@pytest.mark.parametrize("marked", [False, True])
def test_without_a_header_the_first_line_is_a_record(tmp_path: Path, marked: bool) -> None:
    file = tmp_path / "t.csv"
    file.write_text("31,01067\n52,01069\n", encoding="utf-8-sig" if marked else "utf-8")
    engine = open_table(file, header=False)
    assert list(engine.columns()) == ["column1", "column2"]
    assert engine.domains(["column1"])["column1"].values.tolist() == [31, 52]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"decimal": ";"}, r"The decimal mark must be '.' or ',', got ';'"),
        ({"thousands": "_"}, "The mark between thousands must be one of"),
        ({"thousands": "."}, r"cannot be the decimal mark '\.' too"),
        ({"dates": "%d.%m.%y"}, "has years of two digits, which do not tell the century"),
        ({"dates": "%d.%m"}, r"The form of dates '%d\.%m' cannot be read"),
        ({"dates": "%d.%m.%Y %H"}, "cannot be read"),
        ({"dates": "dd.mm.yyyy"}, "cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("x\n1\n")
    with pytest.raises(DataError, match=said):
        open_table(file, **given)


@pytest.mark.parametrize("given", [{"decimal": ","}, {"thousands": " "}, {"dates": "%d.%m.%Y"}, {"header": False}])
def test_what_is_not_written_in_text_cannot_be_told_how_it_is_written(given: dict[str, Any], tmp_path: Path) -> None:
    table = pa.table({"x": ["1,5"]})
    file = tmp_path / "t.arrow"
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    for source in (table, table.to_pylist(), file):
        with pytest.raises(DataError, match=f"{next(iter(given))}= says how a text file is written"):
            open_table(source, **given)


def test_a_distance_between_costs_can_be_promised_of_a_file_with_fixed_decimals(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("sex,cost\n" + "".join(f"{'fm'[n % 2]},{50 + n % 7}.{n % 5}0\n" for n in range(60)))
    schema = ic.Schema(quasi=["sex"], sensitive=["cost"])
    release = ic.anonymize(file, schema, model="k>=5, t<=0.3[cost, ordered]")
    assert len(release.table) == 60
    assert all(text[-1] == "0" for text in release.table["cost"].to_pylist())


def test_texts_of_a_spreadsheet_are_read_alike(tmp_path: Path) -> None:
    cells = {
        "cost": ["1.234,50", "k.A.", "8,00"],
        "born": ["31.12.2024", "1.2.2024", "k.A."],
        "zip": ["01", "x", "1,5"],
    }
    table = pa.table(cells | {"n": [1, 2, 3]})
    write_table(table, tmp_path / "t.xlsx")
    said = {"decimal": ",", "thousands": ".", "dates": "%d.%m.%Y"}
    engine = open_table(tmp_path / "t.xlsx", missing_values=["", "k.A."], **said)  # type: ignore[arg-type]
    found = {
        name: (domain.kind, domain.texts.tolist()) for name, domain in engine.domains(list(table.column_names)).items()
    }
    assert found == {
        "cost": ("number", ["8", "1234.5", None]),
        "born": ("date", ["2024-02-01", "2024-12-31", None]),
        "zip": ("text", ["01", "1,5", "x"]),
        "n": ("number", ["1", "2", "3"]),
    }


@pytest.mark.parametrize(("last", "kind"), [("1,5", "number"), ("1,5x", "text"), ("15", "number")])
def test_a_decimal_comma_that_comes_late_is_found(last: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("cost;n\n" + "".join(f"{number};{number}\n" for number in range(1_500)) + f"{last};7\n")
    engine = open_table(path, separator=";", decimal=",")
    domains = engine.domains(["cost", "n"])
    assert (domains["cost"].kind, domains["n"].kind) == (kind, "number")
    assert (1.5 in domains["cost"].values) == (last == "1,5")


@pytest.mark.parametrize(
    ("text", "plain"), [("1.234", "1234"), ("0.500", None), ("01.234", None), ("12.345,60", "12345.60")]
)
def test_groups_of_three_digits_begin_with_no_zero(text: str, plain: str | None) -> None:
    assert plain_number(Notation(",", "."), text) == plain


def test_the_year_zero_is_in_no_calendar_wherever_it_stands(tmp_path: Path) -> None:
    for rows in (["01.02.2024"] * 1001 + ["01.01.0000"], ["01.01.0000"] + ["01.02.2024"] * 1001):
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["tag;t", *(f"{day};x" for day in rows), ""]), encoding="utf-8")
        assert open_table(path, dates="%d.%m.%Y").domains(["tag"])["tag"].kind == "text"


def test_texts_that_are_no_numbers_without_the_marks_keep_them(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("code;size\n1.234;1.234\n0123;2.345\n", encoding="utf-8")
    engine = open_table(tmp_path / "t.csv", thousands=".", decimal=",")
    found = engine.domains(["code", "size"])
    assert found["code"].texts.tolist() == ["0123", "1.234"]
    assert found["size"].values.tolist() == [1234, 2345]
