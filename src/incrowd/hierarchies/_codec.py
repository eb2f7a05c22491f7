"""Hierarchies and schemas as plain data: as a plan writes them, and as a saved recoding keeps them.

A hierarchy is its kind and its fields. A plan has the first field under the name of the kind, ``intervals = [5, 10]``,
and numbers as people write them; a saved recoding has every field under its own name, and exact numbers as texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    DataError,
    Hierarchy,
    HierarchyError,
    KnownLadder,
    Recoding,
    Schema,
    SchemaError,
    ShiftedDates,
)
from incrowd.hierarchies._auto import auto
from incrowd.hierarchies._categories import Categories
from incrowd.hierarchies._classification import Classification, classification
from incrowd.hierarchies._coding import Coded, Frequent, bottom_coded, frequent, top_coded
from incrowd.hierarchies._dates import Dates, dates
from incrowd.hierarchies._intervals import Intervals, Quantiles, intervals, quantiles
from incrowd.hierarchies._items import Items, items
from incrowd.hierarchies._mask import Flat, Mask, flat, mask
from incrowd.hierarchies._microaggregation import Averaged
from incrowd.hierarchies._ordered import Ordered, ordered
from incrowd.hierarchies._postcodes import Postcodes, postcodes
from incrowd.hierarchies._tree import Tree, tree

Plain = dict[str, Any]
Arrays = dict[str, npt.NDArray[Any]]

# What gives a value the same labels in every table can be saved; what holds no value of one can stand in a plan.
SAVED = {one.__name__.lower(): one for one in (Flat, Mask, Dates, Coded, Classification, Postcodes, Intervals)}
IN_A_PLAN = {one.__name__.lower(): one for one in (*SAVED.values(), Frequent, Quantiles) if one is not Coded}


def _kind_of(hierarchy: Hierarchy, known: Mapping[str, type[Any]]) -> str | None:
    kind = type(hierarchy).__name__.lower()
    return kind if known.get(kind) is type(hierarchy) else None


def _fields_of(known: Any) -> Plain:
    return {one.name.rstrip("_"): getattr(known, one.name) for one in fields(known)}


def table_of(hierarchy: Hierarchy) -> Plain | None:
    """Write a hierarchy as a plan does; nothing for one that may hold values of a table."""
    if isinstance(hierarchy, Items):
        single = table_of(hierarchy.hierarchy)
        return {"items": hierarchy.separator, **({} if single in (None, {"flat": True}) else {"of": single})}
    kind = _kind_of(hierarchy, IN_A_PLAN)
    if kind is None:
        return None
    (_, first), *others = (_fields_of(hierarchy) or {"flat": True}).items()
    said = {name: value for name, value in others if value is not None and (name, value) != ("start", 0)}
    return {name: _plain_field(value, _number_in_a_plan) for name, value in {kind: first, **said}.items()}


_BUILDERS: Mapping[str, Callable[..., Hierarchy]] = {
    "intervals": lambda widths, **ends: intervals(*widths, **ends),
    "mask": mask,
    "dates": lambda units, **more: dates(*units, **more),
    "top_coded": lambda bounds: top_coded(*(bounds if isinstance(bounds, tuple) else (bounds,))),
    "bottom_coded": lambda bounds: bottom_coded(*(bounds if isinstance(bounds, tuple) else (bounds,))),
    "ordered": lambda values, levels=(): ordered(None if values is True else values, *levels),
    "tree": lambda source, from_data=False: replace(tree(source), from_data=from_data),
    "classification": classification,
    "postcodes": postcodes,
    "frequent": lambda thresholds: frequent(*thresholds),
    "quantiles": lambda parts: quantiles(*parts),
    "flat": lambda _: flat(),
    "items": items,
}


def hierarchy_of(table: str | Mapping[str, Any], folder: Path) -> Hierarchy:
    """Build the hierarchy that a plan writes as a name or a table; its files are relative to a folder."""
    if isinstance(table, str):
        named: Mapping[str, Callable[[], Hierarchy]] = {"auto": auto, "flat": flat, "mask": mask}
        return named[table]()
    kind = next((kind for kind in _BUILDERS if kind in table), None)
    if kind is None:
        msg = "A hierarchy of a plan is of a kind that this version does not know."
        raise HierarchyError(msg, hint=f"use one of {', '.join(_BUILDERS)}.")
    if kind == "items":
        return items(hierarchy_of(table["of"], folder) if "of" in table else None, separator=table["items"])
    first, others = table[kind], {name: value for name, value in table.items() if name != kind}
    return _BUILDERS[kind](folder / first if kind == "tree" and isinstance(first, str) else first, **others)


def _plain_hierarchies(hierarchies: Mapping[str, Hierarchy]) -> tuple[Plain, Arrays]:
    """Write the hierarchies of columns that give a value the same labels in every table; others are left out."""
    plain: Plain = {}
    arrays: Arrays = {}
    for name, one in hierarchies.items():
        if isinstance(one, Items):
            single, more = _plain_hierarchies({name: one.hierarchy})
            plain |= {name: {"kind": "items", "separator": one.separator, "of": single[name]}} if single else {}
            arrays |= more
            continue
        listed = one.groups if isinstance(one, Ordered) else one
        kind = _kind_of(one, SAVED)
        if isinstance(listed, Tree):
            plain[name] = {"kind": "tree", "height": listed.height, **({"from_data": True} if listed.from_data else {})}
            labels = ([path[level] for path in listed.paths] for level in range(listed.height + 1))
            arrays |= {f"tree {name} {level}": np.array(texts, dtype=object) for level, texts in enumerate(labels)}
        elif kind is not None:
            said = {key: value for key, value in _fields_of(one).items() if (key, value) != ("newest", None)}
            plain[name] = {"kind": kind, **{key: _plain_field(value, str) for key, value in said.items()}}
    return plain, arrays


def hierarchies_from_plain(plain: Mapping[str, Plain], arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, Hierarchy]:
    return {name: _hierarchy_from_plain(name, one, arrays) for name, one in plain.items()}


def _hierarchy_from_plain(name: str, plain: Plain, arrays: Mapping[str, npt.NDArray[Any]]) -> Hierarchy:
    kind = plain["kind"]
    if kind == "tree":
        levels = [arrays[f"tree {name} {level}"].tolist() for level in range(plain["height"] + 1)]
        return Tree(tuple(zip(*levels, strict=True)), plain.get("from_data", False))
    if kind == "items":
        return Items(plain["separator"], _hierarchy_from_plain(name, plain["of"], arrays))
    if kind not in SAVED:
        msg = f"The saved hierarchy of column {name!r} is of a kind that this version does not know."
        raise DataError(msg, hint="read it with the version of incrowd that saved it, or a newer one.")
    found: Hierarchy = SAVED[kind](
        **{
            one.name: _saved_field(one.name, plain[key])
            for one in fields(SAVED[kind])
            if (key := one.name.rstrip("_")) in plain
        }
    )
    return found


def _plain_field(value: Any, number: Callable[[Fraction], Any]) -> Any:
    if isinstance(value, tuple):
        return [_plain_field(one, number) for one in value]
    return number(value) if isinstance(value, Fraction) else value


def _number_in_a_plan(number: Fraction) -> int | float:
    return int(number) if number == int(number) else float(number)


def _saved_field(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_saved_field(name, one) for one in value)
    is_number = value is not None and name in {"widths", "bounds", "start", "bottom", "top"}
    return Fraction(value) if is_number else value


def hierarchies_of(schema: Schema) -> dict[str, Hierarchy]:
    """Give per quasi-identifier the hierarchy of its values, also of one that is averaged."""
    given = {name: one.hierarchy if isinstance(one, Averaged) else one for name, one in schema.quasi}
    return {name: one for name, one in given.items() if one is not None}


def with_hierarchies(schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> Schema:
    """Give a schema hierarchies for some of its quasi-identifiers; what is averaged stays so."""
    quasi: dict[str, Hierarchy | None] = {}
    for name, own in schema.quasi:
        new = hierarchies.get(name)
        quasi[name] = own if new is None else Averaged(new, own.by) if isinstance(own, Averaged) else new
    return Schema(**_fields_of(schema) | {"quasi": quasi, "sensitive": dict(schema.sensitive)})


# A schema as plain data: roles and meanings; hierarchies are what they did to the values of one table.


def plain_schema(schema: Schema, hierarchies: Mapping[str, Hierarchy] | None = None) -> tuple[Plain, Arrays]:
    """Write the roles of columns, and the hierarchies of their values: those that are given, or the schema's own."""
    plain, arrays = _plain_hierarchies(hierarchies_of(schema) if hierarchies is None else hierarchies)
    return {"schema": plain_roles(schema), "hierarchies": plain}, arrays


