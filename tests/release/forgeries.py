"""Forged certificates, made systematically: every key deleted, doubled, changed in kind and in value."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

Path = tuple[Any, ...]
TWIN = "\u241f"
KINDS: tuple[Any, ...] = (None, True, 7, 0.5, "7", [], {})
FEW_KINDS = (None, 7, "7")


def forgeries(
    certificate: dict[str, Any], under: Path = (), kinds: tuple[Any, ...] = KINDS
) -> Iterator[tuple[Path, str, str]]:
    """Give the place, what was done to it, and the text of every forgery below a place."""
    for place in places(certificate, under):
        before = at(certificate, place)
        for what, value in edits(before, kinds):
            yield place, what, json.dumps(put(certificate, place, value), ensure_ascii=False)
        if isinstance(place[-1], str):
            yield place, "deleted", json.dumps(without(certificate, place))
            yield place, "doubled", doubled(certificate, place, edited(before))
    for place in [under, *places(certificate, under)]:
        if isinstance(inner := at(certificate, place), dict):
            yield place, "unknown key", json.dumps(put(certificate, place, {**inner, "more": "k>=99"}))


def places(plain: Any, under: Path = ()) -> Iterator[Path]:
    """Give the way to everything below a place."""
    inner = at(plain, under)
    if isinstance(inner, dict | list):
        for key in inner if isinstance(inner, dict) else range(len(inner)):
            yield (*under, key)
            yield from places(plain, (*under, key))


def edits(value: Any, kinds: tuple[Any, ...] = KINDS) -> Iterator[tuple[str, Any]]:
    """Give other values of the same kind, and values of other kinds."""
    yield from (("other kind", kind) for kind in kinds if type(kind) is not type(value))
    if isinstance(value, list):
        if value:
            yield from (("shorter", value[1:]), ("emptied", []))
            yield "longer", [*value, value[-1]]
    elif not isinstance(value, dict | None):
        yield "other value", edited(value)


def edited(value: Any) -> Any:
    """Give another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"7{value}" if isinstance(value, str) else [] if isinstance(value, list) else {}


def at(plain: Any, place: Path) -> Any:
    """Give what stands at a place."""
    for key in place:
        plain = plain[key]
    return plain


def put(plain: Any, place: Path, value: Any) -> Any:
    """Give a copy with something else at a place."""
    if not place:
        return value
    found = copy.deepcopy(plain)
    at(found, place[:-1])[place[-1]] = value
    return found


def without(plain: Any, place: Path) -> Any:
    """Give a copy without a key."""
    found = copy.deepcopy(plain)
    del at(found, place[:-1])[place[-1]]
    return found


def doubled(plain: Any, place: Path, value: Any) -> str:
    """Write a key twice, first with another value: people read the first, and programs the last."""
    found = copy.deepcopy(plain)
    inner = at(found, place[:-1])
    pairs = [(place[-1] + TWIN, value), *inner.items()]
    inner.clear()
    inner.update(pairs)
    return json.dumps(found, ensure_ascii=False).replace(TWIN, "")
