"""What DuckDB comes upon while it reads or writes rows: it can only say so in a message, and messages are withheld.

A message may quote the data. So what we let it say is a mark and the number of a column, and only those are read again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from incrowd.core import DataError

_MARK = re.compile(r"incrowd-([a-z]+)-in-column-([0-9]{1,9})-5d41c0")
_FOUND: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "fine": ("timestamps finer than a microsecond", "round them first."),
        "wide": ("whole numbers of more than 38 digits", "make them texts first, or numbers of ordinary size."),
        "short": ("durations finer than a millisecond, which Parquet cannot hold", "round them, or write .csv."),
    }
)


def unless(right: str, value: str, found: str, number: int) -> str:
    """Write a column so that DuckDB stops at a value that is not right.

    Parameters
    ----------
    right, value
        SQL: whether a value is right, and what to read then.
    found
        What was found else: ``fine``, ``wide`` or ``short``.
    number
        The number of the column, from 1.
    """
    return f"CASE WHEN {right} THEN {value} ELSE error('incrowd-{found}-in-column-{number}-5d41c0') END"


def found_by_duckdb(message: str) -> DataError | None:
    """Say what DuckDB came upon; ``None`` if its message is about something else."""
    mark = _MARK.search(message)
    if mark is None or mark[1] not in _FOUND:
        return None
    what, hint = _FOUND[mark[1]]
    where = "the release" if mark[1] == "short" else "the table"
    return DataError(f"Column {mark[2]} of {where} holds {what}.", hint=hint)
