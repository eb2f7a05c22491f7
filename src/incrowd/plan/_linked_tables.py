"""The several tables of a plan: linked as their sections say, opened where they are, and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from incrowd.core import IncrowdError, ParameterError
from incrowd.engines import Database, Tables
from incrowd.plan._document import TableSection
from incrowd.plan._problems import Trouble
from incrowd.plan._sections import searches
from incrowd.release import TABLE_FORMATS, Format, format_like

if TYPE_CHECKING:
    from incrowd.plan._plan import Plan


def linked_tables(sections: Mapping[str, TableSection], sources: Mapping[str, Any]) -> Tables:
    """Link tables as their sections say."""
    return Tables(
        dict(sources),
        keys={name: one.key for name, one in sections.items() if one.key is not None},
        of={name: one.of for name, one in sections.items() if one.of},
        reading={name: one.reading for name, one in sections.items() if one.reading},
    )


def tables_of_plan(plan: Plan) -> Tables:
    """Give the tables that a plan names."""
    sources: dict[str, Any] = {}
    for name, one in plan.tables.items():
        database = partial(Database, str(plan.data.connection_env), table=one.table, query=one.query)
        sources[name] = database() if one.path is None else plan.path(one.path)
    return linked_tables(plan.tables, sources)


def refuse_several(sections: Mapping[str, TableSection], what: str) -> None:
    """Refuse what is done for one table only."""
    if sections:
        msg = f"{what} is for one table, and this plan names {len(sections)}."
        raise ParameterError(msg, hint="run it: incrowd anonymize shows the best levels for several tables.")


def common_format(sections: Mapping[str, TableSection]) -> Format:
    """Give the format of all files, if that is one that several tables are written in; else Parquet."""
    found = {format_like(one.path) for one in sections.values()}
    if found <= {"csv", "csv.gz"}:
        return "csv" if "csv" in found else "csv.gz"
    return "parquet"


def check_tables(
    sections: Mapping[str, TableSection], data: Any, columns: Mapping[str, Any], output: Any, search: Any
) -> Iterator[Trouble]:
    """Find what does not fit together, and what several tables cannot have."""
    if data is not None:
        for key in ("path", "table", "query", "entity", "count", "size"):
            if getattr(data, key) is not None:
                yield Trouble(("data", key), "belongs to a plan of one table; say it under [tables].", own=True)
    if output is not None:
        for key, usual in (("order", ("sorted",)), ("suppression", ("drop", "entity")), ("labels", (False,))):
            if getattr(output, key) not in usual:
                yield Trouble(("output", key), "cannot be said of several tables: remove this line.", own=True)
        if output.format not in {None, *TABLE_FORMATS}:
            known = ", ".join(map(repr, TABLE_FORMATS))
            yield Trouble(("output", "format"), f"of several tables is one of {known}.", own=True)
    known_search = None if search is None else searches().get(search.parts[0])
    if known_search is not None and known_search.local and search.algorithm is not None:
        message = "gives one value several labels, and in several tables it must have one; choose 'optimal'."
        yield Trouble(("search", "algorithm"), message, own=True)
    yield from _check_links(sections, data, columns)


def _check_links(sections: Mapping[str, TableSection], data: Any, columns: Mapping[str, Any]) -> Iterator[Trouble]:
    for name, one in sections.items():
        given = [key for key in ("path", "table", "query") if getattr(one, key) is not None]
        if len(given) != 1:
            what = f"has {' and '.join(map(repr, given))}" if given else "does not say where the table is"
            yield Trouble(("tables", name), f"{what}; give one of 'path', 'table' and 'query'.", own=True)
        elif given != ["path"] and data is not None and data.connection_env is None:
            message = "needs 'connection_env' under [data], the environment variable that says how to connect."
            yield Trouble(("tables", name, given[0]), message, own=True)
    try:
        tables = linked_tables(sections, dict.fromkeys(sections))
    except IncrowdError as error:
        yield Trouble(("tables",), f"{error.message} {error.hint[:1].upper()}{error.hint[1:]}".rstrip(), own=True)
        return
    keys = {column for name in tables for column in tables.key_columns(name)}
    for name in keys & columns.keys():
        if columns[name].role not in {"identifier", "drop"}:
            message = f"{name!r} holds keys, which are published as pseudonyms; it cannot be {columns[name].role!r}."
            yield Trouble(("columns", name, "role"), message)
    for name, column in columns.items():
        if column.keep is not None and name not in tables.keys.values():
            yield Trouble(("columns", name, "keep"), f"{name!r} is no key of a table.", own=True)
