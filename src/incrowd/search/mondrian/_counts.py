"""Where Mondrian cuts a part that does not fit into memory: decided by counts, column by column.

Along which column a part is cut, and where, follows from how often the values of each column occur; whether the pieces
keep the promise, from how often the sensitive values occur in each of them. So the cells of a part go by in blocks,
twice, and only such counts stay.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from incrowd.core import Cells, Census, CensusRequest, Classes, Domain, Grouping, Packing, Schema, add_up, tally
from incrowd.models import KAnonymity
from incrowd.search._local_recoding import Labels, LocalTable
from incrowd.search._problem import Problem
from incrowd.search.mondrian._parts import Array, CutColumn, Stretches

_DENSE = 1 << 22  # up to so many combinations each has a place of its own; of more, those that occur are listed


class Counts:
    """How often combinations of codes occur, added up block by block."""

    def __init__(self, cardinalities: Sequence[int]) -> None:
        self._packing = Packing.of(cardinalities)
        self._dense = np.zeros(cardinalities, dtype=np.int64) if math.prod(cardinalities) <= _DENSE else None
        self._listed = [np.zeros(0, dtype=np.int64)] * self._packing.words, np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._listed[1])

    def add(self, codes: Sequence[Array], counts: Array) -> None:
        if self._dense is not None:
            places = np.ravel_multi_index([column.astype(np.intp) for column in codes], self._dense.shape)
            self._dense += add_up(places, counts, self._dense.size).reshape(self._dense.shape)
            return
        words, sums = tally(self._packing.pack(codes), counts)
        both = [np.concatenate(pair) for pair in zip(self._listed[0], words, strict=True)]
        self._listed = tally(both, np.concatenate([self._listed[1], sums]))

    def cells(self) -> tuple[tuple[Array, ...], Array]:
        """Give the combinations that occur, in order, and how often each does."""
        if self._dense is not None:
            occurring = np.nonzero(self._dense)
            return occurring, self._dense[occurring]
        return self._packing.unpack(self._listed[0]), self._listed[1]


class ValueCounts:
    """How often the values of every quasi-identifier occur in a part."""

    def __init__(self, request: CensusRequest, domains: Mapping[str, Domain]) -> None:
        self._request, self._domains = request, domains
        sizes = [request.cardinality(domains[name]) for name in request.quasi]
        self.cells = [np.zeros(size, dtype=np.int64) for size in sizes]
        self._records = [np.zeros(size, dtype=np.int64) for size in sizes]

    def add(self, codes: Sequence[Array], counts: Array) -> None:
        for column, cells in enumerate(self.cells):
            self.cells[column] = cells + np.bincount(codes[column], minlength=len(cells))
            self._records[column] += add_up(codes[column], counts, len(cells))

    def census(self, column: int) -> Census:
        """Give the census of the part that has one quasi-identifier, and nothing else."""
        name, records = self._request.quasi[column], self._records[column]
        alone = replace(self._request, quasi=(name,), sensitive=(), floor={name: self._request.level(name)})
        codes = np.flatnonzero(records)
        return Census.assemble(alone, self._domains, (codes,), records[codes])


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCut:
    """A cut: the quasi-identifier, and the piece that every code of it goes to; -1 for one that does not occur."""

    column: int
    pieces: Array

    @property
    def number(self) -> int:
        return int(self.pieces.max()) + 1


class PieceCounts:
    """How often the sensitive values occur in the pieces that a part could be cut into."""

    # `domains` are those of the sensitive columns, whose codes come last.

    def __init__(self, proposed: Sequence[ColumnCut], domains: Sequence[Domain]) -> None:
        self._proposed, self._sensitive = proposed, len(domains)
        self.counts = [Counts([along.number, *map(len, domains)]) for along in proposed]

    def __len__(self) -> int:
        """How many combinations are listed; those that have a place of their own are few."""
        return sum(map(len, self.counts))

    def add(self, codes: Sequence[Array], counts: Array) -> None:
        sensitive = codes[len(codes) - self._sensitive :]
        for along, sums in zip(self._proposed, self.counts, strict=True):
            sums.add([along.pieces[codes[along.column]], *sensitive], counts)


class CountedCuts:
    """Cuts parts of a table by their counts, as a run over its cells would."""

    # The census of `problem` may be as coarse as it likes. `whole` is known once a cut of the whole table was proposed.
    # Raises `NoSafeRelease` if even that as one class breaks the promise.

    def __init__(self, problem: Problem, labels: Labels) -> None:
        self._table, self._labels = LocalTable(problem), labels
        self._table.refuse_if_hopeless()
        self.whole: Stretches | None = None

    @property
    def by_size(self) -> bool:
        """Whether the size of the pieces alone decides: then what is proposed is done."""
        return all(isinstance(judge.model, KAnonymity) for judge in self._table.judges)

    def propose(self, part: ValueCounts) -> list[ColumnCut]:
        """Give the cuts whose pieces are large enough, in the order in which they are tried."""
        from incrowd.search.mondrian._cuts import Cutting  # noqa: PLC0415 - loads numba

        tables = [self._column_table(part, column) for column in range(len(part.cells))]
        columns = [CutColumn.of(table, 0, self._labels) for table in tables]
        cuttings = [Cutting(table, (column,), strict=True) for table, column in zip(tables, columns, strict=True)]
        found = [cutting.first_cut() for cutting in cuttings]
        reach = [cutting.reach for cutting in cuttings]
        if self.whole is None:
            self.whole = Stretches(*map(np.concatenate, zip(*reach, strict=True)))
        weights, whole = self._table.weights, self.whole
        widths = [
            weights[index] * column.widths(reach[index].at(0), whole.at(index)) for index, column in enumerate(columns)
        ]
        proposed = []
        for index in np.argsort(-np.concatenate(widths), kind="stable").tolist():
            if (pieces := found[index]) is not None:
                of_code = np.full(len(part.cells[index]), -1, dtype=np.int64)
                of_code[tables[index].census.codes[0]] = pieces
                proposed.append(ColumnCut(index, of_code))
        return proposed

    def pieces(self, proposed: Sequence[ColumnCut]) -> PieceCounts:
        census = self._table.census
        return PieceCounts(proposed, [census.domains[name] for name in census.sensitive])

    def choose(self, proposed: Sequence[ColumnCut], pieces: PieceCounts) -> ColumnCut | None:
        """Give the first of these cuts whose pieces all keep the promise."""
        for along, counts in zip(proposed, pieces.counts, strict=True):
            classes = self._classes(*counts.cells(), along.number)
            if all(judge.keeps(classes).all() for judge in self._table.judges):
                return along
        return None

    def _column_table(self, part: ValueCounts, column: int) -> LocalTable:
        """See a part by one of its columns, of which nothing but the size of pieces is asked."""
        problem = self._table.problem
        name, hierarchy = problem.schema.quasi[column]
        sizes = [judge.model.k for judge in self._table.judges if isinstance(judge.model, KAnonymity)]
        return LocalTable(
            Problem(part.census(column), Schema({name: hierarchy}), KAnonymity(max([1, *sizes])), part=True)
        )

    def _classes(self, codes: tuple[Array, ...], counts: Array, number: int) -> Classes:
        census, (pieces, *sensitive) = self._table.census, codes
        values = dict(zip(census.sensitive, sensitive, strict=True))
        cells = Cells(values, {name: census.domains[name] for name in values}, None, counts)
        return Classes.of(Grouping(pieces, np.searchsorted(pieces, np.arange(number))), (), cells)
