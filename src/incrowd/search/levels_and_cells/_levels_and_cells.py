"""One level per column, and ``*`` in the few cells without which a record would stand out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from incrowd.core import Hint, ParameterError, UnknownColumnError, name_list
from incrowd.search._local_recoding import LocalTable
from incrowd.search._problem import CHEAPEST_FIRST, LocalOutcome, OnProgress, Problem

NOTE = (
    "Every column has one level. A star tells, as a rule, that the record or one that it is grouped with would stand "
    "out by what is under it."
)


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
        The largest share of cells that may be starred, in every column or by its name. A column at a level with one
        label for all counts as starred in every cell, unless ``at_least`` asks for that level.
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

    Records that are alike stay together, but where a large group lends some of them to a record that stands out, so
    that not all of it gets the stars. Rows that stand for several records (``count``) and rows of people are not
    parted.

    Carries every promise whose classes may be put together: all but (n, t)-closeness, and where people have several
    rows all that count people or values. Deterministic. Not proven to be the best: ``lower_bound`` says what any other
    choice of levels and stars loses at least.

    Not protected: whatever the promise says nothing about. And a star tells, as a rule, that the record or one that it
    is grouped with would stand out by what is under it, which is more than one level for all cells tells, and less than
    a mixture of levels.

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
        if not (_is_list(self.together) and all(_is_list(one) and one and _has_names(one) for one in self.together)):
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
        from incrowd.search.levels_and_cells._walk import Limits, Walk, least_loss, sample_of  # noqa: PLC0415 - numba

        quasi = problem.census.quasi
        limits = Limits(_column_bundles(self.together, quasi), self._most_by_name(quasi), self.block)
        walk = Walk(problem, limits)
        _refuse_averages(walk.lowest)
        walk.lowest.refuse_unions("LevelsAndCells")
        walk.lowest.refuse_if_hopeless()
        plain = walk.best_node()
        sample = sample_of(problem, walk.lowest, limits.bundles)
        seen = walk if sample is problem else Walk(sample, limits)
        best = walk.best(seen.ways(plain, progress), plain)
        table = best.board.table
        return replace(
            table.outcome(best.pieces, best.labels(), notes=(NOTE,)),
            levels=dict(zip(table.census.quasi, table.census.floor, strict=True)),
            search=self,
            score=best.loss,
            bound=lambda: least_loss(walk.lowest, problem.highs, best.loss),
        )

    def _most_by_name(self, quasi: Sequence[str]) -> dict[str, float]:
        given = self.most_stars
        if not isinstance(given, Mapping):
            return dict.fromkeys(quasi, float(given))
        for name in given:
            if name not in quasi:
                raise UnknownColumnError.of(name, quasi, given_as="most_stars")
        return {name: given.get(name, 1.0) for name in quasi}


def _is_list(given: object) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def _has_names(group: Sequence[object]) -> bool:
    return all(isinstance(name, str) for name in group)


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
