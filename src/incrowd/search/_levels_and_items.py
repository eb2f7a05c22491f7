"""``LevelsAndItems``: one level per column, and items left out of the sets in which they would single somebody out."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    TOP,
    Classes,
    Grouping,
    Hint,
    ItemSets,
    Labelling,
    Namer,
    NoSafeRelease,
    ParameterError,
    add_up,
    distinct_texts,
    group,
)
from incrowd.measures import column_loss
from incrowd.models import KKmAnonymity, KnownItems, item_columns, separators_of
from incrowd.search._local_recoding import LocalTable, Pieces
from incrowd.search._problem import (
    OPTIMAL,
    Bools,
    Counts,
    Floats,
    LocalOutcome,
    OnProgress,
    Problem,
    Progress,
)

NOTE = (
    "Every column has one level, and items were left out of some sets: what is listed is true, and not all there is. "
    "That an item is missing can tell that it would have singled somebody out."
)
DIGITS = 12
"""Losses are rounded, so that no machine decides otherwise than another."""
Levels = tuple[int, ...]


@dataclass(frozen=True)
class LevelsAndItems:
    """Every column at one level, and items left out of sets, at the least loss that is found.

    For columns of sets (``items``): instead of raising all items because some pair of them is rare, or leaving out the
    whole record, the rare item is left out of the sets of those who are alike otherwise.

    Parameters
    ----------
    most_items
        The largest share of all items that may be left out, 0 to 1.
    seconds
        Stop after so long with the best that was found.

    Notes
    -----
    At every node, the one with the least that it can lose first, items are left out in rounds: of every set of at most
    ``m`` items that too few have, each who has it loses the item that is in most such sets, and of these the rarest.
    Nodes are looked at until none that is left can lose less; so no node would be better *with these rounds*, and other
    items left out might lose less. A set loses an item as a whole, a raised item by its level. Records of which even
    the other quasi-identifiers are too rare are left out, as far as they may be.

    A published set is then a part of the true one. Counts of records with an item are too small, by as much as
    the cost of the column says. Whoever knows the method can sometimes tell from a set which items cannot be missing.

    References
    ----------
    G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos. *Anonymizing data with relational and transaction
    attributes.* ECML PKDD, 2013.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.LevelsAndItems(most_items=0.1)
    LevelsAndItems(most_items=0.1, seconds=None)
    """

    most_items: float = 1.0
    seconds: float | None = None

    local: ClassVar[bool] = True
    labels_sets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, given, most in (("most_items", self.most_items, 1), ("seconds", self.seconds, None)):
            fine = isinstance(given, int | float) and not isinstance(given, bool) and given >= 0
            if given is not None and not (fine and (most is None or given <= most)):
                limit = "a share from 0 to 1" if most else "a number of seconds"
                msg = f"{name} must be {limit}, got {given!r}."
                raise ParameterError(msg)

    def search(self, problem: Problem, progress: OnProgress | None = None) -> LocalOutcome:
        """Find the levels and the items that are left out."""
        walk = _Walk(problem, self.most_items)
        begun, best, stopped = time.monotonic(), None, False
        for checked, (bound, levels) in enumerate(walk.nodes(), start=1):
            late = self.seconds is not None and time.monotonic() - begun > self.seconds
            if (best is not None and bound >= best.loss) or (late and best is not None):
                stopped = late
                break
            found = walk.version(levels)
            if found is not None and (best is None or found.loss < best.loss):
                best = found
            told = Progress(checked, problem.nodes, None if best is None else best.loss)
            if progress is not None and progress(told) is False:
                stopped = True
                break
        if best is None:
            msg = f"No levels keep {problem.model}, whatever items are left out, with {problem.limit:,} records less."
            raise NoSafeRelease(msg, hint="let more records or items be left out, or ask for less.")
        proof = "best found" if stopped else "heuristic"
        return replace(best.outcome(), proof=proof, search=self, score=best.loss)


@dataclass(frozen=True, slots=True, eq=False)
class _Version:
    """What a node would publish: the class of every cell, -1 for none, and what every class is called."""

    table: LocalTable
    classes: Counts
    labels: tuple[Labelling, ...]
    loss: float
    left_out: int

    def outcome(self) -> LocalOutcome:
        pieces: Pieces = self.table.whole_pieces(self.classes)
        items = f"{self.left_out:,} {'item was' if self.left_out == 1 else 'items were'} left out."
        return self.table.outcome(pieces, self.labels, notes=(NOTE, items))


class _Walk:
    """The nodes of a problem, by what each loses at least, and what each publishes."""

    def __init__(self, problem: Problem, most_items: float) -> None:
        separators = separators_of(problem.schema)
        if not separators or not problem.model.by_items:
            msg = f"LevelsAndItems leaves items out for promises about items, and {problem.model} is none."
            raise ParameterError(msg, hint=Hint("promise k>=5[any 2 items], or use {}.", OPTIMAL))
        if problem.by_person:
            msg = "Items are left out of single rows, and people cannot be left out with all rows for it."
            raise ParameterError(msg, hint=Hint("use a search with one level per column, such as {}.", OPTIMAL))
        self._problem, self._most = problem, most_items
        asked = [part for part in problem.model.parts if isinstance(part, KKmAnonymity)]
        named = dict.fromkeys(name for part in asked for name in item_columns(part, problem.schema))
        self._sets = {problem.census.quasi.index(name): separators[name] for name in named}
        self._most_known, self._needed = max(part.m for part in asked), max(part.k for part in asked)
        lowest = problem.census
        self._namers = [Namer(lowest, column, part=problem.part) for column in range(len(lowest.quasi))]
        weights = np.array([problem.importance.get(name, 1.0) for name in lowest.quasi])
        self._weights = weights / weights.sum()

    def nodes(self) -> Iterator[tuple[float, Levels]]:
        """Give all nodes and what each loses at least, the least first; of equals the lower one."""
        lows, highs = self._problem.lows, self._problem.highs
        parts = [
            [self._part(column, self._lost_at(column, level)) for level in range(low, high + 1)]
            for column, (low, high) in enumerate(zip(lows, highs, strict=True))
        ]

        def entry(levels: Levels, last: int) -> tuple[float, int, Levels, int]:
            steps = zip(parts, levels, lows, strict=True)
            loss = sum(some[level - low] for some, level, low in steps)
            return round(math.expm1(loss), DIGITS), sum(levels), levels, last

        waiting = [entry(tuple(lows), 0)]
        while waiting:  # no column loses less at a higher level
            loss, _, levels, last = heapq.heappop(waiting)
            yield loss, levels
            for column in range(last, len(levels)):  # every node is reached in one way
                if levels[column] < highs[column]:
                    heapq.heappush(
                        waiting, entry((*levels[:column], levels[column] + 1, *levels[column + 1 :]), column)
                    )

    def _lost_at(self, column: int, level: int) -> float:
        """Say what a column loses at a level, if no item is left out."""
        census, namer = self._problem.census, self._namers[column]
        records = add_up(namer.group_of(level), census.marginals[column], len(namer.ladder.labels[level]))
        return float((records * namer.lost(level)).sum()) / max(census.records, 1)

    def _part(self, column: int, lost: float) -> float:
        """Weigh what a column loses, as the measure ``loss`` does: what is summed up is its logarithm."""
        return float(self._weights[column]) * math.log1p(lost)

    def version(self, levels: Levels) -> _Version | None:
        """Leave items out of the sets of a node until the promise is kept; nothing if too much would have to go."""
        problem = self._problem
        at = dict(zip(problem.census.quasi, levels, strict=True))
        table = LocalTable(replace(problem, at_least=at, at_most={}), whole=True)
        classes = table.census.classes()
        reduced = _Reduced.of(classes, self._sets, self._most_known, self._needed)
        kept, labelled = np.ones(len(classes), dtype=bool), reduced.labelled(classes, self._sets)
        while True:
            part = labelled.part(kept[classes.members])
            ok = np.ones(len(part), dtype=bool)
            for judge in table.judges:
                ok &= judge.keeps(part)
            if ok.all():
                break
            gone = np.zeros(len(classes), dtype=bool)
            inside = kept[classes.members]
            gone[classes.members[inside][~ok[part.members]]] = True
            kept &= ~gone
            if int(classes.records[~kept].sum()) > problem.limit or not kept.any():
                return None
        items = int((reduced.gone * classes.records[reduced.owner]).sum())
        if items > self._most * int(classes.records[reduced.owner].sum()):
            return None
        return self._published(table, classes, reduced, kept, items)

    def _published(self, table: LocalTable, classes: Classes, reduced: _Reduced, kept: Bools, items: int) -> _Version:
        """Call every class what it is published as, and measure what that loses."""
        inside, everything = np.flatnonzero(kept), int(classes.records.sum())
        records, named = classes.records[inside], list[Labelling]()
        for column, namer in enumerate(table.names):
            level = np.full(len(classes), table.census.floor[column])
            plain = namer.by_group(level, classes.codes[column])
            named.append(
                (reduced.labelling(plain, column, namer, classes) if column in self._sets else plain).of(inside)
            )
        alike = group([one.codes for one in named], [len(one.names) for one in named])  # they are one class
        labels = tuple(_on_average(one, alike, records) for one in named)
        sizes = alike.sums(records)
        lost = (
            column_loss(namer.ladder, float((one.lost * sizes).sum()), int(sizes.sum()), everything)
            for one, namer in zip(labels, table.names, strict=True)
        )
        loss = round(math.expm1(sum(self._part(*one) for one in enumerate(lost))), DIGITS)
        places = np.full(len(classes), -1, dtype=np.int64)
        places[inside] = alike.ids
        return _Version(table, places[classes.members], labels, loss, items)


def _on_average(one: Labelling, alike: Grouping, records: Counts) -> Labelling:
    """Put classes together that are called alike: what they lost is that of their records."""
    lost = np.bincount(alike.ids, weights=one.lost * records, minlength=len(alike)) / alike.sums(records)
    climbed = np.zeros(len(alike), dtype=np.int64)
    np.maximum.at(climbed, alike.ids, one.climbed)
    return replace(one.of(alike.first), lost=lost, climbed=climbed)


@dataclass(frozen=True, slots=True, eq=False)
class _Reduced:
    """The items of every class, one entry each, and which of them are left out."""

    owner: Counts
    column: Counts
    item: Counts
    gone: Bools
    sets: dict[int, ItemSets]

    @classmethod
    def of(cls, classes: Classes, separators: dict[int, str], most: int, needed: int) -> _Reduced:
        """Leave items out in rounds until every few of them are had by enough."""
        sets = {at: ItemSets.of(classes.names(at).tolist(), sign) for at, sign in separators.items()}
        known = KnownItems.of(classes, sets)
        ends = np.cumsum([len(one.names) for one in sets.values()])
        gone = np.zeros(len(known.owner), dtype=bool)
        while True:
            left = np.flatnonzero(~gone)
            losing = KnownItems(known.owner[left], known.item[left], known.base).losing(classes, most, needed)
            if not losing.any():
                break
            gone[left[losing]] = True
        place = np.searchsorted(ends, known.item, side="right")
        columns = np.array([*sets], dtype=np.int64)[place] if sets else place
        starts = np.concatenate(([0], ends[:-1]))
        return cls(known.owner, columns, known.item - starts[place], gone, sets)

    def texts(self, column: int, separator: str, classes: Classes) -> list[str | None]:
        """Write what is left of every class's set; nothing where nothing is, and a star where it was one."""
        mine = (self.column == column) & ~self.gone
        sets = ItemSets.from_pairs(self.owner[mine], self.item[mine], len(classes), self.sets[column].names)
        before = classes.texts(column).tolist()
        return [
            one if one is None or one == TOP else text or None
            for one, text in zip(before, sets.texts(separator), strict=True)
        ]

    def labelled(self, classes: Classes, separators: dict[int, str]) -> Classes:
        """Give the classes with what is left of their sets; those that are then called alike are one."""
        codes, labels = list(classes.codes), [classes.names(at) for at in range(len(classes.codes))]
        for column, separator in separators.items():
            labels[column], codes[column] = distinct_texts(_objects(self.texts(column, separator, classes)))
        merged = group(codes, [int(one.max(initial=0)) + 1 for one in codes])
        region = merged.ids
        joined = classes.merge(region, len(merged))
        return replace(joined, codes=tuple(code[merged.first] for code in codes), labels=tuple(labels))

    def labelling(self, plain: Labelling, column: int, namer: Namer, classes: Classes) -> Labelling:
        """Say what the sets of a column are called, and what that gives up: an item that is left out all."""
        separator = namer.ladder.separator or ""
        names, codes = distinct_texts(_objects(self.texts(column, separator, classes)))
        mine = self.column == column
        size = np.bincount(self.owner[mine], minlength=len(classes))
        missing = np.bincount(self.owner[mine & self.gone], minlength=len(classes))
        share = missing / np.maximum(size, 1)
        lost: Floats = share + (1 - share) * plain.lost
        covered = add_up(codes, classes.records, len(names))[codes]
        climbed = np.where(missing > 0, namer.height, plain.climbed)
        return Labelling(names, codes, lost, climbed, np.maximum(covered, plain.covered))


def _objects(texts: Sequence[str | None]) -> npt.NDArray[np.object_]:
    result = np.empty(len(texts), dtype=object)
    result[:] = texts
    return result
