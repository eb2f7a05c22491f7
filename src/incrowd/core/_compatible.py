"""The wildcard reading of published labels, for reporting only (N-COMPAT).

Under this reading ``*`` could be any label, and ``021*`` any label of four characters that agrees where it is not
masked. Compatible records are no class: that A is compatible with B and B with C says nothing about A and C, so no
promise is ever made with it.

Classes are sorted by which characters of their labels are masked. Two such kinds are compared by masking both alike and
joining what is equal, so the work grows with the classes times the kinds, and not with the pairs of classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt

from incrowd.core._grouping import Ints, group

Labels = npt.NDArray[np.object_]
Rows = npt.NDArray[np.intp]
Mask = str
"""Which characters of a label are masked: ``...*`` for ``021*``, ``*`` for anything, empty for a plain label."""

_ANYTHING = "*"
_PLAIN = ""


def compatible_sizes(codes: Sequence[Ints], labels: Sequence[Labels], sizes: Ints) -> npt.NDArray[np.int64]:
    """Count for every class the records that are compatible with it, its own included.

    Parameters
    ----------
    codes
        One array per quasi-identifier: the code of each class. No two classes have the same codes.
    labels
        One array per quasi-identifier: the label of each code. Missing and empty labels are read as ``*``.
    sizes
        The size of each class.
    """
    result = np.zeros(len(sizes), dtype=np.int64)
    columns = [_Column(column, texts) for column, texts in zip(codes, labels, strict=True)]
    kinds = _kinds(columns, len(sizes))
    for (masks, rows), (others, other_rows) in combinations_with_replacement(kinds, 2):
        shared = [_both(*pair) for pair in zip(masks, others, strict=True)]
        if None in shared:
            continue
        views = [column.seen(mask) for column, mask in zip(columns, shared, strict=True)]
        _count(result, sizes, views, rows, other_rows)
    return result


class _Column:
    """The labels of one quasi-identifier, and how they look behind a mask."""

    def __init__(self, codes: Ints, labels: Labels) -> None:
        self.codes = codes
        self.labels = [label or _ANYTHING for label in labels.tolist()]
        self.masks = [_mask(label) for label in self.labels]
        self.seen = lru_cache(maxsize=None)(self._seen)

    def _seen(self, mask: Mask) -> Ints:
        """Give for every class a number that is equal where labels are behind the mask; -1 where it does not fit."""
        if mask == _ANYTHING:
            return np.zeros(len(self.codes), dtype=np.int64)
        numbers: dict[str, int] = {}
        views = [_behind(label, mask) for label in self.labels]
        places = [-1 if view is None else numbers.setdefault(view, len(numbers)) for view in views]
        return np.array(places, dtype=np.int64)[self.codes]


def _kinds(columns: Sequence[_Column], classes: int) -> list[tuple[tuple[Mask, ...], Rows]]:
    """Sort classes by the masks of their labels."""
    if not classes:
        return []
    names = [sorted(set(column.masks)) for column in columns]
    numbers = [
        np.array([places.index(mask) for mask in column.masks])[column.codes]
        for column, places in zip(columns, names, strict=True)
    ]
    kinds = group(numbers, list(map(len, names)))
    order = np.argsort(kinds.ids, kind="stable")
    rows = np.split(order, np.cumsum(kinds.sizes())[:-1])
    masks = [tuple(names[at][number[first]] for at, number in enumerate(numbers)) for first in kinds.first]
    return list(zip(masks, rows, strict=True))


def _count(result: npt.NDArray[np.int64], sizes: Ints, views: Sequence[Ints], left: Rows, right: Rows) -> None:
    """Add to both sides the records of the other side that look the same; once if both are one."""
    same = left is right
    rows = left if same else np.concatenate([left, right])
    rows = rows[np.logical_and.reduce([view[rows] >= 0 for view in views])]
    looks = group([view[rows] for view in views], [int(view.max()) + 1 for view in views])
    if same:
        result[rows] += looks.sums(sizes[rows])[looks.ids]
        return
    is_left = np.isin(rows, left)
    records = [looks.sums(np.where(side, sizes[rows], 0)) for side in (is_left, ~is_left)]
    result[rows] += np.where(is_left, records[1][looks.ids], records[0][looks.ids])


def _mask(label: str) -> Mask:
    if "*" not in label:
        return _PLAIN
    return "".join("*" if sign == "*" else "." for sign in label)


def _both(one: Mask, other: Mask) -> Mask | None:
    """Give what is masked by either; ``None`` if no label fits both."""
    if _ANYTHING in (one, other):
        return _ANYTHING
    if _PLAIN in (one, other):
        return one or other
    if len(one) != len(other):
        return None
    return "".join("*" if "*" in pair else "." for pair in zip(one, other, strict=True))


def _behind(label: str, mask: Mask) -> str | None:
    if mask == _PLAIN:
        return label
    if len(label) != len(mask):
        return None
    return "".join("*" if hidden == "*" else sign for sign, hidden in zip(label, mask, strict=True))
