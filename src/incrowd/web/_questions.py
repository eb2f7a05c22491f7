"""Somebody's own questions to a run: a count, an average, a model; asked of the table and of the release."""

from __future__ import annotations

import bisect
import datetime as dt
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, ParameterError, UnknownColumnError
from incrowd.evidence import Compared, Side, compared, original_census, subject_of, utility
from incrowd.measures import Axis, Cover, Spread
from incrowd.release import Release
from incrowd.web._desk import release_of
from incrowd.web._look import share_of
from incrowd.web._refusal import Plain, Refusal, refusal
from incrowd.web._worker import Teller

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


@dataclass(frozen=True, slots=True)
class Period:
    """What somebody means who writes a year, a month, a day or a time: all of it, first and last moment included."""

    first: dt.datetime
    last: dt.datetime


@dataclass(frozen=True, slots=True)
class Range:
    """What lies between two ends of the same kind, both included; none where there is no end."""

    first: Fraction | dt.datetime | None
    last: Fraction | dt.datetime | None

    @classmethod
    def of(cls, domain: Domain, low: str | None, high: str | None, place: str) -> Range:
        """Read two ends as what the column holds.

        Parameters
        ----------
        domain
            The column.
        low, high
            The ends as they were typed; none where there is no end.
        place
            Where they stand in the request, so that a message can stand beside them.
        """
        if domain.kind == "number":
            found = cls(*_read(low, high, place, number_of, number_of))
        elif domain.kind in DATES:
            zoned = domain.kind == "instant"
            found = cls(
                *_read(
                    low,
                    high,
                    place,
                    lambda text, at: period_of(text, at, zoned=zoned).first,
                    lambda text, at: period_of(text, at, zoned=zoned).last,
                )
            )
        else:
            msg = f"The column {domain.column} has no order, so nothing lies between two of its values."
            where = f"{place}.low"
            raise _wrong(where, msg, "choose one of its values instead.")
        ends: Any = (found.first, found.last)
        if None not in ends and ends[0] > ends[1]:
            raise _wrong_way(place)
        return found

    def places(self, domain: Domain) -> slice:
        """Give which values of the column, as they are sorted, lie inside."""
        values: Any = domain.values.tolist()  # Python's own numbers, which compare exactly with a fraction
        if domain.kind != "number":
            values = domain.values.astype("datetime64[us]").tolist()
        start = 0 if self.first is None else bisect.bisect_left(values, self.first)
        return slice(start, len(values) if self.last is None else bisect.bisect_right(values, self.last))

    def stretch(self, axis: Axis) -> tuple[float, float]:
        """Give from where on to below where that is, on the line on which the column's labels lie."""
        begin = -math.inf if self.first is None else _on(axis, self.first)
        end = math.inf if self.last is None else _on(axis, self.last)
        if not axis.unit:
            return begin, end if self.last is None else math.nextafter(end, math.inf)
        first = begin if self.first is None else float(math.ceil(begin))
        return first, end if self.last is None else math.floor(end) + axis.unit


def _read(low: str | None, high: str | None, place: str, *readers: Callable[[str, str], Any]) -> Iterator[Any]:
    ends = zip((low, high), ("low", "high"), readers, strict=True)
    return (None if text is None else read(text, f"{place}.{end}") for text, end, read in ends)


