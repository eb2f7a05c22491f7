"""``Judge``, which measures classes, and exact numbers that it gives: ratios, roots and sums compared with bounds."""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, Histogram, ParameterError, Schema, SchemaError, SupersetMode

if TYPE_CHECKING:
    from incrowd.models._model import Model

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Sense = Literal[">=", "<=", "<"]
MeasuredNumber = Fraction | float
"""A measured number: a fraction where it is known exactly, else a float."""
Reference = Mapping[str, npt.NDArray[Any]]
"""Per sensitive column how often each code of its domain occurs in the table that a promise refers to."""

_COMPARE: dict[Sense, Callable[[Any, Any], Any]] = {">=": operator.ge, "<=": operator.le, "<": operator.lt}
ABSENT = "no"
"""What the column of presence says where somebody has no row of a table."""
_NEAR = 1e-9
"""A float this near to another (relatively) decides nothing."""
TOLERANCE = 1e-12
"""Entropy and KL distance are irrational: so much rounding counts as satisfied."""
_EXACT_BELOW = 2**51
"""Where numerator times denominator stays below, different ratios are different floats in the right order."""
_MOST = 16
"""So many different floats near the worst one are looked at exactly, the worst first."""


def _near(floats: Floats, limit: float) -> Bools:
    return np.abs(floats - limit) <= _NEAR * max(1.0, abs(float(limit)))


class Measured(Protocol):
    """One number per class."""

    @property
    def floats(self) -> Floats:
        """The numbers as floats, to look at."""

    def meets(self, sense: Sense, bound: Fraction) -> Bools:
        """Say which numbers meet a bound."""

    def at(self, index: int) -> MeasuredNumber:
        """Give one number as exactly as it is known."""

    def worst(self, sense: Sense, among: Bools | None = None) -> MeasuredNumber | None:
        """Give the least number for ``>=``, else the largest, of the classes that count; nothing if there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratios:
    """Whole numbers over whole numbers. A denominator of 0 means infinity."""

    numerators: npt.NDArray[Any]
    denominators: npt.NDArray[Any]

    @classmethod
    def integers(cls, numbers: npt.NDArray[Any]) -> Ratios:
        return cls(numbers.astype(np.int64), np.ones(len(numbers), dtype=np.int64))

    @property
    def floats(self) -> Floats:
        over = np.where(self.denominators == 0, 1, self.denominators)
        return np.where(self.denominators == 0, np.inf, (self.numerators / over).astype(np.float64))

    def meets(self, sense: Sense, bound: Fraction) -> Bools:
        """Multiply out, in Python's integers where 64 bits are too few."""
        left, right = self.numerators, self.denominators
        largest = max(int(np.abs(side).max()) if len(side) else 0 for side in (left, right))
        if largest * max(abs(bound.numerator), bound.denominator) >= 2**63:
            left, right = left.astype(object), right.astype(object)
        return np.asarray(_COMPARE[sense](left * bound.denominator, right * bound.numerator), dtype=bool)

    def at(self, index: int) -> MeasuredNumber:
        over = int(self.denominators[index])
        return Fraction(int(self.numerators[index]), over) if over else math.inf

    def worst(self, sense: Sense, among: Bools | None = None) -> MeasuredNumber | None:
        """Decide by floats where they are in the right order, else compare the ratios that are near the worst."""
        if among is not None:
            return Ratios(self.numerators[among], self.denominators[among]).worst(sense)
        if not len(self.numerators):
            return None
        floats, least = self._sorting_floats(), sense == ">="
        index = int(floats.argmin() if least else floats.argmax())
        largest = [int(side.max()) for side in (self.numerators, self.denominators)]
        if largest[0] * largest[1] < _EXACT_BELOW or not np.isfinite(floats[index]):
            return self.at(index)
        near = np.flatnonzero(_near(floats, floats[index]))
        pairs = set(zip(self.numerators[near].tolist(), self.denominators[near].tolist(), strict=True))
        values = [Fraction(above, below) for above, below in pairs]
        return min(values) if least else max(values)

    def _sorting_floats(self) -> Floats:
        """Divide; over 0 is infinity. Whole numbers need no division."""
        if object in {self.numerators.dtype, self.denominators.dtype} or (self.denominators == 0).any():
            return self.floats
        if self.denominators.max() == 1:
            return self.numerators
        return np.asarray(self.numerators / self.denominators, dtype=np.float64)


