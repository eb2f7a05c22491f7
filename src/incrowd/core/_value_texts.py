"""One form and one text for every value, by the value and the kind of its column and by nothing else.

What other values a column has decides nothing: leaving out the only fraction, or the only time of day, must not change
how the others are written.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any, Literal

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

    Parameters
    ----------
    column
        The column's name, so that messages can name it.
    value
        A number of Python or NumPy, a boolean, a date, a timestamp or a text, of any subclass. Anything else comes back
        as it is.
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


def _float(value: float) -> float:
    return int(value) if value.is_integer() and abs(value) <= WHOLE_FLOATS else float(value)


def _moment(value: dt.datetime) -> dt.datetime:
    """Give a timestamp with a zone as the same moment of UTC, so that an hour that occurs twice is two."""
    zone = dt.UTC if value.tzinfo else None
    told = value.astimezone(dt.UTC) if zone else value
    return dt.datetime(
        told.year, told.month, told.day, told.hour, told.minute, told.second, told.microsecond, tzinfo=zone
    )


_FORMS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (bool, bool),
    (int, int),
    (float, _float),
    (Decimal, lambda value: exact_number(Decimal(value))),
    (dt.datetime, _moment),
    (dt.date, lambda value: dt.date(value.year, value.month, value.day)),
    (str, str.__str__),  # a plain text, also of NumPy's texts and of enumerations
)


def texts_of(kind: Kind, values: Array) -> list[str]:
    """Write values as they are published: numbers without exponent and zeros at the end, midnights as dates.

    Parameters
    ----------
    kind
        What the values are.
    values
        Values as a domain has them. Instants are those of UTC.
    """
    if kind == "boolean":
        return ["true" if value else "false" for value in values.tolist()]
    if kind == "number":
        return _float_texts(values) if values.dtype.kind == "f" else [*map(_number_text, values.tolist())]
    if kind == "instant":
        return [f"{value.isoformat(sep=' ')}+00:00" for value in values.tolist()]
    if kind == "datetime":
        return [value.isoformat(sep=" ").removesuffix(_MIDNIGHT) for value in values.tolist()]
    return [str(value) for value in values.tolist()]


def _number_text(value: Decimal | float) -> str:
    return format(value, "f") if isinstance(value, Decimal) else repr(value)


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
    found = read_as(kind, [text])
    return None if found is None else texts_of(*found)[0]


def read_as(kind: Kind, texts: Sequence[str]) -> tuple[Kind, Array] | None:
    """Read texts of which it is known what they are; ``None`` if one of them is something else.

    Parameters
    ----------
    kind
        ``number``, or one of the kinds of dates: then the texts say which.
    texts
        How the values are written, by us or by others.
    """
    read = {"number": _read_numbers, "date": _read_moments, "datetime": _read_moments, "instant": _read_moments}
    return read[kind](texts) if kind in read and len(texts) else None


def repeats_in(texts: Sequence[str]) -> int:
    """Count the texts that write a number, or a moment, that another one writes; 0 if most are something else.

    Parameters
    ----------
    texts
        Each once.
    """
    for kind, shape in (("number", _NUMBER), ("date", _MOMENT)):
        shaped = [text for text in texts if shape.fullmatch(text)]
        found = read_as(kind, shaped) if 2 * len(shaped) >= len(texts) else None  # type: ignore[arg-type]
        if found is not None:
            return len(shaped) - len(set(found[1].tolist()))
    return 0


def _read_numbers(texts: Sequence[str]) -> tuple[Kind, Array] | None:
    if not all(map(_NUMBER.fullmatch, texts)):
        return None
    numbers = np.empty(len(texts), dtype=object)
    numbers[:] = [exact_number(Decimal(text)) for text in texts]
    return "number", numbers


def _read_moments(texts: Sequence[str]) -> tuple[Kind, Array] | None:
    try:
        moments = [dt.datetime.fromisoformat(text) for text in texts]
        zoned = {moment.tzinfo is not None for moment in moments}
        plain = [_moment(moment).replace(tzinfo=None) for moment in moments]
    except (ValueError, OverflowError):
        return None
    if len(zoned) > 1:
        return None
    return "instant" if zoned.pop() else "datetime", np.array(plain, dtype="datetime64[us]")
