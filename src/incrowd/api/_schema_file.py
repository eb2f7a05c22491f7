"""A schema as plain data: roles and meanings; hierarchies are what they did to the values of one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from incrowd.core import Hierarchy, KnownLadder, Recoding, Schema, SchemaError
from incrowd.hierarchies import Averaged, Categories, Ordered, Tree, auto

Plain = dict[str, Any]


def put_schema(schema: Schema) -> Plain:
    """Write the roles of columns, what is known about sensitive ones, and which are published as averages."""
    averaged = {name: one.by for name, one in schema.quasi if isinstance(one, Averaged)}
    return {
        **({"averaged": averaged} if averaged else {}),
        "quasi": list(schema.quasi_names),
        "sensitive": [[name, _put_meaning(name, meaning)] for name, meaning in schema.sensitive],
        "identifiers": list(schema.identifiers),
        "insensitive": list(schema.insensitive),
        "entity": schema.entity,
        "count": schema.count,
        "missing": schema.missing,
        "missing_values": list(schema.missing_values),
    }


def get_schema(plain: Mapping[str, Any], recoding: Recoding) -> Schema:
    """Read a schema; its hierarchies are the ladders of the recoding, and know no other values."""
    known: dict[str, Hierarchy] = {
        name: KnownLadder(recoding.domains[name], ladder) for name, ladder in recoding.ladders.items()
    }
    known |= {name: Averaged(known.get(name, auto()), by) for name, by in plain.get("averaged", {}).items()}
    return Schema(
        {name: known.get(name) for name in plain["quasi"]},
        {name: _get_meaning(meaning) for name, meaning in plain["sensitive"]},
        identifiers=plain["identifiers"],
        insensitive=plain["insensitive"],
        entity=plain["entity"],
        count=plain["count"],
        missing=plain["missing"],
        missing_values=plain["missing_values"],
    )


def _put_meaning(name: str, meaning: object) -> Plain | None:
    if meaning is None:
        return None
    if isinstance(meaning, Categories):
        return {"categories": [[label, list(values)] for label, values in meaning.groups]}
    if isinstance(meaning, Tree):
        return {"tree": [list(path) for path in meaning.paths]}
    if isinstance(meaning, Ordered):
        groups = None if meaning.groups is None else [list(path) for path in meaning.groups.paths]
        values = None if meaning.values is None else list(meaning.values)
        return {"ordered": values, "runs": list(meaning.runs), "groups": groups}
    msg = f"What is known about column {name!r} cannot be saved: it is of type {type(meaning).__name__}."
    raise SchemaError(msg, hint="use categories(...), tree(...) or ordered(...).")


def _get_meaning(plain: Mapping[str, Any] | None) -> Any:
    if plain is None:
        return None
    if "categories" in plain:
        return Categories(tuple((label, tuple(values)) for label, values in plain["categories"]))
    if "tree" in plain:
        return _tree(plain["tree"])
    values = None if plain["ordered"] is None else tuple(plain["ordered"])
    groups = None if plain["groups"] is None else _tree(plain["groups"])
    return Ordered(values, tuple(plain["runs"]), groups)


def _tree(paths: list[list[str]]) -> Tree:
    return Tree(tuple(tuple(path) for path in paths))
