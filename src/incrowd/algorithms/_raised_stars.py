"""Rows of a raised table in which some cells are suppressed: the classes they form, and what is published."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._local import Locally, LocalOutcome, Pieces
from incrowd.algorithms._raised import Raised
from incrowd.core import Grouping, Labelling, group
from incrowd.hierarchies import Averaged

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]


class Stars:
    """A raised table in which single cells may be suppressed, that is published as the top of their hierarchy.

    Attributes
    ----------
    labels
        Per quasi-identifier and row a number for its label: the same label has the same number.
    star
        Per quasi-identifier the number of its topmost label.
    """

    def __init__(self, table: Locally, raised: Raised) -> None:
        self._table, self._raised = table, raised
        codes = [codes.astype(np.int64) for codes in raised.codes]
        self.labels = np.stack(codes)
        self.star = np.array([self._top(column) for column in range(len(codes))])

    @property
    def hidden(self) -> Bools:
        """Per quasi-identifier and row, whether nothing is said there."""
        return np.asarray(self.labels == self.star[:, np.newaxis])

    def hide(self, rows: Bools | Ints, column: int) -> None:
        """Suppress the cells of a column in some rows."""
        self.labels[column, rows] = self.star[column]

    def classes(self) -> tuple[Grouping, Counts]:
        """Group the rows by their labels, and count the records of every class."""
        alike = group(list(self.labels), [max(int(column.max(initial=0)) + 1, 1) for column in self.labels])
        return alike, alike.sums(self._raised.sizes)

    def rows_in_small(self, k: int) -> Bools:
        """Say which rows are in classes of fewer than k records."""
        alike, sizes = self.classes()
        return np.asarray((sizes < k)[alike.ids])

    def small_records(self, k: int) -> int:
        """Count the records in classes of fewer than k."""
        _, sizes = self.classes()
        return int(sizes[sizes < k].sum())

    def fill(self, k: int) -> Pieces:
        """Give the class of every record; where those with nothing but stars are too few, others join them.

        They come from the smallest class that can spare enough records: its last ones in canonical order. If there is
        none, the smallest class joins them as a whole.
        """
        alike, sizes = self.classes()
        blank = self._blank(alike)
        missing = 0 if blank is None else k - int(sizes[blank])
        if blank is None or missing <= 0:
            return self._pieces(alike)
        others = np.delete(np.arange(len(alike)), blank)
        spare = others[sizes[others] >= k + missing]
        if len(spare):
            return self._lend(alike, int(spare[np.argmin(sizes[spare])]), blank, missing)
        joined = alike.ids == others[np.argmin(sizes[others])]
        self.labels[:, joined] = self.star[:, np.newaxis]
        return self._pieces(self.classes()[0])

    def leave_out(self, k: int) -> Pieces:
        """Give the class of every record; those in classes of fewer than k records are left out."""
        alike, sizes = self.classes()
        return self._whole_cells(np.where(sizes >= k, np.arange(len(alike)), -1)[alike.ids][self._raised.rows])

    def outcome(self, pieces: Pieces, notes: Sequence[str]) -> LocalOutcome:
        """Say what is published; the pieces are in the classes that ``classes`` gives, or left out."""
        inside = pieces.classes >= 0
        present = np.unique(pieces.classes[inside])
        numbers = np.where(inside, np.searchsorted(present, pieces.classes), -1)
        published = Pieces(pieces.cells, numbers.astype(np.int64), pieces.counts)
        rows = self.classes()[0].first[present]
        return self._table.outcome(published, self._called(published, rows), notes=notes)

    def _top(self, column: int) -> int:
        """Give the number of the topmost label: that of the only group, if it is called the same, else a new one."""
        names, level = self._table.names[column].ladder.labels, self._raised.levels[column]
        same = len(names[level]) == 1 and names[level][0] == names[-1][0]
        return 0 if same else len(names[level])

    def _blank(self, alike: Grouping) -> int | None:
        """Give the class whose labels are all stars, if there is one."""
        found = np.flatnonzero(self.hidden[:, alike.first].all(axis=0))
        return int(found[0]) if len(found) else None

    def _lend(self, alike: Grouping, giver: int, taker: int, number: int) -> Pieces:
        """Move the last records of a class to another."""
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
        return self._whole_cells(alike.ids[self._raised.rows])

    def _whole_cells(self, classes: Ints) -> Pieces:
        census = self._table.census
        return Pieces(np.arange(len(census)), classes.astype(np.int64), census.counts.astype(np.int64))

    def _called(self, pieces: Pieces, rows: Ints) -> tuple[Labelling, ...]:
        """Call every class by the labels of one of its rows; by an average where the schema wants one."""
        hierarchies = dict(self._table.problem.schema.quasi)
        averaged = [isinstance(hierarchies[name], Averaged) for name in self._table.census.quasi]
        by_average = self._table.called(pieces) if any(averaged) else ()
        return tuple(
            by_average[column] if averaged[column] else self._by_label(column, rows) for column in range(len(averaged))
        )

    def _by_label(self, column: int, rows: Ints) -> Labelling:
        namer, labels, level = self._table.names[column], self.labels[column, rows], self._raised.levels[column]
        top = labels >= len(namer.ladder.labels[level])
        return namer.by_group(np.where(top, namer.height, level), np.where(top, 0, labels))
