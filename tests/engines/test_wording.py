from __future__ import annotations

import datetime as dt
import gzip
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from incrowd.core import DataError, ParameterError
from incrowd.engines import Dialect, Engine, Wording, check_dialect, is_written_by, open_table
from incrowd.engines.formats._output import write_batches

GERMAN = Dialect(";", "cp1252", mark=False, decimal=",", dates="%d.%m.%Y")
NUMBERS = st.decimals(-(10**6), 10**6, allow_nan=False, places=2).map(str) | st.floats(allow_nan=False).map(repr)
DAYS = st.dates().map(str) | st.datetimes(timezones=st.none()).map(lambda moment: str(moment.replace(microsecond=0)))
LABELS = st.sampled_from(
    ["[0.5, 1)", "*", "1,5", "1.5", "01.07.2024", "2024-07", "=1+1", "-1,5", "'1,5", "", "a;b", 'a"b']
)
TEXTS = st.text(st.sampled_from("0123456789.,-/' ;|\tä€Eeab\n\""), max_size=12)
CELLS = st.none() | NUMBERS | DAYS | LABELS | TEXTS
COLUMNS = st.sampled_from([NUMBERS | st.none(), DAYS | st.none(), NUMBERS | LABELS, CELLS]).flatmap(
    lambda cells: st.lists(cells, min_size=3, max_size=3)
)
TABLES = st.lists(COLUMNS, min_size=1, max_size=3).map(
    lambda columns: {f"c{number} ä": column for number, column in enumerate(columns)}
)
DIALECTS = st.builds(
    Dialect,
    separator=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "cp1252", "utf-16", "utf-16-be", "utf-8-sig", "gb18030"]),
    mark=st.booleans(),
    decimal=st.sampled_from([".", ","]),
    dates=st.sampled_from([None, "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%Y-%m-%d", "%d %m %Y"]),
)


def reopened(path: Path, wording: Wording) -> Engine:
    how: dict[str, Any] = {"separator": wording.dialect.separator, "encoding": wording.encoding, "wording": wording}
    return open_table(path, missing_values=(), escaped=True, **how)


def rows_of(engine: Engine) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = engine.materialise().to_pylist()
    return rows


@settings(max_examples=20, deadline=None)
@given(TABLES, DIALECTS, st.booleans(), st.sampled_from(["csv", "csv.gz", "tsv"]))
def test_any_table_comes_back_from_any_dialect(
    columns: dict[str, list[str | None]], dialect: Dialect, sorted_already: bool, ending: str
) -> None:
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    with tempfile.TemporaryDirectory() as folder:
        plain, path = Path(folder) / f"plain.{ending}", Path(folder) / f"t.{ending}"
        wanted = Wording(dialect, tuple(columns), typed=True)
        open_table(table, missing_values=()).write(plain, keep_order=True)
        if sorted_already:
            texts = {
                name: column.combine_chunks() for name, column in zip(table.column_names, table.columns, strict=True)
            }
            wording = write_batches(table.to_reader(), path, wanted, texts)
        else:
            wording = open_table(table, missing_values=()).write(path, keep_order=True, wording=wanted)
        expected = reopened(plain, Wording(Dialect("\t" if ending == "tsv" else ",")))
        assert rows_of(reopened(path, wording)) == rows_of(expected)
        assert is_written_by(path, wording)
        assert wording == Wording.of(wording.plain)


TYPED = pa.table(
    {
        "cost": [-1.5, 2.25, None],
        "born": [dt.date(2024, 7, 1), None, dt.date(1931, 1, 2)],
        "note": ["[0.5, 1)", "=1+1", "grün"],
        "code": ["250.01", "V45.1", "401.9"],
        "age": [34, -5, 7],
    }
)


def test_a_german_file_has_commas_days_first_and_its_own_letters(tmp_path: Path) -> None:
    wanted = Wording(GERMAN, ("cost", "born"))
    wording = open_table(TYPED).write(tmp_path / "t.csv", keep_order=True, wording=wanted)
    assert (tmp_path / "t.csv").read_bytes().decode("cp1252").splitlines() == [
        "cost;born;note;code;age",
        "-1,5;01.07.2024;[0.5, 1);250.01;34",
        "2,25;;'=1+1;V45.1;-5",
        ";02.01.1931;grün;401.9;7",
    ]
    assert wording == Wording(GERMAN, ("cost", "born"))


def test_bare_numbers_among_labels_have_the_comma_too_and_labels_keep_the_point(tmp_path: Path) -> None:
    table = pa.table({"age": ["44.5", "[20.5, 30)", "*"]})
    open_table(table).write(tmp_path / "t.csv", keep_order=True, wording=Wording(GERMAN, ("age",)))
    assert (tmp_path / "t.csv").read_text().splitlines() == ["age", "44,5", "[20.5, 30)", "*"]


def test_a_column_in_which_two_texts_would_look_alike_stays_as_it_is(tmp_path: Path) -> None:
    table = pa.table({"a": ["1.5", "1,5"], "b": ["2024-07-01", "01.07.2024"]})
    wording = open_table(table).write(tmp_path / "t.csv", keep_order=True, wording=Wording(GERMAN, ("a", "b")))
    assert (tmp_path / "t.csv").read_text().splitlines() == ["a;b", "1.5;2024-07-01", "1,5;01.07.2024"]
    assert wording == Wording(Dialect(";", "cp1252"), ())


