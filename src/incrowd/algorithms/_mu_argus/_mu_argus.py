"""µ-Argus: suppress the cells that are in most rare combinations, plain and exactly k-anonymous (spec 8.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._local import Locally, LocalOutcome
from incrowd.algorithms._mu_argus._combinations import Labelled, involved, rare_in
from incrowd.algorithms._outcome import Progress
from incrowd.algorithms._problem import Problem
from incrowd.algorithms._raised import check_choice, check_outliers, different, k_alone, raise_levels, refuse_others
from incrowd.algorithms._raised_stars import Stars
from incrowd.core import NoSafeRelease, ParameterError, UnknownColumnError

Identifying = Literal["most", "more", "less", "not"]
Ints = npt.NDArray[np.integer]

PLAIN = "Plain µ-Argus is a baseline: it looks at pairs and triples of columns only. MuArgus() looks at all of them."


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
        check_choice("improved", self.improved)
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

    def search(
        self,
        problem: Problem,
        progress: Callable[[Progress], bool | None] | None = None,  # noqa: ARG002 - over in a moment
    ) -> LocalOutcome:
        """Find what every record is published as.

        Parameters
        ----------
        problem
            The census, the promise and the limits. No record is left out.
        progress
            Not called.
        """
        k = k_alone(problem, "MuArgus")
        table = Locally(problem)
        refuse_others(table, "MuArgus")
        ranks = self._ranks(table.census.quasi)
        table.refuse_if_hopeless()
        stars = Stars(table, raise_levels(table, k, k if self.outliers is None else self.outliers))
        if not self.improved:
            return _plain(stars, ranks, k)
        while _suppress_most_involved(stars, k):
            pass
        return stars.outcome(stars.fill(k), ())

    def _ranks(self, quasi: tuple[str, ...]) -> list[int]:
        """Give for every column how little identifying it is, from 0 for the most."""
        given = None if self.identifying is None else dict(self.identifying)
        for name in given or ():
            if name not in quasi:
                raise UnknownColumnError.of(name, quasi, given_as="identifying")
        order = get_args(Identifying)
        return [0 if given is None else order.index(given.get(name, "less")) for name in quasi]


def _suppress_most_involved(stars: Stars, k: int) -> bool:
    """Suppress one column in all small classes; say whether there was something to suppress."""
    alike, sizes = stars.classes()
    small = np.flatnonzero(sizes < k)
    table = Labelled(stars.labels[:, alike.first], ~stars.hidden[:, alike.first], sizes)
    possible = table.shown[:, small].any(axis=1)
    if not possible.any():
        return False
    scores = involved(table, small, k)
    if not scores.any():
        scores = np.array([different(labels[small]) for labels in table.labels])
    column = int(np.argmax(np.where(possible, scores, -1)))
    stars.hide((sizes < k)[alike.ids], column)
    return True


def _plain(stars: Stars, ranks: list[int], k: int) -> LocalOutcome:
    """Suppress one cell per rare pair or triple of columns, and see whether that was enough."""
    alike, sizes = stars.classes()
    small = np.flatnonzero(sizes < k)  # who is in a class of k has no rare combination
    table = Labelled(stars.labels[:, alike.first], ~stars.hidden[:, alike.first], sizes)
    for column, classes in enumerate(_cells_to_suppress(table, small, ranks, k)):
        stars.hide(np.isin(alike.ids, small[classes]), column)
    left = stars.small_records(k)
    if left:
        records = int(sizes.sum())
        msg = f"Plain µ-Argus leaves {left:,} of {records:,} records in classes of fewer than {k}, which breaks k>={k}."
        raise NoSafeRelease(msg, hint="use MuArgus(), which looks at all combinations of columns.")
    return stars.outcome(stars.fill(k), (PLAIN,))


def _cells_to_suppress(table: Labelled, small: Ints, ranks: list[int], k: int) -> npt.NDArray[np.bool_]:
    """Say per column and small class whether its cell is suppressed.

    Pairs come first, then triples, in the order of the schema; one that has a suppressed cell already is done with. Of
    equally identifying columns the one in most rare combinations of the class is taken.
    """
    rare = {
        chosen: found
        for number in (2, 3)
        for chosen in combinations(range(len(ranks)), number)
        if min(ranks[column] for column in chosen) == 0 and max(ranks[column] for column in chosen) < 3
        if (found := rare_in(table, small, chosen, k)).any()
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
