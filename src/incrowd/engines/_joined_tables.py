"""Several tables as one: copied once, their keys checked, their rows joined person by person, and cut apart again.

All of it is done by a DuckDB of our own in private Parquet files, so that no table must fit into memory. Columns are
called ``c0``, ``c1``, … there, and ``person`` is the key of whose row it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.parquet

from incrowd.core import DataError, EngineError, ReleaseMismatch
from incrowd.engines._backend import DuckBackend, inner_frame
from incrowd.engines._border import guarded
from incrowd.engines._duckdb import Workshop, inner_names, text_literal
from incrowd.engines._eager_frame import EagerEngine
from incrowd.engines._lazy_frame import FrameEngine
from incrowd.engines._protocol import Engine, report_stage
from incrowd.engines._resources import Resources
from incrowd.engines._tables_of_people import JoinedColumn, Tables
from incrowd.engines._tally import ParquetEngine
from incrowd.engines._text import TextEngine
from incrowd.engines.formats._output import write_parquet

PERSON = "person"
"""What the column that says whose row it is is called in a table that was taken apart."""
CONSTANT = "constant"
"""A column there that is the same in every row."""
MANY = 50
"""So many joined rows for each row of the tables are too many: then tables multiply each other."""
FEW = 1_000_000
"""Fewer joined rows are never too many."""
_WHOLE = {"BIGINT", "INTEGER", "SMALLINT", "TINYINT", "UBIGINT", "UINTEGER", "USMALLINT", "UTINYINT"}
_FLOATS = {"DOUBLE", "FLOAT"}
_BLOCK = 64  # bytes of SHA-256


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of a table: its columns, how each is read from the file, and what type it then has."""

    path: str
    names: dict[str, str]
    types: dict[str, str]

    def sql(self, only: Sequence[str] | None = None) -> str:
        names = self.names if only is None else only
        return ", ".join(f"t.{self.names[name]}" for name in names)


