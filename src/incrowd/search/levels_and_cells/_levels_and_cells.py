"""One level per column, and ``*`` in the few cells without which a record would stand out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from incrowd.core import Hint, NoSafeRelease, ParameterError, UnknownColumnError, name_list
from incrowd.search._local_recoding import LocalTable
from incrowd.search._problem import CHEAPEST_FIRST, LocalOutcome, OnProgress, Problem, Progress, least_size

if TYPE_CHECKING:
    from incrowd.search.levels_and_cells._cells import StarredNode

NOTE = (
    "Every column has one level. A star tells that the record stood out without it: fewer records than the promise "
    "asks for share the rest of its row and what is under the star."
)
ENOUGH, THIN = 3, 0.5
"""So many values of a column should show, or all it has; one that shows none is charged that share of a column more."""
BOOSTS = 6
"""So often stars in a column that has too many are made four times as dear."""


@dataclass(frozen=True)
class LevelsAndCells:
    """Every column at one level, and ``*`` in single cells, at the least loss that is found.

    What statistics offices do by hand: they recode every column, and hide the few values without which a record would
    stand out. Analysts can group by every column, because no two of its values overlap. The search walks over the
    levels, one column at a time, and stars cells at each as ``CheapestFirst`` forms classes: every record gets the
    cheapest stars with which enough records look alike.

    Parameters
    ----------
    most_stars
        The largest share of cells that may be starred, in every column or by its name.
    together
        Groups of columns that give each other back, such as a region and its capital: a record has stars in all columns
        of a group, or in none.
    block
        Longer tables are cut into blocks of at least so many records, as ``CheapestFirst`` cuts them.

    Notes
    -----
    Levels that are given (``at_least`` and ``at_most`` alike) are kept: then it is local suppression, and importance
    says in which columns stars are dear. Records are left out, as far as they may be, where that is cheaper than more
    stars. Classes are compared by equality, ``*`` being a value of its own, so that every promise, certificate and
    check means what it always means.

    With ``k>=5[candidates]`` stars fit every value, and are given back as long as that promise holds, by itself or
    beside ``k>=2``. Beside promises about values nothing is given back.

    Records that are alike stay together, and a row may stand for several (``count``).

    Carries every promise whose classes may be put together: all but (n, t)-closeness, and where people have several
    rows all that count people or values. Deterministic. Not proven to be the best: ``lower_bound`` says what any other
    choice of levels and stars loses at least.

    Not protected: whatever the promise says nothing about. And a star tells that the record stood out without it, which
    is more than one level for all cells tells, and less than a mixture of levels.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.LevelsAndCells(most_stars={"age": 0.1})
    LevelsAndCells(most_stars={'age': 0.1}, together=(), block=None)
    """

    most_stars: float | Mapping[str, float] = field(default=1.0, hash=False)
    together: Sequence[Sequence[str]] = ()
    block: int | None = None

    local: ClassVar[bool] = True

    def __post_init__(self) -> None:
        named = self.most_stars.items() if isinstance(self.most_stars, Mapping) else [("", self.most_stars)]
        for name, share in named:
            if not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share <= 1:
                where = f" of column {name!r}" if name else ""
                msg = f"most_stars{where} must be a share from 0 to 1, got {share!r}."
                raise ParameterError(msg)
        if isinstance(self.most_stars, Mapping):
            object.__setattr__(self, "most_stars", dict(self.most_stars))
        if isinstance(self.together, str) or any(isinstance(one, str) or not one for one in self.together):
            msg = "together must be a list of lists of columns, none of them empty."
            raise ParameterError(msg, hint="write together=[['region', 'city']].")
        object.__setattr__(self, "together", tuple(map(tuple, self.together)))
        if self.block is not None and (
            isinstance(self.block, bool) or not isinstance(self.block, int) or self.block < 1
        ):
            msg = f"block must be a whole number of at least 1, got {self.block!r}."
            raise ParameterError(msg)

    def search(self, problem: Problem, progress: OnProgress | None = None) -> LocalOutcome:
        """Decide on the levels, and on the cells that are starred.

        Parameters
        ----------
        problem
            The census, the promise and the limits.
        progress
            Called after every column that was tried with the nodes looked at, of how many, and the least loss.
        """
        from incrowd.search.levels_and_cells._cells import least_loss, sample_of  # noqa: PLC0415 - loads numba

        walk = _Walk(self, problem)
        _refuse_averages(walk.lowest)
        walk.lowest.refuse_unions("LevelsAndCells")
        walk.lowest.refuse_if_hopeless()
        levels = _Walk(self, sample_of(problem, walk.lowest, walk.bundles)).descent(progress)
        best = walk.best(levels)
        table = best.board.table
        return replace(
            table.outcome(best.pieces, best.labels(), notes=(NOTE,)),
            levels=dict(zip(table.census.quasi, table.census.floor, strict=True)),
            search=self,
            score=best.loss,
            lower_bound=least_loss(walk.lowest),
        )


class _Walk:
    """The walk over levels, one column at a time."""

    def __init__(self, search: LevelsAndCells, problem: Problem) -> None:
        from incrowd.search.levels_and_cells._cells import number_of_values  # noqa: PLC0415 - loads numba

        self.search, self.problem = search, problem
        self.quasi = problem.census.quasi
        self.lows, self.highs = problem.lows, problem.highs
        self.lowest = self.table_at(self.lows)
        self.bundles = _column_bundles(search.together, self.quasi)
        given = search.most_stars
        for name in given if isinstance(given, Mapping) else ():
            if name not in self.quasi:
                raise UnknownColumnError.of(name, self.quasi, given_as="most_stars")
        self.most = {name: given.get(name, 1.0) if isinstance(given, Mapping) else given for name in self.quasi}
        self.seen: dict[tuple[int, ...], _Look] = {}
        self.stopped = False
        shares = self.lowest.weights / (self.lowest.weights.sum() or 1.0)
        shown = map(number_of_values, self.lowest.names, self.lowest.census.marginals)
        self.enough = {
            name: (min(ENOUGH, number), float(share))
            for name, number, share in zip(self.quasi, shown, shares, strict=True)
        }

    def table_at(self, levels: Sequence[int]) -> LocalTable:
        at_least = dict(zip(self.quasi, levels, strict=True))
        return LocalTable(replace(self.problem, at_least=at_least, at_most={}), whole=True)

    def node(self, levels: Sequence[int], boosts: Mapping[int, int]) -> StarredNode:
        from incrowd.search.levels_and_cells._candidates import Wanted  # noqa: PLC0415 - loads numba
        from incrowd.search.levels_and_cells._cells import END, CellSpace, StarredNode  # noqa: PLC0415

        board = CellSpace(self.table_at(levels), self.bundles, boosts)
        return StarredNode(board, self.search.block, self.problem.limit, END, Wanted.of(self.problem.model))

    def rank(self, node: StarredNode | _Look) -> tuple[float, float]:
        """Order nodes: first those without too many stars, then by loss and the charge for columns that say little."""
        over = sum(max(0.0, share - self.most[name]) for name, share in node.stars.items())
        thin = sum(
            share * max(0, enough - node.values[name]) / enough
            for name, (enough, share) in self.enough.items()
            if enough
        )
        return round(over, 12), round(node.loss + THIN * thin, 12)

    def best(self, levels: tuple[int, ...]) -> StarredNode:
        """Star cells at the levels that were found, or at higher ones where a column has more stars than it may."""
        while True:
            found = self._with_fewer_stars(levels)
            over = self._over(found)
            if not over:
                return found
            higher = tuple(
                min(level + (at in over), high) for at, (level, high) in enumerate(zip(levels, self.highs, strict=True))
            )
            if higher == levels:
                shares = ", ".join(f"{self.quasi[at]!r} {found.stars[self.quasi[at]]:.1%}" for at in over)
                msg = (
                    f"Nothing within most_stars was found that keeps {self.problem.model}; the nearest stars {shares}."
                )
                raise NoSafeRelease(msg, hint="raise most_stars, or at_most of these columns.")
            levels = higher

    def _over(self, node: StarredNode) -> list[int]:
        """Give the columns that have more stars than they may."""
        return [at for at, name in enumerate(self.quasi) if node.stars[name] > self.most[name]]

    def _with_fewer_stars(self, levels: tuple[int, ...]) -> StarredNode:
        """Star cells; in columns that have too many, stars become dearer and dearer."""
        found, boosts = self.node(levels, {}), dict[int, int]()
        for _ in range(BOOSTS):
            over = self._over(found)
            if not over:
                break
            boosts |= {at: 4 * boosts.get(at, 1) for at in over}
            found = min((found, self.node(levels, boosts)), key=self.rank)
        return found

    def descent(self, progress: OnProgress | None) -> tuple[int, ...]:
        """Give the best levels that a walk from the lowest ones finds, or one from below the highest."""
        from incrowd.search.levels_and_cells._cells import column_losses  # noqa: PLC0415 - loads numba

        losses = column_losses(self.lowest, least_size(self.problem.model))

        def floor(levels: Sequence[int]) -> float:
            return sum(float(loss[level - low]) for loss, level, low in zip(losses, levels, self.lows, strict=True))

        below_top = tuple(max(low, high - 1) for low, high in zip(self.lows, self.highs, strict=True))
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            best = self._descent_from(self.lows, floor, threads, progress)
            if not self.stopped and floor(below_top) < self.rank(self.seen[best])[1]:
                best = self._better(best, self._descent_from(below_top, floor, threads, progress))
        return best

    def _descent_from(
        self, best: tuple[int, ...], floor: Callable[..., float], threads: Executor, progress: OnProgress | None
    ) -> tuple[int, ...]:
        """Walk on: of the column with the dearest stars all levels are tried, until none gives a better node."""
        best = self._look([best])
        tried: set[int] = set()
        while len(tried) < len(self.quasi):
            stars = self.seen[best].stars
            at = min(
                set(range(len(self.quasi))) - tried,
                key=lambda at: (-stars[self.quasi[at]] * self.lowest.weights[at], at),
            )
            others = [(*best[:at], level, *best[at + 1 :]) for level in range(self.lows[at], self.highs[at] + 1)]
            limit = self.rank(self.seen[best])
            others = [one for one in others if limit[0] or floor(one) < limit[1]]
            found = self._look([best, *others], threads)
            tried = {at} if found != best else tried | {at}
            best = found
            seen = Progress(len(self.seen), self.problem.nodes, self.seen[best].loss)
            if progress is not None and progress(seen) is False:
                self.stopped = True
                break
        return best

    def _look(self, nodes: Iterable[tuple[int, ...]], threads: Executor | None = None) -> tuple[int, ...]:
        """Look at nodes, and give the best of them, of equal ones the lowest."""
        nodes = list(dict.fromkeys(nodes))
        new = [one for one in nodes if one not in self.seen]
        run = map if threads is None else threads.map
        self.seen |= dict(zip(new, run(self._look_at, new), strict=True))
        return self._better(*nodes)

    def _better(self, *nodes: tuple[int, ...]) -> tuple[int, ...]:
        return min(nodes, key=lambda one: (*self.rank(self.seen[one]), one))

    def _look_at(self, levels: tuple[int, ...]) -> _Look:
        """Star cells quickly, without giving any back: as good for a comparison."""
        from incrowd.search.levels_and_cells._cells import CellSpace, StarredNode, effort_of_look  # noqa: PLC0415 - loads numba

        board = CellSpace(self.table_at(levels), self.bundles, {})
        node = StarredNode(board, self.search.block, self.problem.limit, effort_of_look(len(self.quasi)))
        return _Look(node.loss, node.stars, node.values)


class _Look(NamedTuple):
    """What is kept of a node that was looked at."""

    loss: float
    stars: Mapping[str, float]
    values: Mapping[str, int]


def _refuse_averages(table: LocalTable) -> None:
    for name, average in zip(table.census.quasi, table.averaged, strict=True):
        if average is not None:
            msg = f"Column {name!r} is to be averaged, and LevelsAndCells publishes every column at one level."
            raise ParameterError(msg, hint=Hint("use {}, or its hierarchy alone.", CHEAPEST_FIRST))


def _column_bundles(together: Sequence[Sequence[str]], quasi: Sequence[str]) -> list[tuple[int, ...]]:
    """Give the columns that are starred together, each column once."""
    known: set[str] = set()
    result = []
    for group in together:
        for name in group:
            if name not in quasi:
                raise UnknownColumnError.of(name, quasi, given_as="together")
        twice = known & set(group) or {name for name in group if list(group).count(name) > 1}
        if twice:
            msg = f"Column {name_list(sorted(twice))} stands twice in together."
            raise ParameterError(msg, hint="put all columns that give each other back into one group.")
        known |= set(group)
        result.append(tuple(sorted(quasi.index(name) for name in group)))
    return [*result, *((at,) for at, name in enumerate(quasi) if name not in known)]
