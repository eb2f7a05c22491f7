"""(alpha, k)-anonymity: no value is too frequent in a class; the table of shares of values in classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, Histogram, ParameterError, Schema, group, warn
from incrowd.hierarchies import places_in
from incrowd.models._form import OF, Form, Key, bracket, name_text
from incrowd.models._judge import Judge, Measured, Ratios, Requirement
from incrowd.models._l_diversity import LDiversity
from incrowd.models._model import ColumnModel, Model, Of, read_of
from incrowd.models._thresholds import Number, exact_fraction, number_text, threshold

Alphas = Mapping[str, Number] | tuple[tuple[str, Number], ...]


class _ShareJudge(Judge):
    """Measures the largest share of all bounded values, or one share for each of them."""

    def __init__(
        self, model: AlphaAssociation, columns: tuple[str, ...], schema: Schema, domains: Mapping[str, Domain]
    ) -> None:
        super().__init__(model, columns, schema, domains)
        domain = domains[columns[0]]
        self._each = model.by_value is not None
        self._places: npt.NDArray[np.int64] = np.zeros(len(domain), dtype=np.int64)
        self._notes: tuple[str, ...] = ()
        values = model.values if model.by_value is None else list(model.by_value)
        if values is not None:
            self._places, self._notes = _listed_places(values, domain)

    def notes(self, classes: Classes) -> tuple[str, ...]:
        return self._notes

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        histogram = self.histogram(classes)
        listed = self._places[histogram.values[0]]
        if not self._each:
            return (Ratios(histogram.largest(np.where(listed >= 0, histogram.counts, 0)), classes.size),)
        places = range(len(self.model.requirements))
        counts = (histogram.sums(np.where(listed == place, histogram.counts, 0)) for place in places)
        return tuple(Ratios(count, classes.size) for count in counts)


@dataclass(frozen=True)
class AlphaAssociation(ColumnModel):
    """No sensitive value makes up more than ``alpha`` of a class.

    Parameters
    ----------
    alpha
        The largest share, above 0 and at most 1. Or one for each of several values, by their texts:
        ``{"HIV": 0.2, "flu": 0.5}``; the others are then not bounded.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    values
        The values that one ``alpha`` bounds, as texts; by default all. The empty text stands for a missing value.

    Notes
    -----
    With ``KAnonymity`` this is (alpha, k)-anonymity. It bounds how certain a guess of a bounded value can be; values
    that are not listed may fill a class. A listed value that the column does not have bounds nothing and may be
    misspelt: that is a ``PrivacyWarning``, and a note of the verdict. With all values bounded by 1 / l it is
    probabilistic l-diversity that counts missing values: shares are shares of the whole class, in which a missing value
    is a value like any other. Where people have several rows, shares are shares of people. A promise is published as it
    is written, with the values that it names, also those that no published record has.

    References
    ----------
    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang. *(alpha, k)-anonymity.* KDD 2006.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.AlphaAssociation(0.5, of="disease", values=["HIV"]))
    'alpha<=0.5[disease: HIV]'
    >>> str(ic.AlphaAssociation({"HIV": 0.2, "lung cancer": 0.5}, of="disease"))
    'alpha(HIV=0.2, lung cancer=0.5)[disease]'
    """

    alpha: Number | Alphas
    of: Of = None
    values: Sequence[str] | None = None

    upward_closed = False
    union_closed = True
    judge = _ShareJudge
    means = "No group lets such a value be guessed with more certainty than the bound."
    limit = "Values that are not listed may fill a group."
    forms = (
        Form(
            "alpha",
            "<=",
            "alpha<=0.5[disease: HIV]",
            lambda clause: AlphaAssociation(clause.number, clause.of, clause.values or None),
            rank=50,
            brackets=("columns", "values"),
        ).offer(
            "A bound on guesses ((alpha, k)-anonymity)",
            "alpha<=0.5[COLUMN]",
            "Guessing a value with more certainty than alpha.",
            "Values that are not listed, where some are.",
            Key("alpha", "number from 0 to 1", "the largest share of one value in a group", "0.5"),
            OF,
        ),
        Form(
            "alpha",
            None,
            "alpha<=0.5[disease: HIV]",
            lambda clause: AlphaAssociation(clause.arguments, clause.of),
            rank=51,
        ),
    )

    def __post_init__(self) -> None:
        self._normalize(of=read_of(self.of))
        if isinstance(self.alpha, (Mapping, tuple)):
            self._normalize(alpha=_read_alphas(self.alpha, self.values))
            return
        self._normalize(alpha=threshold(self.alpha, name="alpha", high=1, open_low=True))
        if self.values is not None:
            self._normalize(values=_read_values(self.values))

    @property
    def by_value(self) -> dict[str, Fraction] | None:
        """The bound of every listed value, or ``None`` where one bound is for all."""
        if not isinstance(self.alpha, tuple):
            return None
        return {value: Fraction(alpha) for value, alpha in self.alpha}

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        if self.by_value is None:
            return (Requirement("alpha", "<=", exact_fraction(self.alpha, name="alpha")),)
        return tuple(Requirement(f"alpha of {name_text(value)}", "<=", bound) for value, bound in self.by_value.items())

    @property
    def implied(self) -> Model | None:
        """Where no value may have more than ``alpha``, there are 1 / ``alpha`` values or more; one may be missing."""
        if self.by_value is not None or self.values is not None:
            return None
        return LDiversity(math.ceil(1 / self.requirements[0].bound), self.of, missing=True)

    @property
    def certificate_form(self) -> dict[str, Any]:
        if self.by_value is not None:
            return {"kind": "alpha", "each": True, "values": list(self.by_value)}
        return {"kind": "alpha", "each": False, "values": None if self.values is None else list(self.values)}

    @property
    def promises_nothing(self) -> bool:
        return all(bound.bound == 1 for bound in self.requirements)

    def __str__(self) -> str:
        if self.by_value is None:
            return f"alpha<={number_text(self.requirements[0].bound)}{bracket(self.of, values=self.values or ())}"
        bounds = ", ".join(f"{_argument(value)}={number_text(bound)}" for value, bound in self.by_value.items())
        return f"alpha({bounds}){bracket(self.of)}"


def _argument(value: str) -> str:
    """Write a value before an equals sign; a word that means something there stands in quotes."""
    return f'"{value}"' if value == "weight_over" else name_text(value)


def _read_values(values: Sequence[str]) -> tuple[str, ...]:
    listed = () if isinstance(values, str) else tuple(values)
    if not listed or not all(isinstance(value, str) for value in listed):
        msg = "values must be a list of texts."
        raise ParameterError(msg, hint='write values=["HIV"], also for a single value.')
    return tuple(sorted(set(listed)))


def _read_alphas(alphas: Alphas, values: Sequence[str] | None) -> tuple[tuple[str, int | Fraction], ...]:
    """Sort the bounds by value, so that equal promises are equal."""
    hint = 'write AlphaAssociation({"HIV": 0.2, "flu": 0.5}).'
    if values is not None:
        msg = "values goes with one alpha for all of them; here every value has its own."
        raise ParameterError(msg, hint=hint)
    pairs = list(alphas.items() if isinstance(alphas, Mapping) else alphas)
    if not pairs or not all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
        msg = "alpha must be a number, or a dict from the text of a value to a number."
        raise ParameterError(msg, hint=hint)
    if len({value for value, _ in pairs}) != len(pairs):
        msg = "alpha bounds one value twice."
        raise ParameterError(msg, hint=hint)
    return tuple(sorted((value, threshold(alpha, name="alpha", high=1, open_low=True)) for value, alpha in pairs))


def _listed_places(values: Sequence[str], domain: Domain) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Find the listed values, code by code; one that the column lacks may be misspelt, and then nothing is bounded."""
    places = places_in(values, domain)
    missing = len(values) - len(set(places[places >= 0].tolist()))
    if not missing:
        return places, ()
    msg = f"AlphaAssociation lists {missing} of {len(values)} values that column {domain.column!r} does not have."
    warn(msg)
    return places, (msg,)


