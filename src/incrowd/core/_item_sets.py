"""``ItemSets``: texts that list items, such as ``E11|I10``, taken apart at once, each a set of numbered items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Self

import numpy as np
import numpy.typing as npt

from incrowd.core._ladder import TOP

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ItemSets:
    """The items of some texts: those of text ``i`` are ``items[starts[i] : starts[i + 1]]``, ascending, each once.

    ``names`` has the text of every item, in ascending order. A missing text, the empty one and ``*`` list nothing.
    """

    starts: Counts
    items: Counts
    names: list[str] = field(repr=False)

    @classmethod
    def of(cls, texts: Sequence[str | None], separator: str) -> Self:
        """Take texts apart; blanks around an item are no part of it."""
        listed = [text if text and text != TOP else None for text in texts]
        known = [text for text in listed if text is not None]
        if not known:
            return cls(np.zeros(len(listed) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), [])
        parts = list(map(str.strip, separator.join(known).split(separator)))
        lengths = np.zeros(len(listed), dtype=np.int64)
        there = np.fromiter((text is not None for text in listed), dtype=bool, count=len(listed))
        times = np.fromiter(map(str.count, known, repeat(separator)), dtype=np.int64, count=len(known)) + 1
        lengths[there] = times
        names = sorted(set(parts))
        codes = dict(zip(names, range(len(names)), strict=True))
        found = np.fromiter(map(codes.__getitem__, parts), dtype=np.int64, count=len(parts))
        return cls.from_pairs(np.repeat(np.arange(len(listed)), lengths), found, len(listed), names)

    @classmethod
    def from_pairs(cls, owner: Counts, items: Counts, sets: int, names: list[str]) -> Self:
        """Put pairs of a set and an item in order, each once."""
        pairs = np.unique(owner * len(names) + items) if len(owner) else owner
        width = max(len(names), 1)
        return cls(np.searchsorted(pairs // width, np.arange(sets + 1)).astype(np.int64), pairs % width, names)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Counts:
        """How many items each set has."""
        return np.diff(self.starts)

    @property
    def owner(self) -> Counts:
        """The set of each item."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def renamed(self, names: Sequence[str]) -> ItemSets:
        """Give the sets of what their items are called elsewhere; items that are called the same are one."""
        ordered = sorted(set(names))
        places = dict(zip(ordered, range(len(ordered)), strict=True))
        rank = np.fromiter(map(places.__getitem__, names), dtype=np.int64, count=len(names))
        return ItemSets.from_pairs(self.owner, rank[self.items] if len(names) else self.items, len(self), ordered)

    def texts(self, separator: str) -> list[str]:
        """Write every set in its one form: items in ascending order, each once."""
        parts = list(map(self.names.__getitem__, self.items.tolist()))
        ends = self.starts.tolist()
        return list(map(separator.join, map(parts.__getitem__, map(slice, ends[:-1], ends[1:]))))
