"""The different rows of a Spark table, where they are few: one aggregation brings them here.

The values of every column follow from them, and every census, so the table is read once for both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.core import CensusRequest, Domain, Packing, tally
from incrowd.engines._budget import Budget
from incrowd.engines._coded import Coded
from incrowd.engines._columns import of_numbers, to_numpy
from incrowd.engines._encoding import packed
from incrowd.engines._spark_rows import functions_of

MOST = 1_000_000
"""Up to so many different rows are brought here."""

LOOK = 30_000
"""So many rows are looked at first."""

VALUE = 100
"""Bytes that a value takes on its way here, at most, unless texts are long."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldRows:
    """The different rows of some columns.

    Attributes
    ----------
    columns
        The columns.
    counts
        How often each row occurs.
    dropped
        How many rows lack a value that none may lack. They are not among these.
    """

    columns: Mapping[str, Coded]
    counts: Any
    dropped: int

    @classmethod
    def of(cls, table: pa.Table, names: Mapping[str, str], drop: Sequence[str]) -> HeldRows:
        """Read rows that were counted: their columns by what they are called in the table, and ``n``."""
        columns = {name: Coded.of(table[inner]) for name, inner in names.items()}
        counts = to_numpy(table["n"])
        gone = np.zeros(len(counts), dtype=bool)
        for name in drop:
            gone |= columns[name].missing
        if not gone.any():
            return cls(columns, counts, 0)
        kept = {name: column.only(~gone) for name, column in columns.items()}
        return cls(kept, counts[~gone], int(counts[gone].sum()))

    def values(self, name: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
        """Give the values of a column in canonical order, and how many rows have each."""
        return values_of(self.columns[name], self.counts)

    def count(self, request: CensusRequest, domains: Mapping[str, Domain]) -> tuple[list[Any], Any]:
        """Count the cells; give their packed codes and the counts, in order."""
        packing = Packing.of([request.cardinality(domains[name]) for name in request.columns])
        coded = ((request.codes(domains[name]), self.columns[name].codes) for name in request.columns)
        return tally(packed(packing, coded), self.counts)


def values_of(column: Coded, counts: Any) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Give the values of a column in canonical order, and their counts, where its rows occur so often each."""
    sums = np.bincount(column.codes, weights=counts, minlength=len(column.keys)).astype(np.int64)
    return pa.chunked_array([column.keys]), pa.chunked_array([of_numbers(sums)])


def few_rows(frame: Any, inner: Sequence[str], most: int) -> Any | None:
    """Count the different rows of a frame, if they are likely to be few; ``None`` if not.

    Parameters
    ----------
    frame, inner
        The frame, and its columns.
    most
        How many may differ. One more is given where more do.

    Notes
    -----
    Among *m* rows drawn from *c* that are equally common, about *m*² / 2*c* are equal to an earlier one. Some rows at
    the beginning are looked at, as hashes; if so many of them are equal that few may differ, all are counted. What is
    common is met soonest, so this may err: then more come than were expected.
    """
    of = functions_of(frame)
    seen = frame.select(of.xxhash64(*inner).alias("seen")).head(LOOK)
    different = len(set(seen))
    every = len(seen) < LOOK
    likely = different <= most if every else 2 * most * (len(seen) - different) >= len(seen) ** 2
    return frame.groupBy(*inner).agg(of.count("*").alias("n")).limit(most + 1) if likely else None


def most_rows(memory: str | None, columns: int) -> int:
    """Say how many different rows may be brought here."""
    return min(MOST, Budget.of(memory).total // 5 // (VALUE * columns))
