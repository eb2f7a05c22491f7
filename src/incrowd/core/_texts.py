"""One canonical form and one published text for every value; texts of a file read as numbers, dates or moments.

What other values a column has decides nothing: leaving out the only fraction, or the only time of day, must not change
how the others are written.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core._errors import DataError

Kind = Literal["number", "boolean", "date", "datetime", "instant", "text"]
"""What a column's values are. ``instant`` is a timestamp with a zone, compared as a point in time."""

Array = npt.NDArray[Any]

WHOLE_FLOATS = 2**53
"""Up to here every whole number is one that a float can hold."""

_EXACTLY = Context(prec=100_000, Emin=MIN_EMIN, Emax=MAX_EMAX)
_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?|inf)")
_MOMENT = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[ T][0-9:.]+)?")
_MIDNIGHT = " 00:00:00"


def canonical_value(column: str, value: Any) -> Any:
    """Give a Python value the one form of all that are equal to it; ``None`` if it is missing.

    Numbers of Python or NumPy, booleans, dates, timestamps and texts have one; anything else comes back as it is.
    """
    if value is None or type(value).__name__ == "NAType" or value != value:  # noqa: PLR0124 - NaN is unlike itself
        return None
    if isinstance(value, np.bool_ | np.integer | np.floating):
        value = value.item()
    if getattr(value, "nanosecond", 0):
        msg = f"Column {column!r} holds timestamps that differ by nanoseconds."
        raise DataError(msg, hint="round timestamps to microseconds first.")
    form = next((form for types, form in _FORMS if isinstance(value, types)), None)
    return value if form is None else form(value)


