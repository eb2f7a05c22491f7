"""Days, months, quarters, years, decades, centuries: which one a moment lies in, and how it is called."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain

Unit = Literal["day", "month", "quarter", "year", "decade", "century"]
Array = npt.NDArray[Any]

MONTHS: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
"""How many months a unit has; a day is counted apart."""

UNITS: tuple[Unit, ...] = ("day", *MONTHS)
"""From fine to coarse; each lies wholly inside one of the next."""

_LABELS: dict[Unit, Callable[[int], str]] = {
    "day": lambda day: str(np.datetime64(day, "D")),
    "month": lambda month: f"{month // 12:04d}-M{month % 12 + 1:02d}",
    "quarter": lambda quarter: f"{quarter // 4:04d}-Q{quarter % 4 + 1}",
    "year": lambda year: f"{year:04d}",
    "decade": lambda decade: f"{decade:03d}0s",
    "century": lambda century: f"{century:02d}xx",
}

_PATTERN = re.compile(
    r"(?P<century>[0-9]{2})xx|(?P<decade>[0-9]{3})0s|(?P<year>[0-9]{4})"
    r"(?:-M(?P<month>0[1-9]|1[0-2])|-Q(?P<quarter>[1-4])|-(?P<day>[0-9]{2}-[0-9]{2}))?"
)


def number_of_period(moments: Array, unit: Unit) -> npt.NDArray[np.int64]:
    """Give the number of the period that each moment lies in: days since 1970, everything else since the year 0."""
    if unit == "day":
        return moments.astype("datetime64[D]").astype(np.int64)
    months = moments.astype("datetime64[M]").astype(np.int64) + 1970 * 12
    return months // MONTHS[unit]


def name_of_period(number: int, unit: Unit) -> str:
    """Name a period so that no spreadsheet takes a month or a quarter for a date: ``2024-M03``, ``2024-Q1``."""
    return _LABELS[unit](number)


def read_period(label: str) -> tuple[Unit, int] | None:
    """Read a name back: unit and number, or nothing if it names no period."""
    found = _PATTERN.fullmatch(label)
    if found is None:
        return None
    part = {unit: int(text) for unit, text in found.groupdict().items() if text and unit != "day"}
    if found["day"]:
        day = read_moment(label)
        return None if day is None else ("day", int(number_of_period(np.array([day], "datetime64[us]"), "day")[0]))
    if "month" in part:
        return "month", part["year"] * 12 + part["month"] - 1
    if "quarter" in part:
        return "quarter", part["year"] * 4 + part["quarter"] - 1
    unit, number = part.popitem()
    return unit, number  # type: ignore[return-value]  # the pattern's groups are called like the units


def read_moment(text: str, form: str | None = None) -> dt.datetime | None:
    """Read a text as a moment, by a strptime format or as ISO 8601; the clock on the wall where it has a zone."""
    try:
        moment = dt.datetime.fromisoformat(text) if form is None else dt.datetime.strptime(text, form)  # noqa: DTZ007
    except ValueError:
        return None
    return moment.replace(tzinfo=None)


def moments_of(domain: Domain, form: str | None = None) -> tuple[Array, npt.NDArray[np.bool_]] | None:
    """Read a domain's values as moments, and say which ones are; nothing for numbers and booleans."""
    if domain.kind in {"date", "datetime", "instant"}:
        return domain.values, np.ones(len(domain.values), dtype=bool)
    if domain.kind != "text":
        return None
    moments = [read_moment(text, form) for text in domain.values]
    readable = np.array([moment is not None for moment in moments], dtype=bool)
    return np.array([moment or 0 for moment in moments], dtype="datetime64[us]"), readable
