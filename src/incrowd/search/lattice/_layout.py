"""What compiled loops need to know about the words of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.core import Field

Words = npt.NDArray[np.int64]

SHARED_BITS = 11
"""Neighbouring fields of so many bits together share a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What the compiled loops need to know about words.

    Attributes
    ----------
    fields
        Per field: where it sits, its mask, how many codes it has, and the first of the neighbours that share a table.
    firsts, groups
        For every field and level the first code of the group of every code, and the group itself; one table after the
        other.
    ladders
        Per field and level where its table begins, and how many groups it has.
    """

    fields: Words
    firsts: Words
    groups: Words
    ladders: Words

    @classmethod
    def of(
        cls, fields: Sequence[Field], firsts: list[list[Words]], groups: list[list[npt.NDArray[np.integer]]]
    ) -> Layout:
        """Put the tables of all fields and levels side by side."""
        ladders = np.zeros((2, len(groups), max(map(len, groups))), dtype=np.int64)
        place = 0
        for field, levels in enumerate(groups):
            for level, table in enumerate(levels):
                ladders[:, field, level] = place, int(table.max(initial=0)) + 1
                place += len(table)
        known = [
            [field.shift for field in fields],
            [(1 << field.bits) - 1 for field in fields],
            [len(levels[0]) for levels in groups],
            _neighbours(fields),
        ]
        flat = (np.concatenate([table for levels in tables for table in levels]) for tables in (firsts, groups))
        first, group = (table.astype(np.int64) for table in flat)
        return cls(np.array(known, dtype=np.int64), first, group, ladders)


def _neighbours(fields: Sequence[Field]) -> list[int]:
    """Give for every field the first of the neighbours that have few bits together with it."""
    result: list[int] = []
    first, bits = 0, 0
    for place, field in enumerate(fields):
        bits += field.bits
        if bits > SHARED_BITS:
            first, bits = place, field.bits
        result.append(first)
    return result
