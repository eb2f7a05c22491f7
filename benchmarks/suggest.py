"""Suggesting roles for a tall and a wide table, beside DuckDB's bare reading of the same file as text.

``python benchmarks/suggest.py [ROWS]``: a CSV file of so many rows (1,000,000) and 40 columns, and one of 1,000 rows
and 2,000 columns. The aim is three times the reading for the first, and a minute for the second.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from _timing import line, measure

ROWS, COLUMNS, HIGH, WIDE = 1_000_000, 40, 1_000, 2_000

KINDS = {
    "patient_id": "row",
    "age": "18 + hash(row) % 80",
    "sex": "case hash(row) % 2 when 0 then 'f' else 'm' end",
    "zip": "10000 + hash(row) % 9000",
    "birth_date": "date '1930-01-01' + (hash(row) % 30000)::int",
    "diagnosis": "'I' || hash(row) % 90 || '.' || hash(row) % 7",
    "income": "round(hash(row) % 90000 / 7, 2)",
    "region": "'region ' || hash(row) % 16",
}


def column(number: int) -> str:
    """Give one of eight kinds of columns, each with other values than before."""
    name, made = list(KINDS.items())[number % len(KINDS)]
    return f'{made.replace("row", f"(row + {7 * number})")} as "{name}{number or ""}"'


def write(path: Path, rows: int, columns: int) -> None:
    """Write a table of so many rows and columns."""
    chosen = ", ".join(map(column, range(columns)))
    duckdb.sql(f"copy (select {chosen} from range({rows}) as numbers(row)) to '{path}' (header)")


def reading(path: str) -> Callable[[], dict[str, Any]]:
    """Read every value as text, and nothing more."""

    def read() -> dict[str, Any]:
        file = duckdb.read_csv(path, all_varchar=True)
        lengths = ", ".join(f'max(length("{name}"))' for name in file.columns)
        return {"columns": len(file.aggregate(lengths).fetchall()[0])}

    return read


def suggesting(path: str) -> Callable[[], dict[str, Any]]:
    """Suggest the role of every column."""
    import incrowd as ic

    def suggest() -> dict[str, Any]:
        return {"columns": len(ic.suggest(path).columns)}

    return suggest


def main(rows: int = ROWS) -> None:
    """Print the times and their ratio."""
    print("suggest: roles of all columns, beside reading the file as text")
    with tempfile.TemporaryDirectory() as folder:
        for high, wide in ((rows, COLUMNS), (HIGH, WIDE)):
            path = Path(folder) / f"{wide}.csv"
            write(path, high, wide)
            bare = measure(reading, path, runs=1)
            line(f"{high:,} x {wide:,}: read by DuckDB", bare)
            line(f"{high:,} x {wide:,}: suggest", measure(suggesting, path, runs=1), bare)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
