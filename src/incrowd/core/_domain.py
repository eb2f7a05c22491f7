"""The distinct values of one column, in canonical order."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core._errors import DataError
from incrowd.core._places import places_in
from incrowd.core._reading import read_texts

Kind = Literal["number", "boolean", "date", "datetime", "instant", "text"]
"""What a column's values are. ``instant`` is a timestamp with a zone, compared as a point in time."""

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Domain:
    """The distinct values of one column: numbers and dates by value, text by code point, null last.

    The position of a value is its **code**. All engines agree on kind, order and codes, whatever type the column
    had there: whole floats count as integers (a pandas column of integers with a gap is a column of floats), NaN
    as null, midnight timestamps without a zone as dates.

    Parameters
    ----------
    column
        The column's name, so that messages can name it.
    kind
        What the values are.
    values
        Distinct and sorted, without null. ``int64``, ``float64``, ``bool``, ``datetime64[D]``, ``datetime64[us]``, or
        objects: ``str``, ``Decimal``, integers beyond 64 bits.
    counts
        Rows per code; one longer than ``values`` if the column has nulls.
    spelling
        How a text file wrote the values, where that is not how we would write them (``2`` or ``2.0``).
    """

    column: str
    kind: Kind
    values: Array = field(repr=False)
    counts: npt.NDArray[np.int64] = field(repr=False)
    spelling: npt.NDArray[np.object_] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.values.setflags(write=False)
        self.counts.setflags(write=False)
        if self.spelling is not None:
            self.spelling.setflags(write=False)

    @classmethod
    def build(cls, column: str, kind: Kind, values: Array, counts: Array, nulls: int = 0) -> Domain:
        """Bring values of one kind into canonical form: whole floats, midnights, order, no repeats."""
        kind, values = _canonical(kind, values)
        order = np.argsort(values, kind="stable")
        values, counts = values[order], np.asarray(counts, dtype=np.int64)[order]
        if values.dtype.kind == "M" and len(values):
            _check_years(column, values[0], values[-1])
        if len(values) > 1 and (same := values[1:] == values[:-1]).any():
            starts = np.flatnonzero(np.concatenate(([True], ~same.astype(bool))))
            values, counts = values[starts], np.add.reduceat(counts, starts)
        if nulls:
            counts = np.append(counts, np.int64(nulls))
        return cls(column, kind, values, counts)

    @classmethod
    def of(cls, column: str, values: Iterable[object]) -> Domain:
        """Take the domain of a column of Python objects (the slow, obvious way)."""
        listed = list(values)
        kind = kind_of(column, listed)
        tally = Counter((value, _exponent(value)) for value in listed if not _is_missing(value))
        nulls = len(listed) - tally.total()
        array = _as_array(column, kind, [value for value, _ in tally])
        return cls.build(column, kind, array, np.array(list(tally.values())), nulls)

    @classmethod
    def of_texts(cls, column: str, texts: Sequence[str], counts: Array, nulls: int = 0) -> Domain:
        """Take the domain of a text file's column: typed only if every value survives the way back to text."""
        kind, values = read_texts(texts)
        domain = cls.build(column, kind, values, counts, nulls)
        if values.dtype.kind not in "fM":
            return domain
        spelling = np.empty(len(texts), dtype=object)
        spelling[:] = texts
        return replace(domain, spelling=spelling[np.argsort(values, kind="stable")])

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def has_null(self) -> bool:
        """Whether the column has missing values; null is then the last code."""
        return len(self.counts) > len(self.values)

    @property
    def texts(self) -> npt.NDArray[np.object_]:
        """Every value as the text that is published for it; ``None`` for null."""
        texts = np.empty(len(self), dtype=object)
        texts[: len(self.values)] = _texts(self.kind, self.values) if self.spelling is None else self.spelling
        return texts

    def codes_in(self, other: Domain) -> npt.NDArray[np.int64]:
        """Give for every code, null last, the code of the same value in another domain, or -1 where it has none.

        Numbers are the same by value, whatever their type; a date is the same as its midnight without a zone. Kinds
        that cannot be compared, such as text and numbers, are compared by ``texts``.
        """
        codes = np.full(len(self), -1, dtype=np.int64)
        if self.kind == other.kind or {self.kind, other.kind} == {"date", "datetime"}:
            codes[: len(self.values)] = places_in(self.values, other.values)
        else:
            texts, others = self.texts[: len(self.values)], other.texts[: len(other.values)]
            codes[: len(self.values)] = places_in(texts, others)
        if self.has_null and other.has_null:
            codes[-1] = len(other.values)
        return codes

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Domain)
            and (self.column, self.kind, len(self)) == (other.column, other.kind, len(other))
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]  # large arrays inside

    def __repr__(self) -> str:
        null = ", null" if self.has_null else ""
        return f"Domain({self.column!r}, {self.kind}, {len(self.values)} values{null})"


