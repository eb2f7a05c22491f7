"""Hierarchies as they were given, as plain data and arrays: they know values that the table did not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import DataError, Hierarchy, KnownLadder, Recoding, Schema, SchemaError
from incrowd.hierarchies._auto import auto
from incrowd.hierarchies._categories import Categories
from incrowd.hierarchies._classification import Classification
from incrowd.hierarchies._coding import Coded
from incrowd.hierarchies._dates import Dates
from incrowd.hierarchies._intervals import Intervals
from incrowd.hierarchies._mask import Flat, Mask
from incrowd.hierarchies._microaggregation import Averaged
from incrowd.hierarchies._ordered import Ordered
from incrowd.hierarchies._postcodes import Postcodes
from incrowd.hierarchies._tree import Tree

Plain = dict[str, Any]
Arrays = dict[str, npt.NDArray[Any]]


def hierarchies_of(schema: Schema) -> dict[str, Hierarchy]:
    """Give per quasi-identifier the hierarchy of its values, also of one that is averaged."""
    given = {name: one.hierarchy if isinstance(one, Averaged) else one for name, one in schema.quasi}
    return {name: one for name, one in given.items() if one is not None}


def put_hierarchies(hierarchies: Mapping[str, Hierarchy]) -> tuple[Plain, Arrays]:
    """Write hierarchies of incrowd that give a value the same labels in every table; others are left out."""
    plain: Plain = {}
    arrays: Arrays = {}
    for name, one in hierarchies.items():
        tree = _tree_of(one)
        if tree is not None:
            plain[name] = {"kind": "tree", "height": tree.height, **({"from_data": True} if tree.from_data else {})}
            labels = ([path[level] for path in tree.paths] for level in range(tree.height + 1))
            arrays |= {f"tree {name} {level}": np.array(texts, dtype=object) for level, texts in enumerate(labels)}
        elif (found := _put(one)) is not None:
            plain[name] = found
    return plain, arrays


def get_hierarchies(plain: Mapping[str, Plain], arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, Hierarchy]:
    """Read hierarchies again."""
    return {name: _get(name, one, arrays) for name, one in plain.items()}


def with_hierarchies(schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> Schema:
    """Give a schema hierarchies for some of its quasi-identifiers; what is averaged stays so."""
    quasi: dict[str, Hierarchy | None] = {}
    for name, own in schema.quasi:
        new = hierarchies.get(name)
        quasi[name] = own if new is None else Averaged(new, own.by) if isinstance(own, Averaged) else new
    return Schema(
        quasi,
        dict(schema.sensitive),
        identifiers=schema.identifiers,
        insensitive=schema.insensitive,
        entity=schema.entity,
        count=schema.count,
        missing=schema.missing,
        missing_values=schema.missing_values,
    )


def _tree_of(hierarchy: Hierarchy) -> Tree | None:
    """Give the tree of a hierarchy that lists its values."""
    return hierarchy.groups if isinstance(hierarchy, Ordered) else hierarchy if isinstance(hierarchy, Tree) else None


def _put(hierarchy: Hierarchy) -> Plain | None:
    found: Plain | None = None
    match hierarchy:
        case Flat():
            found = {"kind": "flat"}
        case Mask(side, keep, char):
            found = {"kind": "mask", "from": side, "keep": keep, "char": char}
        case Dates(units, written, newest):
            found = {"kind": "dates", "units": list(units), "format": written}
            found |= {} if newest is None else {"newest": newest}
        case Coded(end, bounds):
            found = {"kind": "coded", "end": end, "bounds": [str(bound) for bound in bounds]}
        case Classification(name, others):
            found = {"kind": "classification", "name": name, "others": others}
        case Postcodes(country):
            found = {"kind": "postcodes", "country": country}
        case Intervals(widths):
            ends = {name: None if end is None else str(end) for name, end in _ends(hierarchy).items()}
            found = {"kind": "intervals", "widths": [str(width) for width in widths], **ends}
    return found


def _ends(hierarchy: Intervals) -> dict[str, Fraction | None]:
    return {"start": hierarchy.start, "bottom": hierarchy.bottom, "top": hierarchy.top}


def _get(name: str, plain: Plain, arrays: Mapping[str, npt.NDArray[Any]]) -> Hierarchy:
    if plain["kind"] == "tree":
        levels = [arrays[f"tree {name} {level}"].tolist() for level in range(plain["height"] + 1)]
        return Tree(tuple(zip(*levels, strict=True)), plain.get("from_data", False))
    if plain["kind"] not in _READERS:
        msg = f"The saved hierarchy of column {name!r} is of a kind that this version does not know."
        raise DataError(msg, hint="read it with the version of incrowd that saved it, or a newer one.")
    return _READERS[plain["kind"]](plain)


def _intervals(plain: Plain) -> Intervals:
    start, bottom, top = (None if plain[end] is None else Fraction(plain[end]) for end in ("start", "bottom", "top"))
    return Intervals(tuple(map(Fraction, plain["widths"])), start or Fraction(0), bottom, top)


_READERS: Mapping[str, Callable[[Plain], Hierarchy]] = {
    "flat": lambda _: Flat(),
    "mask": lambda plain: Mask(plain["from"], plain["keep"], plain["char"]),
    "dates": lambda plain: Dates(tuple(plain["units"]), plain["format"], plain.get("newest")),
    "coded": lambda plain: Coded(plain["end"], tuple(map(Fraction, plain["bounds"]))),
    "classification": lambda plain: Classification(plain["name"], plain["others"]),
    "postcodes": lambda plain: Postcodes(plain["country"]),
    "intervals": _intervals,
}


# A schema as plain data: roles and meanings; hierarchies are what they did to the values of one table.


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
