"""What the classes that a person can be in say together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from incrowd.attacks._crowd import ClassSets, Crowd, below, parts_of
from incrowd.attacks._linkage import Links
from incrowd.core import Histogram

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """What the join says about people: one answer for those who are alike."""

    kind: Ints = field(repr=False)
    candidates: npt.NDArray[np.int64] = field(repr=False)
    # The code that all candidates have, the lowest of several; -1 where they differ.
    values: dict[str, npt.NDArray[np.int64]] = field(repr=False)
    telling: dict[str, int] = field(repr=False)
    only: npt.NDArray[np.int64] = field(repr=False)  # one class that a person can be in; -1 if there is none
    reached: int
    # The first of several; -1 if there is none.
    narrowest: npt.NDArray[np.int64] | None = field(default=None, repr=False)
    # Others that all have, as only people with several rows can: answer and code.
    further: dict[str, tuple[Counts, Counts]] = field(default_factory=dict, repr=False)

    def certain(self, name: str) -> tuple[Counts, Counts]:
        """Give the values of a column that all candidates have: where those of each answer begin, and their codes."""
        some = np.flatnonzero(self.values[name] >= 0)
        answers, codes = some, self.values[name][some]
        if name in self.further:
            more = self.further[name]
            answers, codes = np.concatenate([answers, more[0]]), np.concatenate([codes, more[1]])
            order = np.lexsort((codes, answers))
            answers, codes = answers[order], codes[order]
        return parts_of(answers, len(self.candidates)), codes


def link(
    links: Links,
    sizes: Ints,
    certain: dict[str, npt.NDArray[np.int64]],
    widths: npt.NDArray[np.float64] | None = None,
) -> Linked:
    """Add up what the classes that can be a person's say."""
    kinds = links.kinds()
    if kinds is None:
        return _link(links, sizes, certain, widths)
    found = _link(kinds[0], sizes, certain, widths)
    return replace(found, kind=found.kind[kinds[1]])


def _link(
    links: Links,
    sizes: Ints,
    certain: dict[str, npt.NDArray[np.int64]],
    widths: npt.NDArray[np.float64] | None,
) -> Linked:
    order = None if widths is None else np.lexsort((np.arange(len(widths)), np.round(widths, 9)))
    ranks = None if order is None else np.argsort(order)
    if links.many:
        from incrowd.attacks._kernels import add_up_many  # noqa: PLC0415 - numba is loaded only when it pays

        told = add_up_many(links, sizes, list(certain.values()), ranks)
        values, narrowest = dict(zip(certain, told.certain, strict=True)), None if ranks is None else told.narrowest
        many = _many(certain, told.telling)
        reached = _reached(told.candidates, told.only)
        return Linked(told.kind, told.candidates, values, many, told.only, reached, narrowest)
    candidates = np.zeros(links.people, dtype=np.int64)
    only = np.full(links.people, -1, dtype=np.int64)
    values, narrow = {name: only.copy() for name in certain}, only.copy()
    telling = np.zeros((len(certain), len(sizes)), dtype=bool)
    for _, _, (person, classes) in links.blocks():
        if not len(person):
            continue
        starts = np.flatnonzero(np.concatenate(([True], person[1:] != person[:-1])))
        found = person[starts]
        candidates[found] = np.add.reduceat(sizes[classes], starts)
        only[found] = classes[starts]
        if order is not None and ranks is not None:
            narrow[found] = order[np.minimum.reduceat(ranks[classes], starts)]
        for (name, codes), told_by in zip(certain.items(), telling, strict=True):
            low, high = (by.reduceat(codes[classes], starts) for by in (np.minimum, np.maximum))
            values[name][found] = np.where(low == high, low, -1)
            told_by[classes[values[name][person] >= 0]] = True
    narrowest = None if order is None else narrow
    kind, reached = np.arange(links.people), _reached(candidates, only)
    return Linked(kind, candidates, values, _many(certain, telling), only, reached, narrowest)


