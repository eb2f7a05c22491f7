"""The best guess of an intruder who rules out values by background knowledge: frequent, unlikely or listed ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.attacks._inference import LOOKS, AttackOutcome, Prior
from incrowd.core import Classes, Domain, Histogram, add_up
from incrowd.hierarchies import places_in
from incrowd.models import Ratios

Ints = npt.NDArray[np.int64]
NAME = "background knowledge"
PAIRS = "people have several rows: their different values count one by one."


class Guesses(NamedTuple):
    """The best guesses after values were ruled out."""

    chance: Ratios
    certain: npt.NDArray[np.bool_]
    right: int


def worst_exclusions(classes: Classes, prior: Prior, excluded: int) -> AttackOutcome:
    """Rule out, about every person, the most frequent values of the class that the person does not have.

    With i values ruled out, the likeliest guess is r1 / (r1 + r(i+2) + ... + rm), the counts r of a class sorted.
    Recursive (c, l)-diversity is a bound on it: below c / (c + 1) for up to l - 2 values. He is right about whoever has
    one of the i + 1 most frequent values; equally frequent ones he takes in a fixed order. The baseline is about the
    same people: right about whoever has one of the i + 1 values that are most frequent in the whole table. So the
    release never makes him guess worse.
    """
    histogram, every = classes.guessable_values(prior.column), classes.histogram(prior.column)
    missing = every.counts - histogram.counts
    found = guess_excluding(histogram.counts, histogram.starts, excluded, missing)
    values, ones = ("1 value", "one") if excluded == 1 else (f"{excluded} values", "ones")
    targets = int(every.counts.sum())
    return AttackOutcome(
        name=NAME,
        column=prior.column,
        knows=f"{LOOKS}, and {values} that the person does not have, the most telling {ones}",
        means="one value is left",
        measured=found.chance,
        exposed=found.certain,
        right=found.right,
        targets=targets,
        baseline=Fraction(_most_frequent(histogram, prior, excluded + 1), max(targets, 1)),
        notes=_pair_remarks(classes, targets),
    )


def _most_frequent(histogram: Histogram, prior: Prior, number: int) -> int:
    """Count the targets who have one of the values that are most frequent in the whole table; of equals the better."""
    said = add_up(histogram.values[0], histogram.counts, len(prior.counts))
    order = np.lexsort((-said, -prior.known)) if prior.elsewhere else np.argsort(-said, kind="stable")
    return int(said[order[:number]].sum())


def guess_excluding(counts: Ints, starts: npt.NDArray[np.intp], excluded: int, missing: Ints | None = None) -> Guesses:
    """Guess the most frequent value that is left, after the most frequent others were ruled out."""
    missing = np.zeros(len(counts), dtype=np.int64) if missing is None else missing
    begins, entries = starts[:-1], np.diff(starts)
    owner = np.repeat(np.arange(len(begins)), entries)
    without = np.bincount(owner, missing, len(begins)).astype(np.int64)
    values = entries - np.bincount(owner[missing > 0], minlength=len(begins))
    ranked = _sorted_counts(counts, owner)
    taken = np.minimum(excluded, np.maximum(values - 1, 0))
    sums = np.concatenate(([0], np.cumsum(ranked)))
    first = ranked[begins]
    rest = sums[starts[1:]] - sums[begins + taken + 1] + without
    right = int((sums[begins + taken + 1] - sums[begins]).sum())
    return Guesses(Ratios(first, first + rest), (values == taken + 1) & (without == 0), right)


def _sorted_counts(counts: Ints, owner: npt.NDArray[np.intp]) -> Ints:
    """Sort the counts of every class, the largest first: class and count as one number, where that fits."""
    most = int(counts.max(initial=0))
    bits = most.bit_length()
    needed = (int(owner[-1]) + 1 if len(owner) else 1).bit_length() + bits
    if needed > 62:
        return counts[np.lexsort((-counts, owner))]
    short: type[np.unsignedinteger] = np.uint32 if needed <= 32 else np.uint64  # shorter ones are sorted sooner
    keys = (owner.astype(short) << short(bits)) | (most - counts).astype(short)
    keys.sort()
    return np.asarray(most - (keys & short((1 << bits) - 1)).astype(np.int64))


def listed_exclusions(classes: Classes, prior: Prior, values: Sequence[str]) -> AttackOutcome:
    """Rule out given values, about people who do not have them."""
    domain = classes.cells.domains[prior.column]
    out = np.asarray(places_in(list(dict.fromkeys(values)), domain) >= 0, dtype=bool)
    given, occur = len(set(values)), int(out.sum())
    unknown = f"{given - occur} of {given} given values do not occur in column {domain.column!r}."
    histogram = classes.histogram(prior.column)
    kept = ~out[histogram.values[0]]
    left, total, most = _counts_left(classes, prior.column, kept)
    targets = int(total.sum())
    return AttackOutcome(
        name=NAME,
        column=prior.column,
        knows=f"{LOOKS}, and that the person has none of {occur} given values",
        means="one value is left",
        measured=Ratios(most, np.maximum(total, 1)),
        exposed=(left == 1) & (most > 0),
        right=int(most.sum()),
        targets=targets,
        baseline=Fraction(prior.guessed_right(classes.guessable_values(prior.column), ~out), max(targets, 1)),
        among=~out[classes.cells.sensitive[prior.column]],
        notes=(*((unknown,) if occur < given else ()), *_pair_remarks(classes, int(histogram.counts.sum()))),
    )


def unlikely_exclusions(classes: Classes, prior: Prior, public: Mapping[str, Fraction], excluded: int) -> AttackOutcome:
    """Rule out, in every class, the values that are least likely by a public distribution; at times wrongly."""
    domain = classes.cells.domains[prior.column]
    rank = _likelihood_ranks(domain, public)
    histogram = classes.histogram(prior.column)
    order = np.lexsort((rank[histogram.values[0]], histogram.classes))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - histogram.starts[histogram.classes]
    values = np.diff(histogram.starts)
    kept = place >= np.minimum(excluded, values - 1)[histogram.classes]
    left, _, most = _counts_left(classes, prior.column, kept)
    present = np.flatnonzero(prior.counts)
    remaining = np.zeros(len(domain), dtype=bool)
    remaining[present[np.argsort(rank[present])][min(excluded, max(len(present) - 1, 0)) :]] = True
    return AttackOutcome(
        name=NAME,
        column=prior.column,
        knows=f"{LOOKS}, and a public distribution, by which the {excluded} least likely values are ruled out",
        means="one value is left, and it is right",
        measured=Ratios(most, classes.size),
        exposed=(left == 1) & (most > 0),
        right=int(most.sum()),
        baseline=Fraction(
            prior.guessed_right(classes.guessable_values(prior.column), remaining), max(int(classes.size.sum()), 1)
        ),
        among=_cells_of(classes, prior.column, kept),
        notes=_pair_remarks(classes, int(histogram.counts.sum())),
    )


def _counts_left(classes: Classes, column: str, kept: npt.NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    """Give for every class how many values are left, how many people have one, and how many the most frequent one."""
    histogram = classes.histogram(column)
    counts, guessed = (np.where(kept, one.counts, 0) for one in (histogram, classes.guessable_values(column)))
    if not len(counts):
        return (np.zeros(0, dtype=np.int64),) * 3
    begins = histogram.starts[:-1]
    left = np.add.reduceat(kept.astype(np.int64), begins)
    return left, np.add.reduceat(counts, begins), np.maximum.reduceat(guessed, begins)


def _cells_of(classes: Classes, column: str, kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Say of every cell whether the value that it has is left in its class."""
    histogram, number = classes.histogram(column), classes.cells.cardinalities[column]
    keys = histogram.classes.astype(np.int64) * number + histogram.values[0]  # ascend: entries are sorted so
    cells = classes.members.astype(np.int64) * number + classes.cells.sensitive[column]
    return kept[np.searchsorted(keys, cells)] if len(cells) else np.zeros(0, dtype=bool)


def _likelihood_ranks(domain: Domain, public: Mapping[str, Fraction]) -> Ints:
    """Rank the values from the least likely to the likeliest; those that are not listed come first."""
    likely = sorted(public, key=lambda value: public[value])
    places = places_in(likely, domain)
    order = np.lexsort((np.arange(len(domain)), places))
    ranks = np.empty(len(domain), dtype=np.int64)
    ranks[order] = np.arange(len(domain))
    return ranks


def _pair_remarks(classes: Classes, pairs: int) -> tuple[str, ...]:
    return (PAIRS,) if pairs != int(classes.size.sum()) else ()
