"""Range attack on numbers: how narrow a stretch all values of a class lie in, and the best guess within a distance."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks._inference import AttackOutcome, Prior
from incrowd.core import Classes, Domain, add_up, group
from incrowd.hierarchies import read_decimal
from incrowd.models import Measured, Ratios, Sums

Ints = npt.NDArray[np.int64]
Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]

KINDS = {"number", "date", "datetime", "instant"}
_ENDLESS = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
_CODE = re.compile(r"[+-]?0[0-9]")
"""A number that begins with a zero is a code, such as 01234."""
_MOST_PLACES = 9
_SURE = 10**15
"""Decimals of so many digits come back from a float unharmed."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueLine:
    """Values on a line."""

    place: Ints = field(repr=False)
    values: Array = field(repr=False)

    @classmethod
    def of(cls, domain: Domain, ranks: Ints | None = None) -> ValueLine | None:
        """Take a column's values; nothing if they are no numbers and have no order."""
        found = (np.ones(len(domain.values), dtype=bool), ranks) if ranks is not None else _finite_numbers(domain)
        if found is None:
            return None
        placed, numbers = found
        values, places = np.unique(numbers, return_inverse=True)
        place = np.full(len(domain), -1, dtype=np.int64)
        place[: len(domain.values)][placed] = places
        return cls(place, values)

    @property
    def width(self) -> Fraction:
        """How wide the line is."""
        return self.between(0, len(self.values) - 1) if len(self.values) else Fraction(0)

    @property
    def is_exact(self) -> bool:
        """Whether values can be subtracted without rounding."""
        return self.values.dtype.kind != "f"

    def between(self, low: int, high: int) -> Fraction:
        """Give the distance of two places exactly."""
        ends = (self.values[place] for place in (high, low))
        one, other = (Fraction(int(end)) if self.is_exact else Fraction(repr(float(end))) for end in ends)
        return one - other

    def reach(self, limit: Fraction) -> Ints:
        """Give for every place the last one that is no farther away than a limit, which is at most the width."""
        if self.is_exact:
            whole = math.floor(limit)
            last = self.values[-1:] - whole  # from there on everything is near enough, and nothing overflows
            return np.asarray(np.searchsorted(self.values, np.minimum(self.values, last) + whole, side="right") - 1)
        ends, doubt = self.values + float(limit), 8 * np.finfo(np.float64).eps * (np.abs(self.values) + float(limit))
        sure = np.searchsorted(self.values, ends - doubt, side="left") - 1
        perhaps = np.searchsorted(self.values, ends + doubt, side="right") - 1
        for place in np.flatnonzero(sure < perhaps).tolist():
            while sure[place] < perhaps[place] and self.between(place, int(sure[place]) + 1) <= limit:
                sure[place] += 1
        return sure


def _finite_numbers(domain: Domain) -> tuple[Bools, Array] | None:
    """Say which values of a column are finite, and give these as numbers."""
    if domain.kind == "text":
        return _read_texts(domain)
    if domain.kind not in KINDS:
        return None
    values = domain.values
    if values.dtype.kind in "iM":
        return np.ones(len(values), dtype=bool), _as_int64(values.astype(np.int64))
    if values.dtype.kind == "f":
        finite = np.isfinite(values)
        return finite, _if_whole(values[finite])
    finite = np.array([Decimal(value).is_finite() for value in values], dtype=bool)
    return finite, _whole_units([Decimal(value) for value in values[finite]])


def _read_texts(domain: Domain) -> tuple[Bools, Array] | None:
    """Read texts as numbers, or else as moments, if all of them are."""
    finite = np.array([_ENDLESS.fullmatch(text) is None for text in domain.values], dtype=bool)
    texts = domain.values[finite].tolist()
    decimals = [None if _CODE.match(text) else read_decimal(text) for text in texts]
    known = [number for number in decimals if number is not None]
    if texts and len(known) == len(texts):
        return finite, _whole_units(known)
    moments = Domain.of_texts(domain.column, texts, np.ones(len(texts), dtype=np.int64))
    if not finite.all() or moments.kind not in {"date", "datetime"}:
        return None
    moment = dict(zip(moments.texts.tolist(), moments.values.astype(np.int64).tolist(), strict=True))
    return finite, np.array([moment[text] for text in texts], dtype=np.int64)


