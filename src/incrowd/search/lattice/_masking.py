"""Which classes of a node are masked, published as ``*`` in every column, so that all masked ones keep the promise.

A class that breaks the promise cannot be published as it is, so it is masked. All masked records look alike, so they
are one class, which must keep the promise as any other. Where it does not, further classes join: the smallest first,
and of equally large ones the first in the order of the labels' codes, until together they keep the promise. What a node
masks is therefore a fact about the node. It does not depend on how many records may be masked, so a larger limit only
ever adds nodes.

If the promise is upward closed, one class that keeps it is enough, and the smallest masks the fewest records that any
choice at this node can. For other promises this is a rule, not a minimum: to find the fewest one would have to try all
sets of classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Cells, Classes, Grouping, add_up, group
from incrowd.models import Coverage, Judge, LDiversity, NTCloseness, PSensitive, TCloseness
from incrowd.search._problem import Bools, Counts, Ints
from incrowd.search.lattice._rollup import Rolled, Rollup, cell_loops

Promise = tuple[int, tuple[Judge, ...]]
TOGETHER = 1 << 18  # so many numbers, or those of one class, are judged at once
VALUES = 64  # so many different values, or fewer, are counted side by side in every class
EXACT = 2**62  # products below this are exact


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    judges: tuple[Judge, ...]
    limit: int

    def masked(
        self, classes: Classes, broken: Bools, codes: Sequence[Ints], stars: Sequence[int] | None
    ) -> Bools | None:
        """Give the classes of a node that are masked; ``None`` if too many would have to be."""
        # At least one class is `broken`. `stars`: the codes of a class that is called `*` in every column: it cannot be
        # told from masked ones.
        if any(isinstance(judge.model, NTCloseness) for judge in self.judges):
            return None  # masked records have no natural supersets
        masked = broken.copy()
        if stars is not None:
            masked |= np.logical_and.reduce([code == star for code, star in zip(codes, stars, strict=True)])
        joining = np.flatnonzero(~masked)
        joining = joining[np.lexsort([*(code[joining] for code in codes[::-1]), classes.records[joining]])]
        sums = int(classes.records[masked].sum()) + np.append(0, np.cumsum(classes.records[joining]))
        within = int((sums <= self.limit).sum()) - 1
        joined = None if within < 0 else self._needed_to_join(classes, masked, joining[:within])
        if joined is None:
            return None
        masked[joining[:joined]] = True
        return masked

    def _needed_to_join(self, classes: Classes, masked: Bools, joining: Ints) -> int | None:
        """Say how many classes must join at least, one after the other, until all together keep the promise."""
        rank = np.full(len(classes), len(joining) + 1)
        rank[masked] = 0
        rank[joining] = np.arange(1, len(joining) + 1)
        growing = (_Values if classes.cells.person is None else _People)(classes.cells, rank[classes.members])
        begin, many = 0, 1
        while begin <= len(joining):
            end = min(begin + many, len(joining) + 1)
            together = growing.classes_after(begin, end)
            holds = np.logical_and.reduce([judge.keeps(together) for judge in self.judges])
            if holds.any():
                return begin + int(np.argmax(holds))
            begin, many = end, min(2 * many, max(1, TOGETHER // growing.width))
        return None


class _Values:
    """Masked records by the combinations of their sensitive values, while classes join them one after the other."""

    def __init__(self, cells: Cells, rank: Ints) -> None:
        values = list(cells.sensitive.values())
        sizes = [len(cells.domains[name]) for name in cells.sensitive]
        self._alike = group(values, sizes) if values else Grouping(np.zeros(len(rank), np.int64), np.zeros(1, np.intp))
        self._cells, self._order = cells, np.argsort(rank, kind="stable")
        self._rank = rank[self._order]
        self.width = len(self._alike)
        self._sum = np.zeros(self.width, dtype=np.int64)

    def classes_after(self, begin: int, end: int) -> Classes:
        """Give all that is masked after so many classes joined, up to ``end``, each time as one class; in order."""
        inside = slice(*np.searchsorted(self._rank, [begin, end]))
        part = self._order[inside]
        places = (self._rank[inside] - begin) * self.width + self._alike.ids[part]
        added = add_up(places, self._cells.counts[part], (end - begin) * self.width).reshape(end - begin, self.width)
        sums = np.cumsum(added, axis=0) + self._sum
        self._sum = sums[-1]
        members, values = np.nonzero(sums)
        starts = np.searchsorted(members, np.arange(end - begin))
        return _classes_inside(self._cells, self._alike.first[values], members, starts, sums[members, values])


class _People:
    """Masked records cell by cell: somebody with several rows counts once."""

    def __init__(self, cells: Cells, rank: Ints) -> None:
        self._cells, self._order = cells, np.argsort(rank, kind="stable")
        self._rank = rank[self._order]
        self.width = len(rank)

    def classes_after(self, begin: int, end: int) -> Classes:
        lengths = np.searchsorted(self._rank, np.arange(begin, end), side="right")
        inside = np.concatenate([self._order[:length] for length in lengths.tolist()])
        starts = np.append(0, np.cumsum(lengths)[:-1])
        members = np.repeat(np.arange(end - begin), lengths)
        return _classes_inside(self._cells, inside, members, starts, self._cells.counts[inside])


def _classes_inside(cells: Cells, inside: Ints, members: Ints, starts: npt.NDArray[np.intp], counts: Ints) -> Classes:
    sensitive = {name: codes[inside] for name, codes in cells.sensitive.items()}
    person = None if cells.person is None else cells.person[inside]
    return Classes.of(Grouping(members, starts), (), Cells(sensitive, cells.domains, person, counts))


# Promises that a compiled loop judges for many nodes at once: sizes, different values, and the equal distance.


class ByValues:
    """Judges classes by a compiled loop, where sizes and the values of one sensitive column decide."""

    def __init__(self, needs: Counts, reference: Counts) -> None:
        self._wanted = cell_loops().ValueNeeds(needs, reference)

    @classmethod
    def of(cls, rollup: Rollup, pruning: Promise, whole: Promise) -> ByValues | None:
        """Read promises: the least size of a class, and the other judges; ``None`` if the loop cannot judge them."""
        if len(rollup.tails) != 1 or len(rollup.tails[0]) > VALUES:
            return None
        reference = add_up(rollup.tail(rollup.start), rollup.start.counts, len(rollup.tails[0]))
        records, (codes,) = int(reference.sum()), rollup.tails
        needs = [_needs_of(*pruning), _needs_of(*whole)]
        if None in needs or max(max(row or ()) for row in needs) * max(records, 1) ** 2 >= EXACT:
            return None
        known = int((codes < len(rollup.census.domains[rollup.sensitive[0]].values)).sum())  # a missing one comes last
        counted = [known if _counts_known_only(judges) else len(codes) for _, judges in (pruning, whole)]
        return cls(np.column_stack([np.array(needs, dtype=np.int64), counted]), reference)

    def count(self, rollup: Rollup, nodes: Ints, cells: Rolled, limit: int) -> Counts:
        """Count what nodes leave out: by what prunes, and by the whole promise where that is not too much already."""
        left_out, (words,) = np.empty((2, len(nodes)), dtype=np.int64), cells.words
        shape = rollup.layout, rollup.above_floor(nodes), rollup.tail_mask, rollup.room
        cell_loops().judge_nodes(words, cells.counts, *shape, self._wanted, limit, left_out)
        return left_out


def least_values(judges: tuple[Judge, ...]) -> int:
    """Say how many different values of one column, whichever, a class needs; 0 if it needs something else."""
    needs = _needs_of(1, judges)
    if _counts_known_only(judges) and any(domain.has_null for judge in judges for domain in judge.domains.values()):
        return 0
    return needs[1] if needs is not None and needs[2:] == [0, 1, 1, 1] else 0


def _counts_known_only(judges: tuple[Judge, ...]) -> bool:
    """Say whether what counts values counts known ones only; a promise about distances counts none."""
    return not all(judge.missing for judge in judges)


def _needs_of(k: int, judges: tuple[Judge, ...]) -> list[int] | None:
    """Say what a class needs; ``None`` if it needs something else too."""
    values, share, distance = 1, Fraction(0), Fraction(1)
    if len({judge.missing for judge in judges if isinstance(judge.model, LDiversity | PSensitive)}) > 1:
        return None  # one promise counts missing values, and another does not
    for judge in judges:
        model, (bound, *_) = judge.model, (need.bound for need in judge.model.requirements)
        if len(judge.columns) != 1:
            return None
        if isinstance(model, PSensitive) or (isinstance(model, LDiversity) and model.kind == "distinct"):
            values = max(values, int(bound))
        elif isinstance(model, Coverage):
            share = max(share, bound)
        elif isinstance(model, TCloseness) and model.distance == "equal":
            distance = min(distance, bound)
        else:
            return None
    return [k, values, *share.as_integer_ratio(), *distance.as_integer_ratio()]
