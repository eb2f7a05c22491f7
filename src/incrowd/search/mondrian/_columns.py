"""How Mondrian reads the columns: in which order their values stand, how each is cut, and what a class is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Labelling, Namer, group
from incrowd.hierarchies import Averaged, Ordered, averages
from incrowd.search._local import Labels, LocalTable, Pieces

Array = npt.NDArray[Any]
Call = Literal["range", "group", "set"]


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """From where to where parts reach in one column, or in all of them.

    ``distinct``: how many values each has, where they are counted.
    """

    low: Array
    high: Array
    distinct: Array

    def __getitem__(self, index: Any) -> Stretches:
        return Stretches(self.low[index], self.high[index], self.distinct[index])

    @classmethod
    def join(cls, parts: list[Stretches]) -> Stretches:
        """Put several side by side, part by part."""
        return cls(*(np.concatenate([getattr(one, name) for one in parts], axis=-1) for name in cls.__slots__))


@dataclass(frozen=True, slots=True, eq=False)
class EarlierParts:
    """Parts that were cut out of a table before.

    The part of every cell, and from where to where the whole table reaches, per column.
    """

    parts: Array
    whole: Stretches


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One quasi-identifier.

    ``codes``: of every cell; ``code``: at every position of the order in which the column is cut. ``nested``: it is cut
    into the groups of its hierarchy, else at its median. ``distance``: per position how far it is from the first value,
    infinity for a missing one; ``None`` where values are counted.
    """

    namer: Namer
    codes: Array
    code: Array
    nested: bool
    call: Call
    averaged: Averaged | None = None
    distance: Array | None = field(default=None)

    @classmethod
    def of(cls, table: LocalTable, index: int, labels: Labels) -> Column:
        """Decide how a column is cut and called."""
        namer, hierarchy = table.names[index], table.problem.schema.quasi[index][1]
        codes, plain = table.census.codes[index], np.arange(len(table.names[index].code))
        if namer.has_ranges and isinstance(hierarchy, Averaged):
            return cls(namer, codes, plain, nested=False, call="range", averaged=hierarchy, distance=_distances(namer))
        if namer.floor or labels == "hierarchy":
            known = np.array_equal(namer.code, plain)  # the hierarchy keeps the order of the numbers
            return cls(
                namer, codes, namer.code, nested=True, call="group", distance=_distances(namer) if known else None
            )
        if namer.has_ranges:
            return cls(namer, codes, plain, nested=False, call="range", distance=_distances(namer))
        if isinstance(hierarchy, Ordered):
            ranked = np.argsort(hierarchy.ranks(namer.domain))
            return cls(namer, codes, np.append(ranked, plain[len(ranked) :]), nested=False, call="set")
        if namer.height <= 1:  # nothing between a value and "*": cut by the order of the texts
            return cls(namer, codes, plain, nested=False, call="set")
        return cls(namer, codes, namer.code, nested=True, call="set" if labels == "set" else "group")

    @property
    def place(self) -> Array:
        """The position of every code."""
        place = np.empty(len(self.code), dtype=np.int64)
        place[self.code] = np.arange(len(self.code))
        return place

    def tables(self) -> list[Array]:
        """Give per level the group of every position, numbered from the first position on; none at the median."""
        if not self.nested:
            return []
        levels = range(self.namer.floor, self.namer.height + 1)
        groups = [self.namer.group_of(level)[self.code] for level in levels]
        return [np.append(0, np.cumsum(one[1:] != one[:-1])) for one in groups]

    @property
    def counted(self) -> bool:
        """Whether the values of a part are counted: for its width, or for its name."""
        return self.distance is None or self.call == "set"

    def widths(self, parts: Stretches, whole: Stretches) -> Array:
        """Say how wide parts are, of the whole table: their range, or how many values they have."""
        alone = parts.low == parts.high
        if self.distance is None:
            return np.where(alone, 0.0, parts.distinct / whole.distinct)
        missing = np.isinf(self.distance)  # beside other values it makes a part as wide as the table: it is called "*"
        finite = np.where(missing, 0.0, self.distance)
        last = np.minimum(whole.high, len(self.namer.domain.values) - 1)
        widest = np.maximum(finite[last] - finite[whole.low], np.finfo(np.float64).tiny)
        covers = missing[parts.high]
        ranges = np.where(covers, 0.0, finite[parts.high] - finite[parts.low]) / widest
        return np.where(alone, 0.0, np.where(covers, 1.0, ranges))

    def called(self, parts: Stretches, pieces: Pieces) -> Labelling:
        """Say what classes are called."""
        number = len(parts.low)
        if self.call == "group":
            return self.namer.by_group(*self.namer.common(parts.low, parts.high))
        if self.call == "set":
            return self._sets(parts, pieces)
        ends, owner = self.code[np.append(parts.low, parts.high)], np.tile(np.arange(number), 2)
        if self.averaged is None:
            return self.namer.by_range(ends, owner, number)
        codes = self.codes[pieces.cells]
        texts = averages(self.averaged, self.namer.domain, codes, pieces.classes, pieces.counts)
        return self.namer.named(texts, ends, owner, number)

    def texts(self, low: Array, high: Array) -> list[str]:
        """Call parts by a group of the hierarchy, or by their first and their last value."""
        if self.nested:
            named = self.namer.by_group(*self.namer.common(low, high)).texts.tolist()
            return ["missing" if text is None else text for text in named]
        texts = ["missing" if text is None else text for text in self.namer.domain.texts.tolist()]
        ends = zip(self.code[low].tolist(), self.code[high].tolist(), strict=True)
        return [texts[one] if one == other else f"{texts[one]}..{texts[other]}" for one, other in ends]

    def _sets(self, parts: Stretches, pieces: Pieces) -> Labelling:
        """Call classes by the set of their values; many have the same, as a rule all from the first to the last."""
        full = parts.distinct == parts.high - parts.low + 1
        known = full | (parts.distinct == len(("first", "last")))
        other = np.where(known, 0, np.cumsum(~known))
        cards = [len(self.code)] * 2 + [len(self.code) + 1, int(other.max(initial=0)) + 1]
        alike = group([parts.low, parts.high, np.where(known, parts.distinct, 0), other], cards)
        first = alike.first[known[alike.first]]
        lengths = parts.distinct[first]
        owner = np.repeat(alike.ids[first], lengths)
        step = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        low, high = (np.repeat(ends[first], lengths) for ends in (parts.low, parts.high))
        places = np.where(np.repeat(full[first], lengths) | (step == 0), low + step, high)
        rest = ~known[pieces.classes]
        codes = np.append(self.code[places], self.codes[pieces.cells[rest]])
        owners = np.append(owner, alike.ids[pieces.classes[rest]])
        return self.namer.by_set(codes, owners, len(alike)).of(alike.ids)


def _distances(namer: Namer) -> Array | None:
    """Give how far every code is from the first value, if the column has numbers or dates, all of them finite."""
    values = namer.domain.values
    if not namer.has_ranges or not len(values):
        return None
    if values.dtype.kind == "M":
        distance = (values - values[0]).astype(np.int64).astype(np.float64)
    else:
        distance = np.array([float(value - values[0]) for value in values.tolist()])
    return np.append(distance, [np.inf] * namer.domain.has_null) if np.isfinite(distance).all() else None
