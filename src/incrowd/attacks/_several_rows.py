"""People with several rows: who is the only one in just those classes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, group

Ints = npt.NDArray[np.int64]


def same_classes(classes: Classes) -> tuple[Ints, Ints]:
    """Count, for every person, the people who occur in exactly the same classes.

    Returns
    -------
    The code of each person that occurs, and how many people look like that person, the person included.
    """
    person = classes.cells.person
    assert person is not None  # noqa: S101 - only asked where a table says whose row is whose
    pairs = group([person, classes.members], [int(person.max(initial=0)) + 1, max(len(classes), 1)]).first
    people, inverse = np.unique(person[pairs], return_inverse=True)
    starts = np.searchsorted(inverse, np.arange(len(people) + 1))
    where, lengths = classes.members[pairs], np.diff(starts)
    alike, number = np.zeros(len(people), dtype=np.int64), 1
    for place in range(int(lengths.max(initial=0))):  # as many steps as one person has classes
        there = np.flatnonzero(lengths > place)
        found = group([alike[there], where[starts[there] + place]], [number, max(len(classes), 1)])
        alike[there] = number + found.ids.astype(np.int64)
        number += len(found)
    sizes = np.bincount(alike)
    return people.astype(np.int64), sizes[alike].astype(np.int64) if len(people) else alike


def average_chance(together: Ints) -> Fraction:
    """Give the chance to find a person, averaged over people: different sets of classes per person."""
    sizes, counts = np.unique(together, return_counts=True)
    groups = sum(int(count) // int(size) for size, count in zip(sizes, counts, strict=True))
    return Fraction(groups, max(len(together), 1))
