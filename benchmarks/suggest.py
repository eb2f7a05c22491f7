"""Suggesting roles for tall and wide tables, beside DuckDB's bare reading of the same file as text.

``python benchmarks/suggest.py [ROWS]``: CSV files of so many rows (1,000,000) and 40 columns, as usual, the same with
decimal commas and days as in Germany, and with many columns in which hardly a value occurs twice; and one of 1,000 rows
and 2,000 columns. The aim is three times the reading, and a minute for the last. Libraries are imported beforehand.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from _timing import line, measure

ROWS, COLUMNS, HIGH, WIDE, RUNS = 1_000_000, 40, 1_000, 2_000, 2

SINGLE = [
    "row as patient_id",
    "18 + hash(row) % 80 as age",
    "case hash(row + 1) % 2 when 0 then 'f' else 'm' end as sex",
    "lpad((hash(row + 2) % 9000)::varchar, 5, '0') as zip",
    "date '1930-01-01' + (hash(row + 3) % 30000)::int as birth_date",
    "date '2022-01-01' + (hash(row + 4) % 900)::int as admission",
    "'I' || hash(row + 5) % 90 || '.' || hash(row + 5) % 7 as diagnosis",
    "round(hash(row + 6) % 90000 / 7, 2) as income",
    "'region ' || hash(row + 7) % 16 as region",
    "'job ' || hash(row + 8) % 120 as job",
]
"""One column of each kind: a number of people, dates, places, codes, money."""


def usual(columns: int) -> list[str]:
    """Give one column of each kind, and answers and measured values for the rest."""
    answers = [f"hash(row + {number}) % {3 + number % 20} as item{number}" for number in range(0, columns, 2)]
    measured = [f"round((hash(row + {number}) % 5000) / 100, 1) as lab{number}" for number in range(1, columns, 2)]
    return [*SINGLE, *answers, *measured][:columns]


def hard(columns: int) -> list[str]:
    """Repeat all kinds with other values: of every ten columns two have hardly a value twice."""
    made = ((number, *SINGLE[number % len(SINGLE)].rsplit(" as ", 1)) for number in range(columns))
    return [f"{told.replace('row', f'(row + {7 * number})')} as {name}{number or ''}" for number, told, name in made]


def german(columns: int) -> list[str]:
    """Write the usual table with decimal commas, and days as 31.12.1999."""
    made = (told.rsplit(" as ", 1) for told in usual(columns))
    return [f"{_in_german(told)} as {name}" for told, name in made]


def _in_german(told: str) -> str:
    if told.startswith("round("):
        return f"replace(({told})::varchar, '.', ',')"
    return f"strftime({told}, '%d.%m.%Y')" if told.startswith("date ") else told


def write(path: Path, rows: int, columns: list[str]) -> None:
    """Write a table of so many rows."""
    sign = ";" if "german" in path.name else ","
    made = f"select {', '.join(columns)} from range({rows}) as numbers(row)"
    duckdb.sql(f"copy ({made}) to '{path}' (header, delimiter '{sign}')")


def reading(path: str) -> Callable[[], dict[str, Any]]:
    """Read every value as text, and nothing more."""

    def read() -> dict[str, Any]:
        file = duckdb.read_csv(path, all_varchar=True)
        lengths = ", ".join(f'max(length("{name}"))' for name in file.columns)
        return {"columns": len(file.aggregate(lengths).fetchall()[0])}

    return read


def suggesting(path: str) -> Callable[[], dict[str, Any]]:
    """Suggest the role of every column."""
    from incrowd import suggest

    return lambda: {"columns": len(suggest(path).columns)}


def main(rows: int = ROWS) -> None:
    """Print the times and their ratio."""
    print("suggest: roles of all columns, beside reading the file as text")
    with tempfile.TemporaryDirectory() as folder:
        tall = [(kind, rows, COLUMNS) for kind in (usual, german, hard)]
        for kind, high, wide in (*tall, (hard, HIGH, WIDE)):
            path = Path(folder) / f"{kind.__name__}{wide}.csv"
            write(path, high, kind(wide))
            bare = measure(reading, path, runs=RUNS)
            line(f"{kind.__name__}, {high:,} x {wide:,}: read by DuckDB", bare)
            line(f"{kind.__name__}, {high:,} x {wide:,}: suggest", measure(suggesting, path, runs=RUNS), bare)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
