"""``categories``: the values of a sensitive column in ordered groups, most secret first, with weights."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, HierarchyError, UncoveredValuesError
from incrowd.hierarchies._numbers import positions_in
from incrowd.hierarchies._tree import checked_text, read_lines

Groups = tuple[tuple[str, tuple[str, ...]], ...]
NEEDED = ("value", "category", "rank")  # columns of a file of categories


def weights_of(count: int) -> tuple[Fraction, ...]:
    """Give the weights of so many categories, most secret first: 0, 1/3, 2/3, 1 for four (spec S0-WEIGHT)."""
    return (*(Fraction(index, count - 1) for index in range(count - 1)), Fraction(1))


def is_written_as(weight: Fraction, written: str) -> bool:
    """Say whether a written weight is this one, as a fraction or rounded to the digits that were written."""
    try:
        number = Fraction(written.strip())
    except (ValueError, ZeroDivisionError):
        return False
    places = len(written.strip().partition(".")[2])
    return number == weight or (places > 0 and abs(number - weight) <= Fraction(1, 2 * 10**places))


def read_categories(path: str | os.PathLike[str]) -> Groups:
    """Read and check a CSV file with a header; no message holds what stands in it."""
    name = Path(path).name
    header, *lines = read_lines(path) or [(1, ())]
    columns = [field.strip().lower() for field in header[1]]
    missing = [needed for needed in NEEDED if needed not in columns]
    if missing:
        msg = f"The category file {name!r} has no column {missing[0]!r}."
        raise HierarchyError(msg, hint="its first line must be value,category,rank[,label,weight].")
    if not lines:
        raise _line_error(name, header[0], "there is no value below the header.")
    for number, fields in lines:
        if len(fields) != len(columns):
            raise _line_error(name, number, f"has {len(fields)} fields, but the header has {len(columns)}.")
    named = [(number, dict(zip(columns[::-1], fields[::-1], strict=True))) for number, fields in lines]
    return _groups_of(name, named)  # of two columns with one name the first counts


def _groups_of(name: str, lines: Sequence[tuple[int, Mapping[str, str]]]) -> Groups:
    ranks: dict[int, str] = {}
    members: dict[str, str] = {}
    for number, line in lines:
        if not line["rank"].strip().isdecimal():
            raise _line_error(name, number, "the rank is no whole number.")
        rank, category = int(line["rank"]), line["category"]
        if ranks.setdefault(rank, category) != category:
            raise _line_error(name, number, f"rank {rank} already belongs to another category.")
        if members.setdefault(line["value"], category) != category:
            raise _line_error(name, number, "the value already belongs to another category.")
    if sorted(ranks) != list(range(1, len(ranks) + 1)) or len(set(ranks.values())) < len(ranks):
        msg = f"The category file {name!r} needs the ranks 1 to {len(set(ranks.values()))}, one for each category."
        raise HierarchyError(msg, hint="rank 1 is the most secret.")
    weights = weights_of(len(ranks))
    for number, line in lines:
        rank, written = int(line["rank"]), line.get("weight", "")
        if written.strip() and not is_written_as(weights[rank - 1], written):  # no weight says nothing
            raise _line_error(name, number, f"the weight is not {weights[rank - 1]}, which follows from rank {rank}.")
    values = {home: sorted(text for text, own in members.items() if own == home) for home in ranks.values()}
    return tuple((ranks[rank], tuple(values[ranks[rank]])) for rank in sorted(ranks))


def _line_error(name: str, number: int, problem: str) -> HierarchyError:
    msg = f"The category file {name!r}, line {number}: {problem}"
    return HierarchyError(msg, hint="rank 1 is the most secret; every value belongs to one category.")


@dataclass(frozen=True, eq=False, slots=True)
class BoundCategories:
    """Categories that have met a column."""

    column: str  # the column's name
    names: tuple[str, ...] = field(repr=False)  # the categories, most secret first
    # For every code of the domain (null last, if there is one) the position of its category in ``names``
    category: npt.NDArray[np.int64] = field(repr=False)
    # For every category how little secret it is: (i - 1) / (x - 1) for the i-th of x, and 1 for the last
    weights: tuple[Fraction, ...] = field(repr=False)

    def __post_init__(self) -> None:
        self.category.setflags(write=False)


@dataclass(frozen=True, slots=True, repr=False)
class Categories:
    """Ordered categories of a sensitive column. Built by ``categories``."""

    groups: Groups  # per category, most secret first, its name and its values

    @property
    def names(self) -> tuple[str, ...]:
        """The categories, most secret first."""
        return tuple(name for name, _ in self.groups)

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """How little secret each category is, from 0 to 1 (spec S0-WEIGHT)."""
        return weights_of(len(self.groups))

    def bind(self, domain: Domain) -> BoundCategories:
        position = {value: rank for rank, (_, values) in enumerate(self.groups) for value in values}
        category = positions_in(domain, position, what="the categories")
        if domain.has_null:
            category = np.append(category, _category_of_null(domain, position))
        return BoundCategories(domain.column, self.names, category, self.weights)

    def __repr__(self) -> str:
        return f"Categories({len(self.groups)} categories, {sum(len(values) for _, values in self.groups)} values)"


def categories(source: str | os.PathLike[str] | Mapping[Any, Iterable[Any]]) -> Categories:
    """Sort the values of a sensitive column into categories, most secret first.

    Parameters
    ----------
    source
        A dict from category to values, most secret first; or the path of a CSV file with the header
        ``value,category,rank`` (rank 1 is the most secret; columns ``label`` and ``weight`` may follow), separated by
        ``,``, ``;`` or tabs, UTF-8.

    Notes
    -----
    Weights follow from the order: (i - 1) / (x - 1) for the i-th of x categories, 1 for the last one. A column
    ``weight`` is compared with them and refused if it says something else. A missing value belongs to no category
    unless the empty text is listed: then it has that one's.

    Two values in one category count as similar. Categories protect against what their author thought of: what
    a neighbour may infer from "stomach disease" is decided here.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.categories({"severe": ["HIV", "cancer"], "mild": ["flu", "cold"]})
    Categories(2 categories, 4 values)
    """
    if isinstance(source, str | os.PathLike):
        return Categories(read_categories(source))
    if not isinstance(source, Mapping) or not source:
        msg = f"categories needs a path or a dict with at least one category, got {type(source).__name__}."
        raise HierarchyError(msg, hint="for example {'severe': ['HIV'], 'mild': ['flu', 'cold']}.")
    return Categories(_read_mapping(source))


def _read_mapping(source: Mapping[Any, Iterable[Any]]) -> Groups:
    groups, seen = [], set[str]()
    for rank, (name, values) in enumerate(source.items(), start=1):
        if isinstance(values, str) or not isinstance(values, Iterable):
            msg = f"Category {rank} holds {type(values).__name__} instead of a list of values."
            raise HierarchyError(msg, hint="write a list, also for a single value.")
        texts = tuple(sorted({checked_text(value) for value in values}))
        if not texts or not seen.isdisjoint(texts):
            problem = "has a value that an earlier category has too" if texts else "has no values"
            msg = f"Category {rank} {problem}."
            raise HierarchyError(msg, hint="put every value into exactly one category.")
        seen.update(texts)
        groups.append((checked_text(name), texts))
    return tuple(groups)


def _category_of_null(domain: Domain, position: Mapping[str, int]) -> int:
    if "" in position:
        return position[""]
    nulls = int(domain.counts[-1])
    missing = f"{nulls:,} missing value{'' if nulls == 1 else 's'}"
    msg = f"Column {domain.column!r} has {missing}, and the categories do not say where missing values belong."
    hint = "list the empty text '' in the category that missing values are to have."
    raise UncoveredValuesError(msg, column=domain.column, values=(None,), hint=hint)
