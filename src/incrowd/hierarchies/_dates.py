"""``dates``: days become weeks, months, quarters, years, decades."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, HierarchyError, Hint, Ladder, ParameterError, Step
from incrowd.hierarchies._day_forms import FEW, SIX, forms_in, likely_forms, newest_of, read_moment, read_moments
from incrowd.hierarchies._numbers import FOUND_OUT, uncovered_error

# Days, weeks, months, quarters, years, decades, centuries: which one a moment lies in, and how it is called.

Unit = Literal["day", "week", "month", "quarter", "year", "decade", "century"]
Array = npt.NDArray[Any]

# How many months a unit has; days and weeks are counted apart
MONTHS: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
WEEKS = 4  # so many weeks has a month: days 1 to 7, 8 to 14, 15 to 21, and 22 to its end. Each lies in one month
UNITS: tuple[Unit, ...] = ("day", "week", *MONTHS)  # from fine to coarse; each lies wholly inside one of the next
FIRST_DAY, LAST_DAY = 1800_01_01, 2100_12_31  # whole numbers in between can be days, written as year, month and day

_LABELS: dict[Unit, Callable[[int], str]] = {
    "day": lambda day: str(np.datetime64(day, "D")),
    "week": lambda week: f"{week // WEEKS // 12:04d}-M{week // WEEKS % 12 + 1:02d}-W{week % WEEKS + 1}",
    "month": lambda month: f"{month // 12:04d}-M{month % 12 + 1:02d}",
    "quarter": lambda quarter: f"{quarter // 4:04d}-Q{quarter % 4 + 1}",
    "year": lambda year: f"{year:04d}",
    "decade": lambda decade: f"{decade:03d}0s",
    "century": lambda century: f"{century:02d}xx",
}

_PATTERN = re.compile(
    r"(?P<century>[0-9]{2})xx|(?P<decade>[0-9]{3})0s|(?P<year>[0-9]{4})"
    r"(?:-M(?P<month>0[1-9]|1[0-2])(?:-W(?P<week>[1-4]))?|-Q(?P<quarter>[1-4])|-(?P<day>[0-9]{2}-[0-9]{2}))?"
)


def number_of_period(moments: Array, unit: Unit) -> npt.NDArray[np.int64]:
    """Give the number of the period that each moment lies in: days since 1970, everything else since the year 0."""
    if unit == "day":
        return moments.astype("datetime64[D]").astype(np.int64)
    begins = moments.astype("datetime64[M]")
    months = begins.astype(np.int64) + 1970 * 12
    if unit == "week":
        days = (moments.astype("datetime64[D]") - begins.astype("datetime64[D]")).astype(np.int64)
        return np.asarray(months * WEEKS + np.minimum(days // 7, WEEKS - 1), dtype=np.int64)
    return months // MONTHS[unit]


def begin_of_period(number: int, unit: Unit) -> np.datetime64:
    if unit == "day":
        return np.datetime64(number, "D")
    month, week = divmod(number, WEEKS) if unit == "week" else (number * MONTHS[unit], 0)
    begin: np.datetime64 = np.datetime64(month - 1970 * 12, "M").astype("datetime64[D]") + np.timedelta64(7 * week, "D")
    return begin


def name_of_period(number: int, unit: Unit) -> str:
    """Name a period so that no spreadsheet takes it for a date: ``2024-M03-W1``, ``2024-M03``, ``2024-Q1``."""
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
    if "week" in part:
        return "week", (part["year"] * 12 + part["month"] - 1) * WEEKS + part["week"] - 1
    if "month" in part:
        return "month", part["year"] * 12 + part["month"] - 1
    if "quarter" in part:
        return "quarter", part["year"] * 4 + part["quarter"] - 1
    return next((unit, part[unit]) for unit in UNITS if unit in part)


def moments_of(
    domain: Domain, form: str | None = None, newest: int | None = None
) -> tuple[Array, npt.NDArray[np.bool_]] | None:
    """Read a domain's values as moments, and say which ones are; nothing for booleans and other numbers."""
    if domain.kind in {"date", "datetime", "instant"}:
        return domain.values, np.ones(len(domain.values), dtype=bool)
    if domain.kind == "number" and form is None:
        days = days_in(domain)
        return None if days is None else (days, np.ones(len(days), dtype=bool))
    if domain.kind not in {"text", "number"}:
        return None
    texts: list[str] = domain.texts[: len(domain.values)].tolist()
    return read_moments(_digits_of(texts) if domain.kind == "number" and form in SIX else texts, form, newest)


