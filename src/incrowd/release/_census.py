"""``census``: a table counted within memory, as asked or from the lowest levels (the floor) at which it fits.

The rule: columns are raised step by step, each time where most of a column's variety goes for the least loss, until
about as many cells are left as fit. So the floor follows from the rows, the ladders and the budget, and from nothing
else.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from incrowd.core import (
    Census,
    CensusRequest,
    Domain,
    EngineError,
    Hint,
    Ladder,
    ParameterError,
    Schema,
    SchemaError,
    add_up,
    warn,
)
from incrowd.engines import Engine, Tables, census_size_about, open_table
from incrowd.hierarchies import Auto, Averaged, Mask, auto
from incrowd.models import Model, separators_of, suppression_limit
from incrowd.search import Problem, Suppression, too_small_levels

MORE_MEMORY = Hint("give it more memory, such as {memory}, or ", memory="16GB")

# Whether a census fits into memory, asked before it is counted: nobody is served by a process that the system ends.


def fits_in_memory(engine: Engine, request: CensusRequest, cells: int | None = None) -> bool:
    """Say whether a census has about as many cells as fit, or fewer."""
    cells = cells_that_fit(engine, request) if cells is None else cells
    return _size_about(engine, request, cells) <= cells


def _check_labels(engine: Engine, schema: Schema, domains: Mapping[str, Domain]) -> None:
    """Refuse masks of long texts that are too many: every value gets a label for every character."""
    labels = 0
    for name, given in schema.quasi:
        plain = given.hierarchy if isinstance(given, Averaged) else given
        hierarchy = auto().choose(domains[name]) if plain is None or isinstance(plain, Auto) else plain
        if isinstance(hierarchy, Mask):
            levels = hierarchy.levels(domains[name])
            labels += len(domains[name]) * levels
            if not engine.resources.takes_labels(labels):
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
    domains = engine.domains(request.needed_columns)
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


def reading_as_before(table: Any, reading: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Say how to read the table that a release was made of: a file as it was read then, unless it is said otherwise."""
    if not isinstance(table, (str, os.PathLike)):
        return dict(reading)
    return {**before, **{name: value for name, value in reading.items() if (name, value) != ("encoding", "utf-8")}}


def open_with_schema(table: Any, schema: Schema, **reading: Any) -> Engine:
    """Open a table as its schema reads it, and check that the columns are there."""
    check_arguments(schema, reading, Reading.__annotations__)
    if isinstance(table, Tables):
        if schema.entity != table.person:
            msg = "A question to several tables is about their joined rows, and these roles are about the tables."
            raise SchemaError(msg, hint="ask with joined_schema(tables, schema) of incrowd.release, or release.schema.")
        table = table.about([*schema.quasi_names, *schema.sensitive_names, *schema.shifted_names])
    drop = [name for name in schema.quasi_names if name != schema.size] if schema.missing == "drop" else []
    engine = open_table(
        table, missing_values=schema.missing_values, drop_missing=drop, lists=separators_of(schema), **reading
    )
    engine = with_size(engine, schema)
    schema.check_columns(list(engine.columns()), show=engine.shows_names)
    for note in unused_notation_notes(engine):
        warn(note)
    return engine


def with_size(engine: Engine, schema: Schema) -> Engine:
    """Give the table with the column that says how many rows its entity has, if there is to be one."""
    if schema.size is None or schema.entity is None or engine.sized == schema.size:
        return engine
    if schema.size in engine.columns():
        msg = f"The table has a column {schema.size!r} already."
        raise SchemaError(
            msg, hint="give the column of sizes another name, or take that column as it is: without size."
        )
    return engine.with_sizes(schema.size, schema.entity)


def unused_notation_notes(engine: Engine) -> list[str]:
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


