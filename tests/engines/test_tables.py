"""Tables that were once read wrongly, or might be: each test is a trap that somebody fell into."""

from __future__ import annotations

import datetime as dt
import os
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from engines.mutations import mutations
from engines.subjects import Subject
from incrowd.core import CensusRequest, DataError, Domain, IncrowdError, LocalRecoding, SchemaError
from incrowd.engines import Dialect, Remembered, head_of, open_table, sheets_of


def sizes(source: Any, *names: str) -> list[int]:
    return sorted(open_table(source).census(CensusRequest(names)).counts.tolist())


def values(source: Any, name: str) -> Any:
    return open_table(source).domains([name])[name].values.tolist()


@pytest.mark.parametrize("name", ["data[1]", "s*", "what?"])
def test_a_path_is_a_path_and_no_pattern(name: str, tmp_path: Path) -> None:
    for other in ("data1", "s2", "whatx"):
        (tmp_path / f"{other}.csv").write_text("a\nwrong\n")
        pyarrow.parquet.write_table(pa.table({"a": ["wrong"]}), tmp_path / f"{other}.parquet")
    (tmp_path / f"{name}.csv").write_text("a\nright\n")
    pyarrow.parquet.write_table(pa.table({"a": ["right"]}), tmp_path / f"{name}.parquet")
    assert values(tmp_path / f"{name}.csv", "a") == values(tmp_path / f"{name}.parquet", "a") == ["right"]


def test_a_folder_named_like_a_partition_adds_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "year=2020"
    folder.mkdir()
    (folder / "t.csv").write_text("year,a\n1999,x\n")
    pyarrow.parquet.write_table(pa.table({"year": [1999]}), folder / "t.parquet")
    assert values(folder / "t.csv", "year") == values(folder / "t.parquet", "year") == [1999]


def test_a_collation_does_not_make_people_equal() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE p (name VARCHAR COLLATE nocase)")
    connection.execute("INSERT INTO p VALUES ('Anna'), ('ANNA'), ('anna'), ('')")
    relation = connection.table("p")
    assert sizes(relation, "name") == [1, 1, 1, 1]
    assert open_table(relation).classes(["name"], {}).size.tolist() == [1, 1, 1, 1]


def test_the_default_collation_of_a_connection_does_not_make_people_equal() -> None:
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'nocase'")
    connection.execute("CREATE TABLE p AS SELECT unnest(['a', 'A', 'b']) AS name")
    relation = connection.table("p")
    assert values(relation, "name") == ["A", "a", "b"]
    assert sizes(relation, "name") == [1, 1, 1]
    assert open_table(relation).classes(["name"], {}).size.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "mixed",
    [
        [dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 5)],  # noqa: DTZ001
        [dt.datetime(2024, 1, 1, 2), dt.datetime(2024, 1, 1, 5, tzinfo=dt.UTC)],  # noqa: DTZ001
        [1, "1"],
        [True, 2],
    ],
)
def test_a_pandas_column_of_mixed_objects_is_refused(mixed: list[Any]) -> None:
    with pytest.raises(DataError, match="Column 'a' mixes"):
        open_table(pd.DataFrame({"a": pd.Series(mixed, dtype=object)}))


def test_pandas_periods_are_no_numbers() -> None:
    with pytest.raises(DataError, match=r"'a' holds values of type pandas\.period"):
        open_table(pd.DataFrame({"a": pd.period_range("2024-01", periods=3, freq="M")}))


@pytest.mark.parametrize("large", [[2**70, 1], [2**64 - 1, 2**70, None]])
def test_pandas_integers_beyond_64_bits_are_exact(large: list[int | None]) -> None:
    engine = open_table(pd.DataFrame({"a": pd.Series(large, dtype=object)}))
    assert engine.domains(["a"])["a"] == Domain.of("a", large)


@pytest.mark.parametrize("large", [[10**38, 1], [2**70, 0.5]])
def test_pandas_integers_that_no_column_holds_are_refused_by_name(large: list[float]) -> None:
    with pytest.raises(DataError, match=r"'a' mixes types, or holds values that are too large"):
        open_table(pd.DataFrame({"a": pd.Series(large, dtype=object)}))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_with_a_zone_are_points_in_time_whatever_their_unit(unit: str, typed: Subject) -> None:
    column = pa.array([dt.datetime(2024, 1, 1, 5, tzinfo=dt.UTC)] * 2, pa.timestamp(unit, "Europe/Berlin"))
    engine = open_table(typed.load(pa.table({"a": column})))
    domain = engine.domains(["a"])["a"]
    assert (domain.kind, domain.texts.tolist()) == ("instant", ["2024-01-01 05:00:00+00:00"])
    assert engine.census(CensusRequest(("a",))).counts.tolist() == [2]