class _Approximate:
    """Numbers of which floats are at hand, and exact ones only one by one."""

    __slots__ = ()

    def worst(self: Measured, sense: Sense, among: Bools | None = None) -> MeasuredNumber | None:
        """Find it among the floats, and look exactly at those that are near it."""
        floats, least = self.floats, sense == ">="
        if among is not None:
            floats = np.where(among, floats, np.inf if least else -np.inf)
            if not among.any():
                return None
        if not len(floats):
            return None
        index = int(floats.argmin() if least else floats.argmax())
        if not np.isfinite(floats[index]):
            return self.at(index)
        near = np.flatnonzero(_near(floats, floats[index]) & (floats != floats[index]))  # equal classes: equal floats
        others = near[np.argsort(floats[near] if least else -floats[near])]
        values = [self.at(int(place)) for place in (index, *others[:_MOST])]
        return min(values) if least else max(values)


@dataclass(frozen=True, slots=True, eq=False)
class Roots(_Approximate):
    """Irrational numbers, such as entropies: floats, with a little rounding in favour of the bound.

    ``careful`` adds one up again without rounding on the way, for those near a bound.
    """

    floats: Floats
    careful: Callable[[int], float] | None = None

    def meets(self, sense: Sense, bound: Fraction) -> Bools:
        slack = TOLERANCE * max(1.0, abs(float(bound)))
        limit = float(bound) - slack if sense == ">=" else float(bound) + slack
        result = np.asarray(_COMPARE[sense](self.floats, limit), dtype=bool)
        for index in np.flatnonzero(_near(self.floats, limit)).tolist():
            result[index] = _COMPARE[sense](self.at(index), limit)
        return result

    def at(self, index: int) -> float:
        return float(self.floats[index]) if self.careful is None else self.careful(index)


@dataclass(frozen=True, slots=True, eq=False)
class Sums(_Approximate):
    """Rational numbers that are cheap to get as floats and dear to get exactly: only those near a bound are."""

    floats: Floats
    at: Callable[[int], Fraction]

    def meets(self, sense: Sense, bound: Fraction) -> Bools:
        limit = float(bound)
        result = np.asarray(_COMPARE[sense](self.floats, limit), dtype=bool)
        for index in np.flatnonzero(_near(self.floats, limit)).tolist():
            result[index] = _COMPARE[sense](self.at(index), bound)
        return result


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound on something that is measured on every class.

    Attributes
    ----------
    name
        What is measured, as the literature calls it: ``k``, ``l``, ``t``.
    sense
        Whether the measured number must be at least, at most or below the bound.
    bound
        The bound, exactly.
    """

    name: str
    sense: Sense
    bound: Fraction

    def deficit(self, measured: Measured) -> Floats:
        """Say for every class how much is missing; 0 where nothing is."""
        with np.errstate(invalid="ignore"):
            short = (float(self.bound) - measured.floats) * (1 if self.sense == ">=" else -1)
        least = np.finfo(np.float64).tiny  # who fails misses something, be it less than a float can tell
        return np.where(measured.meets(self.sense, self.bound), 0.0, np.maximum(short, least))


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What a judge says about every class.

    Attributes
    ----------
    ok
        Whether the class keeps the promise.
    measured
        Per requirement, what was measured on each class.
    deficit
        Per requirement, how much each class misses.
    asked
        Of which classes it is asked: of nobody who cannot have a value of the column.
    """

    ok: Bools
    measured: tuple[Measured, ...]
    deficit: tuple[Floats, ...]
    asked: Bools


