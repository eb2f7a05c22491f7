"""What must change along with a role: one click changes one thing, and the plan stays right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from incrowd.core import IncrowdError
from incrowd.models import promise

Plain = dict[str, Any]

KEPT = {
    "quasi": {"role", "hierarchy", "at_least", "at_most", "importance", "average"},
    "sensitive": {"role", "hierarchy", "categories"},
    "identifier": {"role", "keep", "key_file"},
    "insensitive": {"role"},
    "drop": {"role"},
}
"""The keys that a column of each role may have."""


def fitted(tables: Mapping[str, Any], change: Mapping[str, Any]) -> Plain:
    """Take away what no longer fits after a change of roles, unless the change itself asks for it.

    Parameters
    ----------
    tables
        The plan with the change in it.
    change
        What was changed.
    """
    columns = {name: dict(one) if isinstance(one, Mapping) else one for name, one in _of(tables, "columns").items()}
    changed = _of(change, "columns")
    entity = _of(change, "data").get("entity")
    if isinstance(entity, str) and isinstance(columns.get(entity), dict) and "role" not in _of(changed, entity):
        columns[entity] = {"role": "identifier"} if columns[entity].get("role") != "drop" else columns[entity]
    for name, one in changed.items():
        if isinstance(one, Mapping) and "role" in one and isinstance(columns.get(name), dict):
            kept = KEPT.get(str(one["role"]), set())
            columns[name] = {key: value for key, value in columns[name].items() if key in kept or key in one}
    result = {**tables, "columns": columns} if "columns" in tables else dict(tables)
    if "promise" in _of(change, "privacy") or (not changed and entity is None):
        return result
    return {**result, "privacy": _without_strangers(_of(result, "privacy"), columns)}


def _without_strangers(privacy: Mapping[str, Any], columns: Mapping[str, Any]) -> Plain:
    """Leave out promises about columns that are not sensitive any more."""
    given = privacy.get("promise")
    if isinstance(given, str) or not isinstance(given, Sequence):
        return dict(privacy)
    sensitive = {name for name, one in columns.items() if isinstance(one, dict) and one.get("role") == "sensitive"}
    kept = [text for text in given if not _columns_of(text) - sensitive]
    return {**privacy, "promise": kept or list(given)}


def _columns_of(text: Any) -> set[str]:
    """Name the columns that a promise is about; none if it cannot be read, which is said elsewhere."""
    try:
        return promised_about(promise(text))
    except IncrowdError:
        return set()


def promised_about(model: Any) -> set[str]:
    """Name the columns that a promise is about."""
    return {name for part in getattr(model, "parts", (model,)) for name in getattr(part, "of", None) or ()}


def _of(tables: Any, key: Any) -> Mapping[str, Any]:
    found = tables.get(key) if isinstance(tables, Mapping) else None
    return found if isinstance(found, Mapping) else {}
