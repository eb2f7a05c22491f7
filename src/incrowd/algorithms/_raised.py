"""The loop that Datafly, µ-Argus and SwapDiversity begin with: raise the column with the most labels (spec 8.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incrowd.algorithms._local import Locally
from incrowd.algorithms._problem import Problem
from incrowd.core import ParameterError, group
from incrowd.models import KAnonymity, Model

Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Raised:
    """A table with one level per column, at which few records are in small classes.

    Attributes
    ----------
    levels
        The level of every quasi-identifier.
    rows
        The row of every cell of the census: cells that look alike share one. Rows stand in the order of their codes.
    codes
        Per quasi-identifier the group of every row at its level.
    sizes
        The records of every row.
    """

    levels: tuple[int, ...]
    rows: Ints
    codes: tuple[Ints, ...]
    sizes: Counts


def raise_levels(table: Locally, k: int, outliers: int) -> Raised:
    """Raise one column after the other by a level, until few records are in classes smaller than k.

    Parameters
    ----------
    table
        The table; it begins at the lowest levels that are allowed.
    k
        The least size of a class.
    outliers
        How many records may be in smaller ones. With 0 or more this ends at the latest at the top of all columns.

    Notes
    -----
    The next column is the one with the most different labels, of several the first in the order of the schema.
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
    """Give the column with the most different labels, of several the first.

    Parameters
    ----------
    codes
        Per column a code for every label; all columns, also those that are out of the question.
    columns
        The columns that are in question.
    """
    return max(columns, key=lambda column: (different(codes[column]), -column))


def different(codes: Ints) -> int:
    """Count the different codes."""
    return int(np.count_nonzero(np.bincount(codes)))


def k_alone(problem: Problem, search: str) -> int:
    """Give the k that is promised; refuse every promise beside it.

    Parameters
    ----------
    problem
        What was asked.
    search
        The name of the search that can keep nothing else.
    """
    least, others = k_and_more(problem.model)
    if others:
        msg = f"{search} keeps k-anonymity and nothing else, and the promise has {others[0]}."
        raise ParameterError(
            msg, hint="use a search that carries such promises, such as Mondrian() or CheapestFirst()."
        )
    return least


def k_and_more(model: Model) -> tuple[int, list[Model]]:
    """Give the k that is promised, 1 where none is, and the other promises."""
    parts = [part for part in model.parts if isinstance(part, KAnonymity)]
    return max([1, *(part.k for part in parts)]), [part for part in model.parts if not isinstance(part, KAnonymity)]


def refuse_others(table: Locally, search: str) -> None:
    """Refuse a table in which several rows are one person, and columns that weigh more than others."""
    table.refuse_importance(f"{search} looks at labels and levels", hint="use Mondrian() or CheapestFirst().")
    if table.persons:
        msg = f"{search} counts and moves single records, and here the rows of a person ({_entity(table)}) are one."
        raise ParameterError(msg, hint="use a search that counts people, such as Optimal() or Mondrian().")


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


def _entity(table: Locally) -> str:
    return repr(table.problem.schema.entity)


def _lowest(table: Locally) -> Raised:
    census = table.census
    codes = census.codes[: len(census.quasi)]
    alike = group(codes, _cardinalities(table, census.floor))
    return Raised(
        levels=census.floor,
        rows=alike.ids,
        codes=tuple(column[alike.first] for column in codes),
        sizes=alike.sums(census.counts),
    )


def _raise(table: Locally, raised: Raised, column: int) -> Raised:
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


def _cardinalities(table: Locally, levels: Sequence[int]) -> list[int]:
    return [len(namer.ladder.labels[level]) for namer, level in zip(table.names, levels, strict=True)]