# How sensitive values and classes hang together: the (alpha, k) view of a table (S1-VECTOR, S1-GRAPH, S1-MATRIX).

MAX_ENTRIES = 10_000_000
"""A larger matrix is refused."""

Edge = tuple[tuple[str, str | None], tuple[str, int], dict[str, float]]


@dataclass(frozen=True, eq=False)
class Association:
    """Which share of each class has each sensitive value, and per value the largest such share.

    Attributes
    ----------
    column
        The sensitive column.
    values
        The texts of the values that occur, in the order of the column; ``None`` for a missing one.
    sizes
        The size of every class.

    Notes
    -----
    The values are data: an association is as confidential as the table. A value whose ``alpha`` is 1 is known for sure
    about everybody in some class. Good tables have a small largest alpha and a small spread. Where people have several
    rows, shares are shares of people, and the shares of a class can add up to more than 1.

    References
    ----------
    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang. *(alpha, k)-anonymity.* KDD 2006.

    Examples
    --------
    >>> import incrowd as ic
    >>> from incrowd.models import Association
    >>> rows = [("30s", "flu"), ("30s", "flu"), ("30s", "hiv"), ("40s", "flu"), ("40s", "hiv")]
    >>> schema = ic.Schema(quasi=["age"], sensitive=["disease"])
    >>> census = ic.census([{"age": age, "disease": disease} for age, disease in rows], schema)
    >>> association = Association.of(census.classes(), "disease")
    >>> association.alphas
    {'flu': Fraction(2, 3), 'hiv': Fraction(1, 2)}
    >>> association.spread
    Fraction(1, 6)
    """

    column: str
    values: tuple[str | None, ...] = field(repr=False)
    sizes: npt.NDArray[np.int64] = field(repr=False)
    _histogram: Histogram = field(repr=False)
    _codes: npt.NDArray[Any] = field(repr=False)

    @classmethod
    def of(cls, classes: Classes, column: str) -> Association:
        """Look at the classes of a table, in a sensitive column."""
        histogram = classes.histogram(column)
        codes = np.flatnonzero(np.bincount(histogram.values[0], minlength=classes.cells.cardinalities[column]))
        values = tuple(classes.cells.domains[column].texts[codes].tolist())
        return cls(column, values, classes.size, histogram, codes)

    @cached_property
    def alphas(self) -> dict[str | None, Fraction]:
        """Per value the largest share that it has of a class, exactly (S1-VECTOR)."""
        places = self._places
        shares = self._histogram.counts / self.sizes[self._histogram.classes]
        largest = np.zeros(len(self.values))
        np.maximum.at(largest, places, shares)
        near = np.flatnonzero(shares >= largest[places] * (1 - 1e-12))  # a float tells only nearly which is largest
        counts, sizes = self._histogram.counts[near], self.sizes[self._histogram.classes[near]]
        shared = np.gcd(counts, sizes)
        keys = [places[near], counts // shared, sizes // shared]
        first = group(keys, [int(key.max(initial=0)) + 1 for key in keys]).first
        result = dict.fromkeys(self.values, Fraction(0))
        for place, count, size in zip(*(key[first].tolist() for key in keys), strict=True):
            value = self.values[place]
            result[value] = max(result[value], Fraction(count, size))
        return result

    @property
    def largest(self) -> Fraction:
        """The largest alpha: how sure somebody can be about a value; 0 for an empty table."""
        return max(self.alphas.values(), default=Fraction(0))

    @property
    def spread(self) -> Fraction:
        """The distance between the largest and the smallest alpha."""
        return self.largest - min(self.alphas.values(), default=Fraction(0))

    def share(self, value: str | None, number: int) -> Fraction:
        """Give the exact share that a value, by its text or ``None``, has of a class, by its number from 0."""
        if value not in self.alphas:
            msg = f"Column {self.column!r} has no such value."
            raise ParameterError(msg, hint="association.values lists the values.")
        if not 0 <= number < len(self.sizes):
            msg = f"There are {len(self.sizes)} classes, counted from 0, got {number}."
            raise ParameterError(msg)
        start, stop = self._histogram.starts[number : number + 2]
        code = self._codes[self.values.index(value)]
        entry = start + np.searchsorted(self._histogram.values[0][start:stop], code)
        found = entry < stop and self._histogram.values[0][entry] == code
        return Fraction(int(self._histogram.counts[entry]) if found else 0, int(self.sizes[number]))

    def most_certain(self, count: int) -> list[int]:
        """Give the numbers of at most so many classes: those in which some value has the largest share."""
        entries = self._histogram
        certain = np.zeros(len(self.sizes))
        np.maximum.at(certain, entries.classes, entries.counts / self.sizes[entries.classes])
        return [int(number) for number in np.argsort(-certain, kind="stable")[:count]]

    def matrix(self) -> npt.NDArray[np.float64]:
        """Give all shares, one row per value and one column per class (S1-MATRIX). Every column sums to 1."""
        rows, columns = len(self.values), len(self.sizes)
        if rows * columns > MAX_ENTRIES:
            msg = f"A matrix of {rows} values and {columns} classes is too large to be useful."
            raise ParameterError(msg, hint="ask for alphas, for a single share, or for edges(zeros=False).")
        matrix = np.zeros((rows, columns))
        entries = self._histogram
        matrix[self._places, entries.classes] = entries.counts / self.sizes[entries.classes]
        return matrix

    def edges(self, *, zeros: bool = True) -> Iterator[Edge]:
        """Give the complete bipartite graph of values and classes (S1-GRAPH), as ``networkx.Graph(edges)`` takes it.

        Without ``zeros``, a value and a class that have nothing in common get no edge.
        """
        entries = self._histogram
        order = np.argsort(self._places, kind="stable")
        starts = np.searchsorted(self._places[order], np.arange(len(self.values) + 1))
        for place, value in enumerate(self.values):
            mine = order[starts[place] : starts[place + 1]]
            numbers = entries.classes[mine]
            weights = entries.counts[mine] / self.sizes[numbers]
            if zeros:
                row = np.zeros(len(self.sizes))
                row[numbers] = weights
                numbers, weights = np.arange(len(self.sizes)), row
            for number, weight in zip(numbers.tolist(), weights.tolist(), strict=True):
                yield ("value", value), ("class", number), {"weight": weight}

    @property
    def _places(self) -> npt.NDArray[np.intp]:
        """The place of every entry's value among the values that occur."""
        return np.searchsorted(self._codes, self._histogram.values[0])