def exact_number(value: Any) -> Any:
    """Give a decimal number or an integer its one form: whole as ``int``, without zeros at its end."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            return float(value)
        return int(value) if value == value.to_integral_value() else _EXACTLY.normalize(value)
    return value


def _canonical_float(value: float) -> float:
    return int(value) if value.is_integer() and abs(value) <= WHOLE_FLOATS else float(value)


def _utc_moment(value: dt.datetime) -> dt.datetime:
    """Give a timestamp with a zone as the same moment of UTC, so that an hour that occurs twice is two."""
    zone = dt.UTC if value.tzinfo else None
    told = value.astimezone(dt.UTC) if zone else value
    return dt.datetime(
        told.year, told.month, told.day, told.hour, told.minute, told.second, told.microsecond, tzinfo=zone
    )


_FORMS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (bool, bool),
    (int, int),
    (float, _canonical_float),
    (Decimal, lambda value: exact_number(Decimal(value))),
    (dt.datetime, _utc_moment),
    (dt.date, lambda value: dt.date(value.year, value.month, value.day)),
    (str, str.__str__),  # a plain text, also of NumPy's texts and of enumerations
)


class TypedValues(NamedTuple):
    """Values, and the kind that all of them are of."""

    kind: Kind
    values: Array

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> TypedValues:
        """Choose the narrowest kind that every text of a file survives, and read the texts as that."""
        for kind, read, write, dtype in (*_READERS, *_fixed_readers(texts)):
            values = _all_survive(texts, read, write)
            if values is not None:
                return cls(kind, np.array(values, dtype=dtype))
        array = np.empty(len(texts), dtype=object)
        array[:] = list(texts)
        return cls("text", array)

    @classmethod
    def of_kind(cls, kind: Kind, texts: Sequence[str]) -> TypedValues | None:
        """Read texts of a known kind; ``None`` if one is something else. Which kind of dates they are, they say."""
        read = {"number": _read_numbers, "date": _read_moments, "datetime": _read_moments, "instant": _read_moments}
        return read[kind](texts) if kind in read and len(texts) else None

    def texts(self) -> list[str]:
        """Write values as they are published: numbers without exponent and zeros at the end, midnights as dates."""
        kind, values = self
        if kind == "boolean":
            return ["true" if value else "false" for value in values.tolist()]
        if kind == "number":
            if values.dtype.kind == "f":
                return _float_texts(values)
            return [format(value, "f") if isinstance(value, Decimal) else repr(value) for value in values.tolist()]
        if kind == "instant":
            return [f"{value.isoformat(sep=' ')}+00:00" for value in values.tolist()]
        if kind == "datetime":
            return [value.isoformat(sep=" ").removesuffix(_MIDNIGHT) for value in values.tolist()]
        return [str(value) for value in values.tolist()]

    def repeats(self) -> int:
        """Count the texts, each there once, that write a number or a moment that another one writes.

        0 if most are something else.
        """
        texts = self.values.tolist() if self.kind == "text" else []
        shapes: tuple[tuple[Kind, re.Pattern[str]], ...] = (("number", _NUMBER), ("date", _MOMENT))
        for kind, shape in shapes:
            shaped = [text for text in texts if shape.fullmatch(text)]
            found = TypedValues.of_kind(kind, shaped) if 2 * len(shaped) >= len(texts) else None
            if found is not None:
                return len(shaped) - len(set(found.values.tolist()))
        return 0


def _float_texts(values: npt.NDArray[np.float64]) -> list[str]:
    texts = [*map(repr, values.tolist())]
    sizes = np.abs(values)
    for place in np.flatnonzero(values == np.floor(values)).tolist():
        texts[place] = texts[place].removesuffix(".0")
    for place in np.flatnonzero(((sizes < 1e-4) & (sizes > 0)) | (sizes >= 1e16) & np.isfinite(sizes)).tolist():
        texts[place] = format(Decimal(texts[place]), "f")
    return texts


def canonical_text(kind: Kind, text: str) -> str | None:
    """Write a text as the value of a kind that it means is published; ``None`` if it means none."""
    found = TypedValues.of_kind(kind, [text])
    return None if found is None else found.texts()[0]


def _read_numbers(texts: Sequence[str]) -> TypedValues | None:
    if not all(map(_NUMBER.fullmatch, texts)):
        return None
    numbers = np.empty(len(texts), dtype=object)
    numbers[:] = [exact_number(Decimal(text)) for text in texts]
    return TypedValues("number", numbers)


def _read_moments(texts: Sequence[str]) -> TypedValues | None:
    try:
        moments = [dt.datetime.fromisoformat(text) for text in texts]
        zoned = {moment.tzinfo is not None for moment in moments}
        plain = [_utc_moment(moment).replace(tzinfo=None) for moment in moments]
    except (ValueError, OverflowError):
        return None
    if len(zoned) > 1:
        return None
    return TypedValues("instant" if zoned.pop() else "datetime", np.array(plain, dtype="datetime64[us]"))


# How the texts of a file become numbers or dates: only if every one survives the way back.

TextKind = Literal["number", "date", "datetime", "text"]
Reader = tuple[TextKind, Callable[[str], Any], Callable[[Any], tuple[str, ...]], str]
"""A kind, how to read and to write a value of it, and the type of an array of them."""


def _fixed_readers(texts: Sequence[str]) -> Iterator[Reader]:
    """Read numbers that all have equally many decimals."""
    decimals = len(texts[0].partition(".")[2]) if len(texts) else 0
    if decimals and all(text[-decimals - 1 : -decimals] == "." for text in texts):
        yield "number", _read_exact, lambda value: (format(value, f".{decimals}f"),), "float64"


def _all_survive(
    texts: Sequence[str], read: Callable[[str], Any], write: Callable[[Any], tuple[str, ...]]
) -> list[Any] | None:
    """Read all texts, or give up at the first one that does not come back as it was."""
    values = []
    for text in texts:
        try:
            value = read(text)
        except ValueError:
            return None
        if text not in write(value):
            return None
        values.append(value)
    distinct = len(set(values)) == len(texts)  # "2" and "2.0" in one column are two texts, not one number
    return values if values and distinct else None


def _read_int(text: str) -> int:
    value = int(text)
    if not -(2**63) <= value < 2**63:
        raise ValueError
    return value


def _read_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def _read_exact(text: str) -> float:
    """Read a number of so few digits that no other text of as many is the same float."""
    if sum(map(str.isdigit, text)) > sys.float_info.dig:
        raise ValueError
    return _read_finite(text)


def _write_float(value: float) -> tuple[str, ...]:
    text = repr(value)
    ours = format(Decimal(text), "f") if "e" in text else text.removesuffix(".0") if value else "0"
    return text, ours


def _read_datetime(text: str) -> dt.datetime:
    value = dt.datetime.fromisoformat(text)
    if value.tzinfo:  # a zone would be lost
        raise ValueError
    return value


def _write_datetime(value: dt.datetime) -> tuple[str, ...]:
    steps = ("minutes", "seconds", "milliseconds", "microseconds")
    texts = [value.isoformat(sep=sep, timespec=step) for sep in " T" for step in steps]
    return (*texts, texts[0].removesuffix(" 00:00")) if value.time() == dt.time() else tuple(texts)


_READERS: tuple[Reader, ...] = (
    ("number", _read_int, lambda value: (str(value),), "int64"),
    ("number", _read_finite, _write_float, "float64"),
    ("date", dt.date.fromisoformat, lambda value: (value.isoformat(),), "datetime64[D]"),
    ("datetime", _read_datetime, _write_datetime, "datetime64[us]"),
)
