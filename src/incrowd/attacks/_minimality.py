"""The minimality attack: classes that were not divided, and what the halves that they could have had give away.

Who knows everybody's quasi-identifiers knows how a class could have been divided. If both halves are large enough, only
the sensitive values can have stood in the way, and not every way to deal them to the halves does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from incrowd.core import Cells, Classes, Domain, Grouping, LocalRecoding, add_up
from incrowd.models import Judge

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MOST = 2000
"""So many classes are divided; it is enough for a sample of those that could have been."""
CLASSES, DRAWS, LARGEST = 100, 200, 1000
"""So many classes are looked at, the values of each are dealt so many times, and larger classes are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Who is in which class: the class, the sensitive value and the number of records that are alike."""

    classes: Ints
    values: Ints
    counts: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Undivided:
    """What follows from classes that were not divided."""

    telling: int
    true: int
    sizes: Ints = field(repr=False)
    right: Ints = field(repr=False)
    before: Ints = field(repr=False)
    chosen: Ints = field(repr=False)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the share that is guessed right, classes being drawn by chance."""
        number, total = len(self.sizes), int(self.sizes.sum())
        if number < 2:
            return None
        rate = float(self.right.sum()) / total
        spread = float(((self.right - rate * self.sizes) ** 2).sum()) * number / (number - 1)
        margin = 1.96 * math.sqrt(spread) / total
        return max(rate - margin, 0.0), min(rate + margin, 1.0)


def halve(columns: Sequence[npt.NDArray[np.integer]], classes: Ints, counts: Ints, number: int) -> tuple[Ints, Bools]:
    """Divide every class as evenly as possible between two values of a column."""
    size = add_up(classes, counts, number)
    best, side = np.full(number, -1, dtype=np.int64), np.zeros(len(classes), dtype=np.int64)
    for codes in columns:
        order = np.lexsort((codes, classes))
        owner, sorted_codes = classes[order], codes[order].astype(np.int64)
        left = np.cumsum(counts[order]) - (np.cumsum(size) - size)[owner]
        ends = np.flatnonzero((owner[1:] == owner[:-1]) & (sorted_codes[1:] != sorted_codes[:-1]))
        even = np.minimum(left[ends], size[owner[ends]] - left[ends])  # the smaller half
        first = ends[np.lexsort((ends, -even, owner[ends]))]
        first = first[np.concatenate(([True], owner[first][1:] != owner[first][:-1]))] if len(first) else first
        smaller = np.minimum(left[first], size[owner[first]] - left[first])
        better = smaller > best[owner[first]]
        cut = np.full(number, -1, dtype=np.int64)
        cut[owner[first][better]] = sorted_codes[first][better]
        best[owner[first][better]] = smaller[better]
        side = np.where(cut[classes] >= 0, codes > cut[classes], side).astype(np.int64)
    return side, best > 0


def minimality_in_sample(recoding: LocalRecoding, name: str, judges: Sequence[Judge], seed: int) -> Undivided:
    """Divide a sample of the classes of a local recoding, and look at a sensitive column of those that were not."""
    number = len(recoding.labels[0])
    sampled = np.zeros(number + 1, dtype=bool)  # the last place is that of what is left out
    sampled[np.random.default_rng(seed).permutation(number)[:MOST]] = True
    inside = sampled[recoding.classes]
    codes = dict(zip(recoding.domains, (column[inside] for column in recoding.codes), strict=True))
    classes, counts = recoding.classes[inside].astype(np.int64), recoding.counts[inside]
    side, can = halve([codes[quasi] for quasi in recoding.quasi], classes, counts, number)
    some = can[classes]
    renumbered = (np.cumsum(can) - 1)[classes[some]]
    people = People(renumbered, codes[name][some].astype(np.int64), counts[some])
    found = minimality_of_halves(people, side[some], recoding.domains[name], judges, seed)
    return replace(found, chosen=np.flatnonzero(can)[found.chosen])


def minimality_of_halves(people: People, side: Ints, domain: Domain, judges: Sequence[Judge], seed: int) -> Undivided:
    """Deal the values of classes to their halves by chance, and keep the ways in which the promise is broken."""
    number = int(people.classes.max(initial=-1)) + 1
    sizes = add_up(people.classes, people.counts, number)
    small = np.zeros(2 * number, dtype=bool)
    by_size = [judge for judge in judges if not judge.columns]
    ids = 2 * people.classes + side
    if number:
        small = ~_keeps_promises(by_size, ids, people.values, people.counts, domain) if by_size else small
        broken = ~_keeps_promises(judges, ids, people.values, people.counts, domain)
    fit = np.flatnonzero((sizes <= LARGEST) & ~small[0::2] & ~small[1::2])
    generator = np.random.default_rng(seed)
    chosen = np.sort(generator.choice(fit, min(CLASSES, len(fit)), replace=False))
    telling = true = 0
    right, before = np.zeros(len(chosen), dtype=np.int64), np.zeros(len(chosen), dtype=np.int64)
    for place, one in enumerate(chosen.tolist()):
        inside = people.classes == one
        amounts = people.counts[inside]
        values, halves = np.repeat(people.values[inside], amounts), np.repeat(side[inside], amounts)
        right[place], before[place], share = _count_right_guesses(values, halves, domain, judges, generator)
        really = bool(broken[2 * one] or broken[2 * one + 1])
        tells = share < 1 and (share > 0 or really)  # if no half can break the promise, something else stood in the way
        telling, true = telling + tells, true + (tells and really)
    return Undivided(telling, true, sizes[chosen], right, before, chosen)


def _count_right_guesses(
    values: Ints, halves: Ints, domain: Domain, judges: Sequence[Judge], generator: np.random.Generator
) -> tuple[int, int, float]:
    """Give how many are guessed right with and without the knowledge, and the share of deals that it leaves."""
    codes, value = np.unique(values, return_inverse=True)
    dealt = generator.permuted(np.tile(value, (DRAWS, 1)), axis=1)
    draws = np.repeat(np.arange(DRAWS), len(values))
    ids = 2 * draws + np.tile(halves, DRAWS)
    keeps = _keeps_promises(judges, ids, codes[dealt.ravel()], np.ones(len(ids), dtype=np.int64), domain)
    left = ~(keeps[0::2] & keeps[1::2])
    really = np.bincount(halves * len(codes) + value, minlength=2 * len(codes)).reshape(2, -1)
    known = codes < len(domain.values)  # nobody guesses that a value is missing
    before = int(really.sum(axis=0)[known].max(initial=0))
    if not left.any() or left.all():
        return before, before, float(left.mean())
    kept = left[draws]
    counts = np.bincount((halves[None, :] * len(codes) + dealt).ravel()[kept], minlength=2 * len(codes)).reshape(2, -1)
    if not known.any():
        return 0, 0, float(left.mean())
    return int(really[:, known][[0, 1], counts[:, known].argmax(axis=1)].sum()), before, float(left.mean())


def _keeps_promises(judges: Sequence[Judge], ids: Ints, values: Ints, counts: Ints, domain: Domain) -> Bools:
    """Say which groups of records keep the promises; none is empty."""
    number = int(ids.max()) + 1
    first = np.zeros(number, dtype=np.intp)
    first[ids[::-1]] = np.arange(len(ids))[::-1]
    cells = Cells({domain.column: values}, {domain.column: domain}, None, counts)
    classes = Classes.of(Grouping(ids, first), (), cells)
    return np.asarray(np.logical_and.reduce([judge.keeps(classes) for judge in judges]), dtype=bool)