def plain_roles(schema: Schema) -> Plain:
    """Write the roles of columns, what is known about sensitive ones, and which are published as averages."""
    averaged = {name: one.by for name, one in schema.quasi if isinstance(one, Averaged)}
    roles = {name: [*value] if isinstance(value, tuple) else value for name, value in _fields_of(schema).items()}
    roles["quasi"] = list(schema.quasi_names)
    roles.pop("shifted")
    roles |= {} if roles.pop("size") is None else {"size": schema.size}
    roles |= {"presence": dict(schema.presence)} if roles.pop("presence") else {}
    roles |= {} if schema.shifted is None else {"shifted": asdict(schema.shifted)}
    roles["sensitive"] = [[name, _plain_meaning(name, meaning)] for name, meaning in schema.sensitive]
    return ({"averaged": averaged} if averaged else {}) | roles


def schema_from_plain(plain: Mapping[str, Any], recoding: Recoding) -> Schema:
    """Read a schema; its hierarchies are the ladders of the recoding, and know no other values."""
    known: dict[str, Hierarchy] = {
        name: KnownLadder(recoding.domains[name], ladder) for name, ladder in recoding.ladders.items()
    }
    known |= {name: Averaged(known.get(name, auto()), by) for name, by in plain.get("averaged", {}).items()}
    roles = {one.name: plain[one.name] for one in fields(Schema) if one.name not in {"shifted", "size", "presence"}}
    roles["size"], roles["presence"] = (
        plain.get("size"),
        plain.get("presence", {}),
    )  # missing in what earlier ones saved
    shifted = plain.get("shifted")
    roles["shifted"] = None if shifted is None else ShiftedDates(**shifted)
    roles["quasi"] = {name: known.get(name) for name in plain["quasi"]}
    roles["sensitive"] = {name: _meaning_from_plain(meaning) for name, meaning in plain["sensitive"]}
    return Schema(**roles)


def _plain_meaning(name: str, meaning: object) -> Plain | None:
    match meaning:
        case None:
            return None
        case Categories(named):
            return {"categories": [[label, list(values)] for label, values in named]}
        case Tree(paths):
            return {"tree": [list(path) for path in paths]}
        case Ordered(values, runs, order):
            groups = None if order is None else [list(path) for path in order.paths]
            return {"ordered": None if values is None else list(values), "runs": list(runs), "groups": groups}
    msg = f"What is known about column {name!r} cannot be saved: it is of type {type(meaning).__name__}."
    raise SchemaError(msg, hint="use categories(...), tree(...) or ordered(...).")


def _meaning_from_plain(plain: Mapping[str, Any] | None) -> Any:
    match plain:
        case None:
            return None
        case {"categories": groups}:
            return Categories(tuple((label, tuple(values)) for label, values in groups))
        case {"tree": paths}:
            return Tree(tuple(map(tuple, paths)))
    values, groups = plain["ordered"], plain["groups"]
    tree_of_groups = None if groups is None else Tree(tuple(map(tuple, groups)))
    return Ordered(None if values is None else tuple(values), tuple(plain["runs"]), tree_of_groups)