class Judge(ABC):
    """A model that has met the columns of a table.

    Attributes
    ----------
    model
        The promise.
    columns
        The sensitive columns that it is about: one, or several whose combination counts; none for k-anonymity.
    persons
        Whether people are counted instead of records.
    domains
        The values of the columns; classes of other values are refused.
    reference
        How often each value occurs in the table that the promise refers to, where that is not the judged one.
    """

    def __init__(self, model: Model, columns: tuple[str, ...], schema: Schema, domains: Mapping[str, Domain]) -> None:
        self.model = model
        self.columns = columns
        self.persons = schema.entity is not None
        self.domains: Mapping[str, Domain] = {name: domains[name] for name in columns if name in domains}
        self.reference: Reference | None = None
        told = {dict(schema.presence).get(column) for column in columns}
        there = told.pop() if len(told) == 1 else None  # who has one of several values is asked for all of them
        self._presence = None if there is None else (schema.quasi_names.index(there), domains.get(there))

    @property
    def refers(self) -> bool:
        """Whether classes are compared with a whole table."""
        return self.model.refers

    @property
    def missing(self) -> bool:
        """Whether a missing value counts as a value."""
        return self.model.missing

    @property
    def reference_table(self) -> str | None:
        """Which table the classes are compared with: ``"table"``, the judged one, or ``"input"``, a given one."""
        return ("table" if self.reference is None else "input") if self.refers else None

    def supersets(self, classes: Classes) -> SupersetMode | None:
        """Say which natural supersets of the classes are looked at, if any."""
        return None

    def notes(self, classes: Classes) -> tuple[str, ...]:
        """Say what a careful reader of the verdict should know. Names and numbers only."""
        return ()

    @property
    def upward_closed(self) -> bool:
        """Whether a class that keeps the promise still does after records were added."""
        return self.model.upward_closed

    @property
    def union_closed(self) -> bool:
        """Whether the union of two classes that keep the promise keeps it.

        A person in both classes counts once in the union, so shares do not average: with persons only what is upward
        closed is union closed.
        """
        return self.model.union_closed and (self.model.upward_closed or not self.persons)

    @abstractmethod
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        """Measure every class, once per requirement of the model."""

    def judge(self, classes: Classes) -> Judgement:
        """Say for every class whether it keeps the promise, what was measured, and what is missing."""
        measured = self.measure(classes)
        pairs = zip(self.model.requirements, measured, strict=True)
        deficit = tuple(requirement.deficit(values) for requirement, values in pairs)
        asked = self.asked(classes)
        return Judgement(self._meets(measured) | ~asked, measured, deficit, asked)

    def keeps(self, classes: Classes) -> Bools:
        """Say only which classes keep the promise, which may be faster than all of ``judge``."""
        return self._meets(self.measure(classes)) | ~self.asked(classes)

    def asked(self, classes: Classes) -> Bools:
        """Say of which classes it is asked: not of people who have no row of the table of its column.

        If that is so of all classes it is asked of all: then nothing is known of anybody.
        """
        every = np.ones(len(classes), dtype=bool)
        if self._presence is None or not classes.codes:
            return every
        column, domain = self._presence
        if classes.labels is not None or classes.standing is not None:
            there = classes.texts(column) != ABSENT
        else:
            known = [] if domain is None else domain.texts.tolist()
            there = classes.codes[column] != (known.index(ABSENT) if ABSENT in known else -1)
        return np.asarray(there, dtype=bool) if there.any() else every

    def _meets(self, measured: tuple[Measured, ...]) -> Bools:
        pairs = zip(self.model.requirements, measured, strict=True)
        met = [values.meets(need.sense, need.bound) for need, values in pairs]
        return np.asarray(np.logical_and.reduce(met), dtype=bool)

    def check_persons(self, classes: Classes) -> None:
        """Refuse a table that some coarser classes of it would be refused for: do this before a search.

        A promise about one distribution needs one value per person and class. Coarser classes can bring two values of a
        person together if and only if the whole table does.
        """
        if classes.cells.person is not None:
            self.measure(classes.as_one())

    def histogram(self, classes: Classes, *, distribution: bool = False) -> Histogram:
        """Count the values of the columns in every class; those that are known, unless missing ones count too.

        Those of a ``distribution`` must add up to the size of the class. Where people have several rows they may not:
        then the promise has no meaning, and is refused.
        """
        for name, domain in self.domains.items():
            known = classes.cells.domains.get(name, domain)
            if known is not domain and known != domain:
                msg = f"The classes have other values of {name!r} than the table that {self.model} was bound to."
                raise ParameterError(msg, hint="bind the promise to the table that the classes come from.")
        histogram = classes.histogram(*self.columns)
        if distribution and classes.cells.person is not None and np.any(histogram.sums() != classes.size):
            needs = f"{type(self.model).__name__} needs one value per person and class"
            msg = f"{needs}, but some people have several in {self.columns[0]!r}."
            raise SchemaError(msg, hint="use a model that counts people: k, distinct or probabilistic l, p, alpha.")
        domains = {**classes.cells.domains, **self.domains}
        return histogram if self.missing else histogram.without_missing([domains[name] for name in self.columns])

    def counted_sizes(self, classes: Classes, histogram: Histogram) -> npt.NDArray[np.int64]:
        """Count the people or records of every class that have a value that counts, of one column."""
        (name,) = self.columns
        if self.missing or not {**classes.cells.domains, **self.domains}[name].has_null:
            return classes.size
        return histogram.sums() if classes.cells.person is None else classes.known_sizes(name)
