"""Who is in which class of a local recoding."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incrowd.core import add_up

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]

MANY = 200_000
"""From so many entries on compiled loops pay for their start."""


@dataclass(frozen=True, eq=False)
class Members:
    """Who is in which class.

    Attributes
    ----------
    classes, counts
        The class of every entry, -1 for what is left out; and how many people it stands for.
    number
        How many classes there are.
    """

    classes: Ints = field(repr=False)
    counts: Ints = field(repr=False)
    number: int

    @property
    def many(self) -> bool:
        """Whether compiled loops pay."""
        return MANY <= len(self.classes) < 2**31

    @cached_property
    def inside(self) -> npt.NDArray[np.bool_] | None:
        """Which entries are in a class; nothing where all are."""
        return self.classes >= 0 if self.classes.min(initial=0) < 0 else None

    @cached_property
    def sizes(self) -> Counts:
        """How many people each class has."""
        return add_up(self.kept(self.classes), self.kept(self.counts), self.number)

    def kept(self, column: Ints) -> Ints:
        """Leave out of a column the entries that are in no class."""
        return column if self.inside is None else column[self.inside]

    @cached_property
    def _by_class(self) -> tuple[npt.NDArray[np.int32], Counts]:
        """The entries class by class, and where each class begins; one longer than there are classes."""
        from incrowd.attacks._members_compiled import by_class  # noqa: PLC0415 - numba is loaded only when it pays

        starts = np.zeros(self.number + 1, dtype=np.int64)
        order = np.empty(len(self.classes), dtype=np.int32)
        by_class(self.classes.astype(np.int64, copy=False), starts, order)
        return order, starts

    def mark(self, codes: Ints, which: Ints, marks: npt.NDArray[np.bool_]) -> None:
        """Mark the pairs of a label and a code that occur.

        Parameters
        ----------
        codes
            The code of every entry.
        which
            The label of every class.
        marks
            One row per label, one column per code.
        """
        if not self.many:
            marks[which[self.kept(self.classes)], self.kept(codes)] = True
            return
        from incrowd.attacks._members_compiled import mark  # noqa: PLC0415 - as above

        mark(*self._by_class, codes, which, marks)

    def holds(self, codes: Ints, groups: Ints, claims: tuple[Counts, Counts], which: Ints) -> Counts:
        """Count, class by class, the claims of its label that are true: that somebody there is in a group.

        Parameters
        ----------
        codes, groups
            The code of every entry, and the group of every code.
        claims
            Where the claims of each label begin, one longer than there are labels; and the group that each is about.
        which
            The label of every class.
        """
        starts, claimed = claims
        right = np.zeros(self.number, dtype=np.int64)
        if self.many:
            from incrowd.attacks._members_compiled import hold  # noqa: PLC0415 - as above

            hold(*self._by_class, codes, groups.astype(np.int64, copy=False), starts, claimed, which, right)
            return right
        classes, values, first = self.kept(self.classes), groups[self.kept(codes)], starts[which]
        many = np.diff(starts)[which]
        for turn in range(int(many.max(initial=0))):  # the first claims of all classes together, then the second ones
            group = np.full(self.number, -1, dtype=np.int64)
            group[many > turn] = claimed[first[many > turn] + turn]
            true = np.zeros(self.number, dtype=bool)
            true[classes[group[classes] == values]] = True
            right += true
        return right

    def found(self, who: tuple[Ints, Ints], places: Counts, really: Counts) -> tuple[Counts, Counts]:
        """Count the people who are published, and those of them who are where they are looked for.

        Parameters
        ----------
        who
            The person of every entry, and the answer about each person: they are counted by it.
        places
            Where people with an answer are looked for.
        really
            The same of every class: where it is published.
        """
        all_of, there = (np.zeros(len(places), dtype=np.int64) for _ in range(2))
        if self.many:
            from incrowd.attacks._members_compiled import find  # noqa: PLC0415 - as above

            find(self.classes, self.counts, who, (places, really), (all_of, there))
            return all_of, there
        answer, counts, classes = who[1][self.kept(who[0])], self.kept(self.counts), self.kept(self.classes)
        same = really[classes] == places[answer]
        number = len(places)
        return add_up(answer, counts, number), add_up(answer[same], counts[same], number)