def test_whole_decimals_are_numbers(typed: Subject) -> None:
    table = pa.table({"a": pa.array([Decimal("1.00"), Decimal("2.00"), None], pa.decimal128(5, 2))})
    assert values(typed.load(table), "a") == [1, 2]
    assert sizes(typed.load(table), "a") == [1, 1, 1]


def test_the_largest_integers_are_counted(typed: Subject) -> None:
    table = pa.table({"a": pa.array([2**64 - 1, 1, 1], pa.uint64())})
    assert values(typed.load(table), "a") == [1, 2**64 - 1]
    assert sizes(typed.load(table), "a") == [1, 2]


def test_a_column_of_nothing_but_null_is_one_value(typed: Subject) -> None:
    table = pa.table({"a": pa.nulls(2), "b": [1, 2]})
    assert sizes(typed.load(table), "a") == [2]


def test_universal_identifiers_are_texts() -> None:
    relation = duckdb.sql("SELECT uuid() AS id FROM range(3)")
    assert open_table(relation).domains(["id"])["id"].kind == "text"


@pytest.mark.parametrize("type_", ["TIME", "INTEGER[]", "BLOB", "MAP(INTEGER, INTEGER)"])
def test_what_cannot_be_grouped_is_refused_by_name(type_: str) -> None:
    relation = duckdb.sql(f"SELECT CAST(NULL AS {type_}) AS a, 1 AS b")
    with pytest.raises(DataError, match="Column 'a' holds values of type"):
        open_table(relation).domains(["a"])


def test_a_time_of_day_is_refused_in_every_frame() -> None:
    frame = pl.DataFrame({"a": [dt.time(5)]})
    for table in (frame, frame.lazy(), frame.to_arrow()):
        with pytest.raises(DataError, match="Column 'a' holds values of type"):
            open_table(table).domains(["a"])


@pytest.mark.parametrize("name", ["birth.year", "*", "^a$", "INCROWD_0_found", "c1", "n", "word0", 'x"y', "{}"])
def test_any_name_is_a_name(name: str, subject: Subject) -> None:
    if '"' in name and subject.name == "csv":
        name = "x'y"  # the writer of the test file refuses quotes
    table = pa.table({name: ["u", "u", "v"], "c0": [1, 2, 3]})
    assert sizes(subject.load(table), name) == [1, 2]
    published = open_table(subject.load(table)).materialise()
    assert len(subject.rows(published)) == 3


def test_names_that_differ_only_in_case_are_refused(subject: Subject) -> None:
    if subject.name == "duckdb":
        return  # DuckDB renames the second one itself, before we see it
    with pytest.raises(IncrowdError, match="have the same name"):
        open_table(subject.load(pa.table({"a": [1], "A": [2]}))).columns()


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("q,x\na,1\nold,2\n")
    engine = open_table(path)
    engine.domains(["q"])
    path.write_text("q,x\na,1\nnewer,2\n")
    with pytest.raises(DataError, match=r"'t.csv' changed while it was being read"):
        engine.census(CensusRequest(("q", "x")))
    with pytest.raises(DataError, match=r"'t.csv' changed while it was being read"):
        engine.materialise()


def test_classes_count_what_a_row_stands_for(subject: Subject) -> None:
    engine = open_table(subject.load(pa.table({"q": ["a", "b"], "n": [5, 1]})))
    assert engine.classes(["q"], {}, count="n").size.tolist() == [5, 1]


def test_minus_zero_is_zero_also_where_a_cell_is_split(typed: Subject) -> None:
    recoding = LocalRecoding(
        ("a",),
        {"a": Domain.of("a", [1])},
        (np.array([0, 0]),),
        np.array([0, 1]),
        np.array([3, 2]),
        (np.array(["1", "*"], dtype=object),),
    )
    results = []
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        table = pa.table({"a": [1] * 5, "x": [0.0, -0.0, 0.0, -0.0, -0.0], "y": [1, 2, 3, 4, 5]}).take(order)
        rows = typed.rows(open_table(typed.load(table)).recode(recoding, ["a", "x", "y"]).materialise())
        results.append(Counter((a, str(x), y) for a, x, y in rows))
    assert results[0] == results[1]


