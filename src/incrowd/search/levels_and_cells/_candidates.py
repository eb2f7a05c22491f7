"""Stars that are given back where everybody still fits enough records, and every record enough people."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from incrowd.core import group
from incrowd.core.kernels import compiled
from incrowd.models import KAnonymity, Model
from incrowd.search._problem import Bools, Counts, Ints

STAR = -1


class Wanted(NamedTuple):
    """How many records must cover every record and lie inside of it, and how many must look the same."""

    fitting: int
    alike: int

    @classmethod
    def of(cls, model: Model) -> Self | None:
        """Read a promise; nothing where no star can be given back, as others than of k judge what looks the same."""
        parts = [part for part in model.parts if isinstance(part, KAnonymity)]
        fitting = max((part.k for part in parts if part.candidates), default=1)
        alike = max((part.k for part in parts if not part.candidates), default=1)
        return cls(fitting, alike) if len(parts) == len(model.parts) and alike < fitting else None


class Points(NamedTuple):
    """Points of a table, one row each: the value of every column, whether it is starred, and what a star costs more."""

    values: npt.NDArray[np.int32]
    starred: Bools
    saved: Counts
    weights: Counts

    def part(self, some: Ints) -> Points:
        ordered = np.ascontiguousarray
        return Points(
            ordered(self.values[some]), ordered(self.starred[some]), ordered(self.saved[some]), self.weights[some]
        )


def with_fewer_stars(points: Points, classes: Ints, home: Ints, wanted: Wanted) -> list[Bools]:
    """Say per column which cells stay starred. ``classes`` are large enough, each in a block of its ``home``.

    A block keeps the promise by itself, and so the table does: records of other blocks only add to those that fit.
    """
    starred = points.starred.copy()
    order = np.argsort(home[classes], kind="stable")
    for some in np.split(order, np.flatnonzero(np.diff(home[classes][order])) + 1):
        part = points.part(some)
        if part.starred.any():
            alike = group([classes[some]], [int(classes.max()) + 1])
            cost = (part.saved * part.starred).sum(axis=1)
            turn = np.lexsort((np.arange(len(some)), -cost))[: np.count_nonzero(cost)]
            give_back(part, alike.ids.astype(np.int64), turn, wanted.fitting, wanted.alike)
            starred[some] = part.starred
    return list(starred.T)


class Patterns(NamedTuple):
    """What records are called, by column, ``STAR`` for a star; how many are called so, and how many cover these."""

    codes: npt.NDArray[np.int32]
    records: Counts
    covering: Counts


@compiled
def _is_inside(codes: Any, one: int, other: int) -> bool:
    for column in range(codes.shape[1]):
        if codes[other, column] != STAR and codes[one, column] != codes[other, column]:
            return False
    return True


@compiled
def _patterns_of(points: Points, owner: Counts) -> tuple[Patterns, int]:
    """Call every class as its points are; there is room for the patterns that stars given back can make."""
    number, columns = owner.max() + 1, points.values.shape[1]
    room = number + points.starred.sum()
    codes, records = np.empty((room, columns), dtype=np.int32), np.zeros(room, dtype=np.int64)
    for point in range(len(owner)):
        records[owner[point]] += points.weights[point]
        for column in range(columns):
            hidden = points.starred[point, column]
            codes[owner[point], column] = STAR if hidden else points.values[point, column]
    covering = np.zeros(room, dtype=np.int64)
    for one in range(number):
        for other in range(number):
            if _is_inside(codes, one, other):
                covering[one] += records[other]
    return Patterns(codes, records, covering), number


@compiled
def _target(patterns: Patterns, number: int, move: Any, fitting: int) -> tuple[bool, int]:
    """Say whether some records may show a column, and which pattern they then have; -1 for a new one."""
    # Whoever was inside of the old pattern and is not inside of the new one loses these records; all others keep them,
    # and whoever covers the old pattern covers the new one, so only those inside of it are counted.
    own, column, value, weight = move
    inside, target = weight, -1
    for one in range(number):
        if patterns.records[one] == 0 or not _is_inside(patterns.codes, one, own):
            continue
        if patterns.codes[one, column] != value:
            gone = one == own and patterns.records[own] == weight
            if not gone and patterns.covering[one] - weight < fitting:
                return False, -1
            continue
        inside += patterns.records[one]
        same = True
        for other in range(patterns.codes.shape[1]):
            same &= other == column or patterns.codes[one, other] == patterns.codes[own, other]
        if same:
            target = one
    return inside >= fitting, target


@compiled
def _moved(patterns: Patterns, number: int, move: Any, target: int) -> int:
    """Let some records show a column; give the pattern that they then have."""
    own, column, value, weight = move
    for one in range(number):
        if patterns.codes[one, column] != value and _is_inside(patterns.codes, one, own):
            patterns.covering[one] -= weight
    patterns.records[own] -= weight
    if target < 0:
        target = number
        patterns.codes[target] = patterns.codes[own]
        patterns.codes[target, column] = value
        patterns.covering[target] = weight
        for one in range(number):
            if _is_inside(patterns.codes, target, one):
                patterns.covering[target] += patterns.records[one]
    patterns.records[target] += weight
    return target


@compiled
def give_back(points: Points, owner: Counts, turn: Counts, fitting: int, alike: int) -> None:
    """Let points show starred columns one after the other, the dearest star first, as long as the promise is kept."""
    patterns, number = _patterns_of(points, owner)
    columns, changed = points.values.shape[1], True
    tried = np.empty(columns, dtype=np.bool_)
    while changed:
        changed = False
        for point in turn:
            weight = points.weights[point]
            tried[:] = False
            while True:
                own, column = owner[point], -1
                for one in range(columns):
                    dearer = column < 0 or points.saved[point, one] > points.saved[point, column]
                    if points.starred[point, one] and not tried[one] and dearer:
                        column = one
                if column < 0 or 0 < patterns.records[own] - weight < alike:
                    break
                tried[column] = True
                move = own, column, points.values[point, column], weight
                fine, target = _target(patterns, number, move, fitting)
                if fine and weight + (patterns.records[target] if target >= 0 else 0) >= alike:
                    owner[point] = _moved(patterns, number, move, target)
                    number = max(number, owner[point] + 1)
                    points.starred[point, column] = False
                    tried[:] = False
                    changed = True
