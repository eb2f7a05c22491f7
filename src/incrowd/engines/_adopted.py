"""Relations of DuckDB as our engines want them: with our names, and types that compare as they are printed."""

from __future__ import annotations

from typing import Any

import duckdb

from incrowd.engines._connection import quoted
from incrowd.engines._home import inner_names
from incrowd.engines._marks import unless

_AS_TEXT = {"UUID", "JSON", '"NULL"', "NULL"}
_WIDE = {"HUGEINT", "UHUGEINT"}


def adopt(relation: duckdb.DuckDBPyRelation, *, foreign: bool = False) -> Any:
    """Give a relation our names, and types that compare as they are printed.

    Parameters
    ----------
    relation
        The table.
    foreign
        Whether it is the user's: then its texts may be compared without regard to case, or to accents.
    """
    columns = zip(inner_names(len(relation.columns)), relation.columns, map(str, relation.types), strict=True)
    read = (
        f"{_comparable(quoted(name), type_, number, foreign)} AS {inner}"
        for number, (inner, name, type_) in enumerate(columns, start=1)
    )
    return relation.project(", ".join(read))


def _comparable(name: str, type_: str, number: int, foreign: bool) -> str:  # noqa: FBT001
    """Write a column so that it compares as it is printed."""
    if type_ in _AS_TEXT:
        return f"CAST({name} AS VARCHAR)"
    if type_ in _WIDE:  # some settings hand these over as bytes, and Parquet holds floats of them
        decimal = f"TRY_CAST({name} AS DECIMAL(38, 0))"
        return unless(f"{decimal} IS NOT NULL OR {name} IS NULL", decimal, "wide", number)
    if type_ == "TIMESTAMPTZ_NS":
        whole = f"epoch_ns({name}) % 1000 = 0 OR {name} IS NULL"
        return unless(whole, f"CAST({name} AS TIMESTAMPTZ)", "fine", number)
    return f'{name} COLLATE "binary"' if type_ == "VARCHAR" and foreign else name
