"""Long tables in blocks: each is searched by itself, several at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._cheapest._compiled import Support, Tables, form
from incrowd.algorithms._cheapest._tables import stretched

Ints = npt.NDArray[np.integer]

SHARE = 0.3
"""The share of the labels that is taken, cheapest first, before the next look at what is free."""
FEW = 300
"""Of so few free points all labels are taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Formed:
    """Classes that were formed out of points.

    Attributes
    ----------
    owner
        The class of every point; -1 where it is left over.
    home
        The block of every class.
    levels
        Per class its level in every column.
    """

    owner: npt.NDArray[np.int64]
    home: npt.NDArray[np.int64]
    levels: npt.NDArray[np.int16] = field(repr=False)


def cut_into_blocks(nested: Callable[[], Tables], weights: npt.NDArray[np.int64], least: int | None) -> list[Ints]:
    """Give the points of every block.

    Parameters
    ----------
    nested
        The columns with the groups of their hierarchies; asked for only if the table is cut.
    weights
        The records of every point.
    least
        How many records a block has at least; nothing is cut without it.
    """
    if least is None:
        return [np.arange(len(weights))]
    from incrowd.algorithms._cheapest._cut_compiled import cut  # noqa: PLC0415 - compiled only where it is needed

    order, ends = cut(nested(), weights, least)
    return [np.sort(part) for part in np.split(order, ends[1:-1])]


def form_in_blocks(
    tables: Tables, support: Support, blocks: list[Ints], tell: Callable[[int], object] | None = None
) -> Formed:
    """Form classes in every block by itself.

    Parameters
    ----------
    tables, support
        The points, and what a class must have.
    blocks
        The points of each block.
    tell
        Called with the number of points that are done.
    """
    points = tables.place.shape[1]
    owner = np.full(points, -1, dtype=np.int64)
    home: list[Ints] = []
    levels: list[Ints] = [np.zeros((0, len(tables.heights)), dtype=np.int16)]
    number = done = 0
    for block, (inside, (found, formed)) in enumerate(zip(blocks, _all(tables, support, blocks), strict=True)):
        owner[inside] = np.where(found < 0, -1, found + number)
        home.append(np.full(len(formed), block))
        levels.append(formed)
        number, done = number + len(formed), done + len(inside)
        if tell is not None:
            tell(done)
    return Formed(owner, np.concatenate([np.zeros(0, dtype=np.int64), *home]), np.concatenate(levels).astype(np.int16))


def _all(tables: Tables, support: Support, blocks: list[Ints]) -> Iterator[tuple[Ints, Ints]]:
    """Search all blocks, on all processors; the compiled loops let others run meanwhile."""

    def search(inside: Ints) -> tuple[Ints, Ints]:
        if len(inside) == tables.place.shape[1]:
            found: tuple[Ints, Ints] = form(tables, support, SHARE, FEW)
        else:
            part = tables._replace(place=np.ascontiguousarray(tables.place[:, inside]))
            found = form(part, of_points(support, inside), SHARE, FEW)
        return found

    if len(blocks) < 2:
        yield from map(search, blocks)
        return
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        yield from threads.map(search, blocks)


def of_points(support: Support, inside: Ints) -> Support:
    """Give what some of the points have; kinds are numbered anew, as far as there are any."""
    starts, kinds = np.zeros((len(support.wanted), len(inside) + 1), dtype=np.int64), [support.kinds[:0]]
    entries = 0
    for row, begins in zip(starts, support.starts, strict=True):
        places, _ = stretched(begins, inside)
        kinds.append(support.kinds[places])
        row[0] = entries
        row[1:] = entries + np.cumsum(begins[inside + 1] - begins[inside])
        entries += len(places)
    known, numbers = np.unique(np.concatenate(kinds), return_inverse=True)
    return support._replace(
        amounts=np.ascontiguousarray(support.amounts[:, inside]),
        starts=starts,
        kinds=numbers.astype(np.int32),
        worth=support.worth[known],
    )
