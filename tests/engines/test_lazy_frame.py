"""Values that compare equal and yet differ, and settings of others: what is published does not depend on them."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest

from incrowd.core import CensusRequest, Domain, LocalRecoding
from incrowd.engines import _resources as _budget, open_table


def halves(rows: int) -> LocalRecoding:
    """Publish half of the rows of age 40 as 40, the others as *."""
    return LocalRecoding(
        quasi=("age",),
        domains={"age": Domain.of("age", [40])},
        codes=(np.array([0, 0]),),
        classes=np.array([0, 1]),
        counts=np.array([rows // 2, rows // 2]),
        labels=(np.array(["40", "*"], dtype=object),),
    )


@pytest.mark.parametrize(
    "values",
    [
        "INTERVAL 30 days : INTERVAL 1 month",
        "[0.0::DOUBLE] : ['-0.0'::DOUBLE]",
        "'12:00:00+00'::TIMETZ : '13:00:00+01'::TIMETZ",
    ],
)
def test_values_that_duckdb_calls_equal_are_ranked_by_how_they_are_printed(values: str) -> None:
    one, other = values.split(" : ")
    found = set()
    for seed in range(4):
        connection = duckdb.connect(config={"threads": 4})
        rows = f"SELECT 40 age, CASE WHEN i % 7 = 0 THEN {one} ELSE {other} END x FROM range(30000) r(i)"
        table = connection.sql(f"FROM ({rows}) ORDER BY hash(x::VARCHAR || random() || {seed})")
        published = open_table(table).recode(halves(30_000), ["age", "x"]).materialise()
        found.add(frozenset(Counter(published.project("age, x::VARCHAR").fetchall()).items()))
    assert len(found) == 1


def test_the_default_order_of_a_connection_does_not_matter() -> None:
    connection = duckdb.connect()
    connection.execute("SET default_order = 'desc'")
    table = connection.sql("SELECT * FROM (VALUES (31, 'flu'), (34, 'hiv'), (NULL, 'x'), (31, 'flu')) v(age, ill)")
    engine = open_table(table)
    assert engine.domains(["age"])["age"].values.tolist() == [31, 34]
    census = engine.census(CensusRequest(("age",), ("ill",)))
    assert [codes.tolist() for codes in census.codes] == [[0, 1, 2], [0, 1, 2]]
    assert census.counts.tolist() == [2, 1, 1]


def test_polars_publishes_no_negative_zero() -> None:
    table = pl.DataFrame({"x": [-0.0, 0.0, 1.5, float("nan"), None]}, schema={"x": pl.Float32}).lazy()
    published = open_table(table).materialise().collect()
    assert published.schema == {"x": pl.Float64}  # as every engine has it
    assert [math.copysign(1, x) for x in published["x"] if x is not None] == [1, 1, 1]
    assert published["x"].null_count() == 2


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a text file with more different visits than may be held."""
    monkeypatch.setattr(_budget, "VALUES", 50)
    path = tmp_path / "t.csv"
    pyarrow.csv.write_csv(pa.table({"age": [40] * 60, "visit": range(60)}), path)
    return path


def published(path: Path, recoding: LocalRecoding) -> list[Any]:
    engine = open_table(path, memory="30KB").recode(recoding, ["age", "visit"])
    return [tuple(row.values()) for row in engine.materialise().to_pylist()]


def test_what_only_ranks_rows_is_ranked_by_what_it_means_however_much_there_is(visits: Path) -> None:
    assert sorted(published(visits, halves(60)), key=lambda row: int(row[1])) == [
        *(("40", str(number)) for number in range(30)),
        *(("*", str(number)) for number in range(30, 60)),
    ]


def test_what_would_rank_rows_is_not_looked_at_where_none_part(visits: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incrowd.engines._text.TextEngine._ranks", lambda *_: pytest.fail("it was looked at"))
    recoding = halves(60)
    whole = LocalRecoding(
        quasi=recoding.quasi,
        domains=recoding.domains,
        codes=(np.array([0]),),
        classes=np.array([0]),
        counts=np.array([60]),
        labels=(np.array(["40"], dtype=object),),
    )
    assert published(visits, whole) == [("40", str(number)) for number in sorted(range(60), key=str)]
