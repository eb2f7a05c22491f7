"""What a promise asks of a class, as numbers that can be added up and missed: how far a class is from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._local import Locally
from incrowd.core import ParameterError, group
from incrowd.models import (
    EnhancedPAlphaSensitive,
    Judge,
    KAnonymity,
    LDiversity,
    PAlphaSensitive,
    PSensitive,
)

Ints = npt.NDArray[np.integer]
Words = npt.NDArray[np.int64]
VALUES, WEIGHT, RECORDS = range(3)
"""What is missing is looked for in this order (step 10)."""


class Needs(NamedTuple):
    """What a class needs: enough worth of different kinds, and enough worth added up over its records.

    Attributes
    ----------
    kinds
        One row per need for kinds: the kind of every cell. The kinds of all needs have different numbers.
    worth
        What each kind is worth, however often it occurs.
    worths
        One row per need for sums: what a record of every cell is worth.
    bounds, stages
        Per need, first those for kinds, how much is enough, and when what is missing is looked for.
    """

    kinds: Words
    worth: Words
    worths: Words
    bounds: Words
    stages: Words


def refuse_others(table: Locally) -> None:
    """Refuse a promise that the search cannot carry: records move between classes, so more must never break it."""
    for judge in table.judges:
        if not judge.upward_closed or type(judge.model) not in _READ:
            msg = (
                f"TopDown cannot carry {judge.model}. It carries what more records in a class never break: "
                f"k, distinct l, p, (p, alpha) and enhanced (p, alpha)."
            )
            raise ParameterError(msg, hint="use Mondrian() or CheapestFirst(), or one of these promises.")


def needs_of(table: Locally, order: Ints) -> Needs:
    """Give what a class needs, for cells in an order."""
    return _Collected(table, order).arrays()


class _Collected:
    """What the promise of a search needs, judge by judge.

    Attributes
    ----------
    table
        The problem.
    order
        The cells in the order that decides ties; the needs are for cells in this order.
    """

    def __init__(self, table: Locally, order: Ints) -> None:
        self._table, self._order = table, order
        census = table.census
        self._sensitive = dict(zip(census.sensitive, census.codes[len(census.quasi) :], strict=True))
        self._kinds: list[tuple[Ints, Ints, int, int]] = []
        self._sums: list[tuple[Ints, int, int]] = []
        for judge in table.judges:
            _READ[type(judge.model)](self, judge)

    def arrays(self) -> Needs:
        """Give the needs as the compiled loops read them."""
        cells, needs = len(self._order), [*self._kinds, *self._sums]
        first = np.cumsum([0, *(len(worth) for _, worth, _, _ in self._kinds)])
        kinds = [kinds[self._order] + start for (kinds, *_), start in zip(self._kinds, first, strict=False)]
        worths = [worth[self._order] for worth, *_ in self._sums]
        return Needs(
            kinds=np.array(kinds, dtype=np.int64).reshape(len(kinds), cells),
            worth=np.concatenate([np.zeros(0), *(worth for _, worth, _, _ in self._kinds)]).astype(np.int64),
            worths=np.array(worths, dtype=np.int64).reshape(len(worths), cells),
            bounds=np.array([min(need[-2], 2**62) for need in needs], dtype=np.int64),
            stages=np.array([need[-1] for need in needs], dtype=np.int64),
        )

    def size(self, judge: Any) -> None:
        """So many records, or people."""
        census = self._table.census
        self._add_up(np.ones(len(census), dtype=np.int64), judge.model.k, RECORDS)

    def distinct(self, judge: Any) -> None:
        """So many different values, or combinations of them."""
        columns = [self._sensitive[name] for name in judge.columns]
        together = group(columns, [len(self._table.census.domains[name]) for name in judge.columns])
        wanted = int(getattr(judge.model, "l", 0) or judge.model.p)
        worth = np.ones(max(len(together), 1), dtype=np.int64)
        worth[: len(together)] = self._table.counting(judge)[together.first]
        self._kinds.append((together.ids, worth, wanted, VALUES))

    def weighed(self, judge: Any) -> None:
        """So many different values or categories, and so much weight."""
        (name,) = judge.columns
        model, codes = judge.model, self._sensitive[name]
        bound = dict(self._table.problem.schema.sensitive)[name].bind(self._table.census.domains[name])  # type: ignore[union-attr]
        scale = math.lcm(*(weight.denominator for weight in bound.weights))
        units = np.array([int(weight * scale) for weight in bound.weights], dtype=np.int64)[bound.category]
        kinds = bound.category if isinstance(model, EnhancedPAlphaSensitive) else np.arange(len(units))
        if not model.missing:
            units[len(self._table.census.domains[name].values) :] = 0
        counts = self._table.counting(judge)
        nothing = len(units) + len(bound.names)  # the kind of what is missing
        worth = np.append(np.ones(nothing, dtype=np.int64), 0)
        self._kinds.append((np.where(counts, kinds[codes], nothing), worth, model.p, VALUES))
        alpha = math.ceil(Fraction(model.alpha) * scale)
        if model.weight_over == "distinct":
            self._kinds.append((codes, units, alpha, WEIGHT))
        else:
            self._add_up(units[codes], alpha, WEIGHT)

    def _add_up(self, worth: Ints, bound: int, stage: int) -> None:
        """Add up over records; over people, each of whom counts once, where the table says who is who."""
        person = self._table.census.person
        if person is None:
            self._sums.append((worth, bound, stage))
            return
        once = np.zeros(int(person.max(initial=0)) + 1, dtype=np.int64)
        once[person] = worth
        self._kinds.append((person, once, bound, stage))


_READ: dict[type, Callable[[_Collected, Judge], None]] = {
    KAnonymity: _Collected.size,
    LDiversity: _Collected.distinct,
    PSensitive: _Collected.distinct,
    PAlphaSensitive: _Collected.weighed,
    EnhancedPAlphaSensitive: _Collected.weighed,
}
