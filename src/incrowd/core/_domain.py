"""``Domain``: the distinct values of one column in canonical order, with their counts, codes and texts."""

from __future__ import annotations

import datetime as dt
import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core._errors import DataError, UncoveredValuesError
from incrowd.core._texts import (
    WHOLE_FLOATS,
    Array,
    Kind,
    TypedValues,
    canonical_value,
    exact_number,
)

# Where the values of one column stand among the values of another.

AnyArray = npt.NDArray[Any]
Places = npt.NDArray[np.int64]


def places_in(values: AnyArray, others: AnyArray) -> Places:
    """Give for every value its place in ``others``, or -1. Both are distinct and sorted, without null.

    Numbers are compared by value whatever their type, days as the midnights that they begin with.
    """
    types = values.dtype.kind + others.dtype.kind
    if types == "MM":
        return _sorted_places(values.astype("datetime64[us]"), others.astype("datetime64[us]"))
    if types == "fi":
        return _floats_in_integers(values, others)
    if types == "if":
        return _inverse_places(_floats_in_integers(others, values), len(values))
    if types in {"ii", "ff", "bb"}:
        return _sorted_places(values, others)
    known = {other: place for place, other in enumerate(others.tolist())}
    return np.array([known.get(value, -1) for value in values.tolist()], dtype=np.int64)


def _sorted_places(values: AnyArray, others: AnyArray) -> Places:
    places = np.searchsorted(others, values).astype(np.int64)
    inside = places < len(others)
    found = inside.copy()
    found[inside] = others[places[inside]] == values[inside]
    return np.where(found, places, -1)


def _floats_in_integers(floats: AnyArray, integers: AnyArray) -> Places:
    """Compare as integers: as floats, integers beyond 2**53 would run together."""
    whole = (floats == np.floor(floats)) & (floats >= -(2.0**63)) & (floats < 2.0**63)
    places = np.full(len(floats), -1, dtype=np.int64)
    places[whole] = _sorted_places(floats[whole].astype(np.int64), integers)
    return places


def _inverse_places(places: Places, length: int) -> Places:
    found = np.flatnonzero(places >= 0)
    inverse = np.full(length, -1, dtype=np.int64)
    inverse[places[found]] = found
    return inverse