def _bound_request(
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


DIGITS = 9
"""What steps are worth is rounded, so that no machine decides otherwise than another."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What is asked of a release, before anything is counted; as in ``anonymize``.

    ``limit`` says how many of so many records may be left out, ``local`` that no one level per column is looked for.
    """

    schema: Schema
    model: Model
    limit: Callable[[int], int] = lambda records: records
    at_least: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    balance: float = 0.5
    suppression: Suppression = "drop"
    local: bool = False

    @classmethod
    def of(cls, schema: Schema, model: Model, share: Any, number: int | None, **more: Any) -> Goal:
        """Read how many records may be left out, and what is said per column or not at all."""
        for name in ("at_least", "at_most", "importance"):
            said = more[name] = {} if more.get(name) is None else more[name]
            if not isinstance(said, Mapping):
                msg = f"{name} must say it per column, got {type(said).__name__}."
                raise ParameterError(msg, hint=f"write {name}={{'column': 1}}, with the names of your columns.")
        return cls(schema, model, lambda records: suppression_limit(records, share, number), **more)

    def problem(self, census: Census) -> Problem:
        """Ask it of a census."""
        return Problem(
            census,
            self.schema,
            self.model,
            self.limit(census.records),
            self.at_least,
            self.at_most,
            self.importance,
            self.balance,
            suppression=self.suppression,
        )


@dataclass(frozen=True, slots=True, eq=False)
class CensusPlan:
    """How a table is counted: as is asked, or at the lowest levels from which on that fits into memory.

    ``lows`` and ``highs`` say from where to where a column may be raised, ``fixed`` which cannot be.
    """

    engine: Engine
    request: CensusRequest
    domains: Mapping[str, Domain]
    cells: int
    lows: Mapping[str, int] = field(default_factory=dict)
    highs: Mapping[str, int] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, engine: Engine, goal: Goal) -> CensusPlan:
        """Count the quasi-identifiers with the sensitive columns that the promise is about."""
        schema, model = goal.schema, goal.model
        request, domains = _bound_request(engine, schema, model)
        heights = {name: request.ladders[name].height for name in request.quasi}
        highs = {name: min(_level_or(goal.at_most.get(name), height), height) for name, height in heights.items()}
        lows = {name: _level_or(goal.at_least.get(name), 0) for name in heights}
        if not goal.local and schema.count is None:
            limit = goal.limit(int(domains[request.quasi[0]].counts.sum()))
            hopeless = {name: too_small_levels(model, domains[name], request.ladders[name], limit) for name in heights}
            lows = {name: max(low, hopeless[name]) for name, low in lows.items()}
        return cls(
            engine,
            request,
            domains,
            cells=cells_that_fit(engine, request, local=goal.local),
            lows={name: min(low, highs[name]) for name, low in lows.items()},
            highs=highs,
            importance={name: _weight_or_one(goal.importance.get(name)) for name in heights},
            fixed=frozenset(name for name, hierarchy in schema.quasi if isinstance(hierarchy, Averaged)),
        )

    def census(self) -> Census:
        """Count; nobody is served by a process that the system ends, so what does not fit is refused."""
        return self.engine.census(replace(self.request, floor=self.floor()))

    def floor(self) -> Mapping[str, int]:
        """Give the levels at which it is counted: those that were asked for, or the lowest of the chain that fit."""
        if self.fits(self.request.floor):
            return self.request.floor
        floors = self.chain()
        if not self.fits(floors[-1]):
            msg = f"No census of this table fits into memory, not even at the highest levels: {self.cells:,} cells do."
            raise EngineError(msg, hint="give it more memory, or ask for fewer sensitive columns.")
        low, high = 0, len(floors) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.fits(floors[middle]) else (middle + 1, high)
        return floors[low]

    def fits(self, floor: Mapping[str, int]) -> bool:
        """Say whether a census at these levels does."""
        return fits_in_memory(self.engine, replace(self.request, floor=floor), self.cells)

    def chain(self) -> list[dict[str, int]]:
        """Give floors from the lowest to the highest, each time one column raised: where that is worth most."""
        ladders = self.request.ladders
        floor = {name: 0 if name in self.fixed else self.lows.get(name, 0) for name in self.request.quasi}
        steps = {name: _Steps(self.domains[name], ladders[name], self.importance.get(name, 1.0)) for name in floor}
        highs = {name: self.highs.get(name, ladders[name].height) for name in floor}
        result = [dict(floor)]
        while open_columns := [name for name in floor if name not in self.fixed and floor[name] < highs[name]]:
            jumps = [(*steps[name].best(floor[name], highs[name]), name) for name in open_columns]
            _, level, column = max(jumps, key=lambda jump: jump[0])  # of equals the first of the schema
            floor[column] = level
            result.append(dict(floor))
        return result


def _level_or(given: Any, otherwise: int) -> int:
    """Read a level; what is none is refused later, where all of the problem is."""
    return given if isinstance(given, int) and given >= 0 else otherwise


def _weight_or_one(given: Any) -> float:
    """Read an importance in the same way."""
    return float(given) if isinstance(given, int | float) and 0 < given < math.inf else 1.0


class _Steps:
    """What raising a column takes away: the bits by which it tells records apart, and detail."""

    def __init__(self, domain: Domain, ladder: Ladder, weight: float) -> None:
        records, leaves = max(int(domain.counts.sum()), 1), max(int(ladder.leaves[-1][0]) - 1, 1)
        sizes = [
            add_up(groups, domain.counts, len(labels))
            for groups, labels in zip(ladder.groups, ladder.labels, strict=True)
        ]
        self._bits = [_bits_of_shares(size / records) for size in sizes]
        covered = zip(sizes, ladder.leaves, strict=True)
        self._loss = [weight * float(size @ (leaf - 1)) / leaves / records for size, leaf in covered]

    def best(self, level: int, high: int) -> tuple[float, int]:
        """Give the most that a step up from a level is worth, and where it leads; of equals the shortest."""
        return max(
            ((self._worth(level, to), to) for to in range(level + 1, high + 1)), key=lambda pair: (pair[0], -pair[1])
        )

    def _worth(self, level: int, to: int) -> float:
        return round((self._bits[level] - self._bits[to]) / (self._loss[to] - self._loss[level] + 1e-9), DIGITS)


def _bits_of_shares(shares: np.ndarray) -> float:
    some = shares[shares > 0]
    return float(-(some @ np.log2(some)))


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
    engine = open_with_schema(table, schema, **reading)
    request, _ = _bound_request(engine, schema)
    return census_within_memory(engine, replace(request, floor=floor or {}), hint="count coarser, by floor=.")
