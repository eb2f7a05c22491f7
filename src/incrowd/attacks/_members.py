"""Who is in which class of a local recoding, and what tight labels claim of them (downcoding)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder, add_up
from incrowd.hierarchies import members_of

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]

MANY = 200_000
"""From so many entries on compiled loops pay for their start."""


@dataclass(frozen=True, eq=False)
class Members:
    """Who is in which class."""

    classes: Ints = field(repr=False)  # of every entry; -1 for what is left out
    counts: Ints = field(repr=False)
    number: int

    @property
    def is_compiled(self) -> bool:
        """Whether compiled loops pay."""
        return MANY <= len(self.classes) < 2**31

    @cached_property
    def inside(self) -> npt.NDArray[np.bool_] | None:
        """Which entries are in a class; nothing where all are."""
        return self.classes >= 0 if self.classes.min(initial=0) < 0 else None

    @cached_property
    def sizes(self) -> Counts:
        """How many people each class has."""
        return add_up(self.within(self.classes), self.within(self.counts), self.number)

    def within(self, column: Ints) -> Ints:
        """Leave out of a column the entries that are in no class."""
        return column if self.inside is None else column[self.inside]

    @cached_property
    def _by_class(self) -> tuple[npt.NDArray[np.int32], Counts]:
        """The entries class by class, and where each class begins; one longer than there are classes."""
        from incrowd.attacks._kernels import entries_by_class  # noqa: PLC0415 - numba is loaded only when it pays

        starts = np.zeros(self.number + 1, dtype=np.int64)
        order = np.empty(len(self.classes), dtype=np.int32)
        entries_by_class(self.classes.astype(np.int64, copy=False), starts, order)
        return order, starts

    def mark(self, codes: Ints, which: Ints, marks: npt.NDArray[np.bool_]) -> None:
        """Mark the pairs of a label and a code that occur."""
        if not self.is_compiled:
            marks[which[self.within(self.classes)], self.within(codes)] = True
            return
        from incrowd.attacks._kernels import mark  # noqa: PLC0415 - as above

        mark(*self._by_class, codes, which, marks)

    def true_claims(self, codes: Ints, groups: Ints, claims: tuple[Counts, Counts], which: Ints) -> Counts:
        """Count, class by class, the claims of its label that are true: that somebody there is in a group."""
        starts, claimed = claims
        right = np.zeros(self.number, dtype=np.int64)
        if self.is_compiled:
            from incrowd.attacks._kernels import count_claims  # noqa: PLC0415 - as above

            count_claims(*self._by_class, codes, groups.astype(np.int64, copy=False), starts, claimed, which, right)
            return right
        classes, values, first = self.within(self.classes), groups[self.within(codes)], starts[which]
        many = np.diff(starts)[which]
        for turn in range(int(many.max(initial=0))):  # the first claims of all classes together, then the second ones
            group = np.full(self.number, -1, dtype=np.int64)
            group[many > turn] = claimed[first[many > turn] + turn]
            true = np.zeros(self.number, dtype=bool)
            true[classes[group[classes] == values]] = True
            right += true
        return right

    def people_found(self, who: tuple[Ints, Ints], places: Counts, really: Counts) -> tuple[Counts, Counts]:
        """Count the people who are published, and those of them who are where they are looked for."""
        all_of, there = (np.zeros(len(places), dtype=np.int64) for _ in range(2))
        if self.is_compiled:
            from incrowd.attacks._kernels import count_found  # noqa: PLC0415 - as above

            count_found(self.classes, self.counts, who, (places, really), (all_of, there))
            return all_of, there
        answer, counts, classes = who[1][self.within(who[0])], self.within(self.counts), self.within(self.classes)
        same = really[classes] == places[answer]
        number = len(places)
        return add_up(answer, counts, number), add_up(answer[same], counts[same], number)


# What labels give away that are as narrow as their class: some member must have every end of a range.

Atom = tuple[int, int]
"""A level of the ladder, and a group there: level 0 has the values themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """What an intruder concludes from the labels of one column."""

    hides: npt.NDArray[np.bool_] = field(repr=False)
    made: Counts = field(repr=False)
    right: Counts = field(repr=False)
    pinned: Counts = field(repr=False)
    expected: npt.NDArray[np.float64] = field(repr=False)


