"""DuckDB writes every value as a domain does."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import example, given, settings, strategies as st

from incrowd.core import DataError, Domain
from incrowd.engines import open_table
from incrowd.engines._arrow import type_sql, with_own_type
from incrowd.engines.formats._output import text_sql, write_batches


def written(values: list[Any], type_: pa.DataType) -> list[str]:
    """Write values in DuckDB, in a zone that is not ours."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        relation = connection.from_arrow(pa.table({"x": pa.array(values, type_)}))
        text = text_sql("x", str(relation.types[0])) or "CAST(x AS VARCHAR)"
        return [row[0].removeprefix("'") for row in relation.project(text).fetchall()]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=False).filter(lambda number: number != 0), min_size=1))
def test_floats_are_written_as_a_domain_writes_them(numbers: list[float]) -> None:
    assert written(numbers, pa.float64()) == [Domain.of("x", [number]).texts[0] for number in numbers]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([Decimal("0.5"), Decimal("-0.25"), Decimal(0), Decimal("0.0001")], pa.decimal128(4, 4)),
        ([Decimal("1.50"), Decimal("-100.00"), Decimal("0.05"), Decimal(20)], pa.decimal128(10, 2)),
        ([Decimal(150), Decimal(-100)], pa.decimal128(10, 0)),
        ([dt.datetime(999, 1, 1), dt.datetime(2024, 5, 1, 8), dt.datetime(1950, 1, 1, 0, 0, 0, 1)], pa.timestamp("us")),  # noqa: DTZ001
        ([dt.datetime(2024, 5, 1, tzinfo=dt.UTC), dt.datetime(1, 1, 1, 8, tzinfo=dt.UTC)], pa.timestamp("us", "UTC")),
        ([2**63, 7], pa.uint64()),
    ],
)
def test_other_values_are_written_as_a_domain_writes_them(values: list[Any], type_: pa.DataType) -> None:
    assert written(values, type_) == [Domain.of("x", [value]).texts[0] for value in values]


NUMBERS = st.one_of(st.integers(-(2**64), 2**64).map(Decimal), st.decimals(-(10**6), 10**6, places=4))
MOMENTS = st.one_of(st.dates().map(lambda day: dt.datetime(day.year, day.month, day.day)), st.datetimes())  # noqa: DTZ001


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(
        st.tuples(
            st.lists(st.none() | st.floats(allow_nan=False) | st.integers(-9, 9).map(float)), st.just(pa.float64())
        ),
        st.tuples(st.lists(st.none() | NUMBERS), st.just(pa.decimal128(38, 4))),
        st.tuples(st.lists(st.none() | st.sampled_from([0, 2**63 - 1, 2**63])), st.just(pa.uint64())),
        st.tuples(st.lists(st.none() | MOMENTS), st.just(pa.timestamp("us"))),
    )
)
@example(([Decimal(-(2**63))], pa.decimal128(38, 4)))
@example(([Decimal(2**63 - 1)], pa.decimal128(38, 4)))
@example(([2**63], pa.uint64()))
def test_duckdb_finds_out_the_type_that_arrow_finds_out(column: tuple[list[Any], pa.DataType]) -> None:
    values = pa.array(*column)
    with duckdb.connect() as connection:
        relation = connection.from_arrow(pa.table({"x": values}))
        ((found,),) = relation.aggregate(type_sql("x", str(relation.types[0]))).fetchall()
        known = connection.from_arrow(pa.table({"x": with_own_type(values)})).types[0]
    assert found.replace(", ", ",") == str(known)


def test_minus_infinity_is_no_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    open_table(pa.table({"x": [float("-inf"), 1.0]})).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "x\n'-inf\n1\n"
    assert open_table(tmp_path / "out.csv", escaped=True).domains(["x"])["x"].texts.tolist() == ["-inf", "1"]


@pytest.mark.parametrize(("ending", "program"), [("xlsx", "Excel"), ("dta", "Stata")])
def test_infinite_numbers_are_refused_by_programs_that_have_none(ending: str, program: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=rf"^{program} cannot hold column 'x': it has infinite numbers\."):
        open_table(pa.table({"x": [float("inf")]})).write(tmp_path / f"out.{ending}")


def test_files_that_are_written_side_by_side_have_their_rows_in_order(tmp_path: Path) -> None:
    table = pa.table({"row": range(20_000), "name": [f"n{row}" for row in range(20_000)]})

    def write(number: int) -> str:
        path = tmp_path / f"{number}.csv"
        write_batches(pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=500)), path)
        return path.read_text()

    with ThreadPoolExecutor(4) as writers:
        found = set(writers.map(write, range(8)))
    assert found == {"row,name\n" + "".join(f"{row},n{row}\n" for row in range(20_000))}
