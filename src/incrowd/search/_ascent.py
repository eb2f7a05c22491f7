"""The loop that Datafly, µ-Argus and SwapDiversity begin with: raise the column with the most labels (spec 8.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.core import Grouping, Hint, Labelling, ParameterError, group
from incrowd.hierarchies import Averaged
from incrowd.models import KAnonymity, Model
from incrowd.search._local import LocalOutcome, LocalTable, Pieces
from incrowd.search._problem import CHEAPEST_FIRST, MONDRIAN, OPTIMAL, Problem

Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Raised:
    """A table with one level per column, at which few records are in small classes.

    Cells that look alike share a row; rows stand in the order of their codes. ``codes``: per column the group of every
    row.
    """

    levels: tuple[int, ...]
    rows: Ints
    codes: tuple[Ints, ...]
    sizes: Counts


def raise_levels(table: LocalTable, k: int, outliers: int) -> Raised:
    """Raise one column after the other by a level, until few records are in classes smaller than k.

    The next column is the one with the most different labels, of several the first in the order of the schema. With 0
    or more outliers this ends at the latest at the top of all columns.
    """
    raised = _lowest(table)
    while int(raised.sizes[raised.sizes < k].sum()) > outliers:
        heights = [namer.height for namer in table.names]
        open_columns = [column for column, level in enumerate(raised.levels) if level < heights[column]]
        if not open_columns:
            break
        raised = _raise(table, raised, most_different(raised.codes, open_columns))
    return raised


def most_different(codes: Sequence[Ints], columns: Sequence[int]) -> int:
    """Give the column with the most different labels, of several the first."""
    return max(columns, key=lambda column: (different(codes[column]), -column))


def different(codes: Ints) -> int:
    """Count the different codes."""
    return int(np.count_nonzero(np.bincount(codes)))


def k_alone(problem: Problem, search: str) -> int:
    """Give the k that is promised; refuse every promise beside it."""
    least, others = k_and_more(problem.model)
    if others:
        msg = f"{search} keeps k-anonymity and nothing else, and the promise has {others[0]}."
        hint = Hint("use a search that carries such promises, such as {} or {}.", MONDRIAN, CHEAPEST_FIRST)
        raise ParameterError(msg, hint=hint)
    return least


def k_and_more(model: Model) -> tuple[int, list[Model]]:
    """Give the k that is promised, 1 where none is, and the other promises."""
    parts = [part for part in model.parts if isinstance(part, KAnonymity)]
    return max([1, *(part.k for part in parts)]), [part for part in model.parts if not isinstance(part, KAnonymity)]


def refuse_others(table: LocalTable, search: str) -> None:
    """Refuse a table in which several rows are one person, and columns that weigh more than others."""
    hint = Hint("use {} or {}.", MONDRIAN, CHEAPEST_FIRST)
    table.refuse_importance(f"{search} looks at labels and levels", hint)
    if table.persons:
        msg = f"{search} counts and moves single records, and here the rows of a person ({_entity(table)}) are one."
        raise ParameterError(msg, hint=Hint("use a search that counts people, such as {} or {}.", OPTIMAL, MONDRIAN))


def check_choice(name: str, given: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(given, bool):
        msg = f"{name} must be true or false, got {given!r}."
        raise ParameterError(msg)


def check_outliers(outliers: int | None) -> None:
    """Refuse what is no number of records."""
    if outliers is not None and (not isinstance(outliers, int) or isinstance(outliers, bool) or outliers < 0):
        msg = f"outliers must be a number of records, 0 or more, got {outliers!r}."
        raise ParameterError(msg, hint="leave it out: then it is the k that is promised.")


def _entity(table: LocalTable) -> str:
    return repr(table.problem.schema.entity)


def _lowest(table: LocalTable) -> Raised:
    census = table.census
    codes = census.codes[: len(census.quasi)]
    alike = group(codes, _cardinalities(table, census.floor))
    return Raised(
        levels=census.floor,
        rows=alike.ids,
        codes=tuple(column[alike.first] for column in codes),
        sizes=alike.sums(census.counts),
    )


def _raise(table: LocalTable, raised: Raised, column: int) -> Raised:
    """Raise one column by one level."""
    levels, codes = list(raised.levels), list(raised.codes)
    step = table.names[column].ladder.step(levels[column], levels[column] + 1)
    levels[column] += 1
    codes[column] = step[codes[column]]
    alike = group(codes, _cardinalities(table, levels))
    return Raised(
        levels=tuple(levels),
        rows=alike.ids[raised.rows],
        codes=tuple(each[alike.first] for each in codes),
        sizes=alike.sums(raised.sizes),
    )


def _cardinalities(table: LocalTable, levels: Sequence[int]) -> list[int]:
    return [len(namer.ladder.labels[level]) for namer, level in zip(table.names, levels, strict=True)]


# Rows of a raised table in which some cells are suppressed: the classes they form, and what is published.

Bools = npt.NDArray[np.bool_]


class Stars:
    """A raised table in which single cells may be suppressed, that is published as the top of their hierarchy.

    ``labels``: per column and row a number for its label, the same for the same label; ``star``: per column that of its
    topmost label.
    """

    def __init__(self, table: LocalTable, raised: Raised) -> None:
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
