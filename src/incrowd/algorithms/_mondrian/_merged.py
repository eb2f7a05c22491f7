"""Parts that are called alike become one class: where that could break the promise, cuts are taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._local import Pieces, common_ways
from incrowd.algorithms._mondrian._columns import Column, Stretches
from incrowd.algorithms._mondrian._finished import Cut
from incrowd.core import Grouping, Labelling, group, stretches

Array = npt.NDArray[Any]


def alike(labels: Sequence[Labelling]) -> Grouping:
    """Group classes that are called the same in every column."""
    return group([column.codes for column in labels], [max(len(column.names), 1) for column in labels])


def named(cut: Cut, columns: Sequence[Column], *, apart: bool) -> tuple[Cut, tuple[Labelling, ...]]:
    """Say what the classes of a cut are called.

    Parameters
    ----------
    cut
        The classes.
    columns
        The quasi-identifiers.
    apart
        Whether no two parts may be called the same: then the smallest part that holds all of them, which keeps the
        promise, takes their place, until all names differ.
    """
    while True:
        labels = tuple(column.called(cut.reach[index], cut.pieces) for index, column in enumerate(columns))
        if not apart or len(merged := alike(labels)) == len(cut.leaves):
            return cut, labels
        cut = _taken_back(cut, columns, merged)


def _taken_back(cut: Cut, columns: Sequence[Column], merged: Grouping) -> Cut:
    """Put the parts of every group back into the smallest part that holds them all."""
    ways = _ways(cut)
    common = common_ways(ways, merged)
    last = common[np.arange(len(merged)), (common >= 0).sum(axis=1) - 1]
    stops = np.zeros(len(cut.tree) + 1, dtype=bool)
    stops[last[merged.sizes() > 1]] = True
    stops[cut.leaves] = True  # every way ends at its class, if not before
    ends = ways[np.arange(len(ways)), stops[ways].argmax(axis=1)]
    leaves, classes = np.unique(ends, return_inverse=True)
    pieces = _together(cut.pieces, classes[cut.pieces.classes])
    return Cut(pieces, _reach(columns, pieces, len(leaves)), leaves, cut.tree)


def _ways(cut: Cut) -> Array:
    """Give the way to every class, the class itself included."""
    ways = cut.tree.paths(cut.leaves)
    ways = np.append(ways, np.full((len(ways), 1), -1), axis=1)
    ways[np.arange(len(ways)), (ways >= 0).sum(axis=1)] = cut.leaves
    return ways


def _together(pieces: Pieces, classes: Array) -> Pieces:
    both = group([pieces.cells, classes], [int(pieces.cells.max()) + 1, int(classes.max()) + 1])
    return Pieces(pieces.cells[both.first], classes[both.first], both.sums(pieces.counts))


def _reach(columns: Sequence[Column], pieces: Pieces, number: int) -> Stretches:
    result = []
    for column in columns:
        places = column.place[column.codes[pieces.cells]]
        values = group([pieces.classes, places], [number, len(column.code)])
        distinct = np.bincount(pieces.classes[values.first], minlength=number)
        result.append((*stretches(places, pieces.classes, number), distinct))
    return Stretches(*(np.array(part) for part in zip(*result, strict=True)))
