"""What labels give away that are as narrow as their class: some member must have every end of a range.

A label that a search made for a class is tight: a range begins and ends at values that somebody in the class has, every
member of a set occurs, and the lowest label of a hierarchy has members in at least two of its branches. An intruder who
knows that reads more from the label than it says (Cohen 2022 calls the worst of it downcoding).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder, add_up
from incrowd.hierarchies import members_of

Ints = npt.NDArray[np.int64]
Atom = tuple[int, int]
"""A level of the ladder, and a group there: level 0 has the values themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """What an intruder concludes from the labels of one column.

    Attributes
    ----------
    hides
        Whether the label of each class hides something: it covers several values.
    made, right
        How many values or groups each class is claimed to hold, and how many of these it does hold.
    pinned
        How many of the claims are about a value, which then is known exactly.
    expected
        How many claims would be right if the class were drawn by chance from the people that its label covers.
    """

    hides: npt.NDArray[np.bool_] = field(repr=False)
    made: Ints = field(repr=False)
    right: Ints = field(repr=False)
    pinned: Ints = field(repr=False)
    expected: npt.NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Who is in which class: the code of a column, the class and the number of people; and everybody's codes."""

    codes: Ints
    classes: Ints
    counts: Ints
    everybody: Ints
    """How many people of the original have each code."""


def tight_claims(
    labels: tuple[npt.NDArray[np.object_], Ints],
    domain: Domain,
    ladder: Ladder | None,
    members: Members,
    covered: Sequence[npt.NDArray[np.intp]],
) -> Claims:
    """Draw the conclusions, and compare them with who is in the classes.

    Parameters
    ----------
    labels
        What classes are called in the column, each name once; and which one each of them is called.
    domain, ladder
        The column's values, and its hierarchy if there is one.
    members
        Who is in the classes.
    covered
        The codes that each name covers.
    """
    known, which = labels[0].tolist(), labels[1]
    number = len(which)
    tight = _Tight(domain, ladder)
    atoms = [tight.atoms(label) if len(codes) > 1 else [] for label, codes in zip(known, covered, strict=True)]
    hides = np.array([len(codes) > 1 for codes in covered], dtype=bool)[which] if number else np.zeros(0, dtype=bool)
    people = np.array([members.everybody[codes].sum() for codes in covered], dtype=np.int64)
    made, right, pinned = (np.zeros(number, dtype=np.int64) for _ in range(3))
    expected = np.zeros(number)
    size = add_up(members.classes, members.counts, number)
    for level, owner, groups in _by_level(atoms, which):
        group_of = np.arange(len(domain)) if ladder is None or not level else ladder.groups[level].astype(np.int64)
        width = int(group_of.max(initial=0)) + 1
        true = occurs(members.classes, group_of[members.codes], owner, groups)
        made += np.bincount(owner, minlength=number)
        right += np.bincount(owner[true], minlength=number)
        pinned += np.bincount(owner, minlength=number) if level == 0 else 0
        share = add_up(group_of, members.everybody, width)[groups] / np.maximum(people[which[owner]], 1)
        expected += np.bincount(owner, weights=1 - (1 - np.minimum(share, 1)) ** size[owner], minlength=number)
    return Claims(hides, made, right, pinned, expected)


def occurs(classes: Ints, values: Ints, owner: Ints, claimed: Ints) -> npt.NDArray[np.bool_]:
    """Say which claims are true: that a class holds a value.

    Parameters
    ----------
    classes, values
        The class of every member, and its value.
    owner, claimed
        The class of every claim, ascending, and the value that it is about.

    Notes
    -----
    The first claims of all classes are looked at together, then the second ones, and so on.
    """
    true = np.zeros(len(owner), dtype=bool)
    number = int(classes.max(initial=-1)) + 1
    starts = np.searchsorted(owner, np.arange(number + 1))
    many = np.diff(starts)
    for turn in range(int(many.max(initial=0))):
        claim = np.where(many > turn, starts[:-1] + turn, -1)
        if turn:
            going = (many > turn)[classes]
            classes, values = classes[going], values[going]
        own = claim[classes]
        fits = (own >= 0) & (claimed[own] == values)
        true[own[fits]] = True
    return true


def _by_level(atoms: Sequence[Sequence[Atom]], which: Ints) -> list[tuple[int, Ints, Ints]]:
    """Give per level the class and the group of every claim."""
    result = []
    for level in sorted({level for some in atoms for level, _ in some}):
        here = [[group for low, group in some if low == level] for some in atoms]
        many = np.array([len(groups) for groups in here], dtype=np.int64)
        flat = np.array([group for groups in here for group in groups], dtype=np.int64)
        starts = np.cumsum(many) - many
        sizes = many[which]
        owner = np.repeat(np.arange(len(which)), sizes)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        result.append((level, owner, flat[starts[which[owner]] + offset]))
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
            return [atom for member in inside for atom in self._atom(member)]
        ends = label.split("..")
        if len(ends) == 2 and all(end in self._codes for end in ends):
            return [(0, self._codes[end]) for end in ends]
        return self._branches(label)

    def _atom(self, text: str) -> list[Atom]:
        if text in self._codes:
            return [(0, self._codes[text])]
        return self._groups.get(text, [])[:1]

    def _branches(self, label: str) -> list[Atom]:
        """Give the two branches below a label; if there are more it is not known which of them occur."""
        for level, group in self._groups.get(label, []):
            if self._ladder is None or not level:
                continue
            below = np.flatnonzero(self._ladder.step(level - 1, level) == group)
            if len(below) > 1:
                return [(level - 1, int(one)) for one in below] if len(below) == 2 else []
        return []
