"""Parts of a table on their way down the hierarchies, and what the top-down search knows about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import Hint, ParameterError, group
from incrowd.models import EnhancedPAlphaSensitive, Judge, KAnonymity, LDiversity, PAlphaSensitive, PSensitive
from incrowd.search._local import LocalTable
from incrowd.search._problem import CHEAPEST_FIRST, MONDRIAN

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]
Words = npt.NDArray[np.int64]


BLOCK = 1 << 16
"""How many pieces a block of parts has, unless it is one part."""


class Ladders(NamedTuple):
    """What every code is called at every level: tables one after the other.

    ``groups`` and ``leaves``: the group of a code, and how many values it stands for. ``prices``: what giving up a
    value of a column costs.
    """

    groups: Words
    leaves: Words
    at: Words
    prices: Floats

    @classmethod
    def of(cls, table: LocalTable) -> Ladders:
        """Collect the levels from the floor on."""
        heights = [namer.height - namer.floor for namer in table.names]
        at = np.zeros((len(heights), max(heights) + 1), dtype=np.int64)
        groups, leaves, end = [], [], 0
        for column, namer in enumerate(table.names):
            for level in range(heights[column] + 1):
                at[column, level] = end
                groups.append(namer.group_of(namer.floor + level))
                leaves.append(namer.ladder.leaves[namer.floor + level][groups[-1]])
                end += len(groups[-1])
        most = np.array([int(namer.ladder.leaves[-1][0]) for namer in table.names])
        prices = table.weights / np.maximum(most - 1, 1)
        return cls(np.concatenate(groups).astype(np.int64), np.concatenate(leaves).astype(np.int64), at, prices)


class Parts(NamedTuple):
    """Parts of a table: records that go down together.

    ``cells`` and ``counts``: the pieces of all parts, one part after the other; ``starts`` is one longer than there are
    parts. ``levels`` and ``closed``: per part and column its level, and whether it needs no try (see ``NEVER``).
    """

    cells: Ints
    counts: Words
    starts: Words
    levels: npt.NDArray[np.int16]
    closed: npt.NDArray[np.int8]

    @property
    def owner(self) -> Words:
        """The part of every piece."""
        return np.repeat(np.arange(len(self.levels)), np.diff(self.starts))

    def sums(self, values: Words) -> Words:
        """Add up a number per piece within every part."""
        return np.add.reduceat(values, self.starts[:-1])

    def some(self, wanted: Bools) -> Parts:
        """Give some of the parts."""
        sizes = np.diff(self.starts)
        inside = np.repeat(wanted, sizes)
        return Parts(
            self.cells[inside], self.counts[inside], ends(sizes[wanted]), self.levels[wanted], self.closed[wanted]
        )

    def blocks(self) -> list[Parts]:
        """Give the parts in blocks, each a few parts or a large one: what is worked on fits into the cache."""
        block = self.starts[:-1] // BLOCK
        return [self.some(block == number) for number in np.unique(block)]

    def regrouped(self, pieces: Ints, counts: Words, group: Words) -> tuple[Parts, Words]:
        """Make parts of pieces that stand part by part and group by group; also give the part that each came from."""
        owner = self.owner[pieces]
        new = (np.diff(owner, prepend=-1) != 0) | (np.diff(group[pieces], prepend=-1) != 0)
        first = np.flatnonzero(new)
        origin = owner[first]
        starts = np.append(first, len(pieces))
        return Parts(self.cells[pieces], counts[pieces], starts, self.levels[origin], self.closed[origin]), origin


OPEN, NEVER, NOT_NOW = range(3)
"""Whether to try a column: yes; no, as no label below keeps the promise; not for these records, who stayed behind."""


def ends(sizes: Ints) -> Words:
    """Give where parts begin and end that stand one after the other."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def whole(table: LocalTable, counts: Words) -> Parts:
    """Give the whole table as one part at the highest levels; no part if there are no records."""
    cells, number = np.arange(len(counts), dtype=np.int32), min(1, len(counts))
    levels = np.array([[namer.height - namer.floor for namer in table.names]] * number, dtype=np.int16)
    levels = levels.reshape(number, len(table.names))
    return Parts(cells, counts, ends(np.array([len(cells)] * number)), levels, np.zeros_like(levels, dtype=np.int8))


def together(several: Sequence[Parts]) -> Parts:
    """Put parts side by side."""
    sizes = np.concatenate([np.diff(parts.starts) for parts in several])
    cells, counts, _, levels, closed = (np.concatenate(column) for column in zip(*several, strict=True))
    return Parts(cells, counts, ends(sizes), levels, closed)


# What a promise asks of a class, as numbers that can be added up and missed: how far a class is from it.

VALUES, WEIGHT, RECORDS = range(3)
"""What is missing is looked for in this order (step 10)."""


class Needs(NamedTuple):
    """What a class needs: enough worth of different kinds, and enough worth added up over its records.

    ``kinds``: per need the kind of every cell, numbered differently for each need; a kind is ``worth`` something
    however often it occurs. ``worths``: per need for sums what a record of every cell is worth. ``bounds`` and
    ``stages``: per need, first those for kinds, how much is enough, and when what is missing is looked for.
    """

    kinds: Words
    worth: Words
    worths: Words
    bounds: Words
    stages: Words


def refuse_others(table: LocalTable) -> None:
    """Refuse a promise that the search cannot carry: records move between classes, so more must never break it."""
    for judge in table.judges:
        if not judge.upward_closed or type(judge.model) not in _READ:
            msg = (
                f"TopDown cannot carry {judge.model}. It carries what more records in a class never break: "
                f"k, distinct l, p, (p, alpha) and enhanced (p, alpha)."
            )
            hint = Hint("use {} or {}, or one of these promises.", MONDRIAN, CHEAPEST_FIRST)
            raise ParameterError(msg, hint=hint)


def needs_of(table: LocalTable, order: Ints) -> Needs:
    """Give what a class needs, for cells in an order."""
    return _Collected(table, order).arrays()


class _Collected:
    """What the promise of a search needs, judge by judge.

    ``order``: the cells in the order that decides ties; the needs are for cells in this order.
    """

    def __init__(self, table: LocalTable, order: Ints) -> None:
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
