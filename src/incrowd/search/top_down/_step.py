"""One step of the top-down search, for all parts of the table at once: every part goes down its best column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.core import add_up
from incrowd.search.top_down._kernels import GROUP, KEPT, SCORE, borrow, count_kinds, divide
from incrowd.search.top_down._parts import (
    NEVER,
    NOT_NOW,
    OPEN,
    Bools,
    Floats,
    Ints,
    Ladders,
    Needs,
    Parts,
    Words,
    ends,
    together,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Pieces, and the groups that they fall into.

    ``of`` is the group of every piece. Per group: ``labels``, its label; ``have``, what it has of every need; ``ok``,
    whether that is enough. ``entry`` and ``records``: per need and piece the kind in its group, and the records of it.
    """

    of: Words
    labels: Words
    have: Words
    ok: Bools
    entry: Words
    records: Words


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """What going down a column does: per piece its group and how many records are kept; per part how good it is."""

    group: Words
    kept: Words
    gained: Floats
    records: Words
    branches: Words
    never: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Specialization:
    """What stays the same from step to step.

    ``by_loss``: the best column is the one that gains most, instead of the one that takes most records along.
    ``retry``: those who stay are tried again with the other columns.
    """

    ladders: Ladders
    needs: Needs
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
            tried = self._try(parts.some(some), column)
            closed[some, column] = np.where(tried.never, NEVER, OPEN)
            value = np.full_like(found, -np.inf)
            value[:, some] = tried.gained, tried.records, -tried.branches
            better = (value[1] > 0) & _larger(value, found)
            best[better], found[:, better] = column, value[:, better]
            changed, inside = np.repeat(better, np.diff(parts.starts)), np.repeat(some, np.diff(parts.starts))
            group[changed], kept[changed] = tried.group[changed[inside]], tried.kept[changed[inside]]
        return self._apart(parts._replace(closed=closed), best, group, kept)

    def _try(self, parts: Parts, column: int) -> _Tried:
        """Go down a column with every part."""
        owner, codes = parts.owner, self.codes[column][parts.cells]
        upper = self.ladders.at[column][parts.levels[owner, column]] + codes
        lower = self.ladders.at[column][parts.levels[owner, column] - 1] + codes
        groups = self._divide(parts.cells, parts.counts, parts.starts, self.ladders.groups[lower])
        kept = np.where(groups.ok[groups.of], parts.counts, 0)
        some = parts.sums(kept) > 0
        self._unspecialize(parts, column, groups, kept, some[owner])
        records, branches = parts.sums(kept), parts.sums(_firsts(groups.of, kept))
        value = records.astype(np.float64)
        if self.by_loss:  # a step that takes everybody along costs nothing, and opens what lies below
            gained = parts.sums(kept * (self.ladders.leaves[upper] - self.ladders.leaves[lower]))
            free = (records == parts.sums(parts.counts)) & (branches == 1)
            value = np.where(free, np.inf, gained * self.ladders.prices[column])
        return _Tried(groups.of, kept, value, records, branches, ~some)

    def _divide(self, cells: Ints, counts: Words, starts: Words, labels: Words) -> _Groups:
        """Divide the pieces of every part by labels, and say what each group has."""
        needs = self.needs
        of, order, at = _divided(labels, starts)
        named, have = labels[order[at[:-1]]], np.zeros((len(at) - 1, len(needs.bounds)), dtype=np.int64)
        kinds = len(needs.kinds)
        entry = np.zeros((kinds, len(cells)), dtype=np.int64)
        records = np.zeros(entry.size, dtype=np.int64)
        seen = np.zeros((2, len(needs.worth)), dtype=np.int64)
        count_kinds(order, at, counts, needs.kinds.take(cells, axis=1), needs.worth, seen, have, entry, records)
        for need, worth in enumerate(needs.worths):
            have[:, kinds + need] = np.add.reduceat((counts * worth[cells])[order], at[:-1])
        return _Groups(of, named, have, np.all(have >= needs.bounds, axis=1), entry, records)

    def _unspecialize(self, parts: Parts, column: int, groups: _Groups, kept: Words, some: Bools) -> None:
        """Step 10: where those who stay have not enough, take from those who would go on. Changes ``kept``.

        ``some``: whether any record of the piece's part goes on; if none does, all stay.
        """
        back = some & (kept == 0)
        if not back.any():
            return
        sizes = np.bincount(parts.owner[back], minlength=len(parts.levels))
        stay = self._divide(parts.cells[back], parts.counts[back], ends(sizes), np.zeros(back.sum(), dtype=np.int64))
        poor = sizes > 0
        poor[poor] = ~stay.ok
        if poor.any():
            inside = np.flatnonzero(poor[parts.owner])
            here, group = parts.some(poor), groups.of[inside]
            score = self._scores(here, column, kept[inside] > 0)
            lines = np.array([here.counts, kept[inside], group, score])
            given, failed = self._borrow(here, lines, groups, groups.entry.take(inside, axis=1))
            rest = np.flatnonzero(failed[here.owner])
            given[rest[_smallest(here.owner[rest], group[rest], groups.labels, given[rest], score[rest])]] = 0
            kept[inside] = given

    def _borrow(self, parts: Parts, lines: Words, groups: _Groups, entry: Words) -> tuple[Words, Bools]:
        """Move single records back; give what is kept then, and the parts for which single records do not suffice."""
        needs, cells = self.needs, parts.cells
        pieces = np.concatenate((lines, needs.kinds.take(cells, axis=1), entry, needs.worths.take(cells, axis=1)))
        have = np.column_stack((groups.have, add_up(lines[GROUP], parts.counts, len(groups.ok))))
        line = np.lexsort((lines[SCORE], parts.owner))
        limits = np.array([needs.bounds, needs.stages])
        seen, failed = np.zeros(len(needs.worth), dtype=bool), np.zeros(len(parts.levels), dtype=bool)
        borrow(parts.starts, line, pieces, have, limits, needs.worth, groups.records, seen, failed)
        return pieces[KEPT], failed

    def _scores(self, parts: Parts, column: int, kept: Bools) -> Words:
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

    def _apart(self, parts: Parts, best: Words, group: Words, kept: Words) -> tuple[Parts, Parts]:
        """Part those who go down from those who stay."""
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
        return (together([down, rest]), done) if self.retry else (down, together([done, rest]))