def tight_claims(
    labels: tuple[npt.NDArray[np.object_], Counts],
    domain: Domain,
    ladder: Ladder | None,
    members: Members,
    codes: Ints,
    covered: Sequence[npt.NDArray[np.intp]],
) -> Claims:
    """Draw the conclusions, and compare them with who is in the classes."""
    known, which = labels[0].tolist(), labels[1]
    tight = _Tight(domain, ladder)
    atoms = [tight.atoms(label) if len(inside) > 1 else [] for label, inside in zip(known, covered, strict=True)]
    hides = np.array([len(inside) > 1 for inside in covered], dtype=bool)
    everybody = add_up(codes, members.counts, len(domain))
    people = np.array([everybody[inside].sum() for inside in covered], dtype=np.int64)
    made, right, pinned = (np.zeros(members.number, dtype=np.int64) for _ in range(3))
    expected = np.zeros(members.number)
    for level, starts, claimed in _claims_per_level(atoms):
        groups = np.arange(len(domain)) if ladder is None or not level else ladder.groups[level].astype(np.int64)
        right += members.true_claims(codes, groups, (starts, claimed), which)
        many = np.diff(starts)
        made += many[which]
        pinned += many[which] if level == 0 else 0
        among = add_up(groups, everybody, int(groups.max(initial=0)) + 1)[claimed]
        share = np.minimum(among / np.maximum(np.repeat(people, many), 1), 1)
        expected += _by_chance(share, starts, which, members.sizes)
    return Claims(hides[which], made, right, pinned, expected)


def _by_chance(share: npt.NDArray[np.float64], starts: Counts, which: Counts, sizes: Counts) -> npt.NDArray[np.float64]:
    """Add up, class by class, the chances that somebody there is in a group that has a share of the people."""
    expected = np.zeros(len(which))
    many = np.diff(starts)[which]
    for turn in range(int(many.max(initial=0))):  # the first claims of all classes together, then the second ones
        going = np.flatnonzero(many > turn)
        expected[going] += 1 - (1 - share[starts[which[going]] + turn]) ** sizes[going]
    return expected


def _claims_per_level(atoms: Sequence[Sequence[Atom]]) -> list[tuple[int, Counts, Counts]]:
    """Give per level where the claims of each label begin, and the groups that they are about."""
    result = []
    for level in sorted({level for some in atoms for level, _ in some}):
        here = [[group for low, group in some if low == level] for some in atoms]
        starts = np.cumsum([0, *map(len, here)])
        result.append((level, starts, np.array([group for groups in here for group in groups], dtype=np.int64)))
    return result


class _Tight:
    """Reads what must occur in a class with a label."""

    def __init__(self, domain: Domain, ladder: Ladder | None) -> None:
        self._codes = {text: code for code, text in enumerate(domain.texts.tolist())}
        self._ladder = ladder
        self._groups: dict[str | None, list[Atom]] = {}
        for level, labels in enumerate(() if ladder is None else ladder.labels):
            for group, label in enumerate(labels.tolist()):
                self._groups.setdefault(label, []).append((level, group))

    def atoms(self, label: str | None) -> list[Atom]:
        """Say which values or groups must occur."""
        if label is None:
            return []
        inside = members_of(label)
        if inside is not None:
            known = (
                [(0, self._codes[text])] if text in self._codes else self._groups.get(text, [])[:1] for text in inside
            )
            return [atom for atoms in known for atom in atoms]
        ends = label.split("..")
        if len(ends) == 2 and all(end in self._codes for end in ends):
            return [(0, self._codes[end]) for end in ends]
        return self._branches(label)

    def _branches(self, label: str) -> list[Atom]:
        """Give the two branches below a label; if there are more it is not known which of them occur."""
        for level, group in self._groups.get(label, []):
            if self._ladder is None or not level:
                continue
            below = np.flatnonzero(self._ladder.parent_groups(level - 1, level) == group)
            if len(below) > 1:
                return [(level - 1, int(one)) for one in below] if len(below) == 2 else []
        return []
