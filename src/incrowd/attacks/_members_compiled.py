"""Loops over the members of all classes, compiled by numba. Imported only where there are many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.core._compiled import compiled

Words = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
Ints = npt.NDArray[np.integer]


@compiled
def by_class(classes: Words, starts: Words, order: Small) -> None:
    """Line entries up class by class, without those of none; also say where each class begins."""
    for one in classes:
        if one >= 0:
            starts[one + 1] += 1
    for one in range(len(starts) - 1):
        starts[one + 1] += starts[one]
    free = starts.copy()
    for row in range(len(classes)):
        if classes[row] >= 0:
            order[free[classes[row]]] = row
            free[classes[row]] += 1


@compiled
def mark(order: Small, starts: Words, codes: Ints, which: Words, marks: npt.NDArray[np.bool_]) -> None:
    """Mark the pairs of a label and a code that occur."""
    for one in range(len(starts) - 1):
        label = which[one]
        for place in range(starts[one], starts[one + 1]):
            marks[label, codes[order[place]]] = True


@compiled
def hold(  # noqa: PLR0913, PLR0917 - numba takes arrays one by one
    order: Small, starts: Words, codes: Ints, groups: Words, firsts: Words, claimed: Words, which: Words, right: Words
) -> None:
    """Count the claims of each class that are true."""
    true = np.zeros(len(claimed), dtype=np.bool_)
    for one in range(len(starts) - 1):
        first, end = firsts[which[one]], firsts[which[one] + 1]
        if first == end:
            continue
        for place in range(starts[one], starts[one + 1]):
            group = groups[codes[order[place]]]
            for claim in range(first, end):
                true[claim] |= claimed[claim] == group
        for claim in range(first, end):
            right[one] += true[claim]
            true[claim] = False


@compiled
def find(
    classes: Ints, counts: Ints, who: tuple[Ints, Ints], where: tuple[Words, Words], totals: tuple[Words, Words]
) -> None:
    """Count people by the answer about them: all who are in a class, and those whose class is where one looks."""
    for row in range(len(classes)):
        if classes[row] >= 0:
            answer = who[1][who[0][row]]
            totals[0][answer] += counts[row]
            if where[0][answer] == where[1][classes[row]]:
                totals[1][answer] += counts[row]
