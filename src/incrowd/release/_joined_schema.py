"""``JoinedSchema``: the roles of the columns of several tables, and of the joined rows that a promise is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from incrowd.core import (
    DataError,
    Domain,
    FullDomainRecoding,
    Hint,
    ParameterError,
    Recoding,
    Schema,
    SchemaError,
    ShiftedDates,
    UnknownColumnError,
    name_list,
)
from incrowd.engines import JoinedColumn, JoinedTables, Tables, join_tables
from incrowd.hierarchies import Tree, auto, flat
from incrowd.models import separators_of
from incrowd.release._output import Others
from incrowd.release._source import NO_ROLE

Value = TypeVar("Value")
TABLES = "several tables"
_PUBLISHED = {"quasi-identifier", "sensitive", "insensitive", "shifted"}


@dataclass(frozen=True, slots=True, eq=False)
class JoinedSchema:
    """What columns of several tables are.

    ``own`` has the roles that somebody gave, ``schema`` those in the joined rows, ``columns`` where these come from,
    and ``shared`` the names there of each column that several tables have: they must have one level.
    """

    own: Schema
    schema: Schema
    tables: Tables
    columns: tuple[JoinedColumn, ...]
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Schema, tables: Tables, names: Mapping[str, list[str]]) -> JoinedSchema:
        """Read roles as those of several tables with such columns; refuse what these cannot have."""
        _check_roles(schema, tables, names)
        found = tables.joined_columns(names)
        role_of = {one.name: schema.role(str(one.column)) for one in found}
        quasi = dict(schema.quasi)
        measured: list[JoinedColumn] = []
        presence: list[str] = []
        for one in found[1:]:
            if role_of[one.name] in {"quasi-identifier", "sensitive", "shifted"}:
                measured.append(one)
                if one.table != tables.people and role_of[one.name] == "quasi-identifier":
                    presence.append(tables.presence(one.table))
        shared: dict[str, list[str]] = {}
        for one in measured:
            shared.setdefault(str(one.column), []).append(one.name)
        shared = {name: every for name, every in shared.items() if len(every) > 1}
        for name in shared:
            if schema.role(name) == "sensitive":
                held = name_list([one.table for one in measured if one.column == name])
                msg = f"Column {name!r} is sensitive, and several tables have it: {held}."
                raise SchemaError(msg, hint="a promise is about one column: rename it in one of the tables.")
        asked = [*dict.fromkeys(presence), *(one.name for one in measured)]
        about = tables.about(asked)
        ordered = [one for name in schema.quasi_names for one in measured if one.column == name]
        shown = about.joined_columns(names)
        tells = about.presence_of(shown)
        joined = Schema(
            {
                **{one.name: quasi[str(one.column)] for one in ordered},
                **{name: flat() for name in dict.fromkeys(presence)},
            },
            dict(schema.sensitive),
            shifted=_joined_shift(schema.shifted, measured),
            entity=tables.person,
            missing_values=schema.missing_values,
            presence={name: tells[name] for name in schema.sensitive_names if name in tells},
        )
        every = {name: tuple(all_) for name, all_ in shared.items() if schema.role(name) == "quasi-identifier"}
        return cls(schema, joined, about, tuple(shown), every)

    def with_one_ladder(self, joined: JoinedTables) -> JoinedSchema:
        """Give a column that several tables have one hierarchy: where each table's values alone would give another."""
        changed: dict[str, Any] = {}
        for column, names in self.shared.items():
            places = [(one.table, column) for one in self.columns if one.name in names]
            types = {joined.type_of(*place) for place in places}
            if len(types) > 1:
                held = " and ".join(sorted(types))
                msg = f"Column {column!r} is of another type in each table that has it: {held}."
                raise DataError(msg, hint="one column has one type: make it the same in all of them.")
            whole = joined.values(places).domains(["value"])["value"]
            given = dict(self.own.quasi)[column] or auto()
            ladder = given.bind(whole)
            engine_values = [joined.values([place]).domains(["value"])["value"] for place in places]
            if all(_is_part(given.bind(domain), ladder, domain, whole) for domain in engine_values):
                continue
            paths = [
                tuple(str(labels[groups[code]]) for labels, groups in zip(ladder.labels, ladder.groups, strict=True))
                for code in range(len(whole.values))
            ]
            changed |= dict.fromkeys(names, Tree(tuple(sorted(paths))))
        if not changed:
            return self
        schema = self.schema
        quasi = {name: changed.get(name, hierarchy) for name, hierarchy in schema.quasi}
        return JoinedSchema(
            self.own,
            Schema(
                quasi,
                dict(schema.sensitive),
                shifted=schema.shifted,
                entity=schema.entity,
                missing_values=schema.missing_values,
                presence=schema.presence,
            ),
            self.tables,
            self.columns,
            self.shared,
        )

    @property
    def presence(self) -> list[str]:
        """The columns that say whether a person has a row of a table: they stay as they are."""
        return [one.name for one in self.columns if one.column is None]

    def spread(self, given: Mapping[str, Value] | None, what: str) -> dict[str, Value]:
        """Say of the columns of the joined rows what was said of those of the tables."""
        if given is not None and not isinstance(given, Mapping):
            msg = f"{what} must say it per column, got {type(given).__name__}."
            raise ParameterError(msg, hint=f"write {what}={{'column': 1}}, with the names of your columns.")
        found: dict[str, Value] = {}
        for name, value in (given or {}).items():
            places = [one.name for one in self.columns if name in (one.column, one.name)]
            if not places:
                raise UnknownColumnError.of(name, list(self.own.quasi_names), given_as=what)
            found |= dict.fromkeys(places, value)
        return found

    def published(self, name: str, columns: list[str], others: Others) -> list[str]:
        """Give the columns of a table that are published, in its order, those that hold keys aside."""
        keys = self.tables.key_columns(name)
        roles = {column: self.own.role(column) for column in columns if column not in keys}
        without = [column for column, role in roles.items() if role is None]
        if without and others == "refuse":
            msg = f"Table {name!r} has columns without a role: {name_list(without)}."
            raise SchemaError(msg, hint=NO_ROLE)
        return [column for column, role in roles.items() if role in _PUBLISHED]

    def recoding(self, name: str, whole: Any) -> dict[str, tuple[Any, Any, int]]:
        """Give domain, ladder and level of every quasi-identifier of a table, out of those of the joined rows."""
        node = whole.node
        return {
            str(one.column): (whole.domains[one.name], whole.ladders[one.name], node[one.name])
            for one in self.columns
            if one.table == name and one.column is not None and one.name in node
        }