def link_persons(links: Links, crowd: Crowd) -> Linked:
    """Say the same where people have several rows: candidates are persons, each once, with the values of all rows.

    Notes
    -----
    The rows of a candidate are those in classes that can be the person's. One answer is given for each set of classes.
    """
    sets = ClassSets.of(links)
    persons, number = crowd.candidates(sets), len(crowd.alone)
    candidates = np.append(0, persons)  # the first answer is about people without a candidate
    values, further, telling = {}, {}, {}
    for name in crowd.said:
        owner, codes = crowd.certain(name, sets, persons)
        again = np.append(False, owner[1:] == owner[:-1]) if len(owner) else owner > 0
        values[name] = np.full(len(candidates), -1, dtype=np.int64)
        values[name][owner[~again] + 1] = codes[~again]
        if again.any():
            further[name] = owner[again] + 1, codes[again]
        telling[name] = _classes_of(sets, values[name][1:] >= 0, number)
    only = np.append(-1, sets.classes[sets.starts[:-1]])
    reached = _classes_of(sets, persons == 1, number)
    return Linked(sets.number + 1, candidates, values, telling, only, reached, further=further)


def _classes_of(sets: ClassSets, chosen: npt.NDArray[np.bool_], number: int) -> int:
    return int(np.count_nonzero(np.bincount(sets.classes[chosen[sets.owner]], minlength=number)))


def _reached(candidates: Counts, only: Counts) -> int:
    return len(np.unique(only[candidates == 1]))


def _many(certain: Iterable[str], telling: npt.NDArray[np.bool_]) -> dict[str, int]:
    return {name: int(np.count_nonzero(row)) for name, row in zip(certain, telling, strict=True)}


# Two releases of the same people: what neither says alone can follow from both.

IntersectionInts = npt.NDArray[np.int64]

BLOCK, MOST = 1 << 14, 1 << 21
"""So many people are looked at together, and so many pairs of person and class."""


@dataclass(frozen=True, slots=True, eq=False)
class Remaining:
    """How many sensitive values are possible for each person."""

    first: IntersectionInts = field(repr=False)
    second: IntersectionInts = field(repr=False)
    both: IntersectionInts = field(repr=False)
    value: IntersectionInts = field(repr=False)  # the code of the one value that is left, or -1


def intersect(links: tuple[Links, Links], histograms: tuple[Histogram, Histogram], same: IntersectionInts) -> Remaining:
    """Keep, for every person, the values that occur among the candidates of both releases."""
    people, codes = links[0].people, int(histograms[0].values[0].max(initial=0)) + 1
    codes = max(codes, int(same.max(initial=0)) + 1)
    second = np.where(same >= 0, same, codes + np.arange(len(same)))  # what the first lacks gets a number of its own
    codes += len(same)
    none = np.zeros(people, dtype=np.int64)
    found = Remaining(none, none.copy(), none.copy(), none - 1)
    for first, end, pairs in links[0].blocks(BLOCK, MOST):
        one = _possible(pairs, histograms[0], first, codes, np.arange(codes))
        two = _possible(links[1].walk(first, end), histograms[1], first, codes, second)
        common = np.intersect1d(one, two, assume_unique=True)
        for keys, counts in ((one, found.first), (two, found.second), (common, found.both)):
            counts[first:end] = np.bincount(keys // codes, minlength=end - first)
        owner = common // codes
        alone = found.both[first:end][owner] == 1
        found.value[first + owner[alone]] = common[alone] % codes
    return found


def _possible(
    pairs: tuple[IntersectionInts, IntersectionInts],
    histogram: Histogram,
    first: int,
    width: int,
    codes: IntersectionInts,
) -> IntersectionInts:
    """Give each person's possible values once, person and value in one number."""
    person, classes = pairs
    source, entry = below(histogram.starts, classes)
    return np.unique((person[source] - first) * width + codes[histogram.values[0][entry]])


# Who knows that nobody is generalized more than needed looks for a person in the narrowest class that fits.

Floats = npt.NDArray[np.float64]


def widths_of(codes: Sequence[npt.NDArray[np.integer]], covered: Sequence[Sequence[npt.NDArray[np.intp]]]) -> Floats:
    """Say how wide every class is: the logarithm of how many combinations of values its labels cover."""
    width = np.zeros(len(codes[0]))
    for column, reached in zip(codes, covered, strict=True):
        width += np.log(np.array([max(len(values), 1) for values in reached], dtype=np.float64))[column]
    return width
