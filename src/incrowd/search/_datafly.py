"""Datafly, plain and so that it loses no record (A-DATAFLY, spec 8.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from incrowd.core import Hint, NoSafeRelease, Setting
from incrowd.search._ascent import (
    Stars,
    check_choice,
    check_outliers,
    k_alone,
    most_different,
    raise_levels,
    refuse_others,
)
from incrowd.search._local import LocalOutcome, LocalTable
from incrowd.search._outcome import Progress
from incrowd.search._problem import Problem

PLAIN = Hint(
    "Plain Datafly is a baseline: it deletes the records that are left in small classes. {} loses none.",
    Setting.search("Datafly"),
)


@dataclass(frozen=True)
class Datafly:
    """Raise the column with the most labels until few records stand out; then suppress single cells of these.

    Parameters
    ----------
    improved
        Suppress cells of the records that are left, and lose none. Without it they are deleted, as in the original:
        that is there to compare with.
    outliers
        How many records may be left when the raising ends; by default the k that is promised. With more of them the
        other records are published more finely, and more cells are suppressed.

    Notes
    -----
    Carries k-anonymity alone, which it keeps exactly, and counts records, not people. The records that are left lose
    one column after the other, the one with the most different labels among them first, until each of them is in a
    class of k. If fewer than k end with nothing at all, records of the smallest class that can spare some join them.

    What is *not* protected: what a class has in common. And labels overlap, which tells something: a record with
    suppressed cells stood out at the levels that all others are published at, so there were fewer than k like it.
    Local recodings that suppress as little as they can are the most exposed to such conclusions (Cohen). Fast and easy
    to explain; what it gives up is far from the least, because it counts labels and not losses.

    References
    ----------
    L. Sweeney. *Guaranteeing anonymity when sharing medical data, the Datafly system.* AMIA Annual Symposium, 1997.
    Geetha Mary A, D. P. Acharjya, N. Ch. S. N. Iyengar. *Improved anonymization algorithms for hiding sensitive
    information in hybrid information system.*
    A. Cohen. *Attacks on deidentification's defenses.* USENIX Security, 2022.
    """

    improved: bool = True
    outliers: int | None = None
    local: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_choice("improved", self.improved)
        check_outliers(self.outliers)

    def search(
        self,
        problem: Problem,
        progress: Callable[[Progress], bool | None] | None = None,  # noqa: ARG002 - over in a moment
    ) -> LocalOutcome:
        """Find what every record is published as.

        Parameters
        ----------
        problem
            The census, the promise and the limits. The plain form deletes records, at most so many as its limit.
        progress
            Not called.
        """
        k = k_alone(problem, "Datafly")
        table = LocalTable(problem)
        refuse_others(table, "Datafly")
        table.refuse_if_hopeless()
        stars = Stars(table, raise_levels(table, k, k if self.outliers is None else self.outliers))
        if not self.improved:
            return _delete(problem, stars, k)
        _suppress(stars, k)
        return stars.outcome(stars.fill(k), ())


def _suppress(stars: Stars, k: int) -> None:
    """Suppress column after column in the rows that are in small classes, until there are none or no column is left."""
    columns = list(range(len(stars.labels)))
    rows = stars.rows_in_small(k)
    while rows.any() and columns:
        column = most_different(list(stars.labels[:, rows]), columns)
        columns.remove(column)
        stars.hide(rows, column)
        rows &= stars.rows_in_small(k)


def _delete(problem: Problem, stars: Stars, k: int) -> LocalOutcome:
    """Leave the records in small classes out, if so many may be."""
    pieces = stars.leave_out(k)
    gone = int(pieces.counts[pieces.classes < 0].sum())
    if gone > problem.limit or pieces.number == 0:
        records = problem.census.records
        msg = f"Plain Datafly deletes {gone:,} of {records:,} records, and {problem.limit:,} may be left out."
        enough = Hint("allow {max_suppressed_records}, or ", max_suppressed_records=gone) if pieces.number else ""
        hint = enough + Hint("use {}, which loses no record.", Setting.search("Datafly"))
        raise NoSafeRelease(msg, hint=hint, nearest=gone if pieces.number else None)
    return stars.outcome(pieces, (PLAIN,))
