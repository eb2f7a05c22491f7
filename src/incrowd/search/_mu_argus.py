"""``MuArgus``: cells in most rare combinations of columns are suppressed, plain and exactly k-anonymous."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal, get_args

import numpy as np

from incrowd.core import Hint, NoSafeRelease, ParameterError, Setting, UnknownColumnError, add_up, group
from incrowd.search._datafly import Stars, check_outliers, count_different, promised_k, raise_levels, refuse_others
from incrowd.search._local_recoding import LocalTable
from incrowd.search._problem import Bools, Counts, Ints, LocalOutcome, OnProgress, Problem, check_flag

Identifying = Literal["most", "more", "less", "not"]
PLAIN = Hint(
    "Plain µ-Argus is a baseline: it looks at pairs and triples of columns only. {} looks at all of them.",
    Setting.search("MuArgus"),
)
ALL_UP_TO = 16  # so many columns at most are looked at in all combinations
LARGEST = 3  # of more columns, only minimal combinations of at most so many
GROUP = 64  # comparing classes with all others takes as long for so many columns as grouping them by one combination
BLOCK = 1 << 22  # so many comparisons are made at once


@dataclass(frozen=True)
class MuArgus:
    """Raise columns as Datafly does; then suppress the column that is in most rare combinations of those who are left.

    Parameters
    ----------
    improved
        Look at all combinations of columns, and go on until every class has k records. Without it only pairs and
        triples are looked at, once, as in the original: that is there to compare with, in general *not* k-anonymous.
    identifying
        Only without ``improved``: how identifying a column is, ``"most"``, ``"more"``, ``"less"`` or ``"not"``.
        Combinations with at least one of the most identifying columns and none that is not identifying are looked at,
        and the most identifying column is suppressed. Columns that are not named are less identifying. By default all
        combinations are looked at, and all columns are equal.
    outliers
        How many records may be left when the raising ends; by default the k that is promised. With more of them the
        other records are published more finely, and more cells are suppressed.

    Notes
    -----
    Carries k-anonymity alone, and counts records, not people. The improved form keeps it exactly and loses no record.
    The plain form never gives a release that breaks the promise: where its result does, it raises ``NoSafeRelease``.

    A combination of columns is rare for a record if fewer than k records have the same labels there. All combinations
    of up to 16 columns that are not suppressed yet are counted; of more columns, the minimal ones of at most three.
    This decides only what is suppressed first, never whether the promise is kept.

    What is *not* protected: what a class has in common. And a suppressed cell tells that its record stood out at the
    levels that all others are published at: local recodings that suppress as little as they can are the most exposed
    to such conclusions (Cohen).

    References
    ----------
    A. Hundepool, L. Willenborg. *µ- and τ-Argus: software for statistical disclosure control.* 3rd International
    Seminar on Statistical Confidentiality, 1996.
    Geetha Mary A, D. P. Acharjya, N. Ch. S. N. Iyengar. *Improved anonymization algorithms for hiding sensitive
    information in hybrid information system.*
    A. Cohen. *Attacks on deidentification's defenses.* USENIX Security, 2022.
    """

    improved: bool = True
    identifying: Mapping[str, Identifying] | tuple[tuple[str, Identifying], ...] | None = None
    outliers: int | None = None
    local: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_flag("improved", self.improved)
        check_outliers(self.outliers)
        if self.identifying is None:
            return
        if self.improved:
            msg = "identifying goes with improved=False: the improved µ-Argus finds out which columns identify."
            raise ParameterError(msg, hint="leave identifying out.")
        given = dict(self.identifying)
        for name, how in given.items():
            if how not in get_args(Identifying):
                msg = f"identifying of column {name!r} must be 'most', 'more', 'less' or 'not', got {how!r}."
                raise ParameterError(msg)
        object.__setattr__(self, "identifying", tuple(given.items()))

    def search(self, problem: Problem, progress: OnProgress | None = None) -> LocalOutcome:
        """Find what every record is published as.

        Parameters
        ----------
        problem
            The census, the promise and the limits. No record is left out.
        progress
            Not called.
        """
        table = LocalTable(problem)
        k = promised_k(problem, "MuArgus")
        refuse_others(table, "MuArgus")
        ranks = self._ranks(table.census.quasi)
        table.refuse_if_hopeless()
        stars = Stars(table, raise_levels(table, k, k if self.outliers is None else self.outliers))
        if not self.improved:
            return _suppress_rare(stars, ranks, k)
        while _suppress_most_involved(stars, k):
            pass
        return stars.outcome(stars.filled_pieces(k), ())

    def _ranks(self, quasi: tuple[str, ...]) -> list[int]:
        """Give for every column how little identifying it is, from 0 for the most."""
        given = None if self.identifying is None else dict(self.identifying)
        for name in given or ():
            if name not in quasi:
                raise UnknownColumnError.of(name, quasi, given_as="identifying")
        order = get_args(Identifying)
        return [0 if given is None else order.index(given.get(name, "less")) for name in quasi]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Classes of records that look alike; a suppressed label is not ``shown``: it says nothing."""

    labels: Counts
    shown: Bools
    sizes: Counts


