"""``Shift``: dates of a row moved by whole days that follow from the person of the row; missing stays missing.

A date keeps what it is: a day, a moment with its time of day, or a text that begins with a day and goes on as before.
A moment with a zone moves by 24 hours for each day.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import DataError, Domain, Hint
from incrowd.engines._arrow import of_numbers, of_texts, to_numpy
from incrowd.engines._backend import Backend, Frame
from incrowd.engines._encoding import Coded, Coding, with_lookups

DAYS = "shift"
"""How the column with the days of every row begins, inside of an engine."""
_TEXT = re.compile("([0-9]{4}-[0-9]{2}-[0-9]{2})(|[ T][0-9:.]+(?:Z|[+-][0-9:]+)?)")
_FIRST, _LAST = (np.datetime64(day, "D").astype(np.int64) for day in ("0001-01-01", "9999-12-31"))
_TICKS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_SECONDS = 86_400


class WrittenDates(NamedTuple):
    """Texts taken apart: the day that each begins with, as a number, and what follows it."""

    days: Any
    rests: list[str]

    @classmethod
    def of(cls, column: str, texts: Sequence[str]) -> WrittenDates:
        """Take texts apart; refuse those that are no dates."""
        found = [_TEXT.fullmatch(text) for text in texts]
        wrong = sum(match is None or not _is_moment(match[0]) for match in found)
        if wrong:
            texts_are = "1 text that is no date" if wrong == 1 else f"{wrong:,} different texts that are no dates"
            msg = f"Column {column!r} is to be shifted, and has {texts_are}."
            hint = Hint(
                "texts of dates begin like 2026-03-31; another form in a text file is said: {dates}.", dates="%d.%m.%Y"
            )
            raise DataError(msg, hint=hint)
        parts = [match.groups() for match in found if match is not None]
        days = np.array([day for day, _ in parts], dtype="datetime64[D]").astype(np.int64)
        return cls(days, [rest for _, rest in parts])


def _is_moment(text: str) -> bool:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def first_and_last_day(domain: Domain) -> tuple[int, int] | None:
    """Give the first and the last day of a column, as numbers; ``None`` if it has none. Refuse what has no days."""
    if not len(domain.values):
        return None
    if domain.kind == "text":
        days = WrittenDates.of(domain.column, domain.values.tolist()).days
    elif domain.values.dtype.kind == "M":
        days = domain.values[[0, -1]].astype("datetime64[D]").astype(np.int64)
    else:
        msg = f"Column {domain.column!r} is to be shifted, and holds values of the kind {domain.kind!r}."
        raise DataError(msg, hint="only dates and moments can be shifted.")
    return int(days.min()), int(days.max())


def check_room(domain: Domain, furthest: int) -> None:
    """Refuse dates that a shift can take out of the calendar; a type has no dates beyond it."""
    found = first_and_last_day(domain)
    if found is not None and (found[0] - furthest < _FIRST or found[1] + furthest > _LAST):
        msg = (
            f"Column {domain.column!r} has dates that a shift by up to {furthest:,} days can take before the year 1 or "
            "after the year 9999."
        )
        raise DataError(msg, hint="a date such as 9999-12-31 mostly means that there is none: make it missing.")


# Texts of days by their numbers: few, however many rows there are.


def _days_within(days: Any, reach: int) -> Any:
    """Give all days that are so near to one of some days, in order; days far apart have many between them."""
    first = int(days.min()) - reach
    length = int(days.max()) + reach + 2 - first
    begins, ends = (np.bincount(days + way - first, minlength=length) for way in (-reach, reach + 1))
    return np.flatnonzero(np.cumsum(begins - ends)) + first


def _day_texts(days: Any) -> list[str]:
    texts: list[str] = np.datetime_as_string(days.astype("datetime64[D]")).tolist()
    return texts


# Rows that are numbers.


def shifted_column(column: Coded, persons: Any, days: Any, name: str) -> Coded:
    """Shift a column; ``persons`` has the number of the person of each row, and ``days`` those of each person."""
    type_, missing = column.keys.type, column.missing
    moved = days.take(persons)
    if pa.types.is_date32(type_):
        return _of_ticks(_ticks_of(column, pa.int32()) + moved, missing, type_)
    if pa.types.is_timestamp(type_):
        return _of_ticks(_ticks_of(column, pa.int64()) + moved * _SECONDS * _TICKS[type_.unit], missing, type_)
    written = WrittenDates.of(name, column.keys.drop_null().to_pylist())
    rests, which = np.unique(np.array([*written.rests, ""], dtype=object), return_inverse=True)
    pairs = (np.append(written.days, 0).take(column.codes) + moved) * len(rests) + which.take(column.codes)
    pairs[missing] = pairs.max(initial=0) + 1  # behind all others, and no text
    distinct, numbers = np.unique(pairs, return_inverse=True)
    found = distinct[: len(distinct) - bool(missing.any())]
    rest = rests[found % len(rests)].tolist()
    texts = [day + more for day, more in zip(_day_texts(found // len(rests)), rest, strict=True)]
    keys = of_texts([*texts, *([None] if missing.any() else [])]).cast(pa.string())
    return Coded.ranked(keys, numbers)


def _ticks_of(column: Coded, width: pa.DataType) -> Any:
    ticks = to_numpy(column.keys.drop_null().cast(width)).astype(np.int64)
    return np.append(ticks, 0).take(column.codes)


def _of_ticks(ticks: Any, missing: Any, type_: pa.DataType) -> Coded:
    narrow = of_numbers(ticks.astype(np.int32)) if pa.types.is_date32(type_) else of_numbers(ticks)
    values = narrow.cast(type_)
    if missing.any():
        values = pc.if_else(of_numbers(missing.astype(np.int8)).cast(pa.bool_()), pa.nulls(1, type_)[0], values)
    return Coded.of(pa.chunked_array([values]))


# Rows that lie elsewhere.


def with_days(frame: Frame, person: Coding, days: Any, home: Backend) -> Frame:
    """Put beside every row by how many days its dates are shifted."""
    return with_lookups(frame, [(person, {DAYS: of_numbers(days)})], home)


def days_beside(person: str) -> str:
    """Say which column has these days, by what the column of persons is called inside."""
    return f"{DAYS}_of_{person}"


def shift_texts(frame: Frame, coding: Coding, name: str, days: str, reach: int, home: Backend) -> Frame:
    """Shift a column of texts by the days of a column, ``reach`` at most: each begins with a day, found by number."""
    written = WrittenDates.of(name, coding.keys.to_pylist())
    arrays = {"day": of_numbers(written.days), "rest": of_texts(written.rests)}
    frame = with_lookups(frame, [(coding, arrays)], home)
    inner, moved = coding.column, f"moved_{coding.column}"
    frame = frame.with_columns((nw.col(f"day_of_{inner}") + nw.col(days)).alias(moved))
    if not len(written.days):
        return frame
    numbers = _days_within(written.days, reach)
    names = [f"key_{moved}", f"text_{moved}"]
    frame = home.look_up(
        frame, {moved: pa.Table.from_arrays([of_numbers(numbers), of_texts(_day_texts(numbers))], names)}
    )
    text = nw.col(names[1])
    text = nw.concat_str(text, nw.col(f"rest_of_{inner}")) if any(written.rests) else text
    return frame.with_columns(text.alias(inner))