def _whole_units(numbers: Sequence[Decimal]) -> Array:
    """Give decimals as whole numbers of a common unit."""
    ratios = [number.as_integer_ratio() for number in numbers]
    scale = math.lcm(*{below for _, below in ratios})
    return _as_int64(np.array([above * (scale // below) for above, below in ratios], dtype=object))


def _if_whole(values: npt.NDArray[np.float64]) -> Array:
    """Give floats as whole numbers of a decimal unit, where all of them have few enough digits."""
    for places in range(_MOST_PLACES + 1):
        units = np.rint(values * 10.0**places)
        if (np.abs(units) >= _SURE).any():
            break
        if (units / 10.0**places == values).all():
            return units.astype(np.int64)
    return values


def _as_int64(units: Array) -> Array:
    """Take 64 bits where also the distance of two numbers fits them."""
    fits = not len(units) or (units.min() > -(2**61) and units.max() < 2**61)
    return units.astype(np.int64 if fits else object)


def narrow_range(classes: Classes, prior: Prior, narrow: Fraction, line: ValueLine) -> AttackOutcome:
    """Guess in which narrow range the value lies: the one that most of the class are in.

    A class that lies wholly within a narrow range is exposed. Without the release the intruder says one range of the
    same width of everybody: the one that most people of the table are in.
    """
    measured, known = _class_widths(classes, prior.column, line)
    exposed = known & measured.meets("<=", narrow)
    targets = int(classes.size.sum())
    windows = _Windows(line.reach(narrow * line.width)) if len(line.values) else None
    rows = _Rows.of(classes, prior.column, line.place)
    without = int(np.count_nonzero(~known))
    unplaced = (
        f"similarity: {without:,} of {len(classes):,} groups have a value in column {prior.column!r} that is missing "
        "or infinite, so they count as wide as the table."
    )
    return AttackOutcome(
        name="similarity",
        column=prior.column,
        means=f"the value is known to {float(100 * narrow):g} % of the range",
        measured=measured,
        exposed=exposed,
        right=0 if windows is None else windows.best(rows),
        baseline=Fraction(0 if windows is None else _prior_hits(windows, rows, prior, line.place), max(targets, 1)),
        unit="width",
        notes=(unplaced,) if without else (),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Who has which places, each once."""

    owner: Ints
    place: Ints
    previous: Ints
    counts: Ints

    @classmethod
    def of(cls, classes: Classes, column: str, place: Ints) -> _Rows:
        """Take the people of every class."""
        person = classes.cells.person
        if person is not None:
            return cls.of_persons(np.asarray(classes.members), person, place[classes.cells.sensitive[column]])
        histogram = classes.histogram(column)
        return cls.of_counts(histogram.classes.astype(np.int64), place[histogram.values[0]], histogram.counts)

    @classmethod
    def of_counts(cls, owner: Ints, place: Ints, counts: Ints) -> _Rows:
        """Take people with one row each."""
        some = place >= 0
        return cls(owner[some], place[some], np.full(int(some.sum()), -1), counts[some])

    @classmethod
    def of_persons(cls, owner: Any, person: Any, place: Ints) -> _Rows:
        """Take persons who may have several rows."""
        columns = [column[place >= 0] for column in (owner, person, place)]
        found = group(columns, [int(column.max(initial=0)) + 1 for column in columns]).first
        owner, person, place = (column[found].astype(np.int64) for column in columns)
        again = np.append(False, (owner[1:] == owner[:-1]) & (person[1:] == person[:-1])) if len(place) else place > 0
        previous = np.where(again, np.roll(place, 1), -1)
        return cls(owner, place, previous, np.ones(len(place), dtype=np.int64))


class _Windows:
    """Ranges of one width, each named by the place where it begins.

    A place lies in the windows that begin from some place on up to itself. Somebody with several places is counted in
    those windows of each that do not hold the place before.
    """

    def __init__(self, reach: Ints) -> None:
        self._first = np.searchsorted(reach, np.arange(len(reach)), side="left")

    def counts(self, rows: _Rows) -> Ints:
        """Count for every window the people of all classes who are in it."""
        number, first = len(self._first), self._window_starts(rows)
        changes = add_up(first, rows.counts, number + 1) - add_up(rows.place + 1, rows.counts, number + 1)
        return np.cumsum(changes)[:-1]

    def best(self, rows: _Rows) -> int:
        """Add up the people in the best window of every class."""
        if not len(rows.place):
            return 0
        number = len(self._first)
        keys, own = _distinct_keys(rows.owner * number + rows.place)
        begins = np.searchsorted(keys, rows.owner * number + self._window_starts(rows))
        changes = add_up(begins, rows.counts, len(keys) + 1) - add_up(own + 1, rows.counts, len(keys) + 1)
        classes = keys // number
        starts = np.flatnonzero(np.append(True, classes[1:] != classes[:-1]))
        return int(np.maximum.reduceat(np.cumsum(changes)[:-1], starts).sum())

    def _window_starts(self, rows: _Rows) -> Ints:
        return np.maximum(self._first[rows.place], rows.previous + 1)


def _distinct_keys(keys: Ints) -> tuple[Ints, Ints]:
    """Give the different keys, ascending, and which one each is; at once where they are these already."""
    if (keys[1:] > keys[:-1]).all():
        return keys, np.arange(len(keys))
    different, own = np.unique(keys, return_inverse=True)
    return different, own


def _prior_hits(windows: _Windows, rows: _Rows, prior: Prior, place: Ints) -> int:
    """Count the targets about whom one window, said of everybody, is right: the best one, as far as is known."""
    said = windows.counts(rows)
    if prior.elsewhere:
        known = windows.counts(_prior_rows(prior, place))
        said = said[known == known.max(initial=0)]
    return int(said.max(initial=0))


def _prior_rows(prior: Prior, place: Ints) -> _Rows:
    """Take the people of another table, as one class."""
    if prior.rows is None:
        return _Rows.of_counts(np.zeros(len(place), dtype=np.int64), place, prior.counts)
    person, value = (part[prior.rows[1] >= 0] for part in prior.rows)
    return _Rows.of_persons(np.zeros(len(person), dtype=np.int64), person, place[value])


def _class_widths(classes: Classes, column: str, line: ValueLine) -> tuple[Measured, Bools]:
    """Give the width of every class as a share of the table's, and whether all its values have a place.

    A class with a value that has none may be as wide as the table.
    """
    if not len(classes) or not len(line.values):
        return Ratios.integers(np.ones(len(classes))), np.zeros(len(classes), dtype=bool)
    histogram = classes.histogram(column)
    places, begins = line.place[histogram.values[0]], histogram.starts[:-1]
    known = np.minimum.reduceat(places, begins) >= 0
    low = np.where(known, np.minimum.reduceat(places, begins), 0)
    high = np.where(known, np.maximum.reduceat(places, begins), len(line.values) - 1)
    width = line.width or Fraction(1)
    if line.is_exact:
        wide = np.full(len(classes), int(width), dtype=line.values.dtype)
        return Ratios(np.where(known, line.values[high] - line.values[low], wide), wide), known
    widths = np.where(known, (line.values[high] - line.values[low]) / float(width), 1.0)
    return Sums(widths, partial(_exact_width, line, low, high, known)), known


def _exact_width(line: ValueLine, low: Ints, high: Ints, known: Bools, index: int) -> Fraction:
    width = line.between(int(low[index]), int(high[index]))
    return width / (line.width or Fraction(1)) if known[index] else Fraction(1)