def involvements(table: Labelled, wanted: Ints, k: int) -> Counts:
    """Count for every column the pairs of a record and a rare combination that has the column."""
    # A combination is rare for a record if fewer than k records of the whole table have its labels there. Suppressed
    # labels are in no combination. Up to `ALL_UP_TO` columns all combinations count; beyond that only minimal ones
    # (without a smaller rare one inside) of at most `LARGEST` columns.
    columns = np.flatnonzero(table.shown[:, wanted].any(axis=1))
    sets = 1 << min(len(columns), ALL_UP_TO)
    if len(columns) > ALL_UP_TO:
        return _record_sums(table, wanted, minimal_combinations(table, wanted, k, LARGEST))
    if len(wanted) * len(columns) > GROUP * sets:
        every = (chosen for number in range(len(columns)) for chosen in combinations(columns.tolist(), number + 1))
        return _record_sums(table, wanted, ((chosen, is_rare(table, wanted, chosen, k)) for chosen in every))
    result = np.zeros(len(table.labels), dtype=np.int64)
    step = max(BLOCK // max(len(table.sizes), sets), 1)
    for start in range(0, len(wanted), step):
        some = wanted[start : start + step]
        records = table.sizes[some] @ rare_combinations(table, some, columns, k)
        for bit, column in enumerate(columns):
            result[column] += records[(np.arange(sets) >> bit) & 1 == 1].sum()
    return result


def rare_combinations(table: Labelled, wanted: Ints, columns: Ints, k: int) -> Bools:
    """Say for every wanted class and every set of columns whether fewer than k records have its labels there."""
    # The i-th of `columns` is in a set if bit i of the set's number is 1.
    sets = 1 << len(columns)
    alike = np.zeros((len(wanted), len(table.sizes)), dtype=np.int64)
    shown = np.zeros(len(wanted), dtype=np.int64)
    for bit, column in enumerate(columns):
        labels = table.labels[column]
        alike |= (labels[wanted][:, np.newaxis] == labels).astype(np.int64) << bit
        shown |= table.shown[column][wanted].astype(np.int64) << bit
    alike += np.arange(len(wanted))[:, np.newaxis] * sets
    exactly = add_up(alike.ravel(), np.tile(table.sizes, len(wanted)), len(wanted) * sets)
    have = exactly.reshape(len(wanted), sets)
    for bit in range(len(columns)):  # add up over all sets that hold a set, one bit after the other
        pairs = have.reshape(len(have), -1, 2, 1 << bit)
        pairs[:, :, 0] += pairs[:, :, 1]
    numbers = np.arange(sets)
    usable = (numbers & ~shown[:, np.newaxis] == 0) & (numbers > 0)
    return np.asarray((have < k) & usable)


def minimal_combinations(
    table: Labelled, wanted: Ints, k: int, largest: int
) -> Iterator[tuple[tuple[int, ...], Bools]]:
    """Give every set of at most ``largest`` columns, and for which wanted classes it is rare and none inside it is."""
    columns = np.flatnonzero(table.shown[:, wanted].any(axis=1)).tolist()
    found: dict[tuple[int, ...], Bools] = {}
    for number in range(1, largest + 1):
        for chosen in combinations(columns, number):
            rare = is_rare(table, wanted, chosen, k)
            smaller = (inside for size in range(1, number) for inside in combinations(chosen, size))
            for inside in smaller:
                rare &= ~found.get(inside, np.zeros(1, dtype=bool))
            if rare.any():
                found[chosen] = rare
                yield chosen, rare


def is_rare(table: Labelled, wanted: Ints, chosen: Sequence[int], k: int) -> Bools:
    """Say for which wanted classes fewer than k records have the same labels in some columns, none suppressed."""
    columns = list(chosen)
    alike = group(list(table.labels[columns]), [int(labels.max(initial=0)) + 1 for labels in table.labels[columns]])
    rare = (alike.sums(table.sizes) < k)[alike.ids[wanted]]
    return np.asarray(rare & table.shown[columns][:, wanted].all(axis=0))


def _record_sums(table: Labelled, wanted: Ints, found: Iterable[tuple[tuple[int, ...], Bools]]) -> Counts:
    result = np.zeros(len(table.labels), dtype=np.int64)
    for chosen, rare in found:
        result[list(chosen)] += int(table.sizes[wanted[rare]].sum())
    return result


def _suppress_most_involved(stars: Stars, k: int) -> bool:
    """Suppress one column in all small classes; say whether there was something to suppress."""
    alike, sizes = stars.classes()
    small = np.flatnonzero(sizes < k)
    table = Labelled(stars.labels[:, alike.first], ~stars.hidden[:, alike.first], sizes)
    possible = table.shown[:, small].any(axis=1)
    if not possible.any():
        return False
    scores = involvements(table, small, k)
    if not scores.any():
        scores = np.array([count_different(labels[small]) for labels in table.labels])
    column = int(np.argmax(np.where(possible, scores, -1)))
    stars.hide((sizes < k)[alike.ids], column)
    return True


def _suppress_rare(stars: Stars, ranks: list[int], k: int) -> LocalOutcome:
    """Suppress one cell per rare pair or triple of columns, and see whether that was enough."""
    alike, sizes = stars.classes()
    small = np.flatnonzero(sizes < k)  # who is in a class of k has no rare combination
    table = Labelled(stars.labels[:, alike.first], ~stars.hidden[:, alike.first], sizes)
    for column, classes in enumerate(_cells_to_suppress(table, small, ranks, k)):
        stars.hide(np.isin(alike.ids, small[classes]), column)
    left = stars.records_in_small_classes(k)
    if left:
        records = int(sizes.sum())
        msg = f"Plain µ-Argus leaves {left:,} of {records:,} records in classes of fewer than {k}, which breaks k>={k}."
        hint = Hint("use {}, which looks at all combinations of columns.", Setting.search("MuArgus"))
        raise NoSafeRelease(msg, hint=hint)
    return stars.outcome(stars.filled_pieces(k), (PLAIN,))


def _cells_to_suppress(table: Labelled, small: Ints, ranks: list[int], k: int) -> Bools:
    """Say per column and small class whether its cell is suppressed."""
    # Pairs come first, then triples, in the order of the schema; one that has a suppressed cell already is done with.
    # Of equally identifying columns the one in most rare combinations of the class is taken.
    rare = {
        chosen: found
        for number in (2, 3)
        for chosen in combinations(range(len(ranks)), number)
        if min(ranks[column] for column in chosen) == 0 and max(ranks[column] for column in chosen) < 3
        if (found := is_rare(table, small, chosen, k)).any()
    }
    often = np.zeros((len(ranks), len(small)), dtype=np.int64)
    for chosen, found in rare.items():
        often[list(chosen)] += found
    hidden = np.zeros((len(ranks), len(small)), dtype=bool)
    for chosen, found in rare.items():
        columns = np.array(chosen)
        classes = np.flatnonzero(found & ~hidden[columns].any(axis=0))
        scores = np.array(ranks)[columns][:, np.newaxis] * (len(rare) + 1) - often[columns][:, classes]
        hidden[columns[np.argmin(scores, axis=0)], classes] = True
    return hidden
