"""``ask``: a count, an average or a filter answered from the table and from its release, to compare both answers."""

from __future__ import annotations

import bisect
import datetime as dt
import functools
import math
import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, ParameterError, UnknownColumnError
from incrowd.evidence._alignment import Compared, Side, beside_original, original_census
from incrowd.evidence._subject import Subject
from incrowd.evidence._utility import utility
from incrowd.measures import Axis, Cover, Spread
from incrowd.release import Release, basis_of

Ask = Literal["count", "mean", "model"]
End = Literal["low", "high"]


@dataclass(frozen=True, slots=True)
class Where:
    """A condition: some values of a column, or what lies between two ends, both included, as somebody wrote them."""

    column: str
    values: Sequence[str] | None = None
    low: str | None = None
    high: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the table says, and what the release does; of a model also how often the most frequent value is right.

    ``after`` spreads the records of a label, ``*`` too, evenly over what it covers. ``shown``: what the release says
    without the records that have a star in a column that is asked about; nothing where there is none.
    """

    before: float | None
    after: float | None
    guessed: float | None = None
    shown: float | None = None

    @property
    def relative_error(self) -> float | None:
        """How far the answer of the release is from the true one, as a share of it; of a model nothing."""
        if self.before is None or self.after is None or self.guessed is not None or not self.before:
            return None
        return abs(self.after - self.before) / abs(self.before)


class RangeError(ParameterError):
    """An end of a range cannot be read as what its column holds: which end, of which of the conditions."""

    def __init__(self, message: str, end: End = "low", *, hint: str = "", condition: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.end, self.condition = end, condition


# The ends of a range as somebody typed them: numbers as numbers, dates as dates, by what the column holds.

DATES = frozenset({"date", "datetime", "instant"})
NUMBER_EXAMPLE = "write it with digits and a point, such as 37.5."
DATE_EXAMPLE = "write year, month and day, such as 1960-02-01, or the day first with points, such as 1.2.1960."

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:[.,][0-9]{1,30})?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_YEAR_FIRST = re.compile(r"([0-9]{4})(?:([-/.])([0-9]{1,2})(?:\2([0-9]{1,2}))?)?")
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})")
_TICK = dt.timedelta(microseconds=1)
_DAY = dt.timedelta(days=1)


class Period(NamedTuple):
    """What somebody means who writes a number, a year, a month, a day or a time: all of it, both ends included."""

    first: Any
    last: Any


@dataclass(frozen=True, slots=True)
class Range:
    """What lies between two ends of the same kind, both included; none where there is no end."""

    first: Fraction | dt.datetime | None
    last: Fraction | dt.datetime | None

    @classmethod
    def of(cls, domain: Domain, low: str | None, high: str | None) -> Range:
        """Read two ends, as they were typed, as what the column holds; none where there is no end."""
        if domain.kind != "number" and domain.kind not in DATES:
            msg = f"The column {domain.column} has no order, so nothing lies between two of its values."
            raise RangeError(msg, "low", hint="choose one of its values instead.")
        read: Callable[[str, End], Period] = _number_period
        if domain.kind in DATES:
            read = functools.partial(_date_period, zoned=domain.kind == "instant")
        first = None if low is None else read(low, "low").first
        last: Any = None if high is None else read(high, "high").last
        if first is not None and last is not None and first > last:
            msg = "The range ends before it begins."
            raise RangeError(msg, "high", hint="write the smaller or the earlier one first.")
        return cls(first, last)

    def places(self, domain: Domain) -> slice:
        """Give which values of the column, as they are sorted, lie inside."""
        values: Any = domain.values.tolist()  # Python's own numbers, which compare exactly with a fraction
        if domain.kind != "number":
            values = domain.values.astype("datetime64[us]").tolist()
        start = 0 if self.first is None else bisect.bisect_left(values, self.first)
        return slice(start, len(values) if self.last is None else bisect.bisect_right(values, self.last))

    def stretch(self, axis: Axis) -> tuple[float, float]:
        """Give from where on to below where that is, on the line on which the column's labels lie."""
        begin = -math.inf if self.first is None else _line_position(axis, self.first)
        end = math.inf if self.last is None else _line_position(axis, self.last)
        if not axis.unit:
            return begin, end if self.last is None else math.nextafter(end, math.inf)
        first = begin if self.first is None else float(math.ceil(begin))
        return first, end if self.last is None else math.floor(end) + axis.unit


