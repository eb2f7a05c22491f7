"""Promises that a compiled loop judges for many nodes at once: sizes, different values, and the equal distance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._rollup import Rolled, Rollup
from incrowd.core import add_up
from incrowd.models import Coverage, Judge, LDiversity, PSensitive, TCloseness

Counts = npt.NDArray[np.int64]
Promise = tuple[int, tuple[Judge, ...]]

VALUES = 64
"""So many different values, or fewer, are counted side by side in every class."""

EXACT = 2**62
"""Products below this are exact."""


@dataclass(frozen=True, slots=True, eq=False)
class ByValues:
    """What the classes of a node need, where sizes and the values of one sensitive column decide.

    Attributes
    ----------
    needs
        A row for what prunes, and one for the whole promise: the least size, the least number of values, the least
        share of the whole table that they make up, and the largest distance to it; fractions above and below the bar.
        And how many values, from the first on, count as different ones: all, or all but the missing one.
    reference
        How often each value occurs in the whole table.
    """

    needs: Counts
    reference: Counts

    @classmethod
    def of(cls, rollup: Rollup, pruning: Promise, whole: Promise) -> ByValues | None:
        """Read promises: the least size of a class, and the other judges; ``None`` if the loop cannot judge them."""
        if len(rollup.tails) != 1 or len(rollup.tails[0]) > VALUES:
            return None
        reference = add_up(rollup.tail(rollup.start), rollup.start.counts, len(rollup.tails[0]))
        records, (codes,) = int(reference.sum()), rollup.tails
        needs = [_needs(*pruning), _needs(*whole)]
        if None in needs or max(max(row or ()) for row in needs) * max(records, 1) ** 2 >= EXACT:
            return None
        known = int((codes < len(rollup.census.domains[rollup.sensitive[0]].values)).sum())  # a missing one comes last
        counted = [known if _known_only(judges) else len(codes) for _, judges in (pruning, whole)]
        return cls(np.column_stack([np.array(needs, dtype=np.int64), counted]), reference)

    def count(self, rollup: Rollup, nodes: npt.NDArray[np.integer], cells: Rolled, limit: int) -> Counts:
        """Count what nodes leave out: by what prunes, and by the whole promise where that is not too much already."""
        from incrowd.algorithms._value_loops import judge_nodes  # noqa: PLC0415 - numba is loaded only when it pays

        layout, (words,) = rollup.layout, cells.words
        left_out = np.empty((2, len(nodes)), dtype=np.int64)
        shape = layout.fields, layout.groups, layout.ladders, rollup.above_floor(nodes), rollup.tail_mask, rollup.room
        judge_nodes(words, cells.counts, *shape, self.reference, self.needs, limit, left_out)
        return left_out


def least_values(judges: tuple[Judge, ...]) -> int:
    """Say how many different values of one column, whichever, a class needs; 0 if it needs something else."""
    needs = _needs(1, judges)
    if _known_only(judges) and any(domain.has_null for judge in judges for domain in judge.domains.values()):
        return 0
    return needs[1] if needs is not None and needs[2:] == [0, 1, 1, 1] else 0


def _known_only(judges: tuple[Judge, ...]) -> bool:
    """Say whether what counts values counts known ones only; a promise about distances counts none."""
    return not all(judge.missing for judge in judges)


def _needs(k: int, judges: tuple[Judge, ...]) -> list[int] | None:
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