def _on(axis: Axis, end: Fraction | dt.datetime) -> float:
    """Give where an end lies on a line of numbers, of days or of moments."""
    if isinstance(end, Fraction):
        return float(end)
    ticks = (end - dt.datetime(1970, 1, 1)) // _TICK  # noqa: DTZ001 - as the column is compared
    return ticks / (_DAY // _TICK) if axis.unit else float(ticks)


def number_of(text: str, place: str) -> Fraction:
    """Read a number exactly; a comma may stand for the point where it cannot stand for thousands."""
    text = re.sub(r"[\s\u00a0\u202f]", "", text)
    if _THOUSANDS.fullmatch(text):
        raise _wrong(place, "This number can be read in two ways: with thousands, or with a fraction.", NUMBER_EXAMPLE)
    if not _NUMBER.fullmatch(text):
        raise _wrong(place, "This column holds numbers, and this is not one.", NUMBER_EXAMPLE)
    return Fraction(text.replace(",", "."))


def period_of(text: str, place: str, *, zoned: bool = False) -> Period:
    """Read a date: a year, a month, a day, or a day with a time; refuse what could be two dates.

    Parameters
    ----------
    text, place
        What was typed, and where it stands in the request.
    zoned
        Whether the column holds points in time; a time may then name its zone, and is meant as UTC without one.
    """
    head, _, tail = text.strip().replace("T", " ").partition(" ")
    try:
        found = _day_period(head, place)
        return found if not tail.strip() else _with_time(found, tail.strip(), zoned=zoned)
    except (ValueError, OverflowError):
        raise _wrong(place, "This column holds dates, and this cannot be read as one.", DATE_EXAMPLE) from None


def _day_period(text: str, place: str) -> Period:
    if found := _YEAR_FIRST.fullmatch(text):
        year, month, day = (None if one is None else int(one) for one in found.group(1, 3, 4))
        return _whole_period(int(year or 0), month, day)
    if found := _YEAR_LAST.fullmatch(text):
        one, other, year = int(found[1]), int(found[3]), int(found[4])
        if found[2] == ".":  # nobody writes the month first with points
            return _whole_period(year, other, one)
        if one <= 12 and other <= 12 and one != other:
            raise _wrong(place, "This can be read as two different dates: day first, or month first.", DATE_EXAMPLE)
        return _whole_period(year, other, one) if other <= 12 else _whole_period(year, one, other)
    raise ValueError


def _whole_period(year: int, month: int | None, day: int | None) -> Period:
    """Give all of a year, of a month or of a day."""
    first = dt.datetime(year, month or 1, day or 1)  # noqa: DTZ001 - columns without a zone are compared without one
    if day is not None:
        return Period(first, first + (_DAY - _TICK))
    last = dt.datetime(year, 12, 31) if month is None else first.replace(day=_days(year, month))  # noqa: DTZ001
    return Period(first, last + (_DAY - _TICK))


def _days(year: int, month: int) -> int:
    return 31 if month == 12 else (dt.date(year, month + 1, 1) - dt.timedelta(days=1)).day


def _with_time(day: Period, text: str, *, zoned: bool) -> Period:
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


def _wrong_way(place: str) -> Refusal:
    return _wrong(f"{place}.high", "The range ends before it begins.", "write the smaller or the earlier one first.")


def _wrong(place: str, message: str, hint: str) -> Refusal:
    return refusal(422, ParameterError.code, message, hint, place)


Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What is asked for of one column.

    Attributes
    ----------
    column
        Its name.
    matches
        Of every value of the table, whether it is asked for; a missing one never is.
    stretch
        Of a range, from where on to below where, on the axis of the column: that is what a reader of labels asks.
    """

    column: str
    matches: Bools
    stretch: tuple[float, float] | None = None

    @classmethod
    def of(cls, domain: Domain, one: Plain, place: int) -> Condition:
        """Read what was asked, which stands at a place of the request."""
        known, found = len(domain.values), np.zeros(len(domain), dtype=bool)
        if one["values"] is not None:
            found[:known] = np.isin(domain.texts[:known].astype(str), [str(text) for text in one["values"]])
            return cls(domain.column, found)
        between = Range.of(domain, one["low"], one["high"], f"where.{place}")
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


def question(given: Plain, teller: Teller) -> Plain:
    """Answer a question from the table and from the release, as somebody would who has no more than that."""
    _, release = release_of(given["run"], teller)
    _check(release, [given["column"], *(one["column"] for one in given["where"])])
    teller.step("asking the table and the version")
    if given["ask"] == "model":
        return _predicted(release, given["column"])
    both = _both(release)
    chosen = _conditions(both, given["where"])
    before, after = (_answer(side, both, given, chosen) for side in (both.before, both.after))
    return {"before": _short_number(before), "after": _short_number(after), "off": _off(before, after), "guessed": None}


def _answer(side: Side, both: Compared, given: Plain, chosen: list[Condition]) -> float | None:
    if given["ask"] == "count":
        return float(_weights(side, chosen).sum())
    column = given["column"]
    return _mean(side, column, _numbers(both.census.domains[column]), chosen)


def _conditions(both: Compared, where: list[Plain]) -> list[Condition]:
    """Read all conditions; several about one column become one."""
    found: dict[str, Condition] = {}
    for place, one in enumerate(where):
        read = Condition.of(both.census.domains[one["column"]], one, place)
        found[read.column] = found[read.column] & read if read.column in found else read
    return list(found.values())


def _check(release: Release, names: list[str | None]) -> None:
    schema = release.schema
    known = (*schema.quasi_names, *schema.sensitive_names, *schema.insensitive)
    for name in names:
        if name is not None and name not in known:
            raise UnknownColumnError.of(name, known, given_as="published column")


def _both(release: Release) -> Compared:
    """Put the release beside its table, with every column that is published."""
    basis, schema = release.basis, release.schema
    assert basis is not None  # noqa: S101 - anonymize made it
    more = (*schema.sensitive_names, *schema.insensitive)
    return compared(subject_of(release, None, {}), original_census(release, basis.table, more, **basis.reading))


def _numbers(domain: Domain) -> Floats:
    """Give every value of a column as a number; none where it is missing."""
    if domain.kind != "number":
        msg = f"Column {domain.column!r} has no numbers, so it has no average."
        raise ParameterError(msg, hint="choose a column of numbers.")
    numbers = np.full(len(domain), np.nan)
    numbers[: len(domain.values)] = domain.values.astype(np.float64)
    return numbers


def _weights(side: Side, chosen: list[Condition]) -> Floats:
    """Give the records of every cell that are asked for: of a label the share that lies there, spread evenly."""
    weights = side.counts.astype(np.float64)
    for one in chosen:
        weights = weights * one.share(side.covers[one.column])[side.codes[one.column]]
    return weights


def _mean(side: Side, column: str, values: Floats, chosen: list[Condition]) -> float | None:
    """Average a column over the records that are asked for; a label stands for its middle."""
    cover = side.covers[column]
    averages = cover.averages(values)[side.codes[column]]
    weights = np.where(np.isnan(averages), 0.0, _weights(side, chosen))
    total = weights.sum()
    return None if total <= 0 else float(np.nan_to_num(averages) @ weights / total)


def _predicted(release: Release, column: str | None) -> Plain:
    """Let one model learn from the table and one from the release, and see how often each is right."""
    basis = release.basis
    assert basis is not None  # noqa: S101 - anonymize made it
    found = utility(release, basis.table, target=column, queries=0, **basis.reading).accuracy
    assert found is not None  # noqa: S101 - it was asked for
    before, after = share_of(found.original), share_of(found.release)
    return {"before": before, "after": after, "off": None, "guessed": share_of(found.baseline)}


def _short_number(number: float | None) -> str | None:
    return None if number is None else f"{number:.10g}" if float(number).is_integer() else f"{number:.6g}"


def _off(before: float | None, after: float | None) -> str | None:
    """Say how far the answer is from the true one, as a share of it."""
    if before is None or after is None or not before:
        return None
    return share_of(abs(after - before) / abs(before))
