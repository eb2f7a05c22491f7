"""Changes to a plan: merged into what is there, with thresholds that travel as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from incrowd.web._refusal import Refusal, refusal

Plain = dict[str, Any]
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


def merged(tables: Mapping[str, Any], change: Mapping[str, Any], path: Keys = ()) -> Plain:
    """Merge a change into the tables of a plan; ``None`` removes a key."""
    result = dict(tables)
    for key, value in change.items():
        here = (*path, key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and not _is_whole(here):
            inner = result.get(key)
            result[key] = merged(inner if isinstance(inner, Mapping) else {}, value, here)
        else:
            result[key] = value
    return {key: value for key, value in result.items() if not (path == () and value == {})}


def _is_whole(path: Keys) -> bool:
    """Say whether a table is replaced as a whole; a column may be called like one of them."""
    return len(path) > 3 or (path[-1] in WHOLE and path[:1] != ("columns",)) or (len(path) == 3 and path[-1] in WHOLE)


def numbers_read(given: Any, path: Keys = ()) -> Any:
    """Read thresholds that came as text; refuse those that came as JSON numbers with a fraction."""
    if isinstance(given, Mapping):
        return {key: numbers_read(value, (*path, key)) for key, value in given.items()}
    if isinstance(given, list):
        return [numbers_read(value, path) for value in given]
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
    raise _no_number(path)


def texts_written(plain: Any, path: Keys = ()) -> Any:
    """Write thresholds as text, so that no browser rounds them."""
    if isinstance(plain, Mapping):
        return {key: texts_written(value, (*path, key)) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [texts_written(value, path) for value in plain]
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


def _no_number(path: Keys) -> Refusal:
    return refusal(
        422, "wrong-request", "This is not a number.", "write it with digits and a point, such as 0.05.", ".".join(path)
    )