def _larger(value: Floats, than: Floats) -> Bools:
    """Compare column by column: by the first row, where that is equal by the second, then by the third."""
    equal, larger = value == than, value > than
    return np.asarray(larger[0] | (equal[0] & (larger[1] | (equal[1] & larger[2]))))


def _firsts(group: Words, kept: Words) -> Words:
    """Mark one piece of every group of which something is kept."""
    pieces, result = np.flatnonzero(kept), np.zeros_like(kept)
    one = np.full(int(group.max()) + 1, -1)
    one[group[pieces]] = pieces
    result[one[one >= 0]] = 1
    return result


def _smallest(owner: Words, group: Words, labels: Words, kept: Words, score: Words) -> Bools:
    """Find in every part the smallest kept group; of equal ones that with the smallest scores, then the first label."""
    sizes, scores = (add_up(group, each, len(labels)) for each in (kept, kept * score))
    filled = np.flatnonzero(kept)
    ranks = (labels[group], scores[group], sizes[group], owner)
    filled = filled[np.lexsort([rank[filled] for rank in ranks])]
    first = filled[np.diff(owner[filled], prepend=-1) != 0]
    chosen = np.zeros(len(labels), dtype=bool)
    chosen[group[first]] = True
    return chosen[group]


def _divided(labels: Words, starts: Words) -> tuple[Words, Words, Words]:
    """Give every label of every part a number; also the pieces number by number, and where each number begins."""
    seen = np.full(int(labels.max()) + 1, -1)
    numbers, order = np.empty_like(labels), np.empty_like(labels)
    at = np.zeros(len(labels) + 2, dtype=np.int64)
    groups = divide(labels, starts, seen, numbers, order, at)
    return numbers, order, at[: groups + 1]
