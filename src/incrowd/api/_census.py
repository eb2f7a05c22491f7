"""From any table to its census, in one call."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from incrowd.api._fits import census_within, check_labels
from incrowd.core import Census, CensusRequest, Schema, SchemaError, warn
from incrowd.engines import Engine, open_table
from incrowd.hierarchies import auto


class Reading(TypedDict, total=False):
    """How to read a file."""

    separator: str
    encoding: str
    sheet: str | int
    decimal: str
    thousands: str
    dates: str
    header: bool
    escaped: bool
    memory: str
    temp: str | Path


AS_READ = ("separator", "encoding", "sheet", "decimal", "thousands", "dates", "header", "escaped")
"""What decides how a file is read."""


_NOWHERE = {
    "decimal": "no column has numbers with a decimal comma",
    "thousands": "no column has numbers with this mark between thousands",
    "dates": "no column has days of this form",
}


def as_before(table: Any, reading: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Say how to read the table that a release was made of: a file as it was read then, unless it is said otherwise.

    Parameters
    ----------
    table, reading
        The table, and what is said about reading it.
    before
        How the file was read when the release was made.
    """
    if not isinstance(table, (str, os.PathLike)):
        return dict(reading)
    return {**before, **{name: value for name, value in reading.items() if (name, value) != ("encoding", "utf-8")}}


def open_with(table: Any, schema: Schema, **reading: Any) -> Engine:
    """Open a table as its schema reads it, and check that the columns are there."""
    check_schema(schema)
    check_names(reading, Reading.__annotations__)
    drop = schema.quasi_names if schema.missing == "drop" else ()
    engine = open_table(table, missing_values=schema.missing_values, drop_missing=drop, **reading)
    schema.check_columns(list(engine.columns()), show=engine.shows_names)
    for note in unfitting(engine):
        warn(note)
    return engine


def unfitting(engine: Engine) -> list[str]:
    """Name what was said about how a table is written, and is in none of its columns."""
    unused: Sequence[str] = getattr(engine, "unused", ())
    return [
        f"{name} was given, and {_NOWHERE[name]}: a column is read so only if all its values fit" for name in unused
    ]


def check_schema(schema: Any) -> None:
    """Refuse what is no schema: every table comes in with one."""
    if not isinstance(schema, Schema):
        msg = f"The roles of the columns come as a Schema, got {type(schema).__name__}."
        raise SchemaError(msg, hint='write Schema(quasi=["age", "zip"], sensitive=["disease"]) with your columns.')


def check_names(given: Iterable[str], known: Container[str]) -> None:
    """Refuse a parameter that there is not, as Python does."""
    for name in given:
        if name not in known:
            msg = f"There is no parameter {name!r}."
            raise TypeError(msg)


def census(table: Any, schema: Schema, *, floor: Mapping[str, int] | None = None, **reading: Unpack[Reading]) -> Census:
    """Count which combinations of quasi-identifiers and sensitive values a table has, and how often.

    Everything that can be asked about the privacy of a table is answered from its census.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, a ``Database``, or a path to a file of
        CSV, Parquet, Arrow, Excel, SPSS, Stata or SAS. It is never changed.
    schema
        The role of every column.
    floor
        The level at which a quasi-identifier is counted, by name; 0, its own values, where nothing is said.
    reading
        How to read a file: ``separator`` and ``encoding`` of a text file (found out, and UTF-8, where nothing is said),
        its ``decimal`` mark, what stands between ``thousands``, the form of its ``dates`` such as ``%d.%m.%Y``, and
        ``header=False`` if its first line is a record; the ``sheet`` of a spreadsheet; ``escaped=True`` for a released
        CSV or Excel file whose texts shall be read as they were before escaping; ``memory``, the most that may be used
        before spilling to disk, such as ``"4GB"``; and ``temp``, where to.

    Raises
    ------
    EngineError
        If the census would not fit into memory; that is found out before it is counted.

    Notes
    -----
    A census holds the table's values and its rarest combinations: it is as confidential as the table.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": 34, "disease": "flu"}, {"age": 36, "disease": "flu"}, {"age": 51, "disease": "asthma"}]
    >>> schema = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"])
    >>> census = ic.census(table, schema)
    >>> census.classes().size.tolist()
    [1, 1, 1]
    >>> census.classes({"age": 1}).size.tolist()
    [2, 1]
    """
    engine = open_with(table, schema, **reading)
    extra = [name for name in (schema.entity, schema.count) if name]
    domains = engine.domains([*schema.quasi_names, *schema.sensitive_names, *extra])
    check_labels(schema, domains, reading.get("memory"))
    binding = schema.bind(domains, default=auto())
    for note in binding.notes:
        warn(note)
    request = CensusRequest(
        schema.quasi_names, schema.sensitive_names, binding.ladders, floor or {}, schema.entity, schema.count
    )
    return census_within(engine, request, reading.get("memory"), hint="count coarser, by floor=.")
