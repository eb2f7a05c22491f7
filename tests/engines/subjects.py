"""Every kind of table that an engine takes, so that one test body asks them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet


@dataclass(frozen=True)
class Subject:
    """One kind of table: how to make it from an Arrow table, and how to read a result back."""

    name: str
    load: Callable[[pa.Table], Any]

    def rows(self, result: Any) -> list[tuple[Any, ...]]:
        """Give the rows of a materialised result, missing values as None."""
        if isinstance(result, list):
            return [tuple(row.values()) for row in result]
        return [tuple(row.values()) for row in _to_arrow(result).to_pylist()]


def _to_arrow(result: Any) -> pa.Table:
    if isinstance(result, pa.Table):
        return result
    if isinstance(result, pd.DataFrame):
        return pa.Table.from_pandas(result, preserve_index=False)
    if isinstance(result, pl.LazyFrame):
        return result.collect().to_arrow()
    if isinstance(result, pl.DataFrame):
        return result.to_arrow()
    return result.to_arrow_table()


_CONNECTION = duckdb.connect()


def _relation(table: pa.Table) -> Any:
    return _CONNECTION.from_arrow(table)


def _parquet(folder: Path) -> Callable[[pa.Table], Path]:
    def write(table: pa.Table) -> Path:
        path = folder / "table.parquet"
        pyarrow.parquet.write_table(table, path, row_group_size=3)
        return path

    return write


def _csv(folder: Path) -> Callable[[pa.Table], Path]:
    def write(table: pa.Table) -> Path:
        path = folder / "table.csv"
        pyarrow.csv.write_csv(table, path)
        return path

    return write


def _arrow_dtypes(table: pa.Table) -> Any:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


TYPED = ["reference", "pandas", "pandas-arrow", "polars", "polars-lazy", "pyarrow", "duckdb", "parquet"]


def make_subject(name: str, folder: Path) -> Subject:
    load: dict[str, Callable[[pa.Table], Any]] = {
        "reference": pa.Table.to_pylist,
        "pandas": pa.Table.to_pandas,
        "pandas-arrow": _arrow_dtypes,
        "polars": pl.from_arrow,
        "polars-lazy": lambda table: pl.DataFrame(table).lazy(),
        "pyarrow": lambda table: table,
        "duckdb": _relation,
        "parquet": _parquet(folder),
        "csv": _csv(folder),
    }
    return Subject(name, load[name])