def _digits_of(values: Iterable[object]) -> list[str]:
    """Write whole numbers; those of five digits with the zero that they lost."""
    texts = map(str, values)
    return [text.zfill(6) if len(text) == 5 else text for text in texts]


def days_in(domain: Domain) -> Array | None:
    """Read whole numbers that all write a day as year, month and day, 20240301; nothing if one of them does not."""
    values = domain.values
    if domain.kind != "number" or values.dtype.kind != "i" or len(values) < 2:
        return None
    if not FIRST_DAY <= values[0] <= values[-1] <= LAST_DAY:
        return None
    months, days = values // 100 % 100, values % 100
    begins = ((values // 10_000 - 1970) * 12 + months - 1).astype("datetime64[M]")
    found = begins.astype("datetime64[D]") + (days - 1).astype("timedelta64[D]")
    are_days = (months >= 1) & (months <= 12) & (days >= 1) & (found.astype("datetime64[M]") == begins)
    return found if are_days.all() else None


def forms_of(domain: Domain) -> list[str]:
    """Give the forms in which every value of a column of texts or whole numbers is a day or a month."""
    values = domain.values
    if domain.kind == "text":
        return forms_in(values.tolist())
    if domain.kind != "number" or values.dtype.kind != "i":
        return []
    if days_in(domain) is not None:
        return ["%Y%m%d"]
    if not _may_be_days(domain):
        return []
    texts = _digits_of(domain.texts[: len(values)].tolist())
    return forms_in(texts) if len(texts) > 1 and len({*map(len, texts)}) == 1 else []


def _may_be_days(domain: Domain) -> bool:
    """Look at the ends and at some of many numbers, before all of them are written."""
    values = domain.values
    if domain.spelling is not None or not len(values):
        return True
    low, high = _digits_of((values[0], values[-1]))
    if len(low) != len(high):  # numbers are sorted, so these are the shortest and the longest
        return False
    return bool(likely_forms(_digits_of(values[:: max(len(values) // FEW, 1)].tolist()), 1.0))


FEW_MONTHS = 24  # weeks are a level of their own where the dates are of so many different months, or fewer
_READ = Hint(
    "say how the file writes days, such as {dates} ({}); for one column dates(..., format='%d.%m.%Y'); ",
    FOUND_OUT,
    dates="%d.%m.%Y",
)


@dataclass(frozen=True, slots=True, repr=False)
class Dates:
    """Moments become longer and longer periods. Built by ``dates``."""

    units: tuple[Unit, ...]
    format: str | None
    newest: int | None = None

    def bind(self, domain: Domain) -> Ladder:
        found = moments_of(domain, self.format, self.newest)
        if found is None:
            msg = f"Column {domain.column!r} is of kind {domain.kind}; dates(...) needs dates or timestamps."
            hint = "use intervals(...) for numbers, or say how they write dates: format='%Y%m%d'; flat() for booleans."
            raise HierarchyError(msg, hint=hint)
        moments, readable = found
        if self.format is None and not readable.all():
            moments, readable = _moments_in_only_form(domain) or found
        if not readable.all():
            form = "ISO 8601" if self.format is None else repr(self.format)
            raise uncovered_error(
                domain, ~readable, f"are no dates of the format {form}", _READ if form == "ISO 8601" else ""
            )
        return Ladder.climb(domain, [*(_step(moments, unit) for unit in self.units), Step.top(domain)])

    def __repr__(self) -> str:
        parts = [*map(repr, self.units), *([] if self.format is None else [f"format={self.format!r}"])]
        parts += [] if self.newest is None else [f"newest={self.newest}"]
        return f"dates({', '.join(parts)})"


def dates(
    *units: Unit,
    format: str | None = None,  # noqa: A002 - what strptime calls it
    newest: int | None = None,
) -> Dates:
    """Let dates and timestamps become periods: ``2024-M03``, ``2024-Q1``, ``2024``, ``2020s``, then ``*``.

    Parameters
    ----------
    units
        One level each, from fine to coarse: ``"day"`` (for timestamps), ``"week"``, ``"month"``, ``"quarter"``,
        ``"year"``, ``"decade"``, ``"century"`` (``19xx`` holds 1900 to 1999).
    format
        How a column of text or whole numbers writes its dates, as in ``strptime``: ``"%Y%m%d"`` for 20240301. A time of
        day may follow. ``%b`` is the name of a month, whole or short, in English, German, French, Spanish, Italian,
        Dutch or Portuguese. Without a format text must be ISO 8601, or all of it days in just one other form with years
        of four digits, as 31/12/2024 leaves no doubt and 03/04/2024 does. Columns of dates need none.
    newest
        Where a format has years of two digits (``%y``), they are of the hundred years up to this one: 2010 for births
        from 1911 to 2010. Without it they are of 1969 to 2068.

    Notes
    -----
    Timestamps with a zone are taken in UTC, text with a zone as written. A week is one of a month, so that it never
    lies in two: ``2024-M03-W1`` holds the days 1 to 7, ``W2`` 8 to 14, ``W3`` 15 to 21, and ``W4`` the rest. Weeks
    from Monday to Sunday would nest neither in months nor in years.

    A birth month still tells much about a rare age. For the very old add a bound by turning dates into ages first.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.dates("month", "quarter", "year", "decade")
    dates('month', 'quarter', 'year', 'decade')
    """
    for unit in units:
        if unit not in UNITS:
            msg = f"unit must be one of {', '.join(UNITS)}, got {unit!r}."
            raise ParameterError(msg)
    ranks = [UNITS.index(unit) for unit in units]
    if not units or ranks != sorted(set(ranks)):
        msg = f"units must go from fine to coarse without repeating, got {', '.join(map(repr, units)) or 'none'}."
        raise ParameterError(msg, hint="for example 'month', 'quarter', 'year', 'decade'.")
    if format is not None and not isinstance(format, str):
        msg = f"format must be a text such as '%d.%m.%Y', got {type(format).__name__}."
        raise ParameterError(msg)
    if newest is not None and (type(newest) is not int or not 1900 <= newest <= 2200 or "%y" not in (format or "")):
        msg = "newest must be a year from 1900 to 2200, with a format that has years of two digits."
        raise ParameterError(msg, hint="for example format='%d.%m.%y', newest=2010.")
    return Dates(units, format, newest)


def _moments_in_only_form(domain: Domain) -> tuple[Array, npt.NDArray[np.bool_]] | None:
    """Read texts in the one form in which all of them are days; nothing if there are several, or centuries are open."""
    forms = forms_of(domain) if domain.kind == "text" else []
    return moments_of(domain, forms[0]) if len(forms) == 1 and "%y" not in forms[0] else None


def _step(moments: Array, unit: Unit) -> Step:
    numbers, group = np.unique(number_of_period(moments, unit), return_inverse=True)
    return Step(group, [name_of_period(number, unit) for number in numbers.tolist()])


def dates_for(domain: Domain, form: str | None = None) -> Dates | None:
    """Give the periods that differ for the dates of a column; nothing if none does, or if it has no dates."""
    # Weeks are for tables of two years at most. Years of two digits must tell their century.
    has_short_years = form is not None and "%y" in form
    newest = newest_for(domain, form) if form is not None and has_short_years else None
    if has_short_years and newest is None:
        return None
    found = moments_of(domain, form, newest)
    if found is None or not len(domain.values) or not found[1].all():
        return None
    groups: dict[Unit, int] = {unit: len(np.unique(number_of_period(found[0], unit))) for unit in UNITS}
    units, before = [], len(domain.values)
    for unit in UNITS:
        is_wanted = unit != "century" and (unit != "week" or groups["month"] <= FEW_MONTHS)
        if is_wanted and 1 < groups[unit] < before:
            units.append(unit)
            before = groups[unit]
    return dates(*units, format=form, newest=newest) if units else None


def newest_for(domain: Domain, form: str) -> int | None:
    """Give the year up to which the two-digit years of a column lie in hundred years; nothing if they do not tell."""
    found = moments_of(domain, form)
    if found is None or not found[1].all():
        return None
    return newest_of((found[0].astype("datetime64[Y]").astype(np.int64) + 1970).tolist())