def _check_years(column: str, first: np.datetime64, last: np.datetime64) -> None:
    """Refuse what no calendar of ours can write, such as a database's infinity."""
    if first < np.datetime64("0001-01-01") or last >= np.datetime64("10000-01-01"):
        msg = f"Column {column!r} holds dates before the year 1 or after the year 9999."
        raise DataError(msg, hint="make them missing, or dates within these years.")


def _canonical(kind: Kind, values: Array) -> tuple[Kind, Array]:
    """Give equal things one form, whatever the engine called them."""
    if kind == "number" and values.dtype.kind == "f":
        if (values == np.floor(values)).all() and (np.abs(values) < 2.0**53).all():
            return kind, values.astype(np.int64)
        return kind, values + 0.0  # -0.0 becomes 0.0
    if kind == "number" and values.dtype.kind == "O":
        return kind, _canonical_objects(values)
    if kind == "datetime" and len(values):
        days = values.astype("datetime64[D]")
        if (days == values).all():
            return "date", days
    return kind, values


def _canonical_objects(values: Array) -> Array:
    """Decimals and large integers: as 64-bit integers where that loses nothing."""
    whole = all(isinstance(value, int) or (value.is_finite() and value == int(value)) for value in values)
    if whole and all(-(2**63) <= value < 2**63 for value in values):
        return np.array([int(value) for value in values], dtype=np.int64)
    result = np.empty(len(values), dtype=object)
    result[:] = [int(value) for value in values] if whole else _one_scale(values)
    return result


_EXACT = Context(prec=100_000, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _one_scale(values: Array) -> list[Decimal]:
    """Write all decimals with as many places as the longest: 1.5 and 1.50 are equal, whichever row comes first."""
    decimals = [Decimal(value) for value in values]
    places = (int(value.as_tuple().exponent) for value in decimals if value.is_finite())
    unit = Decimal((0, (1,), min([0, *places])))
    return [_EXACT.plus(value.quantize(unit, context=_EXACT)) if value.is_finite() else value for value in decimals]


_PYTHON_KINDS: tuple[tuple[type | tuple[type, ...], Kind], ...] = (
    (bool, "boolean"),
    ((int, float, Decimal), "number"),
    (dt.datetime, "datetime"),
    (dt.date, "date"),
    (str, "text"),
)


def kind_of(column: str, values: Iterable[object]) -> Kind:
    """Say what a column's Python values are, missing ones aside; text if there are none.

    Parameters
    ----------
    column
        The column's name, so that messages can name it.
    values
        Numbers, booleans, dates, timestamps or texts; a mixture is refused.
    """
    kinds = {_kind_of_value(column, value) for value in values if not _is_missing(value)}
    if len(kinds) > 1:
        msg = f"Column {column!r} mixes {' and '.join(sorted(kinds))} values."
        raise DataError(msg, hint="make the column one type before handing it over.")
    return kinds.pop() if kinds else "text"


def _is_missing(value: object) -> bool:
    return value is None or value != value  # noqa: PLR0124 - NaN is the value that differs from itself


def _exponent(value: object) -> object:
    """Tell decimals of different scale apart, which are equal: the longest decides how all are written."""
    return value.as_tuple().exponent if isinstance(value, Decimal) else 0


def _kind_of_value(column: str, value: object) -> Kind:
    for types, kind in _PYTHON_KINDS:
        if isinstance(value, types):
            return "instant" if isinstance(value, dt.datetime) and value.tzinfo else kind
    msg = f"Column {column!r} holds values of type {type(value).__name__}."
    raise DataError(msg, hint="use numbers, booleans, dates, timestamps or text.")


def _as_array(column: str, kind: Kind, values: list[Any]) -> Array:
    if kind == "instant":
        values = [value.astimezone(dt.UTC).replace(tzinfo=None) for value in values]
    if kind == "text":
        values = [str.__str__(value) for value in values]  # a plain text, also of NumPy's texts and of enumerations
    if any(isinstance(value, float) for value in values):
        return _as_floats(column, values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    dtypes = {
        "boolean": "bool",
        "date": "datetime64[D]",
        "datetime": "datetime64[us]",
        "instant": "datetime64[us]",
    }
    return array.astype(dtypes[kind]) if kind in dtypes else array


def _as_floats(column: str, values: list[Any]) -> Array:
    for value in values:
        if not isinstance(value, float) and not (abs(value) <= 2**53 and float(value) == value):
            msg = f"Column {column!r} mixes floating-point numbers with numbers that they cannot hold exactly."
            raise DataError(msg, hint="make the column one type before handing it over.")
    return np.array(values, dtype=np.float64)


def _texts(kind: Kind, values: Array) -> list[str]:
    if kind == "boolean":
        return ["true" if value else "false" for value in values]
    if kind == "number":
        return [format(value, "f") if isinstance(value, Decimal) else repr(value) for value in values.tolist()]
    if kind in {"datetime", "instant"}:
        zone = "+00:00" if kind == "instant" else ""
        return [value.isoformat(sep=" ") + zone for value in values.tolist()]
    return [str(value) for value in values.tolist()]
