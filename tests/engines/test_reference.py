from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from engines.subjects import TYPED, Subject, make_subject
from incrowd.core import Census, CensusRequest, DataError, Domain, Ladder, Step
from incrowd.engines import open_table

PEOPLE = pa.table(
    {
        "age": [34, 34, 36, None, 51, 34],
        "zip": ["01", "01", "02", "02", None, "01"],
        "disease": ["flu", "hiv", "flu", "flu", "flu", "flu"],
        "person": ["p1", "p1", "p2", "p3", "p4", "p5"],
        "times": [1, 2, 1, 1, 3, 1],
    }
)
REQUEST = CensusRequest(("age", "zip"), ("disease",))


def decades(table: Any) -> Ladder:
    domain = open_table(table).domains(["age"])["age"]
    return Ladder.climb(domain, [Step(domain.values // 10 - 3, ["30s", "40s", "50s"]), Step.top(domain)])


def test_a_census_counts_the_cells_in_the_order_of_their_values(subject: Subject) -> None:
    census = open_table(subject.load(PEOPLE)).census(REQUEST)
    assert [codes.tolist() for codes in census.codes] == [[0, 0, 1, 2, 3], [0, 0, 1, 2, 1], [0, 1, 0, 0, 0]]
    assert census.counts.tolist() == [2, 1, 1, 1, 1]
    assert census.records == 6


def test_every_engine_gives_the_census_of_the_reference(subject: Subject) -> None:
    request = CensusRequest(("age", "zip"), ("disease",), entity="person", count="times")
    assert open_table(subject.load(PEOPLE)).census(request) == open_table(PEOPLE.to_pylist()).census(request)


def test_the_size_is_known_before_the_census_is_taken(subject: Subject) -> None:
    engine = open_table(subject.load(PEOPLE))
    assert engine.census_size(REQUEST) == 5
    assert engine.census_size(CensusRequest(("zip",))) == 3


def test_a_floor_counts_coarser_values(subject: Subject) -> None:
    source = subject.load(PEOPLE)
    request = CensusRequest(("age", "zip"), ("disease",), {"age": decades(source)}, {"age": 1})
    engine = open_table(source)
    census = engine.census(request)
    assert census.labels("age").tolist() == ["30s", "50s", None]
    assert (census.counts.tolist(), census.floor, engine.census_size(request)) == ([2, 1, 1, 1, 1], (1, 0), 5)
    assert census == open_table(PEOPLE.to_pylist()).census(request)


def test_a_floor_is_the_same_as_rolling_up_afterwards(subject: Subject) -> None:
    source = subject.load(PEOPLE)
    ladders = {"age": decades(source)}
    floored = open_table(source).census(CensusRequest(("age", "zip"), ("disease",), ladders, {"age": 2}))
    assert open_table(source).census(CensusRequest(("age", "zip"), ("disease",), ladders)).rollup([2, 0]) == floored


@pytest.mark.parametrize("drop", [(), ("zip",), ("age", "zip")])
def test_the_size_of_an_entity_counts_dropped_rows_too(subject: Subject, drop: tuple[str, ...]) -> None:
    engine = open_table(subject.load(PEOPLE), drop_missing=drop).with_sizes("rows of them", "person")
    assert list(engine.columns()) == [*PEOPLE.column_names, "rows of them"]
    assert engine.domains(["rows of them"])["rows of them"].kind == "number"
    census = engine.census(CensusRequest(("person", "rows of them"), count="times"))
    person, size = (
        census.domains[name].texts[codes].tolist() for name, codes in zip(census.quasi, census.codes, strict=True)
    )
    found = dict(zip(person, size, strict=True))
    assert found == {"p1": "2", "p2": "1", "p5": "1"} | ({} if "zip" in drop else {"p4": "1"}) | (
        {} if "age" in drop else {"p3": "1"}
    )


def test_rows_of_nobody_have_no_size(subject: Subject) -> None:
    with pytest.raises(DataError, match=r"Column 'zip' says whose row it is, and is missing in 1 rows\."):
        open_table(subject.load(PEOPLE)).with_sizes("size", "zip")


def test_a_size_is_added_to_a_file_in_its_order(tmp_path: Path) -> None:
    rows = [{"home": f"h{row * 7 % 997}", "row": row} for row in range(30_000)]
    sizes = Counter(row["home"] for row in rows)
    for name in ("csv", "parquet", "duckdb", "polars-lazy", "pandas"):
        subject = make_subject(name, tmp_path)
        engine = open_table(subject.load(pa.Table.from_pylist(rows))).with_sizes("size", "home")
        engine.write(tmp_path / "sized.parquet", keep_order=True)
        written = pa.parquet.read_table(tmp_path / "sized.parquet").to_pylist()
        assert [{key: str(value) for key, value in row.items()} for row in written] == [
            {"home": row["home"], "row": str(row["row"]), "size": str(sizes[row["home"]])} for row in rows
        ]


def test_persons_are_counted_once(subject: Subject) -> None:
    census = open_table(subject.load(PEOPLE)).census(CensusRequest(("zip",), ("disease",), entity="person"))
    assert (census.persons, census.records) == (5, 6)
    assert census.classes().size.tolist() == [2, 2, 1]
    assert census.classes().records.tolist() == [3, 2, 1]


def test_a_row_can_stand_for_several_records(subject: Subject) -> None:
    census = open_table(subject.load(PEOPLE)).census(CensusRequest(("zip",), count="times"))
    assert census.counts.tolist() == [4, 2, 3]


@pytest.mark.parametrize("wrong", [[0, 1], [-1, 2], [1.5, 1], [None, 1], ["many", "few"]])
def test_a_count_must_be_a_whole_number_from_one_on(wrong: list[Any], subject: Subject) -> None:
    engine = open_table(subject.load(pa.table({"zip": ["1", "2"], "n": wrong})))
    with pytest.raises(DataError, match=r"'n' \(given as count\) must hold whole numbers of at least 1"):
        engine.census(CensusRequest(("zip",), count="n"))


def test_every_row_must_say_whose_it_is(subject: Subject) -> None:
    engine = open_table(subject.load(pa.table({"zip": ["1", "2"], "person": ["p", None]})))
    with pytest.raises(DataError, match=r"'person' \(given as entity\) is missing in some rows"):
        engine.census(CensusRequest(("zip",), entity="person"))


def test_records_with_a_missing_quasi_identifier_can_be_dropped_and_are_counted(subject: Subject) -> None:
    engine = open_table(subject.load(PEOPLE), drop_missing=["age", "zip"])
    census = engine.census(CensusRequest(("age", "zip"), count="times"))
    assert (census.records, census.dropped) == (5, 4)
    assert not census.domains["age"].has_null


def test_an_empty_table_has_an_empty_census(typed: Subject) -> None:
    source = [] if typed.name == "reference" else typed.load(PEOPLE.slice(0, 0))
    census = open_table(source).census(REQUEST)
    assert (len(census), census.records, len(census.classes())) == (0, 0, 0)
    assert open_table(source).census_size(REQUEST) == 0


def test_one_row_is_one_class_of_one(subject: Subject) -> None:
    census = open_table(subject.load(PEOPLE.slice(0, 1))).census(REQUEST)
    assert census.classes().size.tolist() == [1]


def test_neither_the_order_of_rows_nor_chunks_matter(subject: Subject) -> None:
    order = [3, 5, 0, 2, 4, 1]
    shuffled = PEOPLE.take(order)
    chunked = pa.concat_tables([shuffled.slice(0, 2), shuffled.slice(2, 1), shuffled.slice(3)])
    assert open_table(subject.load(chunked)).census(REQUEST) == open_table(PEOPLE.to_pylist()).census(REQUEST)


@pytest.mark.parametrize("threads", [1, 4])
def test_the_number_of_threads_does_not_matter(threads: int) -> None:
    rng = np.random.default_rng(5)
    table = pa.table({name: rng.integers(0, 50, 300_000) for name in ("age", "zip", "disease")})
    connection = duckdb.connect(config={"threads": threads})
    census = open_table(connection.from_arrow(table)).census(REQUEST)
    tally = Counter(zip(*(table[name].to_pylist() for name in ("age", "zip", "disease")), strict=True))
    assert census.counts.tolist() == [tally[cell] for cell in sorted(tally)]


def test_a_filtered_and_shuffled_pandas_index_does_not_matter() -> None:
    frame = pd.DataFrame({"zip": ["1", "2", "1", "3"]}, index=[7, 7, 3, 0])
    census = open_table(frame[frame["zip"] != "2"].sample(frac=1, random_state=1)).census(CensusRequest(("zip",)))
    assert census.counts.tolist() == [2, 1]


def test_forty_quasi_identifiers_of_a_thousand_values_do_not_overflow(typed: Subject) -> None:
    rng = np.random.default_rng(3)
    columns = {f"q{number:02}": rng.integers(0, 1000, 1200) for number in range(40)}
    table = pa.concat_tables([pa.table(columns), pa.table(columns).slice(0, 100)])
    census = open_table(typed.load(table)).census(CensusRequest(tuple(columns)))
    assert (len(census), Counter(census.counts.tolist())) == (1200, {1: 1100, 2: 100})


def test_the_input_is_not_changed(subject: Subject) -> None:
    source = subject.load(PEOPLE)
    before = source.read_bytes() if isinstance(source, Path) else subject.rows(source)
    open_table(source).census(REQUEST)
    assert (source.read_bytes() if isinstance(source, Path) else subject.rows(source)) == before


def test_a_relation_keeps_its_connection_clean() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT 1 AS age, '1' AS zip, 'flu' AS disease")
    open_table(connection.table("people")).census(REQUEST)
    assert connection.sql("SELECT table_name FROM duckdb_tables()").fetchall() == [("people",)]
    assert connection.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]


def test_columns_named_like_ours_are_no_trouble(subject: Subject) -> None:
    table = pa.table({"incrowd_0_key": [1, 1], "incrowd_word_0": ["a", "b"], "incrowd_": [3, 3]})
    census = open_table(subject.load(table)).census(CensusRequest(("incrowd_0_key", "incrowd_word_0"), ("incrowd_",)))
    assert census.counts.tolist() == [1, 1]


def test_names_with_quotes_blanks_and_unicode_are_no_trouble(subject: Subject) -> None:
    table = pa.table({"it's a name": [1, 1], "naïve; DROP TABLE x": ["a", "b"]})
    census = open_table(subject.load(table)).census(CensusRequest(tuple(table.column_names)))
    assert census.counts.tolist() == [1, 1]


values = st.one_of(st.none(), st.integers(-3, 3))
texts = st.one_of(st.none(), st.sampled_from(["", "a", "b", "B", "ä", "01", "1", "*", "a,b", 'q"', " "]))
tables = st.lists(st.tuples(values, texts, texts, st.integers(1, 4)), min_size=1, max_size=25)


@pytest.mark.parametrize("name", [*TYPED[1:], "csv"])
@given(rows=tables)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_engines_agree_with_the_reference_on_any_table(
    name: str, rows: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    schema = pa.schema([("age", pa.int64()), ("zip", pa.string()), ("disease", pa.string()), ("n", pa.int64())])
    table = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)
    diseases = [text or None for text in table["disease"].to_pylist()]  # an empty text is missing
    assume(not Domain.of("disease", diseases).repeats)  # one number in two ways is refused
    request = CensusRequest(("zip", "age"), ("disease",), count="n")
    expected = open_table(table.to_pylist()).census(request)
    actual = open_table(make_subject(name, tmp_path).load(table)).census(request)
    assert _plain(actual) == _plain(expected)


def _plain(census: Census) -> Any:
    """Give a census as texts: a file may call a column of digits a number where a frame calls it a text."""
    labels = [
        census.labels(name)[codes] for name, codes in zip((*census.quasi, *census.sensitive), census.codes, strict=True)
    ]
    return Counter(
        dict(zip(zip(*(column.tolist() for column in labels), strict=True), census.counts.tolist(), strict=True))
    )


@pytest.mark.parametrize("names", [("1", "count(*)"), ("a + b", "a"), ("NULL", "true"), ("select", "from")])
def test_names_that_look_like_sql_are_names(names: tuple[str, str], subject: Subject) -> None:
    table = pa.table({names[0]: [5, 5, 6], names[1]: ["x", "y", "y"], "a'": [1, 2, 3]})
    assert open_table(subject.load(table)).census(CensusRequest(names)).counts.tolist() == [1, 1, 1]
    assert open_table(subject.load(table)).census(CensusRequest(names[1:])).counts.tolist() == [1, 2]


def test_polars_frames_in_pieces_give_one_census() -> None:
    pieces = [pl.DataFrame({"zip": ["b", "a"]}), pl.DataFrame({"zip": ["a", None]})]
    assert open_table(pl.concat(pieces, rechunk=False)).census(CensusRequest(("zip",))).counts.tolist() == [2, 1, 1]


def test_a_large_random_table_agrees_with_the_reference() -> None:
    source = random.Random(8)
    rows = [{"a": source.randint(0, 9), "b": source.choice("xyz"), "s": source.randint(0, 3)} for _ in range(3_000)]
    request = CensusRequest(("b", "a"), ("s",))
    assert open_table(pa.Table.from_pylist(rows)).census(request) == open_table(rows).census(request)


def test_domains_of_the_census_are_those_of_the_table(subject: Subject) -> None:
    census = open_table(subject.load(PEOPLE)).census(REQUEST)
    assert census.domains["disease"] == Domain.of("disease", PEOPLE["disease"].to_pylist())