def test_a_relation_does_not_touch_what_its_connection_has() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE VIEW incrowd_source AS SELECT 1 AS x")
    connection.execute("CREATE TABLE incrowd_brought AS SELECT 2 AS x")
    connection.execute("CREATE TABLE p AS SELECT 1 AS a")
    assert sizes(connection.table("p"), "a") == [1]
    assert connection.sql("FROM incrowd_source").fetchall() == [(1,)]
    assert connection.sql("FROM incrowd_brought").fetchall() == [(2,)]


def test_nothing_is_left_in_the_working_or_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, temp = tmp_path / "work", tmp_path / "temp"
    work.mkdir()
    temp.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr(tempfile, "tempdir", str(temp))
    path = tmp_path / "t.csv"
    path.write_text("a;b\nfür;1\n", encoding="latin-1")
    assert sizes_of_latin(path) == [1]
    with pytest.raises(IncrowdError):
        open_table(path, encoding="latin-1", separator="\n")
    assert list(work.iterdir()) == []
    assert list(temp.iterdir()) == []


def sizes_of_latin(path: Path) -> list[int]:
    return open_table(path, encoding="latin-1").census(CensusRequest(("a",))).counts.tolist()  # type: ignore[no-any-return]


def test_a_list_of_dicts_quotes_nothing() -> None:
    rows = [{"q": 1, "n": 1}, {"q": None, "n": "Canary"}]
    with pytest.raises(IncrowdError) as caught:
        open_table(rows, drop_missing=["q"]).census(CensusRequest(("q",), count="n"))
    assert "Canary" not in str(caught.value)
    assert caught.value.__context__ is None
    with pytest.raises(DataError, match="must be a list of dicts"):
        open_table([1, 2])


def test_the_keys_of_dicts_may_stand_in_any_order() -> None:
    rows = [{"a": 1, "b": 2}, {"b": 2, "a": 1}]
    assert sizes(rows, "a", "b") == [2]
    with pytest.raises(DataError, match="do not all have the same columns"):
        open_table([{"a": 1}, {"b": 2}])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b\n1,2\r\n3,4\n", "The file 't.csv' cannot be read as a table of text"),
        ("a,b\n1," + "x" * 3_000_000 + "\n", "Line 2 of the file 't.csv' is too long"),
    ],
)
def test_a_file_that_cannot_be_read_is_the_users_to_mend(content: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    with pytest.raises(DataError, match=says):
        sizes(path, "a")


def test_a_header_that_is_a_record_is_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Ada Canary,1815,cancer\nBob,1900,flu\n")
    with pytest.raises(IncrowdError, match="the table has 3 columns") as caught:
        open_table(path).domains(["birthday"])
    assert "Canary" not in str(caught.value)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.5, 2.0, 2.0]),
        pa.array([Decimal("1.50"), Decimal("2.00"), None]),
        pa.array([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 5, 30)]),  # noqa: DTZ001
        pa.array([dt.date(2024, 1, 1), None]),
        pa.array([1, 2, 3]),
    ],
)
def test_a_written_file_is_read_back_by_what_it_means(column: pa.Array, tmp_path: Path) -> None:
    table = pa.table({"q": ["a"] * len(column), "s": column})
    domain = open_table(table).domains(["s"])["s"]
    for suffix in ("csv", "parquet"):
        path = tmp_path / f"t.{suffix}"
        open_table(table).write(path)
        classes = open_table(path).classes(["q"], {"s": domain})
        expected = open_table(table).classes(["q"], {"s": domain}).histogram("s")
        assert classes.histogram("s").values[0].tolist() == expected.values[0].tolist()


def test_all_engines_write_the_same_csv(typed: Subject, tmp_path: Path) -> None:
    table = pa.table(
        {"f": [1e-7, 0.5], "b": [True, False], "t": [dt.datetime(2024, 1, 1, 5, 0, 0, 500_000)] * 2}  # noqa: DTZ001
    )
    path = tmp_path / "out.csv"
    open_table(typed.load(table)).write(path)
    assert path.read_text() == (
        "f,b,t\n0.0000001,true,2024-01-01 05:00:00.500000\n0.5,false,2024-01-01 05:00:00.500000\n"
    )


def test_labels_are_texts_of_one_form(typed: Subject) -> None:
    table = pa.table({"b": [True, False, None], "t": [dt.datetime(2024, 1, 1, 5)] * 3})  # noqa: DTZ001
    classes = open_table(typed.load(table)).classes(["b", "t"], {})
    assert classes.labels is not None
    assert [texts.tolist() for texts in classes.labels] == [["false", "true", None], ["2024-01-01 05:00:00"]]