class JoinedTables:
    """Tables that were opened, copied, and found to hang together."""

    def __init__(self, tables: Tables, engines: Mapping[str, Engine], resources: Resources) -> None:
        self.tables, self.engines = tables, dict(engines)
        self._workshop = Workshop(resources)
        self._text = any(isinstance(engine, TextEngine) for engine in engines.values())
        self.columns = {name: list(engine.columns()) for name, engine in engines.items()}
        tables.check_columns(self.columns)
        self._copies = {name: self._copied(name) for name in tables}
        self._settle_keys()

    # How it is copied.

    def _copied(self, name: str) -> _Copy:
        """Copy a table as it is after the door."""
        report_stage("reading")
        engine, path = self.engines[name], self._place()
        if not isinstance(engine, EagerEngine | FrameEngine):
            msg = f"Table {name!r} is of a kind that cannot be joined with others: {type(engine).__name__}."
            raise EngineError(msg, hint="write it to Parquet files first, and name these.")
        engine.copy(path)
        return self._described(name, str(path))

    @guarded
    def _described(self, name: str, path: str) -> _Copy:
        relation = self._workshop.connection.read_parquet(path)
        types = list(map(str, relation.types))
        names = dict(zip(self.columns[name], inner_names(len(types)), strict=True))
        read = f"read_parquet({text_literal(path)})"
        if self._text:  # one way to read all of them: as text
            columns = [f"CAST({inner} AS VARCHAR) AS {inner}" for inner in names.values()]
            types = ["VARCHAR"] * len(types)
            read = f"({_select(', '.join(columns), read)})"
        return _Copy(read, names, dict(zip(names, types, strict=True)))

    @guarded
    def _settle_keys(self) -> None:
        """Read a key and all that refers to it alike: as whole numbers if all are, else as text."""
        held: dict[str, list[tuple[str, str]]] = {name: [] for name in self.tables}
        for name in self.tables:
            for column, table in self.tables.key_columns(name).items():
                held[table].append((name, column))
        kinds: dict[tuple[str, str], str] = {}
        for places in held.values():
            whole = all(self._is_whole(*place) for place in places)
            kinds |= dict.fromkeys(places, "BIGINT" if whole else "VARCHAR")
        for name, copy in self._copies.items():
            keys = {column: kinds[name, column] for column in self.tables.key_columns(name)}
            if not keys:
                continue
            read = ", ".join(
                f"{_key_sql(inner, copy.types[column], keys[column])} AS {inner}" if column in keys else inner
                for column, inner in copy.names.items()
            )
            self._copies[name] = _Copy(f"({_select(read, copy.path)})", copy.names, {**copy.types, **keys})

    def _is_whole(self, name: str, column: str) -> bool:
        """Say whether a key is of whole numbers; refuse what is neither that nor text."""
        type_, inner = self._copies[name].types[column], self._copies[name].names[column]
        if type_ in _FLOATS:  # a column of whole numbers, some of which are missing
            fits = f"bool_and({inner} = trunc({inner}) AND abs({inner}) < 9007199254740992)"
            (found,) = self._one(_select(f"coalesce({fits}, true)", self._copies[name].path))
            if found:
                return True
        if type_ not in _WHOLE | {"VARCHAR", "NULL", '"NULL"'}:
            msg = f"Column {column!r} of table {name!r} cannot be a key: it holds neither whole numbers nor texts."
            raise DataError(msg, hint="make it one of texts first.")
        return type_ in _WHOLE - {"UBIGINT"}

    # Whether it hangs together.

    def check(self, *, ours: bool = False) -> None:
        """Refuse keys that are missing or twice, and rows that belong to nobody; ``ours`` if we wrote them."""
        if found := " ".join(self.problems()):
            if ours:
                msg = f"The published tables do not hang together. {found}"
                raise ReleaseMismatch(msg, hint="please report this.")
            msg = f"The tables do not hang together. {found}"
            raise DataError(msg, hint="correct these rows, or leave them out.")

    @guarded
    def problems(self) -> list[str]:
        """Name what keeps the tables from hanging together: table, column and number of rows."""
        found = [problem for name in self.tables for problem in self._key_problems(name)]
        return found or [problem for name in self.tables for problem in self._person_problems(name)]

    def _key_problems(self, name: str) -> list[str]:
        copy, tables, found = self._copies[name], self.tables, list[str]()
        read = copy.path
        if name in tables.keys:
            key = copy.names[tables.keys[name]]
            (lacking,) = self._one(_select(f"count(*) - count({key})", read))
            if lacking:
                found.append(f"Table {name!r}: its key {tables.keys[name]!r} is missing in {_rows(lacking)}.")
            groups = _select("count(*) AS n", f"{read} WHERE {key} IS NOT NULL GROUP BY {key} HAVING n > 1")
            (twice,) = self._one(_select("coalesce(sum(n), 0)", f"({groups})"))
            if twice:
                found.append(f"Table {name!r}: its key {tables.keys[name]!r} is not alone in {_rows(int(twice))}.")
        for number, (column, table) in enumerate(tables.of.get(name, {}).items()):
            inner, other = copy.names[column], self._copies[table]
            (lacking,) = (0,) if number else self._one(_select(f"count(*) - count({inner})", read))
            if lacking:
                found.append(f"Table {name!r}: {column!r} is missing in {_rows(lacking)}: nobody knows whose.")
            known = _select(f"{other.names[tables.keys[table]]} AS k", other.path)
            lost = f"{read} AS t ANTI JOIN ({known}) AS o ON t.{inner} = o.k WHERE t.{inner} IS NOT NULL"
            (orphaned,) = self._one(_select("count(*)", lost))
            if orphaned:
                found.append(f"Table {name!r}: {column!r} names no row of {table!r} in {_rows(orphaned)}.")
        return found

    def _person_problems(self, name: str) -> list[str]:
        """Find rows that belong to one person by one key, and to another by another."""
        found = []
        for column, table in list(self.tables.of.get(name, {}).items())[1:]:
            key, inner = self._copies[table].names[self.tables.keys[table]], self._copies[name].names[column]
            other = _select(f"{key} AS k, {PERSON} AS p", self._with_person(table))
            both = f"{self._with_person(name)} AS t JOIN ({other}) AS o ON t.{inner} = o.k"
            (parted,) = self._one(_select("count(*)", f"{both} WHERE t.{PERSON} <> o.p"))
            if parted:
                first = self.tables.parent(name)[0]
                found.append(f"Table {name!r}: {first!r} and {column!r} lead to different people in {_rows(parted)}.")
        return found

    def _one(self, query: str) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self._workshop.sparingly(
            lambda _: self._workshop.connection.execute(query).fetchall()[0]
        )
        return found

    def _with_person(self, name: str) -> str:
        """Write a table with whose row it is."""
        copy = self._copies[name]
        if name == self.tables.people:
            return f"({_select(f'*, {copy.names[self.tables.person]} AS {PERSON}', copy.path)})"
        column, parent = self.tables.parent(name)
        if parent == self.tables.people:
            return f"({_select(f'*, {copy.names[column]} AS {PERSON}', copy.path)})"
        key = self._copies[parent].names[self.tables.keys[parent]]
        above = _select(f"{key} AS k, {PERSON}", self._with_person(parent))
        both = f"{copy.path} AS t JOIN ({above}) AS a ON t.{copy.names[column]} = a.k"
        return f"({_select(f't.*, a.{PERSON}', both)})"

    # The joined rows.

    def joined_columns(self) -> list[JoinedColumn]:
        """Give the columns of the joined rows that are asked about."""
        return self.tables.joined_columns(self.columns)

    @guarded
    def joined(self, fills: Mapping[str, str | None] | None = None) -> Engine:
        """Join everybody's rows; ``fills`` says per column what stands there where somebody has no row of its table."""
        shown = self.joined_columns()
        needed = {name for one in shown for name in self.tables.way(one.table)}
        names = [name for name in self._from_the_people() if name in needed]
        alias = {name: f"t{number}" for number, name in enumerate(names)}
        joins = [f"{self._copies[names[0]].path} AS t0"]
        for name in names[1:]:
            column, parent = self.tables.parent(name)
            mine = f"{alias[name]}.{self._copies[name].names[column]}"
            theirs = f"{alias[parent]}.{self._copies[parent].names[self.tables.keys[parent]]}"
            joins.append(f"LEFT JOIN {self._copies[name].path} AS {alias[name]} ON {mine} = {theirs}")
        source = " ".join(joins)
        self._check_number(source)
        read = [self._column_sql(one, alias[one.table], fills or {}) for one in shown]
        columns = ", ".join(f"{sql} AS c{number}" for number, sql in enumerate(read))
        return self._engine(_select(columns, source), [one.name for one in shown])

    def _from_the_people(self) -> list[str]:
        return sorted(self.tables, key=lambda name: len(self.tables.way(name)))

    def _check_number(self, source: str) -> None:
        """Refuse joined rows that nobody could count: two tables of a person with many rows each multiply."""
        (joined,) = self._one(_select("count(*)", source))
        rows = sum(self._one(_select("count(*)", copy.path))[0] for copy in self._copies.values())
        if joined > max(MANY * rows, FEW):
            msg = f"The tables have {rows:,} rows, and joined person by person {joined:,}: their rows multiply."
            raise DataError(msg, hint="let one of them refer to the other, such as measurements to their visit.")

    def _column_sql(self, one: JoinedColumn, alias: str, fills: Mapping[str, str | None]) -> str:
        copy = self._copies[one.table]
        if one.table == self.tables.people:
            return f"{alias}.{copy.names[str(one.column)]}"
        there = f"{alias}.{copy.names[self.tables.parent(one.table)[0]]} IS NOT NULL"
        if one.column is None:
            return f"CASE WHEN {there} THEN 'yes' ELSE 'no' END"
        inner, fill = f"{alias}.{copy.names[one.column]}", fills.get(one.name)
        if fill is None:
            return inner
        return f"CASE WHEN {there} THEN CAST({inner} AS VARCHAR) ELSE {text_literal(fill)} END"

    # A table by itself.

    @guarded
    def taken_apart(self, name: str, pseudonyms: Mapping[str, bytes], left_out: Sequence[str]) -> Engine:
        """Give a table without some people, its keys replaced by pseudonyms, as an engine.

        It has two columns more: the person, as printed, and one that is the same everywhere.
        """
        copy = self._copies[name]
        read = [
            f"{pseudonym_sql(f't.{inner}', pseudonyms[column])} AS {inner}" if column in pseudonyms else f"t.{inner}"
            for column, inner in copy.names.items()
        ]
        gone = ""
        if left_out:
            place = self._place()
            pyarrow.parquet.write_table(pa.table({"p": pa.array(list(left_out), pa.string())}), str(place))
            gone = f" ANTI JOIN read_parquet({text_literal(str(place))}) AS g ON CAST(t.{PERSON} AS VARCHAR) = g.p"
        names = [*copy.names, *_free([PERSON, CONSTANT], copy.names)]
        columns = ", ".join([*read, f"CAST(t.{PERSON} AS VARCHAR) AS c{len(read)}", f"'x' AS c{len(read) + 1}"])
        return self._engine(_select(columns, f"{self._with_person(name)} AS t{gone}"), names, self.engines[name])

    def hidden_names(self, name: str) -> list[str]:
        """Name the two columns that a table taken apart has more."""
        return _free([PERSON, CONSTANT], self.columns[name])

    def values(self, places: Sequence[tuple[str, str]]) -> Engine:
        """Give the values of columns of several tables as those of one, called ``value``."""
        columns = [
            _select(f"{self._copies[table].names[column]} AS c0", self._copies[table].path) for table, column in places
        ]
        return self._values_engine(" UNION ALL ".join(columns))

    @guarded
    def _values_engine(self, query: str) -> Engine:
        return self._engine(query, ["value"])

    def type_of(self, table: str, column: str) -> str:
        """Give the type of a column as the tables are read here."""
        return self._copies[table].types[column]

    @guarded
    def rows(self, name: str) -> int:
        """Count the rows of a table."""
        return int(self._one(_select("count(*)", self._copies[name].path))[0])

    def _place(self) -> Path:
        return self._workshop.copy(f"{token_hex(8)}.parquet").path

    def check_unchanged(self) -> None:
        """Refuse files that changed since they were opened."""
        for engine in self.engines.values():
            if engine.stamp is not None:
                engine.stamp.check()

    def _engine(self, query: str, names: Sequence[str], like: Engine | None = None) -> Engine:
        """Keep what a query gives in a private file, and open that as the tables were read."""
        path, connection = self._place(), self._workshop.connection
        self._workshop.sparingly(lambda rows: write_parquet(connection.sql(query), path, rows, direct=True))
        relation: duckdb.DuckDBPyRelation = connection.read_parquet(str(path))
        hand_back = _as_it_is if like is None else _hand_back_of(like)
        home = DuckBackend(relation, hand_back, workshop=self._workshop)
        if self._text:
            return TextEngine(nw.from_native(relation), home, names, missing_values=(), drop=())
        return ParquetEngine(inner_frame(relation), home, names)


