"""Which of many small sets are the same; and persons who are alone for somebody who knows all their rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.core import group

Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]


def same_sets(starts: Ints, members: Ints) -> Counts:
    """Give every set a number, so that equal sets and no others have the same.

    Parameters
    ----------
    starts
        Where each set begins among the members; one longer than there are sets.
    members
        The members, ascending within each set.

    Notes
    -----
    All sets start alike. Step by step they are parted by their next member; a set that has no more stays where it is.
    """
    lengths = np.diff(starts)
    alike = np.zeros(len(lengths), dtype=np.int64)
    going = np.arange(len(lengths))
    highest, width = 0, int(members.max(initial=0)) + 1
    for step in range(int(lengths.max(initial=0))):
        going = going[lengths[going] > step]
        found = group([alike[going], members[starts[going] + step]], [highest + 1, width])
        alike[going] = found.ids + np.int64(highest + 1)  # numbers that no set has had
        highest += len(found)
    return alike


def same_classes(classes: Ints, persons: Ints) -> tuple[Counts, Counts]:
    """Count, for every person, the people who occur in exactly the same classes.

    Parameters
    ----------
    classes, persons
        The class and the person of every cell.

    Returns
    -------
    The code of each person that occurs, and how many people look like that person, the person included.
    """
    if not len(persons):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    pairs = group([persons, classes], [int(persons.max()) + 1, int(classes.max()) + 1])
    person, visited = persons[pairs.first], classes[pairs.first]
    starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1], [True])))
    alike = same_sets(starts, visited)
    return person[starts[:-1]].astype(np.int64), np.bincount(alike)[alike].astype(np.int64)


def persons_alone(classes: Ints, persons: Ints) -> int:
    """Count the persons who are the only one with their set of classes.

    Parameters
    ----------
    classes, persons
        The class and the person of every cell.
    """
    return int(np.count_nonzero(same_classes(classes, persons)[1] == 1))