@dataclass(frozen=True, eq=False)
class Domain:
    """The distinct values of one column: numbers and dates by value, text by code point, null last.

    The position of a value is its **code**. All engines agree on kind, order and codes, whatever type the column
    had there: whole floats count as integers (a pandas column of integers with a gap is a column of floats), NaN
    as null, midnight timestamps without a zone as dates. The text of a value does not depend on the others.

    Parameters
    ----------
    column
        The column's name, so that messages can name it.
    kind
        What the values are.
    values
        Distinct and sorted, without null. ``int64``, ``float64``, ``bool``, ``datetime64[D]``, ``datetime64[us]``, or
        objects: ``str``; or ``int`` and ``Decimal``, where there are fractions or integers beyond 64 bits.
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
        kind, values = _canonical_values(kind, values)
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
        listed = [canonical_value(column, value) for value in values]
        kind = kind_of(column, listed)
        _check_mixed_numbers(column, listed)
        tally = Counter(value for value in listed if value is not None)
        nulls = len(listed) - tally.total()
        array = _array_of_values(kind, list(tally))
        return cls.build(column, kind, array, np.array(list(tally.values())), nulls)

    @classmethod
    def of_texts(cls, column: str, texts: Sequence[str], counts: Array, nulls: int = 0) -> Domain:
        """Take the domain of a text file's column: typed only if every value survives the way back to text."""
        kind, values = TypedValues.of_texts(texts)
        domain = cls.build(column, kind, values, counts, nulls)
        return domain if values.dtype.kind not in "fM" else _with_spelling(domain, texts, values)

    def read_as(self, kind: Kind) -> Domain:
        """Read a column of texts of which it is known what they are; it stays as it is if some are something else."""
        texts = self.values.tolist()
        found = TypedValues.of_kind(kind, texts) if self.kind == "text" else None
        if found is None:
            return self
        domain = Domain.build(self.column, *found, self.counts[: len(texts)], int(self.counts[len(texts) :].sum()))
        return _with_spelling(domain, texts, found[1]) if len(domain) == len(self) else self

    @property
    def repeats(self) -> int:
        """How many texts of a column of texts write a number or a moment that another one writes: ``1.0`` beside ``1``.

        Nothing if most of the texts are neither: then these are codes.
        """
        return TypedValues(self.kind, self.values).repeats()

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
        spelling = self.spelling
        texts[: len(self.values)] = TypedValues(self.kind, self.values).texts() if spelling is None else spelling
        return texts

    def texts_at(self, places: Sequence[int]) -> list[str]:
        """Give the published texts of some values, and write no others."""
        some = np.asarray(places, dtype=np.intp)
        if self.spelling is None:
            return TypedValues(self.kind, self.values[some]).texts()
        texts: list[str] = self.spelling[some].tolist()
        return texts

    def codes_in(self, other: Domain) -> npt.NDArray[np.int64]:
        """Give for every code, null last, the code of the same value in another domain, or -1 where it has none.

        Numbers are the same by value, whatever their type, and a float counts as the decimal that is published for it;
        a date is the same as its midnight without a zone. Kinds that cannot be compared, such as text and numbers, are
        compared by ``texts``.
        """
        codes = np.full(len(self), -1, dtype=np.int64)
        if {self.values.dtype.kind, other.values.dtype.kind} == {"f", "O"} and self.kind == other.kind:
            mine, theirs = (np.array(TypedValues(one.kind, one.values).texts(), dtype=object) for one in (self, other))
            codes[: len(self.values)] = places_in(mine, theirs)
        elif self.kind == other.kind or {self.kind, other.kind} == {"date", "datetime"}:
            codes[: len(self.values)] = places_in(self.values, other.values)
        else:
            texts, others = self.texts[: len(self.values)], other.texts[: len(other.values)]
            codes[: len(self.values)] = places_in(texts, others)
        if self.has_null and other.has_null:
            codes[-1] = len(other.values)
        return codes

    def codes_within(self, other: Domain) -> npt.NDArray[np.int64]:
        """Give codes as ``codes_in`` does, and refuse another domain that does not have every value."""
        codes = np.arange(len(self)) if self is other else self.codes_in(other)
        if (codes < 0).any():
            values = self.texts[codes < 0].tolist()
            count = "1 value that is" if len(values) == 1 else f"{len(values):,} values that are"
            msg = f"Column {self.column!r} has {count} not known."
            raise UncoveredValuesError(msg, column=self.column, values=values)
        return codes

    def without(self, texts: Collection[str]) -> Domain:
        """Leave out the values that are written as one of some texts."""
        if not texts:
            return self
        kept = np.array([text not in texts for text in self.texts[: len(self.values)]], dtype=bool)
        counts = self.counts[np.concatenate((kept, np.ones(len(self) - len(kept), dtype=bool)))]
        return replace(self, values=self.values[kept], counts=counts, spelling=None)

    def with_missing(self, texts: Collection[str]) -> Domain:
        """Let the values that are written as one of some texts be missing."""
        rest = self.without(texts)
        gone = int(self.counts.sum() - rest.counts.sum())
        if not gone:
            return self
        known, missing = rest.counts[: len(rest.values)], int(rest.counts[len(rest.values) :].sum()) + gone
        return replace(rest, counts=np.append(known, missing))

    def look_alikes(self) -> tuple[tuple[int, ...], ...]:
        """Find the codes whose texts look alike in print, group by group. Empty for anything but text."""
        if self.kind != "text":
            return ()
        groups: dict[str, list[int]] = defaultdict(list)
        for code, text in enumerate(self.values.tolist()):
            groups[_visible_skeleton(text)].append(code)
        return tuple(tuple(codes) for codes in groups.values() if len(codes) > 1)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Domain)
            and (self.column, self.kind, len(self)) == (other.column, other.kind, len(other))
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.counts, other.counts)
        )

    def __repr__(self) -> str:
        null = ", null" if self.has_null else ""
        return f"Domain({self.column!r}, {self.kind}, {len(self.values)} values{null})"


def _with_spelling(domain: Domain, texts: Sequence[str], values: Array) -> Domain:
    """Let a domain keep how its values were written, given in any order."""
    spelling = np.empty(len(texts), dtype=object)
    spelling[:] = texts
    return replace(domain, spelling=spelling[np.argsort(values, kind="stable")])