@pytest.mark.parametrize(
    ("cells", "turned"),
    [
        (["1.5", "2", None], True),
        (["1.50", "2.25"], True),
        (["2024-07-01", "2024-07-02"], True),
        (["250.01", "V45.1"], False),
        (["01.1", "02.2"], False),
        (["1.1", "1.10"], False),
        (["2024-07-01", "soon"], False),
        (["1.5", "2024-07-01"], False),
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_only_columns_that_would_be_read_as_numbers_or_days_are_turned_unasked(
    cells: list[str | None], turned: bool, known: bool, tmp_path: Path
) -> None:
    table = pa.table({"a": pa.array(cells, pa.string())})
    wanted, path = Wording(GERMAN, typed=True), tmp_path / "t.csv"
    if known:
        wording = write_batches(table.to_reader(), path, wanted, {"a": table["a"].combine_chunks()})
    else:
        wording = open_table(table).write(path, wording=wanted)
    assert wording.columns == (("a",) if turned else ())


def test_what_needs_no_comma_and_no_day_says_nothing_of_them(tmp_path: Path) -> None:
    wanted = Wording(Dialect(decimal=",", dates="%d.%m.%Y"), typed=True)
    wording = open_table(pa.table({"age": [1, 2]})).write(tmp_path / "t.csv", wording=wanted)
    assert wording == Wording()
    assert wording.plain is None


@pytest.mark.parametrize(
    ("dialect", "start"),
    [
        (Dialect(mark=True), b"\xef\xbb\xbfa\n"),
        (Dialect(encoding="utf-8-sig"), b"\xef\xbb\xbfa\n"),
        (Dialect(encoding="utf-16"), b"\xff\xfea\0\n\0"),
        (Dialect(encoding="utf-16-be", mark=True), b"\xfe\xff\0a\0\n"),
        (Dialect(encoding="cp1252", mark=True), b"a\n"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_a_byte_order_mark_is_written_where_there_was_one(
    dialect: Dialect, start: bytes, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"t.{ending}"
    wording = open_table(pa.table({"a": ["x"]})).write(path, wording=Wording(dialect))
    found = gzip.decompress(path.read_bytes()) if ending == "csv.gz" else path.read_bytes()
    assert found.startswith(start)
    assert rows_of(reopened(path, wording)) == [{"a": "x"}]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_a_character_that_the_encoding_cannot_hold_is_refused_by_its_column(ending: str, tmp_path: Path) -> None:
    table = pa.table({"a": ["x"], "place": ["Łódź canary"]})
    with pytest.raises(
        DataError, match="Column 'place' of the release has a character that a file in cp1252"
    ) as caught:
        open_table(table).write(tmp_path / f"t.{ending}", wording=Wording(Dialect(encoding="cp1252")))
    assert "utf-8" in caught.value.hint
    assert "canary" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_the_encoding_cannot_hold_is_refused_by_its_number(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Column 2 of the release has a character"):
        open_table(pa.table({"a": [1], "Łódź": [2]})).write(
            tmp_path / "t.csv", wording=Wording(Dialect(encoding="cp1252"))
        )


@pytest.mark.parametrize("cell", ["1.5", "2024-07-01"])
def test_a_cell_of_another_dialect_is_found_in_a_file_that_was_changed(cell: str, tmp_path: Path) -> None:
    wording = open_table(TYPED).write(tmp_path / "t.csv", wording=Wording(GERMAN, ("cost", "born")))
    assert is_written_by(tmp_path / "t.csv", wording)
    (tmp_path / "t.csv").write_bytes((tmp_path / "t.csv").read_bytes() + f"{cell};{cell};x;x;1\n".encode())
    assert not is_written_by(tmp_path / "t.csv", wording)


def test_a_file_in_other_bytes_is_not_written_as_said(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a;+AOQ-\n")
    assert not is_written_by(tmp_path / "t.csv", Wording(Dialect(";", "utf-7")))
    (tmp_path / "t.csv").write_bytes(b"a\n\xff\n")
    assert not is_written_by(tmp_path / "t.csv", Wording(Dialect(";")))


@pytest.mark.parametrize(
    ("dialect", "match"),
    [
        (Dialect("ab"), "separator must be one character"),
        (Dialect('"'), "separator must be one character"),
        (Dialect("1"), "separator must be one character"),
        (Dialect("\n"), "separator must be one character"),
        (Dialect(decimal=";"), "decimal mark must be"),
        (Dialect(dates="%d.%m.%y"), "Days cannot be written"),
        (Dialect(dates="%d.%d.%Y"), "Days cannot be written"),
        (Dialect(mark="yes"), "byte order mark"),  # type: ignore[arg-type]
    ],
)
def test_a_dialect_that_no_file_can_have_is_refused(dialect: Dialect, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        check_dialect(dialect)


@pytest.mark.parametrize("change", [{"encoding": "latin-1"}, {"separator": "ab"}, {"columns": ["a", "a"]}, {"more": 1}])
def test_what_no_certificate_says_is_refused(change: dict[str, Any]) -> None:
    plain = Wording(GERMAN, ("a",)).plain
    assert plain is not None
    with pytest.raises(DataError, match="does not say how its file is written"):
        Wording.of({**plain, **change})


@pytest.mark.parametrize("encoding", ["punycode", "utf-7", "unicode_escape", "iso2022_jp", "idna"])
def test_an_encoding_in_which_characters_do_not_stand_for_themselves_is_refused(encoding: str) -> None:
    with pytest.raises(ParameterError, match="characters do not stand for themselves"):
        check_dialect(Dialect(encoding=encoding))
