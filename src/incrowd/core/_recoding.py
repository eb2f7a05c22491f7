"""What every record is published as: the result of a search, ready for any engine to apply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from incrowd.core._census import check_level
from incrowd.core._domain import Domain
from incrowd.core._errors import ParameterError, UnknownColumnError
from incrowd.core._grouping import Ints, group
from incrowd.core._labelling import distinct_texts
from incrowd.core._ladder import Ladder

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class FullDomainRecoding:
    """One level for each column, and the classes that are left out.

    Parameters
    ----------
    domains
        Per quasi-identifier, the values that the ladders were bound to.
    ladders
        Per quasi-identifier, its ladder.
    levels
        Per quasi-identifier, the level at which it is published.
    suppressed
        The classes whose records are left out: one array per quasi-identifier with the groups at its level.
    masked
        Whether these records are published with ``*`` in every quasi-identifier, instead of being dropped.
    """

    domains: Mapping[str, Domain] = field(repr=False)
    ladders: Mapping[str, Ladder] = field(repr=False)
    levels: Mapping[str, int]
    suppressed: tuple[Ints, ...] = field(default=(), repr=False)
    masked: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        for part in ("domains", "ladders"):  # in the order of the levels, whatever order they were given in
            object.__setattr__(self, part, _in_order(getattr(self, part), self.levels))
        for name, level in self.levels.items():
            check_level(name, level, self.ladders)
            if len(self.ladders[name].groups[0]) != len(self.domains[name]):
                msg = f"The ladder of column {name!r} was not bound to the domain that the recoding has."
                raise ParameterError(msg)
        if self.suppressed and len(self.suppressed) != len(self.levels):
            msg = (
                f"suppressed must have one array per quasi-identifier ({len(self.levels)}), got {len(self.suppressed)}."
            )
            raise ParameterError(msg)
        if len({len(groups) for groups in self.suppressed}) > 1:
            msg = "The arrays of suppressed must have one entry per class each."
            raise ParameterError(msg)
        for (name, level), groups in zip(self.levels.items(), self.suppressed, strict=False):
            _check_codes(name, groups, len(self.ladders[name].labels[level]))

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns that are recoded, in order."""
        return tuple(self.levels)

    @property
    def leaves_out(self) -> bool:
        """Whether there is a class that is left out."""
        return bool(self.suppressed) and len(self.suppressed[0]) > 0

    @property
    def masks(self) -> bool:
        """Whether some records are published as ``*``: then every quasi-identifier is text."""
        return self.masked and self.leaves_out

    def is_suppressed(self, groups: Sequence[Ints]) -> npt.NDArray[np.bool_]:
        """Say which combinations of groups are left out or masked; one array per quasi-identifier, of its level."""
        if not self.leaves_out:
            return np.zeros(len(groups[0]), dtype=bool)
        sizes = [len(self.ladders[name].labels[level]) for name, level in self.levels.items()]
        ids = group([np.concatenate(pair) for pair in zip(groups, self.suppressed, strict=True)], sizes).ids
        return np.isin(ids[: len(groups[0])], ids[len(groups[0]) :])


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """For every cell the classes that its records go to, and how many to each.

    Parameters
    ----------
    quasi
        The columns that are recoded.
    domains
        The values of every column that makes a cell: quasi-identifiers, sensitive columns, the entity if there is one.
    codes
        One array per column of ``domains``: the cell of each entry. At a floor, groups of it instead of values.
    classes
        The class of each entry; -1 where the records are left out.
    counts
        How many records of the cell go there. Which ones is decided by the values of all published columns, so that
        neither engine nor row order matters.
    labels
        One array per quasi-identifier: the text that is published for each class; ``None`` for a missing value.
    ladders
        The hierarchies that labels come from, where they are known: what a label covers follows from them.
    floor
        The level at which a quasi-identifier was counted, by name; 0, its own values, where nothing is said.
    partial
        Whether it speaks of a part of the table only: the records of no other cell are published by it.
    """

    quasi: tuple[str, ...]
    domains: Mapping[str, Domain] = field(repr=False)
    codes: tuple[Ints, ...] = field(repr=False)
    classes: Ints = field(repr=False)
    counts: npt.NDArray[np.int64] = field(repr=False)
    labels: tuple[npt.NDArray[np.object_], ...] = field(repr=False)
    ladders: Mapping[str, Ladder] = field(default_factory=dict, repr=False)
    floor: Mapping[str, int] = field(default_factory=dict, repr=False)
    partial: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        for name, level in self.floor.items():
            check_level(name, level, self.ladders)
        lengths = {len(array) for array in (*self.codes, self.classes, self.counts)}
        if len(lengths) != 1 or len(self.codes) != len(self.domains) or len(self.labels) != len(self.quasi):
            msg = "A local recoding needs one code per column and entry, and one label per quasi-identifier and class."
            raise ParameterError(msg)
        if len(self.counts) and self.counts.min() < 1:
            msg = "A local recoding moves at least one record per entry."
            raise ParameterError(msg)
        for name, cardinality, codes in zip(self.domains, self.cardinalities, self.codes, strict=True):
            _check_codes(name, codes, cardinality)
        sizes = {len(texts) for texts in self.labels}
        if len(sizes) != 1 or (len(self.classes) and not -1 <= self.classes.min() <= self.classes.max() < min(sizes)):
            msg = "A local recoding needs for each class one label per quasi-identifier; -1 is what is left out."
            raise ParameterError(msg)

    @property
    def levels(self) -> None:
        """A local recoding has no one level per column."""
        return

    @property
    def cardinalities(self) -> list[int]:
        """How many codes each column of a cell can have."""
        return [
            len(self.ladders[name].labels[level]) if (level := self.floor.get(name, 0)) else len(domain)
            for name, domain in self.domains.items()
        ]

    @cached_property
    def distinct_labels(self) -> dict[str, tuple[npt.NDArray[np.object_], npt.NDArray[np.int64]]]:
        """Per quasi-identifier its labels, each once, and which one each class has; found out once, then kept."""
        return {name: distinct_texts(texts) for name, texts in zip(self.quasi, self.labels, strict=True)}

    def cell_codes(self, name: str, codes: Ints) -> Ints:
        """Turn codes of values into those of the cells: groups at the floor, where there is one."""
        level = self.floor.get(name, 0)
        return self.ladders[name].groups[level][codes] if level else codes

    def pieces(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Line up the entries of each cell by class, what is left out last.

        Returns
        -------
        The order of the entries, for each the rank in its cell of the first record that it takes, and whether its cell
        is split.
        """
        cells = group(self.codes, self.cardinalities)
        if len(cells) == len(self.counts):  # no cell parts
            return cells.first, np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=bool)
        order = np.lexsort((self.classes, self.classes < 0, cells.ids))
        ids, counts = cells.ids[order], self.counts[order]
        before = np.cumsum(counts) - counts
        opens = np.searchsorted(ids, np.arange(len(cells)))
        return order, before - before[opens][ids], (cells.sizes() > 1)[ids]


def _in_order(given: Mapping[str, _T], levels: Mapping[str, int]) -> dict[str, _T]:
    for name in levels:
        if name not in given:
            raise UnknownColumnError.of(name, list(given), given_as="level")
    return {name: given[name] for name in levels}


def _check_codes(name: str, codes: Ints, cardinality: int) -> None:
    """Refuse codes that a column does not have: packed with others they would mean somebody else's cell."""
    if len(codes) and not 0 <= codes.min() <= codes.max() < cardinality:
        msg = f"The recoding has codes of column {name!r} beyond the {cardinality} that there are."
        raise ParameterError(msg)


Recoding = FullDomainRecoding | LocalRecoding
"""What a search returns and an engine applies."""
