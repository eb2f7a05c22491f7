"""What the classes that a person can be in say together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from incrowd.attacks._linkage import Links

Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """What the join says about people: one answer for those who are alike.

    Attributes
    ----------
    kind
        Which answer each person has.
    candidates
        How many people of the release a person can be.
    values
        Per sensitive column the code of the value that all candidates have; -1 where they differ or there are none.
    telling
        Per sensitive column how many classes are candidates of somebody whose value is certain.
    only
        One class that a person can be in; -1 if there is none. With one candidate it is the only one.
    narrowest
        The narrowest class that a person can be in, the first of several; -1 if there is none. Only where it was
        asked how wide the classes are.
    """

    kind: Ints = field(repr=False)
    candidates: npt.NDArray[np.int64] = field(repr=False)
    values: dict[str, npt.NDArray[np.int64]] = field(repr=False)
    telling: dict[str, int] = field(repr=False)
    only: npt.NDArray[np.int64] = field(repr=False)
    narrowest: npt.NDArray[np.int64] | None = field(default=None, repr=False)


def link(
    links: Links,
    sizes: Ints,
    certain: dict[str, npt.NDArray[np.int64]],
    widths: npt.NDArray[np.float64] | None = None,
) -> Linked:
    """Add up what the classes that can be a person's say.

    Parameters
    ----------
    links
        Which classes these are.
    sizes
        How many are in each class.
    certain
        Per sensitive column and class the code of the value that everybody there has, or -1.
    widths
        How wide every class is, to find the narrowest one.
    """
    kinds = links.kinds()
    if kinds is None:
        return _link(links, sizes, certain, widths)
    found = _link(kinds[0], sizes, certain, widths)
    return replace(found, kind=found.kind[kinds[1]])


def _link(
    links: Links,
    sizes: Ints,
    certain: dict[str, npt.NDArray[np.int64]],
    widths: npt.NDArray[np.float64] | None,
) -> Linked:
    order = None if widths is None else np.lexsort((np.arange(len(widths)), np.round(widths, 9)))
    ranks = None if order is None else np.argsort(order)
    if links.many:
        from incrowd.attacks._linkage_many import add_up_many  # noqa: PLC0415 - numba is loaded only when it pays

        told = add_up_many(links, sizes, list(certain.values()), ranks)
        values, narrowest = dict(zip(certain, told.certain, strict=True)), None if ranks is None else told.narrowest
        return Linked(told.kind, told.candidates, values, _many(certain, told.telling), told.only, narrowest)
    candidates = np.zeros(links.people, dtype=np.int64)
    only = np.full(links.people, -1, dtype=np.int64)
    values, narrow = {name: only.copy() for name in certain}, only.copy()
    telling = np.zeros((len(certain), len(sizes)), dtype=bool)
    for _, _, (person, classes) in links.blocks():
        if not len(person):
            continue
        starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
        found = person[starts]
        candidates[found] = np.add.reduceat(sizes[classes], starts)
        only[found] = classes[starts]
        if order is not None and ranks is not None:
            narrow[found] = order[np.minimum.reduceat(ranks[classes], starts)]
        for (name, codes), told_by in zip(certain.items(), telling, strict=True):
            low, high = (by.reduceat(codes[classes], starts) for by in (np.minimum, np.maximum))
            values[name][found] = np.where(low == high, low, -1)
            told_by[classes[values[name][person] >= 0]] = True
    narrowest = None if order is None else narrow
    return Linked(np.arange(links.people), candidates, values, _many(certain, telling), only, narrowest)


def _many(certain: Iterable[str], telling: npt.NDArray[np.bool_]) -> dict[str, int]:
    return {name: int(np.count_nonzero(row)) for name, row in zip(certain, telling, strict=True)}
