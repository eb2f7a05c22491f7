"""``Datafly``, plain and without losing records; levels raised, cells starred (``Stars``), for µ-Argus and swaps too.

A-DATAFLY, spec 8.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.core import Grouping, Hint, Labelling, NoSafeRelease, ParameterError, Setting, group
from incrowd.models import KAnonymity, Model
from incrowd.search._local_recoding import LocalTable, Pieces
from incrowd.search._problem import (
    CHEAPEST_FIRST,
    MONDRIAN,
    OPTIMAL,
    Bools,
    Counts,
    Ints,
    LocalOutcome,
    OnProgress,
    Problem,
    check_flag,
)

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
        check_flag("improved", self.improved)
        check_outliers(self.outliers)

    def search(self, problem: Problem, progress: OnProgress | None = None) -> LocalOutcome:
        """Find what every record is published as.

        Parameters
        ----------
        problem
            The census, the promise and the limits. The plain form deletes records, at most so many as its limit.
        progress
            Not called.
        """
        table = LocalTable(problem)
        k = promised_k(problem, "Datafly")
        refuse_others(table, "Datafly")
        table.refuse_if_hopeless()
        stars = Stars(table, raise_levels(table, k, k if self.outliers is None else self.outliers))
        if not self.improved:
            return _delete_small(problem, stars, k)
        columns, rows = list(range(len(stars.labels))), stars.rows_in_small_classes(k)
        while rows.any() and columns:  # suppress column after column of those who stand out
            column = most_different(list(stars.labels[:, rows]), columns)
            columns.remove(column)
            stars.hide(rows, column)
            rows &= stars.rows_in_small_classes(k)
        return stars.outcome(stars.filled_pieces(k), ())


def _delete_small(problem: Problem, stars: Stars, k: int) -> LocalOutcome:
    pieces = stars.pieces_without_small(k)
    gone = int(pieces.counts[pieces.classes < 0].sum())
    if gone > problem.limit or pieces.number == 0:
        records = problem.census.records
        msg = f"Plain Datafly deletes {gone:,} of {records:,} records, and {problem.limit:,} may be left out."
        enough = Hint("allow {max_suppressed_records}, or ", max_suppressed_records=gone) if pieces.number else ""
        hint = enough + Hint("use {}, which loses no record.", Setting.search("Datafly"))
        raise NoSafeRelease(msg, hint=hint, nearest=gone if pieces.number else None)
    return stars.outcome(pieces, (PLAIN,))


@dataclass(frozen=True, slots=True, eq=False)
class Raised:
    """A table with one level per column: cells that look alike share a row, in the order of their codes."""

    levels: tuple[int, ...]
    rows: Ints
    codes: tuple[Ints, ...]
    sizes: Counts


def raise_levels(table: LocalTable, k: int, outliers: int) -> Raised:
    """Raise the column with the most different labels by a level, until few records are in classes smaller than k."""
    census = table.census
    raised = _merged_rows(table, census.floor, np.arange(len(census)), census.codes[: len(census.quasi)], census.counts)
    while int(raised.sizes[raised.sizes < k].sum()) > outliers:
        heights = [namer.height for namer in table.names]
        open_columns = [column for column, level in enumerate(raised.levels) if level < heights[column]]
        if not open_columns:
            break
        column = most_different(raised.codes, open_columns)
        levels, codes = list(raised.levels), list(raised.codes)
        codes[column] = table.names[column].ladder.parent_groups(levels[column], levels[column] + 1)[codes[column]]
        levels[column] += 1
        raised = _merged_rows(table, levels, raised.rows, codes, raised.sizes)
    return raised


def _merged_rows(table: LocalTable, levels: Sequence[int], rows: Ints, codes: Sequence[Ints], sizes: Ints) -> Raised:
    labels = [len(namer.ladder.labels[level]) for namer, level in zip(table.names, levels, strict=True)]
    alike = group(codes, labels)
    return Raised(tuple(levels), alike.ids[rows], tuple(each[alike.first] for each in codes), alike.sums(sizes))


def most_different(codes: Sequence[Ints], columns: Sequence[int]) -> int:
    """Give the column with the most different labels, of several the first."""
    return max(columns, key=lambda column: (count_different(codes[column]), -column))


def count_different(codes: Ints) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def promised_k(problem: Problem, search: str) -> int:
    """Give the k that is promised; refuse every promise beside it."""
    least, others = k_and_others(problem.model)
    if others:
        msg = f"{search} keeps k-anonymity and nothing else, and the promise has {others[0]}."
        hint = Hint("use a search that carries such promises, such as {} or {}.", MONDRIAN, CHEAPEST_FIRST)
        raise ParameterError(msg, hint=hint)
    return least


def k_and_others(model: Model) -> tuple[int, list[Model]]:
    """Give the k that is promised, 1 where none is, and the other promises."""
    parts = [part for part in model.parts if isinstance(part, KAnonymity)]
    return max([1, *(part.k for part in parts)]), [part for part in model.parts if not isinstance(part, KAnonymity)]


def refuse_others(table: LocalTable, search: str) -> None:
    """Refuse a table in which several rows are one person, and columns that weigh more than others."""
    hint = Hint("use {} or {}.", MONDRIAN, CHEAPEST_FIRST)
    table.refuse_importance(f"{search} looks at labels and levels", hint)
    if table.has_persons:
        entity = table.problem.schema.entity
        msg = f"{search} counts and moves single records, and here the rows of a person ({entity!r}) are one."
        raise ParameterError(msg, hint=Hint("use a search that counts people, such as {} or {}.", OPTIMAL, MONDRIAN))


def check_outliers(outliers: int | None) -> None:
    if outliers is not None and (not isinstance(outliers, int) or isinstance(outliers, bool) or outliers < 0):
        msg = f"outliers must be a number of records, 0 or more, got {outliers!r}."
        raise ParameterError(msg, hint="leave it out: then it is the k that is promised.")


class Stars:
    """A raised table in which single cells may be suppressed, that is published as the top of their hierarchy."""

    # `labels`: per column and row a number for its label; `star`: per column that of its topmost label.

    def __init__(self, table: LocalTable, raised: Raised) -> None:
        self._table, self._raised = table, raised
        self.labels = np.stack([codes.astype(np.int64) for codes in raised.codes])
        self.star = np.array([self._top_label(column) for column in range(len(raised.codes))])

    @property
    def hidden(self) -> Bools:
        """Per quasi-identifier and row, whether nothing is said there."""
        return np.asarray(self.labels == self.star[:, np.newaxis])

    def hide(self, rows: Bools | Ints, column: int) -> None:
        self.labels[column, rows] = self.star[column]

    def classes(self) -> tuple[Grouping, Counts]:
        """Group the rows by their labels, and count the records of every class."""
        alike = group(list(self.labels), [max(int(column.max(initial=0)) + 1, 1) for column in self.labels])
        return alike, alike.sums(self._raised.sizes)

    def rows_in_small_classes(self, k: int) -> Bools:
        alike, sizes = self.classes()
        return np.asarray((sizes < k)[alike.ids])

    def records_in_small_classes(self, k: int) -> int:
        _, sizes = self.classes()
        return int(sizes[sizes < k].sum())

    def filled_pieces(self, k: int) -> Pieces:
        """Give the class of every record; where those with nothing but stars are too few, others join them."""
        # They come from the smallest class that can spare enough records: its last ones in canonical order. If there is
        # none, the smallest class joins them as a whole.
        alike, sizes = self.classes()
        blank = np.flatnonzero(self.hidden[:, alike.first].all(axis=0))
        missing = k - int(sizes[blank].sum())
        if not len(blank) or missing <= 0:
            return self._pieces(alike)
        others = np.delete(np.arange(len(alike)), blank)
        spare = others[sizes[others] >= k + missing]
        if len(spare):
            return self._lent_pieces(alike, int(spare[np.argmin(sizes[spare])]), int(blank[0]), missing)
        joined = alike.ids == others[np.argmin(sizes[others])]
        self.labels[:, joined] = self.star[:, np.newaxis]
        return self._pieces(self.classes()[0])

    def pieces_without_small(self, k: int) -> Pieces:
        """Give the class of every record; those in classes of fewer than k records are left out."""
        alike, sizes = self.classes()
        return self._table.whole_pieces(np.where(sizes >= k, np.arange(len(alike)), -1)[alike.ids][self._raised.rows])

    def outcome(self, pieces: Pieces, notes: Sequence[str]) -> LocalOutcome:
        """Say what is published; the pieces are in the classes that ``classes`` gives, or left out."""
        inside = pieces.classes >= 0
        present = np.unique(pieces.classes[inside])
        numbers = np.where(inside, np.searchsorted(present, pieces.classes), -1)
        published = Pieces(pieces.cells, numbers.astype(np.int64), pieces.counts)
        rows = self.classes()[0].first[present]
        labels = self._table.labels_or_averages(published, lambda column: self._label(column, rows))
        return self._table.outcome(published, labels, notes=notes)

    def _top_label(self, column: int) -> int:
        """Give the number of the topmost label: that of the only group, if it is called the same, else a new one."""
        names, level = self._table.names[column].ladder.labels, self._raised.levels[column]
        same = len(names[level]) == 1 and names[level][0] == names[-1][0]
        return 0 if same else len(names[level])

    def _lent_pieces(self, alike: Grouping, giver: int, taker: int, number: int) -> Pieces:
        pieces = self._pieces(alike)
        inside = np.flatnonzero(pieces.classes == giver)[::-1]
        before = np.cumsum(pieces.counts[inside]) - pieces.counts[inside]
        moved = np.clip(number - before, 0, pieces.counts[inside])
        counts = pieces.counts.copy()
        counts[inside] -= moved
        stay, go = counts > 0, moved > 0
        return Pieces(
            np.concatenate((pieces.cells[stay], pieces.cells[inside[go]])),
            np.concatenate((pieces.classes[stay], np.full(int(go.sum()), taker))),
            np.concatenate((counts[stay], moved[go])),
        )

    def _pieces(self, alike: Grouping) -> Pieces:
        return self._table.whole_pieces(alike.ids[self._raised.rows])

    def _label(self, column: int, rows: Ints) -> Labelling:
        namer, labels, level = self._table.names[column], self.labels[column, rows], self._raised.levels[column]
        top = labels >= len(namer.ladder.labels[level])
        return namer.by_group(np.where(top, namer.height, level), np.where(top, 0, labels))
