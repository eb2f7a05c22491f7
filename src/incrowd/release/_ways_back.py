"""What would bring a column back of which nothing or little is left: single changes, each really counted."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import groupby
from operator import and_
from typing import Any, Literal, NamedTuple

from incrowd.core import IncrowdError, PrivacyWarning, unbroken_percent
from incrowd.measures import mean_detail
from incrowd.models import KAnonymity
from incrowd.release._columns import PublishedColumn, columns_of_local, columns_of_node
from incrowd.search import Algorithm, Inspection, LevelsAndCells, Problem

NODES, STARS = 20_000_000, 500_000
"""How many cells are counted at most: at nodes, and where cells are starred, which takes longer."""
WALK = 20
"""A search for levels and stars counts as so many looks at one node."""
MORE = (0.01, 0.02, 0.05, 0.1, 0.2)
"""The shares of the records that might be left out besides; of a node the exact number is counted, up to the last."""
WEIGHT = 4
"""So many times as important might a column be."""

Levels = tuple[int, ...]
Change = Literal["at_most", "max_suppressed_records", "k", "at_least", "importance", "search"]
ASKED = "You asked for at least this level"
NONE = "No single change that was tried brings it back"
TOO_LARGE = "What would bring it back was not counted to the end: the table is too large"
RANK = {"nothing": 0, "little": 1, "fine": 2}


@dataclass(frozen=True, slots=True)
class WayBack:
    """One change with which a column would say something in half of its cells or more.

    Attributes
    ----------
    change, to
        What would change, and to what: ``at_most``, the level that the column itself would be asked for;
        ``max_suppressed_records``, how many records might be left out; ``k``; ``at_least``, a higher level of the
        column ``other``, which may be the column itself; ``importance`` of the column itself; ``search``, another
        search.
    other
        The column that would be coarser.
    level
        The level of the column then.
    values, share_telling
        How many values it would have, and which share of its cells would say something.
    words
        The change in words.

    Notes
    -----
    All other levels stay as they are, but for ``importance`` and ``search``, which decide on them anew. What would be
    published was really counted, and keeps the promise. No other column would carry less than it does.
    """

    change: Change
    to: float | str
    other: str | None
    level: int | None
    values: int
    share_telling: float
    words: str


class Shortfall(NamedTuple):
    """A column that carries nothing or little: what is left of it, and what would bring it back, in plain words."""

    column: str
    left: str
    back: str

    @classmethod
    def of(cls, one: PublishedColumn, ways: Sequence[WayBack], none: str) -> Shortfall:
        """Put changes into words; ``none`` says why there are none."""
        nothing, kept = one.status == "nothing", []
        share = f"{unbroken_percent(one.share_telling)} of its cells say something"
        for what, same in groupby(ways, key=_values_text if nothing else _share_text):
            kept.append(f"{what} {', or '.join(way.words for way in same)}")
        would = "It would keep " if nothing else "It would be "
        left = "carries nothing" if nothing else f"carries little: {share}"
        return cls(one.column, left, f"{would + '; '.join(kept) if kept else none}.")

    def __str__(self) -> str:
        return f"{self.column} {self.left}. {self.back}"


def _values_text(way: WayBack) -> str:
    return f"{way.values:,} values" + ("" if way.level is None else f" at level {way.level}")


def _share_text(way: WayBack) -> str:
    return unbroken_percent(way.share_telling)


class WaysBack:
    """What would bring columns back. Counted when somebody asks, then kept."""

    def __init__(
        self, problem: Problem, columns: Sequence[PublishedColumn], levels: Levels | None, search: Algorithm | None
    ) -> None:
        self._trials = _Trials(problem, levels, search)
        self._columns = tuple(columns)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what was counted, and not the census."""
        return {"ways": self.ways, "shortfalls": self.shortfalls}

    @cached_property
    def ways(self) -> Mapping[str, tuple[WayBack, ...]]:
        """Per column that carries nothing or little, the changes that would bring it back."""
        poor = [place for place, one in enumerate(self._columns) if one.status != "fine"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # said already, of the release
            return {self._columns[place].column: tuple(self._ways_of(place)) for place in poor}

    @cached_property
    def shortfalls(self) -> tuple[Shortfall, ...]:
        """Say the same in plain words, column by column."""
        ways, lows = self.ways, self._trials.problem.at_least
        none = TOO_LARGE if self._trials.is_spent else NONE
        asked = {one.column for one in self._columns if one.status == "nothing" and lows.get(one.column)}
        return tuple(
            Shortfall.of(one, ways[one.column], ASKED if one.column in asked else none)
            for one in self._columns
            if one.status != "fine"
        )

    def _ways_of(self, place: int) -> Iterator[WayBack]:
        trials, problem = self._trials, self._trials.problem
        base = trials.base(place, self._columns[place])
        if base is not None:
            if trials.levels != base and (found := self._gain(place, trials.at(base))) is not None:
                yield self._way(place, found, "at_most", base[place], f"if you ask for level {base[place]} at most")
                return
            yield from self._with_itself_coarser(place, base)
            yield from self._with_more_left_out(place, base)
            yield from self._with_less_k(place, base)
            yield from self._with_another_coarser(place, base)
        name = self._columns[place].column
        if trials.search is not None:
            weight = WEIGHT * problem.importance.get(name, 1)
            important = {**problem.importance, name: weight}
            found = self._gain(place, trials.columns_by(replace(problem, importance=important), trials.search))
            if found is not None:
                yield self._way(place, found, "importance", weight, f"if it were {weight:g} times as important")
        elif (found := self._gain(place, trials.levels_and_cells)) is not None:
            yield self._way(
                place, found, "search", "levels-and-cells", "with levels and cells, which stars single values"
            )

    def _with_itself_coarser(self, place: int, base: Levels) -> Iterator[WayBack]:
        """Ask for higher levels of the column itself, where single cells of it are starred."""
        name, trials = self._columns[place].column, self._trials
        for level in trials.steps(place, base) if trials.search else ():
            if (found := self._gain(place, trials.at(_raise(base, place, level)))) is not None:
                yield self._way(place, found, "at_least", level, f"if you ask for level {level} at least", name)
                return

    def _with_more_left_out(self, place: int, base: Levels) -> Iterator[WayBack]:
        problem = self._trials.problem
        for limit in self._trials.limits(base):
            if (found := self._gain(place, self._trials.at(base, limit=limit))) is not None:
                more = limit - problem.limit
                verb = "left out" if problem.suppression != "mask" else "masked"
                words = f"if {more:,} more record{'s' * (more != 1)} could be {verb}"
                yield self._way(place, found, "max_suppressed_records", limit, words)
                return

    def _with_less_k(self, place: int, base: Levels) -> Iterator[WayBack]:
        k = max((part.k for part in self._trials.problem.model.parts if isinstance(part, KAnonymity)), default=1)

        def at(k: int) -> Sequence[PublishedColumn] | None:
            return self._gain(place, self._trials.at(base, k=k))

        if k > 2 and (largest := _largest(range(2, k), lambda k: at(k) is not None)) is not None:
            found = at(largest)
            assert found is not None  # noqa: S101 - it was just seen
            yield self._way(place, found, "k", largest, f"with k>={largest}")

    def _with_another_coarser(self, place: int, base: Levels) -> Iterator[WayBack]:
        best: tuple[tuple[int, float], int, Sequence[PublishedColumn]] | None = None
        for other in range(len(base)):
            steps = self._trials.steps(other, base)[: 1 if self._trials.search else None] if other != place else ()
            # The highest level leaves out least, so where that is not enough no other is.
            for level in steps if steps and self._gain(place, self._trials.at(_raise(base, other, steps[-1]))) else ():
                found = self._gain(place, self._trials.at(_raise(base, other, level)))
                if found is not None:
                    rank = level - base[other], -mean_detail([1 - one.kept for one in found])
                    best = min(best, (rank, other, found), key=lambda one: one[0]) if best else (rank, other, found)
                    break
        if best is not None:
            (rise, _), other, found = best
            name = self._columns[other].column
            words = f"if {name} were {'one level' if rise == 1 else f'{rise} levels'} coarser"
            yield self._way(place, found, "at_least", base[other] + rise, words, name)

    def _gain(self, place: int, columns: Sequence[PublishedColumn] | None) -> Sequence[PublishedColumn] | None:
        """Give what would be published, if that brings the column back and costs no other."""
        if columns is None or columns[place].status != "fine":
            return None
        worse = any(RANK[new.status] < RANK[old.status] for new, old in zip(columns, self._columns, strict=True))
        return None if worse else columns

    def _way(
        self,
        place: int,
        found: Sequence[PublishedColumn],
        change: Change,
        to: float | str,
        words: str,
        other: str | None = None,
    ) -> WayBack:
        one = found[place]
        return WayBack(change, to, other, one.level, one.values, one.share_telling, words)


class _Trials:
    """Counts what other nodes and limits would publish, as long as there is work left that may be spent on it."""

    def __init__(self, problem: Problem, levels: Levels | None, search: Algorithm | None) -> None:
        self.problem, self.levels, self.search = problem, levels, search
        self._left, self.is_spent = {"nodes": NODES, "stars": STARS}, False
        self._seen: dict[Any, Sequence[PublishedColumn] | None] = {}

    def base(self, place: int, column: PublishedColumn) -> Levels | None:
        """Give the levels at which a column says something: lower where its own has one label for all."""
        if self.levels is None:
            return None
        labels, level = self.problem.census.ladders[column.column].labels, self.levels[place]
        while len(set(labels[level].tolist()) - {None}) < 2 and level > self.problem.lows[place]:
            level -= 1
        return _raise(self.levels, place, level)

    def steps(self, place: int, base: Levels) -> range:
        """Give the higher levels of a column at which it has more than one label."""
        labels, high = self.problem.census.ladders[self.problem.census.quasi[place]].labels, self.problem.highs[place]
        while high > base[place] and len(set(labels[high].tolist()) - {None}) < 2:
            high -= 1
        return range(base[place] + 1, high + 1)

    def limits(self, base: Levels) -> Iterator[int]:
        """Give how many records might be left out instead: of a node as many as it has to, else growing shares."""
        records, limit = self.problem.census.records, self.problem.limit
        if self.search is not None:
            yield from (limit + math.ceil(share * records) for share in MORE)
        elif self._spend("nodes", 1):
            needed = Inspection(self.problem, self._by_name(base)).left_out()
            if limit < needed <= limit + MORE[-1] * records:
                yield needed

    def at(self, levels: Levels, *, k: int | None = None, limit: int | None = None) -> Sequence[PublishedColumn] | None:
        """Give what would be published at these levels; nothing where nothing can be."""
        asked = levels, k, limit
        if asked not in self._seen:
            self._seen[asked] = self._columns_at(*asked)
        return self._seen[asked]

    def _columns_at(self, levels: Levels, k: int | None, limit: int | None) -> Sequence[PublishedColumn] | None:
        problem = self.problem if limit is None else replace(self.problem, limit=limit)
        if k is not None:
            smaller = (
                replace(part, k=min(part.k, k)) if isinstance(part, KAnonymity) else part
                for part in problem.model.parts
            )
            problem = replace(problem, model=reduce(and_, smaller))
        named = self._by_name(levels)
        if self.search is not None:
            return self.columns_by(replace(problem, at_least=named, at_most=named), self.search, 1)
        if not self._spend("nodes", 1):
            return None
        inspected = Inspection(problem, named)
        possible = inspected.left_out() <= problem.limit and inspected.classes
        return columns_of_node(problem, inspected) if possible else None

    @cached_property
    def levels_and_cells(self) -> Sequence[PublishedColumn] | None:
        """What levels and cells would publish instead."""
        masks = self.problem.suppression == "mask"
        return None if masks else self.columns_by(self.problem, LevelsAndCells())

    def columns_by(self, problem: Problem, search: Algorithm, looks: int = WALK) -> Sequence[PublishedColumn] | None:
        """Give what another search would publish; nothing where it finds nothing, or would take too long."""
        if not self._spend("stars", looks):
            return None
        try:
            outcome: Any = search.search(problem)
        except IncrowdError:  # a promise or a wish that the search cannot keep
            return None
        problem.tried[search] = outcome
        return columns_of_local(problem, outcome)

    def _by_name(self, levels: Levels) -> dict[str, int]:
        return dict(zip(self.problem.census.quasi, levels, strict=True))

    def _spend(self, kind: str, looks: int) -> bool:
        self._left[kind] -= looks * len(self.problem.census)
        self.is_spent |= self._left[kind] < 0
        return self._left[kind] >= 0


def _raise(levels: Levels, place: int, level: int) -> Levels:
    return *levels[:place], level, *levels[place + 1 :]


def _largest(values: Sequence[int], fits: Callable[[int], bool]) -> int | None:
    """Give the largest value that fits, where all below a value that fits do so too; nothing where none does."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if fits(values[middle]) else (low, middle)
    return values[low - 1] if low else None