def _check_years(column: str, first: np.datetime64, last: np.datetime64) -> None:
    """Refuse what no calendar of ours can write, such as a database's infinity."""
    if first < np.datetime64("0001-01-01") or last >= np.datetime64("10000-01-01"):
        msg = f"Column {column!r} holds dates before the year 1 or after the year 9999."
        raise DataError(msg, hint="make them missing, or dates within these years.")


def _canonical_values(kind: Kind, values: Array) -> tuple[Kind, Array]:
    """Give equal things one form, whatever the engine called them."""
    if kind == "number" and values.dtype.kind == "f":
        if (values == np.floor(values)).all() and (np.abs(values) <= WHOLE_FLOATS).all():
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
    result = np.empty(len(values), dtype=object)
    result[:] = [exact_number(value) for value in values]
    whole = all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in result)
    return result.astype(np.int64) if whole else result


_PYTHON_KINDS: tuple[tuple[type | tuple[type, ...], Kind], ...] = (
    (bool, "boolean"),
    ((int, float, Decimal), "number"),
    (dt.datetime, "datetime"),
    (dt.date, "date"),
    (str, "text"),
)


def kind_of(column: str, values: Iterable[object]) -> Kind:
    """Say what a column's Python values are, missing ones aside; text if there are none. A mixture is refused."""
    known = (value for value in values if value is not None and value == value)  # noqa: PLR0124 - NaN is unlike itself
    kinds = {_kind_of_value(column, value) for value in known}
    if len(kinds) > 1:
        msg = f"Column {column!r} mixes {' and '.join(sorted(kinds))} values."
        raise DataError(msg, hint="make the column one type before handing it over.")
    return kinds.pop() if kinds else "text"


def _kind_of_value(column: str, value: object) -> Kind:
    for types, kind in _PYTHON_KINDS:
        if isinstance(value, types):
            return "instant" if isinstance(value, dt.datetime) and value.tzinfo else kind
    msg = f"Column {column!r} holds values of type {type(value).__name__}."
    raise DataError(msg, hint="use numbers, booleans, dates, timestamps or text.")


def _array_of_values(kind: Kind, values: list[Any]) -> Array:
    """Put distinct values in their one form into an array."""
    if kind == "number" and any(isinstance(value, float) for value in values):
        return np.array(values, dtype=object if any(map(_is_exact, values)) else np.float64)
    if kind == "instant":
        values = [value.replace(tzinfo=None) for value in values]
    array = np.empty(len(values), dtype=object)
    array[:] = values
    dtypes = {"boolean": "bool", "date": "datetime64[D]", "datetime": "datetime64[us]", "instant": "datetime64[us]"}
    return array.astype(dtypes[kind]) if kind in dtypes else array


def _check_mixed_numbers(column: str, values: list[Any]) -> None:
    """Refuse floats beside numbers that they cannot hold: those that are equal would be written differently."""
    floats = any(isinstance(value, float) and math.isfinite(value) for value in values)
    if floats and any(map(_is_exact, values)):
        msg = f"Column {column!r} mixes floating-point numbers with decimals or integers that they cannot hold."
        raise DataError(msg, hint="make the column one type before handing it over.")


def _is_exact(value: object) -> bool:
    return isinstance(value, Decimal) or (isinstance(value, int) and abs(value) > WHOLE_FLOATS)


# Values that look alike in print but are not equal: a Cyrillic letter among Latin ones, a blank too many.

# Letters that common fonts draw like a Latin one (Unicode Technical Standard 39 lists these and many rarer ones).
_CYRILLIC = "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁһ"
_CYRILLIC_AS_LATIN = "ABESIJKMHOPCTYXaesijopcyxdh"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲ"
_GREEK_AS_LATIN = "ABEZHIKMNOPTYXoc"
_AS_LATIN = str.maketrans(_CYRILLIC + _GREEK, _CYRILLIC_AS_LATIN + _GREEK_AS_LATIN)


def _visible_skeleton(text: str) -> str:
    """Give what is left of a text when one only looks at it."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    normal = unicodedata.normalize("NFKC", text)
    visible = "".join(sign for sign in normal if unicodedata.category(sign) not in {"Cf", "Cc"} or sign.isspace())
    return " ".join(visible.translate(_AS_LATIN).split())
