"""Changes that the page sends merged into a plan: thresholds as texts, and what must change along with a role."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from incrowd.core import IncrowdError
from incrowd.models import promise
from incrowd.web._refusal import Plain, refusal

Keys = tuple[str, ...]

WHOLE = frozenset({"hierarchy", "categories", "algorithm"})
"""Tables that are replaced as a whole: half of one with half of another means nothing."""
VALUES = frozenset({"tree", "ordered", "levels", "categories", "missing"})
"""Keys under which values of the table stand, which are what they are."""
NUMBERS = frozenset(
    {"max_suppressed", "importance", "balance", "seconds", "intervals", "start", "bottom", "top", "top_coded"}
    | {"bottom_coded", "frequent", "threshold"}
)
"""Keys whose numbers are thresholds, shares and weights: texts outside, numbers in a plan."""

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,18}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,2})?")


def merge_change(tables: Mapping[str, Any], change: Mapping[str, Any], path: Keys = ()) -> Plain:
    """Merge a change into the tables of a plan; ``None`` removes a key."""
    result = dict(tables)
    for key, value in change.items():
        here = (*path, key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and not _is_whole(here):
            inner = result.get(key)
            result[key] = merge_change(inner if isinstance(inner, Mapping) else {}, value, here)
        else:
            result[key] = value
    return {key: value for key, value in result.items() if not (path == () and value == {})}


def _is_whole(path: Keys) -> bool:
    """Say whether a table is replaced as a whole; a column may be called like one of them."""
    return len(path) > 3 or (path[-1] in WHOLE and path[:1] != ("columns",)) or (len(path) == 3 and path[-1] in WHOLE)


def read_numbers(given: Any, path: Keys = ()) -> Any:
    """Read thresholds that came as text; refuse those that came as JSON numbers with a fraction."""
    if isinstance(given, Mapping):
        return {key: read_numbers(value, (*path, key)) for key, value in given.items()}
    if isinstance(given, list):
        return [read_numbers(value, path) for value in given]
    if _holds_values(path):
        return given
    if isinstance(given, float):
        raise refusal(422, "wrong-request", "Numbers with a fraction travel as text.", 'write "0.05".', ".".join(path))
    return number_of(given, path) if isinstance(given, str) and _is_number(path) else given


def number_of(text: str, path: Keys = ()) -> int | float:
    """Read one number exactly as it is written."""
    text = text.strip()
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    hint = "write it with digits and a point, such as 0.05."
    raise refusal(422, "wrong-request", "This is not a number.", hint, ".".join(path))


def write_numbers(plain: Any, path: Keys = ()) -> Any:
    """Write thresholds as text, so that no browser rounds them."""
    if isinstance(plain, Mapping):
        return {key: write_numbers(value, (*path, key)) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [write_numbers(value, path) for value in plain]
    number = isinstance(plain, int | float) and not isinstance(plain, bool)
    wanted = number and not _holds_values(path) and (_is_number(path) or isinstance(plain, float))
    return repr(plain) if wanted else plain


def _holds_values(path: Keys) -> bool:
    """Say whether values of the table stand there; names of columns are no keys."""
    return bool(VALUES & set(_without_names(path)))


def _is_number(path: Keys) -> bool:
    return bool(NUMBERS & set(_without_names(path)))


def _without_names(path: Keys) -> Keys:
    return (*path[:1], *path[2:]) if path[:1] == ("columns",) else path


# What must change along with a role: one click changes one thing, and the plan stays right.

KEPT = {
    "quasi": {"role", "hierarchy", "at_least", "at_most", "importance", "average"},
    "sensitive": {"role", "hierarchy", "categories"},
    "identifier": {"role", "keep", "key_file"},
    "insensitive": {"role"},
    "shifted": {"role"},
    "drop": {"role"},
}
"""The keys that a column of each role may have."""


def fit_to_roles(tables: Mapping[str, Any], change: Mapping[str, Any]) -> Plain:
    """Take away what no longer fits after a change of roles, unless the change itself asks for it."""
    columns = {name: dict(one) if isinstance(one, Mapping) else one for name, one in _table(tables, "columns").items()}
    changed = _table(change, "columns")
    entity = _table(change, "data").get("entity")
    if isinstance(entity, str) and isinstance(columns.get(entity), dict) and "role" not in _table(changed, entity):
        columns[entity] = {"role": "identifier"} if columns[entity].get("role") != "drop" else columns[entity]
    for name, one in changed.items():
        if isinstance(one, Mapping) and "role" in one and isinstance(columns.get(name), dict):
            kept = KEPT.get(str(one["role"]), set())
            columns[name] = {key: value for key, value in columns[name].items() if key in kept or key in one}
    result = {**tables, "columns": columns} if "columns" in tables else dict(tables)
    result = _with_shift(result, columns) if changed else result
    if "promise" in _table(change, "privacy") or (not changed and entity is None):
        return result
    return {**result, "privacy": _promises_about_sensitive(_table(result, "privacy"), columns)}


SHIFT: Plain = {"within": 180, "weekdays": True, "key_file": "dates.key"}
"""How far dates are shifted if nobody says otherwise, and by the key of which file beside the plan."""


def _with_shift(tables: Plain, columns: Mapping[str, Any]) -> Plain:
    """Say how far dates are shifted where a column asks for it, and nothing of it where none does."""
    shifted = any(isinstance(one, dict) and one.get("role") == "shifted" for one in columns.values())
    others = {key: value for key, value in tables.items() if key != "shift"}
    return {**others, "shift": {**SHIFT, **_table(tables, "shift")}} if shifted else others


def _promises_about_sensitive(privacy: Mapping[str, Any], columns: Mapping[str, Any]) -> Plain:
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
    return {name for part in getattr(model, "parts", (model,)) for name in getattr(part, "of", None) or ()}


def _table(tables: Any, key: Any) -> Mapping[str, Any]:
    found = tables.get(key) if isinstance(tables, Mapping) else None
    return found if isinstance(found, Mapping) else {}
