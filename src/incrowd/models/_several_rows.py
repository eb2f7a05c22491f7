"""km-anonymity: whoever knows several rows of a person still finds at least k people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, ParameterError, Schema, SchemaError, UnknownColumnError, group
from incrowd.models._form import MULTISET, ROWS, Clause, Form, Key, bracket
from incrowd.models._judge import Judge, Measured, Ratios, Requirement
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._model import Model, Of, read_of
from incrowd.models._thresholds import whole_number

AT_ONCE = 1 << 21
"""So many sets of items are counted at once, or those that begin alike."""
Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
Sets = tuple[list[Counts], Counts, Counts]
"""Sets of items that people have: their entries, one array per item; the number of each; how many people have it."""


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """What can be known of every person: one entry per person and item, sorted by both.

    An item is a region, which is what a row can be known by; or the first, second, … row of a person there.
    """

    person: Counts
    item: Counts
    region: Counts

    @classmethod
    def of(cls, person: Ints, region: Counts, rows: Ints, *, multiset: bool) -> Items:
        """Take the items out of a table that has a person, a region and a number of rows per entry."""
        pairs = group([person, region], [int(column.max(initial=0)) + 1 for column in (person, region)])
        people, regions = person[pairs.first].astype(np.int64), region[pairs.first].astype(np.int64)
        if not multiset:
            return cls(people, regions, regions)
        times = pairs.sums(rows)
        entry = np.repeat(np.arange(len(pairs)), times)
        which = np.arange(len(entry)) - (np.cumsum(times) - times)[entry]
        items = group([regions[entry], which], [int(column.max(initial=0)) + 1 for column in (regions, which)])
        return cls(people[entry], items.ids.astype(np.int64), regions[entry])

    def fewest(self, most: int, enough: int = 0) -> Counts:
        """Give for every entry the fewest people who have some set of items that it is in, of ``most`` items or fewer.

        Sets that fewer people have than would be ``enough`` are not made larger: then the numbers below may be too big.
        """
        if not len(self.person):
            return np.zeros(0, dtype=np.int64)
        entries = np.arange(len(self.item))
        result = self.support(self.item, int(self.item.max()) + 1, entries)[self.item]
        self.note([entries], self.item, result)
        # The second row in a region implies the first: a set has one item per region, and goes on behind it.
        _, ends = _runs([self.person])
        _, behind = _runs([self.person, self.region])
        order = np.argsort(self.item, kind="stable")
        begun = [order], self.item[order], result[order]
        self._extend(begun, most - 1, enough, (behind, ends), result)
        return result

    def support(self, sets: Ints, number: int, entries: Counts) -> Counts:
        """Count who has each of so many sets, given who has which: by an entry of theirs."""
        return np.bincount(sets, minlength=number)

    def note(self, chain: list[Counts], sets: Ints, people: Ints) -> None:
        """Take notice of sets that were counted: their entries, one array per item; the number of each; who has it."""

    def _extend(self, begun: Sets, more: int, enough: int, after: tuple[Counts, Counts], result: Counts) -> None:
        """Make sets larger by one item, and again."""
        if not more:
            return
        going = begun[2] >= enough
        chain, sets = [entries[going] for entries in begun[0]], begun[1][going]
        times = after[1][chain[-1]] - after[0][chain[-1]]
        for part in _parts(sets, times):
            rows = np.repeat(np.arange(part.start, part.stop), times[part])
            added = np.repeat(after[0][chain[-1][part]], times[part]) + _places(times[part])
            if not len(rows):
                continue
            larger = group([sets[rows], self.item[added]], [int(sets[part].max()) + 1, int(self.item.max()) + 1])
            people = self.support(larger.ids, len(larger), added)[larger.ids]
            longer = [*(entries[rows] for entries in chain), added]
            self.note(longer, larger.ids, people)
            for entries in longer:
                np.minimum.at(result, entries, people)
            if more > 1:
                order = np.argsort(larger.ids, kind="stable")
                grown = [entries[order] for entries in longer], larger.ids[order].astype(np.int64), people[order]
                self._extend(grown, more - 1, enough, after, result)


def _runs(columns: Sequence[Counts]) -> tuple[Counts, Counts]:
    """Give for every entry where the run of equal ones begins that it is in, and where it ends."""
    changes = np.logical_or.reduce([np.diff(column, prepend=column[0] - 1) != 0 for column in columns])
    starts = np.flatnonzero(changes)
    run = np.cumsum(changes) - 1
    return starts[run], np.append(starts[1:], len(changes))[run]


def _places(times: Counts) -> Counts:
    """Count from 0 within each of some runs."""
    return np.asarray(np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times), dtype=np.int64)


def _parts(sets: Counts, times: Counts) -> Iterator[slice]:
    """Cut sorted sets into parts that become not much larger than is counted at once; equal ones stay together."""
    if not len(sets):
        return
    ends = np.append(np.flatnonzero(np.diff(sets)), len(sets) - 1) + 1
    which = (np.cumsum(times)[ends - 1] - 1) // AT_ONCE
    last = ends[np.append(np.flatnonzero(np.diff(which)), len(ends) - 1)].tolist()
    yield from map(slice, [0, *last[:-1]], last)


class RowsJudge(Judge):
    """Counts for every class who has some set of rows with one of the class."""

    model: KmAnonymity

    def __init__(self, model: KmAnonymity, schema: Schema, domains: Mapping[str, Domain]) -> None:
        super().__init__(model, (), schema, domains)
        known = read_of(model.known)
        self._known = None if known is None else [schema.quasi_names.index(name) for name in known]

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        region, items = self._items(classes)
        fewest = np.full(int(region.max(initial=0)) + 1, np.iinfo(np.int64).max)
        np.minimum.at(fewest, items.region, items.fewest(self.model.m))
        return (Ratios.integers(fewest[region]),)

    def exposed(self, classes: Classes, people: int) -> Bools:
        """Say of every person whether too few people have some of their rows."""
        _, items = self._items(classes)
        result = np.zeros(people, dtype=bool)
        result[items.person[items.fewest(self.model.m, self.model.k) < self.model.k]] = True
        return result

    def check_persons(self, classes: Classes) -> None:
        """Have nothing to refuse: people have several rows here."""

    def _items(self, classes: Classes) -> tuple[Counts, Items]:
        """Give for every class what its rows can be known by, and all that can be known of people."""
        cells, region = classes.cells, np.arange(len(classes))
        if cells.person is None:
            msg = f"{self.model} is about all rows of a person, and nothing says whose row is whose."
            raise SchemaError(msg, hint=_NEEDS_ENTITY)
        if self._known is not None and len(classes) > 1:
            if not classes.codes:
                msg = "These classes do not know what they are called."
                raise ParameterError(msg, hint="take them from a census or from published labels.")
            columns = [classes.codes[at] for at in self._known]
            region = group(columns, [int(column.max()) + 1 for column in columns]).ids.astype(np.int64)
        of_cells = region[classes.members]
        return region, Items.of(cells.person, of_cells, cells.counts, multiset=self.model.multiset)


_NEEDS_ENTITY = "name the column that says so as the entity of the schema."


def _read(clause: Clause) -> KmAnonymity:
    """Read ``k>=5[ward, any 2 rows, multiset]``."""
    rows = [word for word in clause.words if re.fullmatch(ROWS, word)]
    if len(rows) > 1 or len(set(clause.words)) < len(clause.words) or clause.joint:
        raise TypeError
    return KmAnonymity(clause.number, int(rows[0].split()[1]), clause.of, multiset=MULTISET in clause.words)


@dataclass(frozen=True)
class KmAnonymity(Model):
    """Whoever knows any ``m`` rows of a person finds at least ``k`` people who have such rows.

    Parameters
    ----------
    k
        The fewest people who have them; 1 or more.
    m
        How many rows of a person somebody may know; 1 or more. With 1 it is what ``KAnonymity`` promises of people.
    known
        The quasi-identifiers that somebody knows of each row; all where nothing is said.
    multiset
        Whether somebody may also know how many rows of a kind a person has. Then ``m`` is the number of different kinds
        of rows that are known, and of each kind it may be known that there are two, three, or more of them.

    Notes
    -----
    Protects people who have several rows from being found by what is known of some of them: that is what ``k`` alone
    does not do, which counts people group by group. Needs the entity of the schema, the column that says whose row is
    whose. Who breaks the promise is left out with all rows, and then others may break it: so until nobody does.

    Does not protect against somebody who knows more rows than ``m``, or rows by other columns; nor does it say anything
    about what the rows of the people found have in common. Published pseudonyms link the rows that are left: whoever
    finds the person behind one learns all of them. Only searches with one level per column keep it; with ``multiset``
    generalizing can break it, and those look at more nodes.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis. *Privacy-preserving anonymization of set-valued data.* VLDB, 2008: with
    groups of rows as items.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.KmAnonymity(5, 2)), str(ic.KmAnonymity(5, 2, known="ward", multiset=True))
    ('k>=5[any 2 rows]', 'k>=5[ward, any 2 rows, multiset]')
    """

    k: int
    m: int
    known: Of = None
    multiset: bool = False

    by_person = True
    judged_apart = False
    forms = (
        Form(
            "k",
            ">=",
            "k>=5[any 2 rows]",
            _read,
            rank=170,
            words=(MULTISET,),
            told_by=ROWS,
        ).offer(
            "Nobody is alone by several rows",
            "k>=5[any 2 rows]",
            "Finding a person by several of their rows: at least k people have such rows.",
            "Somebody who knows more rows of a person; what the rows of all of them have in common.",
            Key("k", "whole number", "the fewest people who have such rows", "5"),
            Key("m", "whole number", "how many rows of a person somebody may know", "2"),
            needs="people",
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.k, name="k", at_least=1)
        whole_number(self.m, name="m", at_least=1)
        self._normalize(known=read_of(self.known))
        if not isinstance(self.multiset, bool):
            msg = f"multiset must be true or false, got {self.multiset!r}."
            raise ParameterError(msg)

    @property
    def upward_closed(self) -> bool:
        return not self.multiset

    @property
    def union_closed(self) -> bool:
        return not self.multiset

    @property
    def implied(self) -> Model:
        return replace(self, multiset=False)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement("k", ">=", Fraction(self.k)),)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        if schema.entity is None:
            msg = f"{self} is about all rows of a person, and the schema does not say whose row is whose."
            raise SchemaError(msg, hint=_NEEDS_ENTITY)
        if schema.count is not None:
            msg = f"{self} counts people, and a row of this table stands for several records ({schema.count!r})."
            raise SchemaError(msg, hint="give every record a row of its own.")
        for name in read_of(self.known) or ():
            if name not in schema.quasi_names:
                raise UnknownColumnError.of(name, schema.quasi_names, given_as=f"a known column of {self}")
        return (RowsJudge(self, schema, domains),)

    def in_file(self, columns: int) -> Model:
        return KAnonymity(self.k if self.known is None else 1)

    def meaning(self, *, several: bool = False) -> str:
        what = "" if self.known is None else f" by {' and '.join(map(repr, self.known))}"
        rows = "a row" if self.m == 1 else f"any {self.m:,} rows"
        if self.multiset:
            rows = "how many rows" + ("" if self.m == 1 else f" of each of {self.m:,} kinds")
            return f"Whoever knows{what} {rows} a person has finds at least {self.k:,} people with as many."
        return f"Whoever knows {rows} of a person{what} finds at least {self.k:,} people who have such rows."

    @property
    def limit(self) -> str:  # type: ignore[override]
        """What it does not protect against."""
        rows = "one row" if self.m == 1 else f"{self.m:,} rows"
        by = "" if self.known is None else f" by {' and '.join(map(repr, self.known))} alone"
        return f"Covers who knows {rows} of a person{by} and no more; not what a group reveals about everybody in it."

    @property
    def certificate_form(self) -> dict[str, Any]:
        known = {} if self.known is None else {"known": list(self.known)}
        return {"kind": "rows", "m": self.m, **known} | ({MULTISET: True} if self.multiset else {})

    @property
    def promises_nothing(self) -> bool:
        return self.k == 1

    def __str__(self) -> str:
        rows = "any 1 row" if self.m == 1 else f"any {self.m} rows"
        return f"k>={self.k}" + bracket(read_of(self.known), rows, *[MULTISET] * self.multiset)