def _line_position(axis: Axis, end: Fraction | dt.datetime) -> float:
    """Give where an end lies on a line of numbers, of days or of moments."""
    if isinstance(end, Fraction):
        return float(end)
    ticks = (end - _midnight_of(dt.date(1970, 1, 1))) // _TICK
    return ticks / (_DAY // _TICK) if axis.unit else float(ticks)


def _number_period(text: str, end: End) -> Period:
    """Read a number exactly; a comma may stand for the point where it cannot stand for thousands."""
    text = re.sub(r"[\s\u00a0\u202f]", "", text)
    msg = ""
    if _THOUSANDS.fullmatch(text):
        msg = "This number can be read in two ways: with thousands, or with a fraction."
    elif not _NUMBER.fullmatch(text):
        msg = "This column holds numbers, and this is not one."
    if msg:
        raise RangeError(msg, end, hint=NUMBER_EXAMPLE)
    number = Fraction(text.replace(",", "."))
    return Period(number, number)


def _date_period(text: str, end: End, *, zoned: bool = False) -> Period:
    """Read a date: a year, a month, a day, or a day with a time; refuse what could be two dates.

    ``zoned``: the column holds points in time; a time may then name its zone, and is meant as UTC without one.
    """
    head, _, tail = text.strip().replace("T", " ").partition(" ")
    try:
        found = _day_period(head, end)
        return found if not tail.strip() else _time_period(found, tail.strip(), zoned=zoned)
    except RangeError:
        raise
    except (ValueError, OverflowError):
        msg = "This column holds dates, and this cannot be read as one."
        raise RangeError(msg, end, hint=DATE_EXAMPLE) from None


def _day_period(text: str, end: End) -> Period:
    if found := _YEAR_FIRST.fullmatch(text):
        year, month, day = (None if one is None else int(one) for one in found.group(1, 3, 4))
        return _whole_period(int(year or 0), month, day)
    if found := _YEAR_LAST.fullmatch(text):
        one, other, year = int(found[1]), int(found[3]), int(found[4])
        if found[2] == ".":  # nobody writes the month first with points
            return _whole_period(year, other, one)
        if one <= 12 and other <= 12 and one != other:
            msg = "This can be read as two different dates: day first, or month first."
            raise RangeError(msg, end, hint=DATE_EXAMPLE)
        return _whole_period(year, other, one) if other <= 12 else _whole_period(year, one, other)
    raise ValueError


def _whole_period(year: int, month: int | None, day: int | None) -> Period:
    """Give all of a year, of a month or of a day."""
    first = dt.date(year, 1 if month is None else month, 1 if day is None else day)
    month = 12 if month is None else month
    last = dt.date(year, month, monthrange(year, month)[1] if day is None else day)
    return Period(_midnight_of(first), _midnight_of(last) + (_DAY - _TICK))


def _midnight_of(day: dt.date) -> dt.datetime:
    """Begin a day, without a zone: so columns are compared."""
    return dt.datetime.combine(day, dt.time.min)


def _time_period(day: Period, text: str, *, zoned: bool) -> Period:
    """Give the minute, the second or the moment of a day."""
    if day.last - day.first >= _DAY:
        raise ValueError  # a time of a whole month is none
    time = dt.time.fromisoformat(text)
    first = dt.datetime.combine(day.first.date(), time)
    if first.tzinfo is not None:
        if not zoned:
            raise ValueError
        first = first.astimezone(dt.UTC).replace(tzinfo=None)
    clock = re.split(r"[Z+-]", text)[0]
    steps = {1: dt.timedelta(minutes=1), 2: dt.timedelta(seconds=1)}
    length = _TICK if "." in clock else steps.get(clock.count(":"), _TICK)
    return Period(first, first + (length - _TICK))


Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What is asked for of one column: of every value whether it is, which a missing one never is.

    ``stretch``: of a range, from where on to below where, on the axis of the column: that is what a reader of labels
    asks.
    """

    column: str
    matches: Bools
    stretch: tuple[float, float] | None = None

    @classmethod
    def of(cls, domain: Domain, where: Where) -> Condition:
        """Read what somebody wrote as what the column holds."""
        known, found = len(domain.values), np.zeros(len(domain), dtype=bool)
        if where.values is not None:
            found[:known] = np.isin(domain.texts[:known].astype(str), list(map(str, where.values)))
            return cls(domain.column, found)
        between = Range.of(domain, where.low, where.high)
        found[between.places(domain)] = True
        axis = Axis.of(domain)
        return cls(domain.column, found, None if axis is None else between.stretch(axis))

    def __and__(self, other: Condition) -> Condition:
        """Ask for both of the same column: shares of a label that lie in each say nothing about those in both."""
        stretch = None
        if self.stretch is not None and other.stretch is not None:
            begin = max(self.stretch[0], other.stretch[0])
            stretch = begin, max(min(self.stretch[1], other.stretch[1]), begin)
        return Condition(self.column, self.matches & other.matches, stretch)

    def share(self, cover: Cover | Spread) -> Floats:
        """Give of every value or label the share of its records that is asked for."""
        if self.stretch is not None and isinstance(cover, Spread):
            return cover.between(*self.stretch)
        return cover.among(self.matches)


def ask(release: Release, what: Ask, column: str | None = None, where: Sequence[Where] = ()) -> Answer:
    """Answer a question from the table and from the release, as somebody would who has no more than that.

    ``what``: how many there are, the average of a column, or how often a model that learned it is right.
    """
    schema, basis = release.schema, basis_of(release)
    more = (*schema.sensitive_names, *schema.insensitive)
    for name in (column, *(one.column for one in where)):
        if name is not None and name not in (*schema.quasi_names, *more):
            raise UnknownColumnError.of(name, (*schema.quasi_names, *more), given_as="published column")
    if what == "model":
        found = utility(release, basis.table, target=column, queries=0, **basis.reading).accuracy
        return Answer(None, None) if found is None else Answer(found.original, found.release, found.baseline)
    if what == "mean" and column is None:
        msg = "An average needs a column."
        raise ParameterError(msg)
    both = beside_original(Subject.of(release, None, {}), original_census(release, basis.table, more, **basis.reading))
    chosen = _read_conditions(both, where)
    averaged = column if what == "mean" else None
    asked = [*(one.column for one in chosen), *([] if averaged is None else [averaged])]
    alone = both.after.without_stars(asked)
    sides = both.before, both.after, *([] if alone is both.after else [alone])
    before, after, *shown = (_answer_of_side(side, both, averaged, chosen) for side in sides)
    return Answer(before, after, shown=shown[0] if shown else None)


def _read_conditions(both: Compared, where: Sequence[Where]) -> list[Condition]:
    """Read all conditions; several about one column become one."""
    found: dict[str, Condition] = {}
    for place, one in enumerate(where):
        try:
            read = Condition.of(both.census.domains[one.column], one)
        except RangeError as error:
            error.condition = place
            raise
        found[one.column] = found[one.column] & read if one.column in found else read
    return list(found.values())


def _answer_of_side(side: Side, both: Compared, averaged: str | None, chosen: list[Condition]) -> float | None:
    if averaged is None:
        return float(_records_asked_for(side, chosen).sum())
    return _mean_of_column(side, averaged, _values_as_numbers(both.census.domains[averaged]), chosen)


def _values_as_numbers(domain: Domain) -> Floats:
    """Give every value of a column as a number; none where it is missing."""
    if domain.kind != "number":
        msg = f"Column {domain.column!r} has no numbers, so it has no average."
        raise ParameterError(msg, hint="choose a column of numbers.")
    numbers = np.full(len(domain), np.nan)
    numbers[: len(domain.values)] = domain.values.astype(np.float64)
    return numbers


def _records_asked_for(side: Side, chosen: list[Condition]) -> Floats:
    """Give the records of every cell that are asked for: of a label the share that lies there, spread evenly."""
    weights = side.counts.astype(np.float64)
    for one in chosen:
        weights = weights * one.share(side.covers[one.column])[side.codes[one.column]]
    return weights


def _mean_of_column(side: Side, column: str, values: Floats, chosen: list[Condition]) -> float | None:
    """Average a column over the records that are asked for; a label stands for its middle."""
    cover = side.covers[column]
    averages = cover.averages(values)[side.codes[column]]
    weights = np.where(np.isnan(averages), 0.0, _records_asked_for(side, chosen))
    total = weights.sum()
    return None if total <= 0 else float(np.nan_to_num(averages) @ weights / total)