def joined_schema(tables: Tables, schema: Schema) -> Schema:
    """Give the roles of the joined rows of several tables, by those of their columns: to ask about them.

    Examples
    --------
    >>> import incrowd as ic
    >>> from incrowd.release import joined_schema
    >>> tables = ic.hospital_tables()
    >>> ic.assess(tables, joined_schema(tables, ic.hospital_tables_schema())).persons
    300
    """
    joined = join_tables(tables, missing_values=schema.missing_values)
    return JoinedSchema.of(schema, tables, joined.columns).with_one_ladder(joined).schema


def fills_of(recoding: Recoding) -> dict[str, str | None]:
    """Say what the joined rows have where somebody has no row of a table: as a missing value is called there."""
    found: dict[str, str | None] = {}
    for name, level in (recoding.node or {}).items():
        ladder, domain = recoding.ladders[name], recoding.domains[name]
        if level and domain.has_null:
            found[name] = ladder.labels[level][ladder.groups[level][len(domain.values)]]
    return found


def table_recoding(parts: Mapping[str, tuple[Any, Any, int]], constant: str) -> FullDomainRecoding:
    """Make the recoding of one table; one without a quasi-identifier is recoded by what is the same everywhere."""
    if not parts:
        values = np.array(["x"], dtype=object)
        domain = Domain.of(constant, values)
        parts = {constant: (domain, flat().bind(domain), 0)}
    return FullDomainRecoding(
        domains={name: part[0] for name, part in parts.items()},
        ladders={name: part[1] for name, part in parts.items()},
        levels={name: part[2] for name, part in parts.items()},
    )


def _check_roles(schema: Schema, tables: Tables, names: Mapping[str, list[str]]) -> None:
    every = list(dict.fromkeys(column for columns in names.values() for column in columns))
    schema.check_columns(every)
    if schema.entity not in (None, tables.person):
        msg = f"Column {schema.entity!r} is said to be the person, and the key of the people is {tables.person!r}."
        raise SchemaError(msg, hint="leave entity out: the tables say who is who.")
    if schema.size is not None:
        msg = f"How many rows somebody has is not counted in {TABLES}: column {schema.size!r} cannot be made."
        raise SchemaError(msg, hint="leave size out, or count them in a column of the table of the people.")
    if separators := separators_of(schema):
        msg = f"Sets of items cannot be published in {TABLES} yet: {name_list(list(separators))}."
        raise SchemaError(msg, hint="let every item be a row of a table of its own.")
    if schema.count is not None:
        msg = f"Rows of {TABLES} stand for one record each; column {schema.count!r} says something else."
        raise SchemaError(msg, hint="leave count out, and give every record a row of its own.")
    if schema.missing == "drop":
        msg = f"Records with missing values cannot be left out of {TABLES}: people go with all of their rows."
        raise SchemaError(msg, hint=Hint("let missing be a value: {}.", missing="value"))
    for name in tables:
        for column in tables.key_columns(name):
            if schema.role(column) not in {None, "identifier", "entity"}:
                msg = f"Column {column!r} is a key in table {name!r}, and has the role {schema.role(column)!r} too."
                raise SchemaError(msg, hint="keys are published as pseudonyms, or not at all: give it no role.")


def _joined_shift(shifted: ShiftedDates | None, measured: list[JoinedColumn]) -> ShiftedDates | None:
    if shifted is None:
        return None
    names = tuple(one.name for name in shifted.columns for one in measured if one.column == name)
    return ShiftedDates(names, shifted.within, shifted.weekdays)


def _is_part(ladder: Any, whole: Any, domain: Domain, all_values: Domain) -> bool:
    """Say whether a ladder gives every value the labels that another one gives it."""
    if ladder.height != whole.height:
        return False
    place = domain.codes_in(all_values)
    return all(
        (mine[own] == theirs[other[place]]).all()
        for mine, own, theirs, other in zip(ladder.labels, ladder.groups, whole.labels, whole.groups, strict=True)
    )
