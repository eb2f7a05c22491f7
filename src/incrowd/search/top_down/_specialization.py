"""The steps of the top-down search, for all parts at once: every part goes down its best column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import add_up
from incrowd.models import KAnonymity
from incrowd.search._local_recoding import LocalTable, flat_tables, needed_sums
from incrowd.search._problem import Bools, Counts, Floats, Ints
from incrowd.search.top_down._kernels import GROUP, KEPT, SCORE, Loan, Tally, borrow, count_kinds, divide

BLOCK = 1 << 16  # how many pieces a block of parts has, unless it is one part
OPEN, NEVER, NOT_NOW = range(3)
"""Whether to try a column: yes; no, as no label below keeps the promise; not for these records, who stayed behind."""
RECORDS = 2  # records are looked for last, after different values and weights (step 10)


def specialize(table: LocalTable, order: Ints, *, by_loss: bool, retry: bool) -> Parts:
    """Go down until every part is finished; cells are numbered by their places in ``order``."""
    census = table.census
    codes = np.array([column[order] for column in census.codes[: len(census.quasi)]], dtype=np.int64)
    counts = np.ones(len(census), dtype=np.int64) if table.has_persons else census.counts[order].astype(np.int64)
    down = _Specialization(Ladders.of(table), _needs_of_cells(table, order), codes, by_loss, retry)
    number = min(1, len(counts))  # no part if there are no records
    levels = np.array([[namer.height - namer.floor for namer in table.names]] * number, dtype=np.int16)
    levels = levels.reshape(number, len(table.names))
    starts, closed = _boundaries_of(np.full(number, len(counts))), np.zeros_like(levels, dtype=np.int8)
    start = Parts(np.arange(len(counts), dtype=np.int32), counts, starts, levels, closed)
    blocks, finished = start.blocks(), [start.some(np.zeros(len(start.levels), dtype=bool))]
    while blocks:
        after, done = down.step(blocks.pop())
        blocks += after.blocks()
        finished.append(done)
    return _joined_parts(finished)


class Ladders(NamedTuple):
    """What every code is called at every level: tables one after the other."""

    # `groups` and `leaves`: the group of a code, and how many values it stands for. `prices`: what giving up a value of
    # a column costs.
    groups: Counts
    leaves: Counts
    at: Counts
    prices: Floats

    @classmethod
    def of(cls, table: LocalTable) -> Ladders:
        groups, at = flat_tables([table.level_groups(column) for column in range(len(table.names))])
        leaves = [namer.ladder.leaves[namer.floor :] for namer in table.names]
        counted = [
            [count[group] for count, group in zip(leaves[column], table.level_groups(column), strict=True)]
            for column in range(len(leaves))
        ]
        most = np.array([int(namer.ladder.leaves[-1][0]) for namer in table.names])
        prices = table.weights / np.maximum(most - 1, 1)
        return cls(groups, flat_tables(counted)[0], at, prices)


class Parts(NamedTuple):
    """Parts of a table: records that go down together."""

    # `cells` and `counts`: the pieces of all parts, one part after the other; `starts` is one longer than there are
    # parts. `levels` and `closed`: per part and column its level, and whether it needs no try (see `NEVER`).
    cells: Ints
    counts: Counts
    starts: Counts
    levels: npt.NDArray[np.int16]
    closed: npt.NDArray[np.int8]

    @property
    def owner(self) -> Counts:
        return np.repeat(np.arange(len(self.levels)), np.diff(self.starts))

    def sums(self, values: Counts) -> Counts:
        return np.add.reduceat(values, self.starts[:-1])

    def some(self, wanted: Bools) -> Parts:
        sizes = np.diff(self.starts)
        inside = np.repeat(wanted, sizes)
        per_part = _boundaries_of(sizes[wanted]), self.levels[wanted], self.closed[wanted]
        return Parts(self.cells[inside], self.counts[inside], *per_part)

    def blocks(self) -> list[Parts]:
        """Give the parts in blocks, each a few parts or a large one: what is worked on fits into the cache."""
        block = self.starts[:-1] // BLOCK
        return [self.some(block == number) for number in np.unique(block)]

    def regrouped(self, pieces: Ints, counts: Counts, group: Counts) -> tuple[Parts, Counts]:
        """Make parts of pieces that stand part by part and group by group; also give the part that each came from."""
        owner = self.owner[pieces]
        new = (np.diff(owner, prepend=-1) != 0) | (np.diff(group[pieces], prepend=-1) != 0)
        first = np.flatnonzero(new)
        origin = owner[first]
        starts = np.append(first, len(pieces))
        return Parts(self.cells[pieces], counts[pieces], starts, self.levels[origin], self.closed[origin]), origin


def _boundaries_of(sizes: Ints) -> Counts:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def _joined_parts(several: Sequence[Parts]) -> Parts:
    sizes = np.concatenate([np.diff(parts.starts) for parts in several])
    cells, counts, _, levels, closed = (np.concatenate(column) for column in zip(*several, strict=True))
    return Parts(cells, counts, _boundaries_of(sizes), levels, closed)


class GroupNeeds(NamedTuple):
    """What a class needs: enough worth of different kinds, and enough worth added up over its records."""

    # `kinds`: per need the kind of every cell, numbered differently for each need; a kind is `worth` something however
    # often it occurs. `worths`: per need for sums what a record of every cell is worth. `bounds` and `stages`: per
    # need, first those for kinds, how much is enough, and when what is missing is looked for.
    kinds: Counts
    worth: Counts
    worths: Counts
    bounds: Counts
    stages: Counts


def _needs_of_cells(table: LocalTable, order: Ints) -> GroupNeeds:
    """Give what a class needs, for cells in the order that decides ties."""
    kinds, worth, worths, entries = [], [np.zeros(0, dtype=np.int64)], [], 0
    of_kinds: list[tuple[int, int]] = []
    of_sums: list[tuple[int, int]] = []
    for judge in table.judges:
        for stage, one in enumerate(needed_sums(table, judge)):
            need = one.least, RECORDS if isinstance(judge.model, KAnonymity) else stage
            if one.kinds is None:
                worths.append(one.worth[order])
                of_sums.append(need)
            else:
                kinds.append(one.kinds[order].astype(np.int64) + entries)
                worth.append(one.worth)
                of_kinds.append(need)
                entries += len(one.worth)
    return GroupNeeds(
        kinds=np.array(kinds, dtype=np.int64).reshape(len(kinds), len(order)),
        worth=np.concatenate(worth),
        worths=np.array(worths, dtype=np.int64).reshape(len(worths), len(order)),
        bounds=np.array([min(least, 2**62) for least, _ in (*of_kinds, *of_sums)], dtype=np.int64),
        stages=np.array([stage for _, stage in (*of_kinds, *of_sums)], dtype=np.int64),
    )


class _PartGroups(NamedTuple):
    """The group of every piece (``of``); per group its label, what it has of every need, and whether that is enough."""

    # `entry` and `records`: per need and piece the kind in its group, and the records of it.
    of: Counts
    labels: Counts
    have: Counts
    ok: Bools
    entry: Counts
    records: Counts


class _Tried(NamedTuple):
    """What going down a column does: per piece its group and how many records are kept; per part how good it is."""

    group: Counts
    kept: Counts
    gained: Floats
    records: Counts
    branches: Counts
    never: Bools


@dataclass(frozen=True, slots=True, eq=False)
class _Specialization:
    """What stays the same from step to step."""

    # `by_loss`: the best column is the one that gains most, instead of the one that takes most records along. `retry`:
    # those who stay are tried again with the other columns.
    ladders: Ladders
    needs: GroupNeeds
    codes: Ints
    by_loss: bool
    retry: bool

    def step(self, parts: Parts) -> tuple[Parts, Parts]:
        """Take every part one step down; give what may go on, and what is finished."""
        best = np.full(len(parts.levels), -1)
        found = np.full((3, len(best)), -np.inf)
        group, kept = np.zeros((2, len(parts.cells)), dtype=np.int64)
        closed = parts.closed.copy()
        for column in range(len(self.codes)):
            some = (parts.levels[:, column] > 0) & (parts.closed[:, column] == OPEN)
            if not some.any():
                continue
            tried = self._tried_column(parts.some(some), column)
            closed[some, column] = np.where(tried.never, NEVER, OPEN)
            value = np.full_like(found, -np.inf)
            value[:, some] = tried.gained, tried.records, -tried.branches
            equal, larger = value == found, value > found  # by the first row, then by the second, then by the third
            better = (value[1] > 0) & (larger[0] | (equal[0] & (larger[1] | (equal[1] & larger[2]))))
            best[better], found[:, better] = column, value[:, better]
            changed, inside = np.repeat(better, np.diff(parts.starts)), np.repeat(some, np.diff(parts.starts))
            group[changed], kept[changed] = tried.group[changed[inside]], tried.kept[changed[inside]]
        return self._split(parts._replace(closed=closed), best, group, kept)

    def _tried_column(self, parts: Parts, column: int) -> _Tried:
        owner, codes = parts.owner, self.codes[column][parts.cells]
        upper = self.ladders.at[column][parts.levels[owner, column]] + codes
        lower = self.ladders.at[column][parts.levels[owner, column] - 1] + codes
        groups = self._divide(parts.cells, parts.counts, parts.starts, self.ladders.groups[lower])
        kept = np.where(groups.ok[groups.of], parts.counts, 0)
        some = parts.sums(kept) > 0
        self._take_back(parts, column, groups, kept, some[owner])
        records, branches = parts.sums(kept), parts.sums(_first_pieces(groups.of, kept))
        value = records.astype(np.float64)
        if self.by_loss:  # a step that takes everybody along costs nothing, and opens what lies below
            gained = parts.sums(kept * (self.ladders.leaves[upper] - self.ladders.leaves[lower]))
            free = (records == parts.sums(parts.counts)) & (branches == 1)
            value = np.where(free, np.inf, gained * self.ladders.prices[column])
        return _Tried(groups.of, kept, value, records, branches, ~some)

    def _divide(self, cells: Ints, counts: Counts, starts: Counts, labels: Counts) -> _PartGroups:
        """Divide the pieces of every part by labels, and say what each group has."""
        needs = self.needs
        seen = np.full(int(labels.max()) + 1, -1)
        of, order = np.empty_like(labels), np.empty_like(labels)
        at = np.zeros(len(labels) + 2, dtype=np.int64)
        at = at[: divide(labels, starts, seen, of, order, at) + 1]
        kinds = len(needs.kinds)
        shapes = (2, len(needs.worth)), (len(at) - 1, len(needs.bounds)), (kinds, len(cells)), (kinds * len(cells),)
        tally = Tally(*(np.zeros(shape, dtype=np.int64) for shape in shapes))
        count_kinds(order, at, counts, needs.kinds.take(cells, axis=1), needs.worth, tally)
        have = tally.have
        for need, worth in enumerate(needs.worths):
            have[:, kinds + need] = np.add.reduceat((counts * worth[cells])[order], at[:-1])
        enough = np.all(have >= needs.bounds, axis=1)
        return _PartGroups(of, labels[order[at[:-1]]], have, enough, tally.entry, tally.records)

    def _take_back(self, parts: Parts, column: int, groups: _PartGroups, kept: Counts, some: Bools) -> None:
        """Step 10: where those who stay have not enough, take from those who would go on. Changes ``kept``."""
        # `some`: whether any record of the piece's part goes on; if none does, all stay.
        back = some & (kept == 0)
        if not back.any():
            return
        sizes = np.bincount(parts.owner[back], minlength=len(parts.levels))
        one = np.zeros(back.sum(), dtype=np.int64)
        stay = self._divide(parts.cells[back], parts.counts[back], _boundaries_of(sizes), one)
        poor = sizes > 0
        poor[poor] = ~stay.ok
        if poor.any():
            inside = np.flatnonzero(poor[parts.owner])
            here, group = parts.some(poor), groups.of[inside]
            score = self._scores(here, column, kept[inside] > 0)
            lines = np.array([here.counts, kept[inside], group, score])
            given, failed = self._borrow(here, lines, groups, groups.entry.take(inside, axis=1))
            rest = np.flatnonzero(failed[here.owner])
            given[rest[_smallest_groups(here.owner[rest], group[rest], groups.labels, given[rest], score[rest])]] = 0
            kept[inside] = given

    def _borrow(self, parts: Parts, lines: Counts, groups: _PartGroups, entry: Counts) -> tuple[Counts, Bools]:
        """Move single records back; give what is kept then, and the parts for which single records do not suffice."""
        needs, cells = self.needs, parts.cells
        pieces = np.concatenate((lines, needs.kinds.take(cells, axis=1), entry, needs.worths.take(cells, axis=1)))
        have = np.column_stack((groups.have, add_up(lines[GROUP], parts.counts, len(groups.ok))))
        line = np.lexsort((lines[SCORE], parts.owner))
        limits = np.array([needs.bounds, needs.stages])
        seen, failed = np.zeros(len(needs.worth), dtype=bool), np.zeros(len(parts.levels), dtype=bool)
        back = np.zeros(limits.shape[1], dtype=np.int64)
        borrow(parts.starts, line, Loan(pieces, have, limits, needs.worth, groups.records, back, seen), failed)
        return pieces[KEPT], failed

    def _scores(self, parts: Parts, column: int, kept: Bools) -> Counts:
        """Count for every kept piece how many more levels its group could go down."""
        scores = np.zeros(len(kept), dtype=np.int64)
        owner, places = parts.owner, np.flatnonzero(kept)
        level = parts.levels[owner, column] - 2
        while True:
            places = places[level[places] >= 0]
            if not len(places):
                return scores
            cells = parts.cells[places]
            labels = self.ladders.groups[self.ladders.at[column][level[places]] + self.codes[column][cells]]
            starts = np.searchsorted(owner[places], np.arange(len(parts.levels) + 1))
            groups = self._divide(cells, parts.counts[places], starts, labels)
            places = places[groups.ok[groups.of]]
            scores[places] += 1
            level = level - 1

    def _split(self, parts: Parts, best: Counts, group: Counts, kept: Counts) -> tuple[Parts, Parts]:
        owner = parts.owner
        go, stay = np.flatnonzero(kept), np.flatnonzero((parts.counts > kept) & (best[owner] >= 0))
        go = go[np.lexsort((group[go], owner[go]))]
        down, origin = parts.regrouped(go, kept, group)
        which, column = np.arange(len(origin)), best[origin]
        down.levels[which, column] -= 1
        down.closed[which, column] = OPEN
        down.closed[down.closed == NOT_NOW] = OPEN
        rest, origin = parts.regrouped(stay, parts.counts - kept, np.zeros_like(group))
        rest.closed[np.arange(len(origin)), best[origin]] = NOT_NOW
        done = parts.some(best < 0)
        return (_joined_parts([down, rest]), done) if self.retry else (down, _joined_parts([done, rest]))


def _first_pieces(group: Counts, kept: Counts) -> Counts:
    """Mark one piece of every group of which something is kept."""
    pieces, result = np.flatnonzero(kept), np.zeros_like(kept)
    one = np.full(int(group.max()) + 1, -1)
    one[group[pieces]] = pieces
    result[one[one >= 0]] = 1
    return result


def _smallest_groups(owner: Counts, group: Counts, labels: Counts, kept: Counts, score: Counts) -> Bools:
    """Find in every part the smallest kept group; of equal ones that with the smallest scores, then the first label."""
    sizes, scores = (add_up(group, each, len(labels)) for each in (kept, kept * score))
    filled = np.flatnonzero(kept)
    ranks = (labels[group], scores[group], sizes[group], owner)
    filled = filled[np.lexsort([rank[filled] for rank in ranks])]
    first = filled[np.diff(owner[filled], prepend=-1) != 0]
    chosen = np.zeros(len(labels), dtype=bool)
    chosen[group[first]] = True
    return chosen[group]
