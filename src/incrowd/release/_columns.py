"""What is left of every published column: its values, the cells that still say something, the detail that is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, Labelling, Ladder, Namer, add_up, unbroken_percent
from incrowd.measures import LabelSums, column_loss, costs_of_sums, round_scores
from incrowd.search import Inspection, LocalOutcome, Problem

Status = Literal["nothing", "little", "fine"]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """What is left of a quasi-identifier in a release.

    Attributes
    ----------
    column
        Its name.
    values, values_before
        How many different values are published, and how many the table had. A missing value is one of them; ``*`` is
        none, nor is another label that stands for all of the column.
    cells, starred, unchanged, telling
        How many of its cells are published; and of these, how many are ``*``, how many are as they were, and how many
        still say something: they are neither ``*`` nor stand for all of the column, nor do all others say the same.
    kept
        The share of the detail that is kept, from 0 to 1: one minus the loss of the column. A record that is left out
        keeps nothing.
    level, height
        Its level, ``None`` where every class has a label of its own, and the highest there is.

    Notes
    -----
    Counts come from the census, never from rows. They are as confidential as the original table.
    """

    column: str
    values: int
    values_before: int
    cells: int
    starred: int
    unchanged: int
    telling: int
    kept: float
    level: int | None
    height: int
    status: Status

    @property
    def share_telling(self) -> float:
        """The share of its published cells that still say something."""
        return self.telling / max(self.cells, 1)

    @property
    def published(self) -> str:
        """Say in a few words what is published."""
        if self.status == "nothing" and self.starred in (0, self.cells):
            return "without its values (all are one group)"
        stars, unchanged = (unbroken_percent(some / max(self.cells, 1)) for some in (self.starred, self.unchanged))
        if self.level is None:
            labels = "1 label" if self.values == 1 else f"{self.values:,} labels"
            before = "1 value" if self.values_before == 1 else f"{self.values_before:,} values"
            return f"{labels} for {before}; {unchanged} of the records as they are, {stars} without a value"
        if self.level:
            groups = "1 group" if self.values == 1 else f"{self.values:,} groups"
            told = f"in {groups} instead of {self.values_before:,} values (level {self.level} of {self.height})"
        else:
            fewer = f", {self.values:,} of {self.values_before:,} values are left" * (self.values < self.values_before)
            told = f"as it is{fewer}"
        return f"{told}, {stars} of its cells starred" if self.starred else told

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as plain data."""
        return {**asdict(self), "share_telling": self.share_telling}


def columns_of_node(problem: Problem, inspected: Inspection) -> tuple[PublishedColumn, ...]:
    """Say what a node leaves of every column; a group of a level is published as a class of its own."""
    sums, published = ColumnSums(problem), inspected.published
    for place, (level, kept) in enumerate(zip(published.levels, published.kept, strict=True)):
        groups = np.arange(len(kept))
        sums.columns[place].add(Namer(problem.census, place).by_group(np.full(len(kept), level), groups), kept)
    masked = published.suppressed if problem.suppression == "mask" else 0
    return sums.published(published.levels, masked)


def columns_of_local(problem: Problem, outcome: LocalOutcome) -> tuple[PublishedColumn, ...]:
    """Say what a local recoding leaves of every column."""
    levels = None if outcome.levels is None else [outcome.levels[name] for name in problem.census.quasi]
    sums = ColumnSums(problem)
    sums.add(outcome.labels, outcome.sizes)
    return sums.published(levels)


class ColumnSums:
    """What is published of a table, added up part by part."""

    def __init__(self, problem: Problem) -> None:
        census = problem.census
        self.columns = [_ColumnSum(census.domains[name], census.ladders[name]) for name in census.quasi]
        none = np.zeros(len(self.columns))
        self._records, self._sums = census.records, LabelSums(none, none, none, 0.0, 0, 0)

    def add(self, labels: Sequence[Labelling], sizes: Counts) -> None:
        """Take in a part, or the whole table: per column what every class is called, and the records of each."""
        self._sums += LabelSums.of(labels, sizes)
        for column, labelling in zip(self.columns, labels, strict=True):
            column.add(labelling, sizes)

    def costs(self) -> Mapping[str, float]:
        """Give what it cost, by the name of the measure."""
        ladders, counts = zip(*((one.ladder, one.domain.counts) for one in self.columns), strict=True)
        return costs_of_sums(self._sums, ladders, counts)

    def published(self, levels: Sequence[int | None] | None = None, masked: int = 0) -> tuple[PublishedColumn, ...]:
        """Say what is left of every column; masked records have a star in each."""
        given = [None] * len(self.columns) if levels is None else levels
        return tuple(
            one.published(self._records, level, masked) for one, level in zip(self.columns, given, strict=True)
        )


class _ColumnSum:
    """What is published of one column."""

    def __init__(self, domain: Domain, ladder: Ladder) -> None:
        self.domain, self.ladder = domain, ladder
        self._labels: set[str | None] = set()
        self._cells = self._starred = self._missing = self._unchanged = self._vague = 0
        self._lost = 0.0

    def add(self, labelling: Labelling, sizes: Counts) -> None:
        names = labelling.names.tolist()
        asterisks = np.array([name is not None and set(name) == {TOP} for name in names], dtype=bool)[labelling.codes]
        lost = labelling.lost >= 1 if len(self.domain) > 1 else asterisks & (labelling.climbed > 0)
        records = add_up(labelling.codes[~lost], sizes[~lost], len(names)).tolist()
        self._labels.update(name for name, some in zip(names, records, strict=True) if some)
        self._missing += sum(some for name, some in zip(names, records, strict=True) if name is None)
        self._cells += int(sizes.sum())
        self._starred += int(sizes[lost & asterisks].sum())
        self._vague += int(sizes[lost & ~asterisks].sum())
        self._unchanged += int(sizes[labelling.climbed == 0].sum())
        self._lost += float(labelling.lost @ sizes)

    def published(self, records: int, level: int | None, masked: int) -> PublishedColumn:
        cells, starred = self._cells + masked, self._starred + masked
        values, before = len(self._labels), len(self.domain)
        known, known_before = len(self._labels - {None}), len(self.domain.values)
        nothing = values == 0 or values == 1 < before or known <= 1 < known_before
        telling = self._missing if nothing else cells - starred - self._vague
        return PublishedColumn(
            column=self.domain.column,
            values=values,
            values_before=before,
            cells=cells,
            starred=starred,
            unchanged=self._unchanged,
            telling=telling,
            kept=float(round_scores(np.array(1 - column_loss(self.ladder, self._lost, self._cells, records)))),
            level=level,
            height=self.ladder.height,
            status="nothing" if nothing else "little" if 2 * telling < cells else "fine",
        )