def _select(columns: str, source: str) -> str:
    """Write a query of our own names: what a user calls something is in none."""
    return f"SELECT {columns} FROM {source}"  # noqa: S608 - no name of a user


def pseudonym_sql(column: str, key: bytes) -> str:
    """Write a value as its pseudonym: the beginning of HMAC-SHA-256 of the value as it is printed."""
    key = (key if len(key) <= _BLOCK else hashlib.sha256(key).digest()).ljust(_BLOCK, b"\0")
    inner, outer = (bytes(byte ^ mask for byte in key).hex() for mask in (0x36, 0x5C))
    said = f"encode(CAST({column} AS VARCHAR))"
    return f"sha256(unhex('{outer}') || unhex(sha256(unhex('{inner}') || {said})))[:32]"


def _key_sql(inner: str, type_: str, kind: str) -> str:
    """Read a key as a whole number or as text; a number that was written with decimals has none."""
    if kind == "BIGINT":
        return f"CAST({inner} AS BIGINT)"
    if type_ in _FLOATS:
        return f"CAST(CAST({inner} AS BIGINT) AS VARCHAR)"
    return rf"regexp_replace(CAST({inner} AS VARCHAR), '^(0|-?[1-9][0-9]*)\.0+$', '\1')"


def _free(names: Sequence[str], taken: Mapping[str, object] | Sequence[str]) -> list[str]:
    """Give names that no column has, by underscores at their end."""
    found = []
    for name in names:
        free = name
        while free.casefold() in {other.casefold() for other in taken}:
            free += "_"
        found.append(free)
    return found


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def _hand_back_of(engine: Engine) -> Callable[[pa.Table], Any]:
    """Say how a result becomes the kind of frame that an engine was opened with."""
    return engine.hand_back if isinstance(engine, EagerEngine) else engine.home.hand_back  # type: ignore[attr-defined]


def _as_it_is(table: pa.Table) -> pa.Table:
    return table


@dataclass(frozen=True, slots=True)
class RowsTable:
    """A list of dicts as a table."""

    table: pa.Table


def rows_of(table: pa.Table) -> Any:
    """Give a list of dicts again; one without rows has no columns, so it stays a table."""
    return table.to_pylist() or table
