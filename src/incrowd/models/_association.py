"""How sensitive values and classes hang together: the (alpha, k) view of a table (S1-VECTOR, S1-GRAPH, S1-MATRIX)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Histogram, ParameterError, group

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
    >>> rows = [("30s", "flu"), ("30s", "flu"), ("30s", "hiv"), ("40s", "flu"), ("40s", "hiv")]
    >>> schema = ic.Schema(quasi=["age"], sensitive=["disease"])
    >>> census = ic.census([{"age": age, "disease": disease} for age, disease in rows], schema)
    >>> association = ic.Association.of(census.classes(), "disease")
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
        """Look at the classes of a table.

        Parameters
        ----------
        classes
            The classes.
        column
            The sensitive column.
        """
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
        """Give the share that a value has of a class, exactly.

        Parameters
        ----------
        value
            The text of the value; ``None`` for a missing one.
        number
            The number of the class, counted from 0.
        """
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

        Parameters
        ----------
        zeros
            Whether a value and a class that have nothing in common get an edge, of weight 0.
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
