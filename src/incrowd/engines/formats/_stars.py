"""A star in a written file: nothing stands there, where somebody wants that, and it is a star again when it is read.

Which columns have one, a file does not say: its wording does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import TOP
from incrowd.engines._duckdb import name_sql
from incrowd.engines.formats._wording import Wording


def relation_without_stars(relation: duckdb.DuckDBPyRelation, wording: Wording | None) -> duckdb.DuckDBPyRelation:
    """Let a relation have nothing where it has a star, and whole numbers where its columns have no other labels."""
    cells = {}
    for name in wording.told_apart if wording else ():
        cell = f"CAST({name_sql(name)} AS VARCHAR)"
        cell = f"nullif({cell}, '{TOP}')" if wording and name in wording.stars else cell
        cells[name] = f"CAST({cell} AS BIGINT)" if wording and name in wording.numbers else cell
    return _replace_cells(relation, cells)


def relation_with_stars(relation: duckdb.DuckDBPyRelation, stars: Collection[str]) -> duckdb.DuckDBPyRelation:
    """Let a relation have a star where some columns have nothing."""
    cells = {name: f"coalesce(CAST({name_sql(name)} AS VARCHAR), '{TOP}')" for name in stars}
    return _replace_cells(relation, cells)


def _replace_cells(relation: duckdb.DuckDBPyRelation, cells: Mapping[str, str]) -> duckdb.DuckDBPyRelation:
    columns = [f"{cells[name]} AS {name_sql(name)}" if name in cells else name_sql(name) for name in relation.columns]
    return relation.project(", ".join(columns)) if cells else relation


def without_stars(rows: Any, wording: Wording | None) -> Any:
    """Do the same with a table or a batch of Arrow."""
    if wording is None or not wording.told_apart:
        return rows
    columns = dict(zip(rows.schema.names, rows.columns, strict=True))
    for name in wording.told_apart:
        column = columns[name].cast(pa.string())
        if name in wording.stars:
            column = pc.if_else(pc.equal(column, TOP), pa.scalar(None, pa.string()), column)
        columns[name] = column.cast(pa.int64()) if name in wording.numbers else column
    return type(rows).from_arrays([*columns.values()], [*columns])


def batches_without_stars(batches: pa.RecordBatchReader, wording: Wording | None) -> pa.RecordBatchReader:
    """Do the same with batches, one after the other."""
    if wording is None or not wording.told_apart:
        return batches

    def blocks() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield without_stars(batch, wording)

    schema = without_stars(batches.schema.empty_table(), wording).schema
    return pa.RecordBatchReader.from_batches(schema, blocks())


def with_stars(table: pa.Table, stars: Collection[str]) -> pa.Table:
    """Let a table have a star where some columns have nothing."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    columns |= {name: pc.fill_null(columns[name].cast(pa.string()), TOP) for name in stars if name in columns}
    return pa.table(columns) if stars else table
