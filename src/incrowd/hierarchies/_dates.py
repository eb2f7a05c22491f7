"""Dates become weeks, months, quarters, years, decades."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.core import Domain, HierarchyError, Ladder, ParameterError, Step
from incrowd.hierarchies._match import uncovered
from incrowd.hierarchies._periods import UNITS, Array, Unit, moments_of, name_of_period, number_of_period

FEW_MONTHS = 24
"""Weeks are a level of their own where the dates are of so many different months, or fewer."""
_READ = (
    "say how the file writes days, such as dates='%d.%m.%Y' (ic.suggest finds it out: **found.reading); "
    "for one column dates(..., format='%d.%m.%Y'); "
)


@dataclass(frozen=True, slots=True, repr=False)
class Dates:
    """Moments become longer and longer periods. Built by ``dates``."""

    units: tuple[Unit, ...]
    format: str | None

    def bind(self, domain: Domain) -> Ladder:
        """Fit the periods to the dates of one column."""
        found = moments_of(domain, self.format)
        if found is None:
            msg = f"Column {domain.column!r} is of kind {domain.kind}; dates(...) needs dates or timestamps."
            hint = "use intervals(...) for numbers, or say how they write dates: format='%Y%m%d'; flat() for booleans."
            raise HierarchyError(msg, hint=hint)
        moments, readable = found
        if not readable.all():
            form = "ISO 8601" if self.format is None else repr(self.format)
            raise uncovered(
                domain, ~readable, f"are no dates of the format {form}", _READ if form == "ISO 8601" else ""
            )
        return Ladder.climb(domain, [*(_step(moments, unit) for unit in self.units), Step.top(domain)])

    def __repr__(self) -> str:
        parts = [*map(repr, self.units), *([] if self.format is None else [f"format={self.format!r}"])]
        return f"dates({', '.join(parts)})"


def dates(*units: Unit, format: str | None = None) -> Dates:  # noqa: A002 - what strptime calls it
    """Let dates and timestamps become periods: ``2024-M03``, ``2024-Q1``, ``2024``, ``2020s``, then ``*``.

    Parameters
    ----------
    units
        One level each, from fine to coarse: ``"day"`` (for timestamps), ``"week"``, ``"month"``, ``"quarter"``,
        ``"year"``, ``"decade"``, ``"century"`` (``19xx`` holds 1900 to 1999).
    format
        How a column of text or whole numbers writes its dates, as in ``strptime``: ``"%Y%m%d"`` for 20240301. A time of
        day may follow. ``%b`` is the name of a month, whole or short, in English, German, French, Spanish, Italian,
        Dutch or Portuguese. Without a format text must be ISO 8601. Columns of dates need none.

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
    ranks = [_rank(unit) for unit in units]
    if not units or ranks != sorted(set(ranks)):
        msg = f"units must go from fine to coarse without repeating, got {', '.join(map(repr, units)) or 'none'}."
        raise ParameterError(msg, hint="for example 'month', 'quarter', 'year', 'decade'.")
    if format is not None and not isinstance(format, str):
        msg = f"format must be a text such as '%d.%m.%Y', got {type(format).__name__}."
        raise ParameterError(msg)
    return Dates(units, format)


def _rank(unit: object) -> int:
    if unit not in UNITS:
        msg = f"unit must be one of {', '.join(UNITS)}, got {unit!r}."
        raise ParameterError(msg)
    return UNITS.index(unit)


def _step(moments: Array, unit: Unit) -> Step:
    numbers, group = np.unique(number_of_period(moments, unit), return_inverse=True)
    return Step(group, [name_of_period(number, unit) for number in numbers.tolist()])


def dates_for(domain: Domain, format: str | None = None) -> Dates | None:  # noqa: A002 - as in dates
    """Give the periods that differ for the dates of a column; nothing if none does, or if it has no dates.

    Weeks are for tables of two years at most.
    """
    found = moments_of(domain, format)
    if found is None or not len(domain.values) or not found[1].all():
        return None
    groups: dict[Unit, int] = {unit: len(np.unique(number_of_period(found[0], unit))) for unit in UNITS}
    units, before = [], len(domain.values)
    for unit in UNITS:
        is_wanted = unit != "century" and (unit != "week" or groups["month"] <= FEW_MONTHS)
        if is_wanted and 1 < groups[unit] < before:
            units.append(unit)
            before = groups[unit]
    return dates(*units, format=format) if units else None
