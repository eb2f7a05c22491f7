"""Turn Python data, a nested dict or pairs of child and parent, into the paths of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from incrowd.core import HierarchyError
from incrowd.hierarchies._match import text_of
from incrowd.hierarchies._paths import Path

_DEEP = 100


def paths_of_mapping(nested: Mapping[Any, Any], above: Path = ()) -> Iterator[Path]:
    """Walk down a nested dict with lists of values at the bottom."""
    if len(above) > _DEEP:
        msg = f"The tree is more than {_DEEP} levels deep."
        raise HierarchyError(msg, hint="does the dict hold itself?")
    for key, inner in nested.items():
        here = (as_text(key), *above)
        if isinstance(inner, Mapping):
            yield from paths_of_mapping(inner, here)
        elif isinstance(inner, str) or not isinstance(inner, Iterable):
            msg = f"A group at depth {len(here)} of the tree holds {type(inner).__name__} instead of a list of values."
            raise HierarchyError(msg, hint="write {'West': ['FR', 'DE']}, also for a single value.")
        else:
            yield from _bottom(inner, here)


def _bottom(values: Iterable[Any], above: Path) -> Iterator[Path]:
    paths = [(as_text(value), *above) for value in values]
    if not paths:
        msg = f"A group at depth {len(above)} of the tree has no values."
        raise HierarchyError(msg, hint="leave the group out.")
    return iter(paths)


def paths_of_pairs(pairs: Iterable[Any]) -> list[Path]:
    """Follow every child to its parents' parents."""
    parent = _parents(pairs)
    inner = set(parent.values())
    leaves = [child for child in parent if child not in inner]
    paths = [_climb(leaf, parent) for leaf in leaves]
    if len(set().union(*paths)) < len(inner | parent.keys()):
        msg = f"The tree has a circle: some of its {len(inner)} groups contain themselves."
        raise HierarchyError(msg, hint="give pairs (child, parent) that lead to a top.")
    return paths


def _parents(pairs: Iterable[Any]) -> dict[str, str]:
    parent: dict[str, str] = {}
    for number, pair in enumerate(pairs, start=1):
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(both := tuple(pair)) != 2:
            msg = f"Item {number} of the tree is not a pair."
            raise HierarchyError(msg, hint="give pairs (child, parent), such as ('FR', 'West').")
        child, above = map(as_text, both)
        if parent.setdefault(child, above) != above:
            msg = f"Pair {number} of the tree gives a child that already has another parent."
            raise HierarchyError(msg, hint="every node needs exactly one parent; the child comes first.")
    return parent


def _climb(leaf: str, parent: Mapping[str, str]) -> Path:
    path = [leaf]
    while path[-1] in parent:
        path.append(parent[path[-1]])
        if len(path) > len(parent) + 1:
            msg = f"The tree has a circle: one of its {len(parent)} pairs leads back to where it came from."
            raise HierarchyError(msg, hint="give pairs (child, parent) that lead to a top.")
    return tuple(path)


def as_text(value: object) -> str:
    """Write a value or label of Python data as text; refuse what cannot be one."""
    text = text_of(value)
    if text is None:
        msg = f"A value or label is of type {type(value).__name__}."
        raise HierarchyError(msg, hint="use text, numbers, booleans or dates.")
    return text
