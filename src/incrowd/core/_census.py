"""``Census``: which combinations of values exist in a table, and how often; what is asked of an engine for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import mul
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from incrowd.core._archive import Archive, Header, read_archive, write_archive
from incrowd.core._classes import Cells, Classes, Standing
from incrowd.core._domain import Domain
from incrowd.core._errors import DataError, ParameterError, UnknownColumnError
from incrowd.core._grouping import Ints, add_up, group, smallest_unsigned
from incrowd.core._ladder import Ladder

FORMAT = "incrowd census 2"

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class FrozenMapping(Mapping[_Key, _Value]):
    """A mapping that cannot be changed, and can be pickled and copied, which ``MappingProxyType`` cannot."""

    __slots__ = ("_held",)

    def __init__(self, given: Mapping[_Key, _Value]) -> None:
        self._held = dict(given)

    def __getitem__(self, key: _Key) -> _Value:
        return self._held[key]

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return repr(self._held)


@dataclass(frozen=True)
class CensusRequest:
    """What an engine is asked to count.

    Parameters
    ----------
    quasi
        The quasi-identifiers, in the order that decides ties.
    sensitive
        The sensitive columns that a promise is about.
    ladders
        The ladder of every quasi-identifier that ``floor`` raises or that is to be rolled up later.
    floor
        The level at which each quasi-identifier is counted; 0 where nothing is said.
    entity
        The column that says whose row it is.
    count
        The column that says how many records a row stands for.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    ladders: Mapping[str, Ladder] = field(default_factory=dict)
    floor: Mapping[str, int] = field(default_factory=dict)
    entity: str | None = None
    count: str | None = None

    def __post_init__(self) -> None:
        for name, level in self.floor.items():
            if name not in self.quasi:
                raise UnknownColumnError.of(name, self.quasi, given_as="floor")
            if level != 0:
                ladder_of(name, self.ladders, level).check_level(level)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose codes make a cell: quasi-identifiers, sensitive columns, the person."""
        return (*self.quasi, *self.sensitive, *self._persons)

    @property
    def _persons(self) -> tuple[str, ...]:
        return (self.entity,) if self.entity else ()

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """All columns that an engine must read."""
        return (*self.columns, *([self.count] if self.count else []))

    def check(self, domains: Mapping[str, Domain]) -> None:
        """Refuse a table that does not say whose a row is, or how many records it stands for."""
        if self.entity and domains[self.entity].has_null:
            msg = f"Column {self.entity!r} (given as entity) is missing in some rows: nobody knows whose they are."
            raise DataError(msg, hint="give every row a person, or remove these rows first.")
        for name in (*self.sensitive, *self._persons):
            if twice := domains[name].repeats:
                raise _written_twice(name, twice)
        counts = domains[self.count] if self.count else None
        if counts is None or not len(counts):
            return
        whole = counts.kind == "number" and counts.values.dtype.kind == "i" and not counts.has_null
        if not whole or counts.values.min() < 1:
            msg = f"Column {self.count!r} (given as count) must hold whole numbers of at least 1 in every row."
            raise DataError(msg)
        if sum(map(mul, counts.values.tolist(), counts.counts.tolist())) >= 2**63:  # Python's integers do not overflow
            msg = f"Column {self.count!r} (given as count) adds up to 2**63 records or more, which cannot be counted."
            raise DataError(msg, hint="is it the right column? It says how many records a row stands for.")

    def level(self, column: str) -> int:
        """Give the level at which a column is counted."""
        return self.floor.get(column, 0)

    def codes(self, domain: Domain) -> Ints:
        """Give for every code of a domain the code that is counted: its group at the floor."""
        level = self.level(domain.column)
        return self.ladders[domain.column].groups[level] if level else np.arange(len(domain))

    def cardinality(self, domain: Domain) -> int:
        """Give the number of codes that a column can have at the floor."""
        level = self.level(domain.column)
        return len(self.ladders[domain.column].labels[level]) if level else len(domain)


def _written_twice(name: str, times: int) -> DataError:
    """Refuse two ways to write one number: they would pass for two values, or for two persons."""
    texts = "1 text writes a number or a date" if times == 1 else f"{times:,} texts write numbers or dates"
    msg = f"In column {name!r} {texts} that another one writes too, as 1.0 beside 1: they would count as different."
    hint = "write each in one way; in a frame make the column one of numbers or dates; give codes a letter in front."
    return DataError(msg, hint=hint)


@dataclass(frozen=True, eq=False)
class Census:
    """One **cell** per combination of quasi-identifier, sensitive and person codes that exists, with its count.

    Cells are joint, never marginal, and stand in the order of their codes. Generalizing is rolling up: it never goes
    back to the rows. Engines make a census; nobody changes it.

    Attributes
    ----------
    quasi, sensitive
        The names of its columns.
    domains
        The values of every column, also of the entity.
    ladders
        The ladders of the quasi-identifiers; empty if the census is only to be looked at as it is.
    floor
        The level at which each quasi-identifier was counted, in the order of ``quasi``.
    codes
        One array per column of ``quasi`` and ``sensitive``, in the smallest type that fits. A quasi-identifier's
        code is its group at the floor.
    person
        The person of each cell, where the table has an entity; else ``None``.
    counts
        The records of each cell.
    dropped
        Records that were removed before counting because a quasi-identifier was missing.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    domains: Mapping[str, Domain] = field(repr=False)
    ladders: Mapping[str, Ladder] = field(repr=False)
    floor: tuple[int, ...]
    codes: tuple[Ints, ...] = field(repr=False)
    person: Ints | None = field(repr=False)
    counts: Ints = field(repr=False)
    dropped: int = 0

    def __post_init__(self) -> None:
        for name in ("domains", "ladders"):
            object.__setattr__(self, name, FrozenMapping(getattr(self, name)))
        for array in self._arrays:
            array.setflags(write=False)

    @property
    def _arrays(self) -> list[Ints]:
        return [*self.codes, self.counts, *([] if self.person is None else [self.person])]

    @classmethod
    def assemble(
        cls,
        request: CensusRequest,
        domains: Mapping[str, Domain],
        codes: Sequence[Ints],
        counts: Ints,
        dropped: int = 0,
    ) -> Census:
        """Put together what an engine counted; ``codes`` follow ``request.columns`` and cells are in their order."""
        wanted = len(request.quasi) + len(request.sensitive)
        return cls(
            quasi=request.quasi,
            sensitive=request.sensitive,
            domains={name: domains[name] for name in request.columns},
            ladders={name: request.ladders[name] for name in request.quasi if name in request.ladders},
            floor=tuple(int(request.level(name)) for name in request.quasi),
            codes=tuple(codes[:wanted]),
            person=codes[wanted] if request.entity else None,
            counts=_smallest_counts(counts),
            dropped=int(dropped),
        )

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def records(self) -> int:
        """How many records were counted."""
        return int(self.counts.sum(dtype=np.int64))

    @property
    def persons(self) -> int | None:
        """How many persons were counted, or ``None`` if the table does not say whose row is whose."""
        return None if self.person is None else int(np.count_nonzero(np.bincount(self.person)))

    @property
    def nbytes(self) -> int:
        """The memory that the cells take."""
        return sum(array.nbytes for array in self._arrays)

    @cached_property
    def marginals(self) -> tuple[npt.NDArray[np.int64], ...]:
        """How many records each group of each quasi-identifier has at the floor; counted once, then kept."""
        sizes = self._cardinalities(self.floor)
        pairs = zip(self.codes[: len(self.quasi)], sizes, strict=False)
        counted = tuple(add_up(codes, self.counts, size) for codes, size in pairs)
        for array in counted:
            array.setflags(write=False)
        return counted

    @cached_property
    def level_records(self) -> tuple[tuple[npt.NDArray[np.int64], ...], ...]:
        """How many records each group of each quasi-identifier has at every level from the floor on; counted once."""
        ladders = [(self.ladders[name], floor) for name, floor in zip(self.quasi, self.floor, strict=True)]
        groups = [
            [ladder.parent_groups(floor, level) for level in range(floor, ladder.height + 1)]
            for ladder, floor in ladders
        ]
        sizes = [len(labels) for ladder, floor in ladders for labels in ladder.labels[floor:]]
        ends = np.cumsum(sizes)
        flat = [one for levels in groups for one in levels]
        places = np.concatenate([one + begin for one, begin in zip(flat, ends - sizes, strict=True)])  # 64 bits each
        known = zip(self.marginals, groups, strict=True)
        counted = np.concatenate([low for low, levels in known for _ in levels])
        found = iter(np.split(add_up(places, counted, int(ends[-1])), ends[:-1]))  # all at once
        return tuple(tuple(next(found) for _ in levels) for levels in groups)

    def rollup(self, levels: Mapping[str, int] | Sequence[int]) -> Census:
        """Raise quasi-identifiers to coarser levels and merge the cells that become equal.

        Levels are given for every quasi-identifier in order, or for some of them by name; not below the floor.
        """
        target = self._levels(levels)
        if target == self.floor:
            return self
        raised = [
            self.ladders[name].parent_groups(low, high)[codes] if high > low else codes
            for name, low, high, codes in zip(self.quasi, self.floor, target, self.codes, strict=False)
        ]
        columns = [*raised, *self.codes[len(self.quasi) :], *([] if self.person is None else [self.person])]
        merged = group(columns, self._cardinalities(target))
        return replace(
            self,
            floor=target,
            codes=tuple(column[merged.first] for column in columns[: len(self.codes)]),
            person=None if self.person is None else self.person[merged.first],
            counts=_smallest_counts(merged.sums(self.counts)),
        )

    def classes(self, levels: Mapping[str, int] | Sequence[int] | None = None) -> Classes:
        """Group the cells into classes: records that look alike on all quasi-identifiers, rolled up first if asked."""
        census = self if levels is None else self.rollup(levels)
        quasi = census.codes[: len(self.quasi)]
        grouping = group(quasi, census._cardinalities(census.floor)[: len(quasi)])  # noqa: SLF001 - same class
        cells = Cells(
            sensitive=dict(zip(self.sensitive, census.codes[len(quasi) :], strict=True)),
            domains={name: self.domains[name] for name in self.sensitive},
            person=census.person,
            counts=census.counts,
        )
        standing = Standing(
            levels=census.floor,
            domains=tuple(self.domains[name] for name in self.quasi),
            ladders=tuple(self.ladders.get(name) for name in self.quasi),
        )
        return Classes.of(grouping, tuple(codes[grouping.first] for codes in quasi), cells, standing=standing)

    def labels(self, column: str) -> npt.NDArray[np.object_]:
        """Give the text of every code of a column at the floor; ``None`` for a missing value."""
        if column in self.quasi and (level := self.floor[self.quasi.index(column)]):
            return self.ladders[column].labels[level]
        if column not in self.domains:
            raise UnknownColumnError.of(column, list(self.domains), given_as="column of the census")
        return self.domains[column].texts

    def save(self, path: str | Path) -> None:
        """Write the census to one file. It holds the table's values: keep it where the table is."""
        arrays = Archive({f"codes {number}": codes for number, codes in enumerate(self.codes)})
        arrays |= {"counts": self.counts} | ({} if self.person is None else {"person": self.person})
        header = {name: getattr(self, name) for name in ("quasi", "sensitive", "floor", "dropped")}
        domains = [arrays.add_domain(f"domain {i}", domain) for i, domain in enumerate(self.domains.values())]
        for name, ladder in self.ladders.items():
            arrays.add_ladder(f"ladder {self.quasi.index(name)}", ladder)
        heights = {name: ladder.height for name, ladder in self.ladders.items()}
        write_archive(Path(path), header | {"format": FORMAT, "domains": domains, "heights": heights}, arrays)

    @staticmethod
    def load(path: str | Path) -> Census:
        """Read a census that ``save`` wrote."""
        name = Path(path).name
        try:
            header, arrays = read_archive(Path(path))
            if header["format"] == FORMAT:
                return Census._unpack(header, arrays)
        except Exception as error:  # noqa: BLE001 - a foreign or broken file can fail in any way
            trouble = DataError(f"{name} cannot be read as a census ({type(error).__name__}).")
        else:
            trouble = DataError(f"{name} is not a census of this version.", hint="take the census again.")
        raise trouble  # outside of the except block: the context of an error would keep what the file holds

    @classmethod
    def _unpack(cls, header: Header, arrays: Archive) -> Census:
        quasi = tuple(header["quasi"])
        domains = [arrays.domain(f"domain {i}", entry) for i, entry in enumerate(header["domains"])]
        heights = header["heights"].items()
        return cls(
            quasi=quasi,
            sensitive=tuple(header["sensitive"]),
            domains={domain.column: domain for domain in domains},
            ladders={name: arrays.ladder(f"ladder {quasi.index(name)}", name, height) for name, height in heights},
            floor=tuple(header["floor"]),
            codes=tuple(arrays[f"codes {number}"] for number in range(len(quasi) + len(header["sensitive"]))),
            person=arrays.get("person"),
            counts=arrays["counts"],
            dropped=header["dropped"],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Census):
            return False
        plain = ("quasi", "sensitive", "floor", "dropped", "domains", "ladders")
        mine, theirs = self._arrays, other._arrays
        return (
            all(getattr(self, name) == getattr(other, name) for name in plain)
            and len(mine) == len(theirs)
            and all(map(np.array_equal, mine, theirs))
        )

    def __reduce__(self) -> tuple[Callable[..., Census], tuple[Any, ...]]:
        """Copy by building anew: a copy must not be writable."""
        return Census, tuple(getattr(self, part.name) for part in fields(self))

    def __repr__(self) -> str:
        persons = "" if self.person is None else f", {self.persons} persons"
        return f"Census({len(self)} cells, {self.records} records{persons}, quasi={self.quasi})"

    def _levels(self, levels: Mapping[str, int] | Sequence[int]) -> tuple[int, ...]:
        if isinstance(levels, Mapping):
            for name in levels:
                if name not in self.quasi:
                    raise UnknownColumnError.of(name, self.quasi, given_as="level")
            levels = [levels.get(name, low) for name, low in zip(self.quasi, self.floor, strict=True)]
        if len(levels) != len(self.quasi):
            msg = f"levels must have one entry per quasi-identifier ({len(self.quasi)}), got {len(levels)}."
            raise ParameterError(msg)
        for name, low, high in zip(self.quasi, self.floor, levels, strict=True):
            if high != low:
                ladder_of(name, self.ladders, high).check_level(high, at_least=low)
        return tuple(int(level) for level in levels)

    def _cardinalities(self, levels: Sequence[int]) -> list[int]:
        quasi = [
            len(self.ladders[name].labels[level]) if level else len(self.domains[name])
            for name, level in zip(self.quasi, levels, strict=True)
        ]
        others = [name for name in self.domains if name not in self.quasi]  # sensitive, then the entity
        return quasi + [len(self.domains[name]) for name in others]


def ladder_of(name: str, ladders: Mapping[str, Ladder], level: int) -> Ladder:
    """Give the ladder of a column that is to be raised to a level; there must be one."""
    if name not in ladders:
        msg = f"Column {name!r} has no ladder, so it cannot be raised to level {level}."
        raise ParameterError(msg, hint="give the quasi-identifier a hierarchy.")
    return ladders[name]


def _smallest_counts(counts: Ints) -> Ints:
    return counts.astype(smallest_unsigned(int(counts.max(initial=0)) + 1))
