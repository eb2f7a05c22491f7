"""The walk of many people down the tree of classes, compiled by numba. Imported only where there are many.

People come sorted by the columns of the tree, so that those who begin alike share the first steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core._compiled import compiled

Words = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


class Tree(NamedTuple):
    """The classes, one level per column, all levels after each other."""

    starts: Words
    """Where the branches below each node begin, counted from the first branch of the level."""
    labels: Small
    """The label of each branch."""
    nodes: Words
    """Per level, where its starts begin."""
    branches: Words
    """Per level, where its branches begin; one longer than there are levels."""


class Covers(NamedTuple):
    """Which labels cover which values: one bit for each pair, value by value, all columns after each other."""

    bits: npt.NDArray[np.uint8]
    starts: Words
    """Per column, where its bits begin."""
    widths: Words
    """Per column, how many bytes a value has."""


class Found(NamedTuple):
    """Pairs of a person and a node of the last level, and room for the nodes that are reached on the way."""

    person: Words
    node: Words
    reached: Words
    """Per level as many places as it has branches."""
    many: Words
    """Per level how many nodes are reached there; one longer than there are levels."""


@compiled
def walk(people: Small, start: int, tree: Tree, covers: Covers, found: Found) -> tuple[int, int]:
    """Walk people down from ``start`` on until the room for pairs is full; give the next person and the pairs found.

    Parameters
    ----------
    people
        One row per person: the codes, in the order of the levels.
    start
        The first of them.
    tree, covers
        The classes, and which labels cover whom.
    found
        Filled with pairs.
    """
    levels = people.shape[1]
    pairs = 0
    for who in range(start, len(people)):
        level = 0
        while who > start and level < levels and people[who, level] == people[who - 1, level]:
            level += 1
        while level < levels:
            _step(people[who, level], level, tree, covers, found)
            level += 1
        many = int(found.many[levels])
        if pairs + many > len(found.person):
            return who, pairs
        first = tree.branches[levels - 1]
        for place in range(many):
            found.person[pairs + place] = who
            found.node[pairs + place] = found.reached[first + place]
        pairs += many
    return len(people), pairs


@compiled
def _step(value: int, level: int, tree: Tree, covers: Covers, found: Found) -> None:
    """Go down one level, along all branches that cover a value."""
    row = covers.starts[level] + value * covers.widths[level]
    below, above = tree.branches[level], tree.branches[level - 1] if level else 0
    many = 0
    for place in range(found.many[level]):
        node = tree.nodes[level] + (found.reached[above + place] if level else 0)
        for branch in range(tree.starts[node], tree.starts[node + 1]):
            label = tree.labels[below + branch]
            if covers.bits[row + (label >> 3)] >> (7 - (label & 7)) & 1:
                found.reached[below + many] = branch
                many += 1
    found.many[level + 1] = many
