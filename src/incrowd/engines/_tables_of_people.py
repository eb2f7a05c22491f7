"""``Tables``: several tables of the same people and the keys that link them; which column of a joined row is whose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from incrowd.core import Hint, ParameterError, Setting, UnknownColumnError, name_list

_NAME = re.compile(r"[^\W_][\w .-]*")
EXAMPLE = (
    "Tables({'patients': ..., 'visits': ...}, keys={'patients': 'person_id'}, of={'visits': {'person_id': 'patients'}})"
)


@dataclass(frozen=True, slots=True)
class JoinedColumn:
    """A column of the joined rows: its name there, and where its values come from.

    Without a ``column`` it says whether the person has a row of the table at all.
    """

    name: str
    table: str
    column: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Tables:
    """Several tables of the same people, with the keys that link their rows.

    Parameters
    ----------
    tables
        The tables by name, each a frame, a file or a ``Database``, as any other table.
    keys
        Per table the column that names its rows, for tables that others refer to. In the table of the people it says
        who is who.
    of
        Per table that refers to others: which column holds the key of which table. By the first, which no row may
        lack, a row belongs to a row there; others may be missing. Exactly one table, that of the people, refers to
        none.
    reading
        Per file how it is read, if not as the others, as in ``census``.

    Notes
    -----
    A question to them is answered about the joined rows: everybody's row of the people, beside each of their rows in
    the other tables; who has none there has a row in which these columns are missing. A table is joined if one of its
    columns is asked about. A column that several tables have is called after its table too, such as ``visits.date``.

    Examples
    --------
    >>> import incrowd as ic
    >>> patients = [{"person_id": 1, "sex": "f"}, {"person_id": 2, "sex": "m"}]
    >>> visits = [{"person_id": 1, "ward": "eye"}, {"person_id": 1, "ward": "ear"}]
    >>> tables = {"patients": patients, "visits": visits}
    >>> ic.Tables(tables, keys={"patients": "person_id"}, of={"visits": {"person_id": "patients"}})
    Tables(patients, visits of patients)
    """

    tables: Mapping[str, Any]
    keys: Mapping[str, str] = field(kw_only=True)
    of: Mapping[str, Mapping[str, str]] = field(kw_only=True)
    reading: Mapping[str, Mapping[str, Any]] = field(kw_only=True, default_factory=dict)
    columns: tuple[str, ...] | None = field(kw_only=True, default=None)
    """The columns of the joined rows that are asked about; all where nothing is said."""

    def __post_init__(self) -> None:
        for name in ("tables", "keys", "of", "reading"):
            if not isinstance(getattr(self, name), Mapping):
                msg = f"{name} must say it per table, got {type(getattr(self, name)).__name__}."
                raise ParameterError(msg, hint=f"for example {EXAMPLE}.")
        _check_names(list(self.tables))
        of = {name: dict(self.of[name]) if isinstance(self.of[name], Mapping) else {} for name in self.of}
        for name, value in (("tables", dict(self.tables)), ("keys", dict(self.keys)), ("of", of)):
            object.__setattr__(self, name, value)
        self._check_links()
        self._check_people()

    def __getitem__(self, name: str) -> Any:
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __repr__(self) -> str:
        of = [name if name == self.people else f"{name} of {', '.join(self.of[name].values())}" for name in self]
        return f"Tables({', '.join(of)})"

    @property
    def people(self) -> str:
        """The table of the people."""
        return next(name for name in self.tables if not self.of.get(name))

    @property
    def person(self) -> str:
        """The column that says who is who there."""
        return self.keys[self.people]

    def parent(self, name: str) -> tuple[str, str]:
        """Give the column by which a row belongs to another, and the table of that."""
        return next(iter(self.of[name].items()))

    def way(self, name: str) -> list[str]:
        """Give the tables from the one of the people to this one."""
        return [name] if name == self.people else [*self.way(self.parent(name)[1]), name]

    @property
    def referred(self) -> set[str]:
        """The tables to which rows of others refer."""
        return {table for references in self.of.values() for table in references.values()} | {self.people}

    def key_columns(self, name: str) -> dict[str, str]:
        """Give the columns of a table that hold keys, each with the table whose key it is; its own comes first."""
        own = {self.keys[name]: name} if name in self.keys else {}
        return {**own, **self.of.get(name, {})}

    def about(self, columns: Iterable[str]) -> Self:
        """Give the same tables, asked about some columns of the joined rows."""
        return replace(self, columns=tuple(columns))

    def with_tables(self, tables: Mapping[str, Any], reading: Mapping[str, Mapping[str, Any]]) -> Self:
        """Give other tables, linked alike."""
        return replace(self, tables=tables, reading=reading)

    def presence(self, name: str) -> str:
        """Name the column of the joined rows that says whether a person has a row of a table."""
        return f"has {name}"

    def joined_columns(self, columns: Mapping[str, Sequence[str]]) -> list[JoinedColumn]:
        """Give the columns of the joined rows, by those of the tables: that of the person first.

        A column that says whether there is a row at all comes only where it is asked for.
        """
        named = [(name, column) for name in self for column in columns[name] if column not in self.key_columns(name)]
        times = [column for _, column in named]
        found = [JoinedColumn(self.person, self.people, self.person)]
        for name in self:
            if name != self.people and self.presence(name) in (self.columns or ()):
                found.append(JoinedColumn(self.presence(name), name, None))
            for table, column in named:
                shown = column if times.count(column) == 1 else f"{table}.{column}"
                if table == name and (self.columns is None or shown in self.columns):
                    found.append(JoinedColumn(shown, table, column))
        seen: set[str] = set()
        for one in found:
            if one.name in seen:
                msg = f"The joined rows would have two columns {one.name!r}."
                raise ParameterError(msg, hint="rename one of them in its table.")
            seen.add(one.name)
        return found

    def presence_of(self, shown: Sequence[JoinedColumn]) -> dict[str, str]:
        """Say per column of the joined rows which of them tells whether a person has a row with it, if one does."""
        there = {one.table: one.name for one in shown if one.column is None}
        found: dict[str, str] = {}
        for one in shown:
            above = [there[name] for name in self.way(one.table) if name in there]
            if one.column is not None and above:
                found[one.name] = above[-1]
        return found

    def _check_links(self) -> None:
        for what, given in (("keys", self.keys), ("of", self.of), ("reading", self.reading)):
            for name in given:
                if name not in self.tables:
                    msg = f"{what} speaks of a table {name!r}, and there is none: {name_list(list(self.tables))}."
                    raise ParameterError(msg, hint="name it as the tables are named.")
        for name, references in self.of.items():
            for column, table in references.items():
                if not (isinstance(column, str) and isinstance(table, str)):
                    msg = f"Table {name!r} must say by which column it refers to which table."
                    raise ParameterError(msg, hint="for example of={'visits': {'person_id': 'patients'}}.")
                if table not in self.tables:
                    msg = f"Column {column!r} of table {name!r} refers to a table {table!r}, and there is none."
                    raise ParameterError(msg, hint=f"the tables are {name_list(list(self.tables))}.")
                if table not in self.keys:
                    msg = f"Table {name!r} refers to table {table!r}, of which no key is named."
                    key = Hint("name it: {}.", Setting("keys", {table: column}, f"keys={{{table!r}: {column!r}}}"))
                    raise ParameterError(msg, hint=key)
                if column == self.keys.get(name):
                    msg = f"Column {column!r} is the key of table {name!r}, and refers to table {table!r} too."
                    raise ParameterError(msg, hint="leave out the key of a table that has a row for each of another.")

    def _check_people(self) -> None:
        """See that everything belongs to the people of one table."""
        roots = [name for name in self.tables if not self.of.get(name)]
        if len(roots) > 1:
            msg = f"{len(roots)} tables refer to no other: {name_list(roots)}. Only that of the people may."
            raise ParameterError(msg, hint="say by which column the others refer to it: of={...}.")
        for name in self.tables:
            seen, at = [name], name
            while self.of.get(at):
                at = self.parent(at)[1]
                if at in seen:
                    msg = f"Tables refer to each other in a circle: {' → '.join([*seen, at])}."
                    raise ParameterError(
                        msg, hint="a row belongs to one row of another table, and in the end to a person."
                    )
                seen.append(at)
        if roots[0] not in self.keys:
            msg = f"The table of the people, {roots[0]!r}, has no key that says who is who."
            raise ParameterError(msg, hint=f"name it: keys={{{roots[0]!r}: 'person_id'}}.")
        self._check_shortcuts()

    def _check_shortcuts(self) -> None:
        """Refuse references by which published rows could be joined in a way that no promise is about."""
        for name, references in self.of.items():
            first = next(iter(references), None)
            for column, table in references.items():
                if column != first and table not in self.way(name)[:-1]:
                    msg = (
                        f"Rows of table {name!r} belong to others by {first!r}, and column {column!r} refers to "
                        f"{table!r}, to which they do not belong: they could be joined as no promise foresees."
                    )
                    other = f"let {column!r} come first, if {table!r} leads to the same people in the end"
                    raise ParameterError(msg, hint=f"{other}, or leave it out of `of`, and out of the release.")

    def check_columns(self, columns: Mapping[str, Sequence[str]]) -> None:
        """Refuse keys that are no column of their table."""
        for name in self:
            for column in self.key_columns(name):
                if column not in columns[name]:
                    raise UnknownColumnError.of(column, list(columns[name]), given_as=f"key in table {name!r}")


def _check_names(names: Sequence[Any]) -> None:
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            what = repr(name) if isinstance(name, str) else type(name).__name__
            msg = f"A table cannot be called {what}: files are named after it."
            raise ParameterError(msg, hint="use letters, digits, blanks, dots and dashes, a letter or digit first.")
    if not names:
        msg = "There is no table."
        raise ParameterError(msg, hint=f"for example {EXAMPLE}.")
    folded = [name.casefold() for name in names]
    if len({*folded}) < len(folded):
        msg = "Two tables have the same name, whatever the case."
        raise ParameterError(msg, hint="files are named after them: give every table a name of its own.")
