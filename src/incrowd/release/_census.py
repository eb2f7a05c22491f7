"""From any table to its census, in one call."""

from __future__ import annotations

import math
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from incrowd.core import Census, CensusRequest, Domain, EngineError, Hint, Schema, SchemaError, warn
from incrowd.engines import Engine, census_size_about, open_table
from incrowd.hierarchies import Auto, Averaged, Mask, auto
from incrowd.models import Model

MORE_MEMORY = Hint("give it more memory, such as {memory}, or ", memory="16GB")

# Whether a census fits into memory, asked before it is counted: nobody is served by a process that the system ends.


def fits_in_memory(engine: Engine, request: CensusRequest, cells: int | None = None) -> bool:
    """Say whether a census has about as many cells as fit, or fewer."""
    cells = cells_that_fit(engine, request) if cells is None else cells
    return _size_about(engine, request, cells) <= cells


def _check_labels(engine: Engine, schema: Schema, domains: Mapping[str, Domain]) -> None:
    """Refuse masks of long texts that are too many: every value gets a label for every character."""
    most, labels = engine.resources.budget.labels, 0
    for name, given in schema.quasi:
        plain = given.hierarchy if isinstance(given, Averaged) else given
        hierarchy = auto().choose(domains[name]) if plain is None or isinstance(plain, Auto) else plain
        if isinstance(hierarchy, Mask):
            levels = hierarchy.levels(domains[name])
            labels += len(domains[name]) * levels
            if labels > most:
                values = f"{len(domains[name]):,} values, {levels} each"
                msg = f"The labels of column {name!r} do not fit into memory: {values}."
                raise EngineError(msg, hint=MORE_MEMORY + "hide fewer characters one by one: mask(keep=...).")


def shares_needed(engine: Engine, request: CensusRequest) -> int:
    """Say in how many shares the cells of a table must be looked at, each of which fits."""
    cells = cells_that_fit(engine, request)
    return max(math.ceil(_size_about(engine, request, cells) / cells), 1)


def _size_about(engine: Engine, request: CensusRequest, cells: int) -> int:
    """Say about how many cells a census has, or at most, where so many would fit."""
    rows = int(engine.domains(request.columns[:1])[request.columns[0]].counts.sum())
    if rows <= cells:
        return rows
    domains = engine.domains(request.needed)
    possible = math.prod(request.cardinality(domains[name]) for name in request.columns)
    return possible if possible <= cells else census_size_about(engine, request, cells)


def cells_that_fit(engine: Engine, request: CensusRequest, *, local: bool = False) -> int:
    """Say how many cells fit into the memory of a table; fewer do where a local recoding is looked for."""
    return engine.resources.budget.cells(len(request.columns), local=local)


def census_within_memory(engine: Engine, request: CensusRequest, hint: str = "ask about fewer columns.") -> Census:
    """Count a table; refuse it before where its census does not fit into memory."""
    cells = cells_that_fit(engine, request)
    if not fits_in_memory(engine, request, cells):
        msg = f"The census of this table does not fit into memory: {cells:,} cells do."
        raise EngineError(msg, hint=MORE_MEMORY + hint)
    return engine.census(request)


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
    """Say how to read the table that a release was made of: a file as it was read then, unless it is said otherwise."""
    if not isinstance(table, (str, os.PathLike)):
        return dict(reading)
    return {**before, **{name: value for name, value in reading.items() if (name, value) != ("encoding", "utf-8")}}


def open_with(table: Any, schema: Schema, **reading: Any) -> Engine:
    """Open a table as its schema reads it, and check that the columns are there."""
    check_arguments(schema, reading, Reading.__annotations__)
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


def check_arguments(schema: Any, given: Iterable[str], known: Container[str]) -> None:
    """Refuse what is no schema, and as Python does, a parameter that there is not."""
    if not isinstance(schema, Schema):
        msg = f"The roles of the columns come as a Schema, got {type(schema).__name__}."
        raise SchemaError(msg, hint='write Schema(quasi=["age", "zip"], sensitive=["disease"]) with your columns.')
    for name in given:
        if name not in known:
            msg = f"There is no parameter {name!r}."
            raise TypeError(msg)


def bound_request(
    engine: Engine, schema: Schema, model: Model | None = None
) -> tuple[CensusRequest, dict[str, Domain]]:
    """Say what is counted: quasi-identifiers with sensitive columns, all or those that a promise is about."""
    extra = [name for name in (schema.entity, schema.count) if name]
    domains = engine.domains([*schema.quasi_names, *schema.sensitive_names, *extra])
    _check_labels(engine, schema, domains)
    binding = schema.bind(domains, default=auto())
    for note in binding.notes:
        warn(note)
    sensitive = schema.sensitive_names
    if model is not None:
        wanted = {name for judge in model.bind(schema, domains) for name in judge.columns}
        sensitive = tuple(name for name in sensitive if name in wanted)
    request = CensusRequest(schema.quasi_names, sensitive, binding.ladders, entity=schema.entity, count=schema.count)
    return request, domains


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
    request, _ = bound_request(engine, schema)
    return census_within_memory(engine, replace(request, floor=floor or {}), hint="count coarser, by floor=.")