def test_a_table_may_be_called_by_its_upper_case_ending(tmp_path: Path) -> None:
    path = tmp_path / "DATA.CSV"
    path.write_text("a\n1\n")
    assert sizes(path, "a") == [1]
    tabs = tmp_path / "data.tsv"
    tabs.write_text("a\tb\n1\t2\n")
    assert sizes(tabs, "a", "b") == [1]


def test_a_column_without_a_name_is_refused() -> None:
    with pytest.raises(SchemaError, match="Column 1 of the table has no name"):
        open_table(pa.table({"": [1]}))


# The first rows of files that are none of text, and the sheets of spreadsheets.

FRAME = pl.DataFrame({"age": [9, 7, 8, 7], "name": ["d", "b", None, "a"]})


@pytest.mark.parametrize("kind", ["parquet", "excel"])
def test_rows_come_in_the_order_of_the_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"t.{'xlsx' if kind == 'excel' else kind}"
    getattr(FRAME, f"write_{kind}")(path)
    assert head_of(path, 3) == (["age", "name"], [(9, "d"), (7, "b"), (8, None)])
    assert len(head_of(path, 10)[1]) == 4


def test_a_table_without_rows_has_names(tmp_path: Path) -> None:
    FRAME.clear().write_parquet(tmp_path / "t.parquet")
    assert head_of(tmp_path / "t.parquet", 3) == (["age", "name"], [])


def test_columns_that_have_no_values_of_ours_are_left_out(tmp_path: Path) -> None:
    FRAME.with_columns(lists=pl.lit([[1]])).write_parquet(tmp_path / "t.parquet")
    assert head_of(tmp_path / "t.parquet", 1)[0] == ["age", "name"]


def test_a_broken_file_is_refused_without_a_word_of_it(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1CANARY")
    with pytest.raises(DataError, match=r"The file 't\.parquet' is damaged") as caught:
        head_of(tmp_path / "t.parquet", 1)
    assert "CANARY" not in str(caught.value)


def test_sheets_are_named_in_their_order(tmp_path: Path) -> None:
    import xlsxwriter  # noqa: PLC0415 - an extra

    with xlsxwriter.Workbook(str(tmp_path / "t.xlsx")) as book:
        FRAME.write_excel(book, worksheet="zwei")
        FRAME.write_excel(book, worksheet="eins")
    assert sheets_of(tmp_path / "t.xlsx") == ["zwei", "eins"]
    assert head_of(tmp_path / "t.xlsx", 1, "eins")[1] == [(9, "d")]


# An opened text file says how it was read, so that its release is written alike.


@pytest.mark.parametrize(
    ("encoding", "mark", "written"),
    [
        ("utf-8", False, b""),
        ("utf-8", True, b"\xef\xbb\xbf"),
        ("cp1252", False, b""),
        ("utf-16", True, None),
    ],
)
def test_a_text_file_says_how_it_was_read(encoding: str, mark: bool, written: bytes | None, tmp_path: Path) -> None:
    file, text = tmp_path / "t.csv", "größe;zip\n1;01067\n"
    file.write_bytes((written or b"") + text.encode(encoding))
    engine = open_table(file, encoding=encoding)
    assert engine.dialect == Dialect(";", encoding, mark)  # type: ignore[attr-defined]
    assert Remembered(engine).dialect == Dialect(";", encoding, mark)


def test_more_columns_than_anybody_can_look_at_are_refused_at_once(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(10_001)]
    (tmp_path / "wide.csv").write_text(f"{','.join(names)}\n{','.join(names)}\n", encoding="utf-8")
    wide = pa.table({name: [1] for name in names})
    pyarrow.parquet.write_table(wide, tmp_path / "wide.parquet")
    for table in (tmp_path / "wide.csv", tmp_path / "wide.parquet", wide, wide.to_pylist()):
        with pytest.raises(SchemaError, match="has 10,001 columns, and 10,000 are the most"):
            open_table(table)


def test_a_pipe_is_no_table_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match=r"'pipe\.csv' cannot be read: it is a pipe or a device, and no file"):
        open_table(tmp_path / "pipe.csv")


def test_the_first_rows_of_a_damaged_file_are_refused_by_its_name(tmp_path: Path) -> None:
    path, told = tmp_path / "t.parquet", list[str]()
    pyarrow.parquet.write_table(pa.table({"age": [*range(50)], "name": ["canary"] * 50}), path)
    for content in mutations(path.read_bytes(), 80):
        path.write_bytes(content)
        try:
            head_of(path, 5)
        except DataError as error:
            told.append(error.message)
    assert {"The file 't.parquet' is damaged: what it holds cannot be read."} == {*told}
