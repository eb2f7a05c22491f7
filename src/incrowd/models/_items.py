"""(k, km)-anonymity: whoever knows some items of a person's set still finds at least k people who have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import (
    Classes,
    Domain,
    ItemSets,
    ParameterError,
    Schema,
    SchemaError,
    UnknownColumnError,
    add_up,
    group,
)
from incrowd.models._form import ITEMS, Clause, Form, Key, bracket
from incrowd.models._judge import Judge, Measured, Ratios, Requirement
from incrowd.models._model import Model, Of, read_of
from incrowd.models._several_rows import Items
from incrowd.models._thresholds import whole_number

Counts = npt.NDArray[np.int64]
Ints = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
KNOWN_TEXTS = 64
"""So many lists of labels are taken apart once and then kept: one per column and level."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldItems(Items):
    """Items that holders have, of whom each stands for several records, or for a person who may be others too."""

    weight: Counts | None = None  # the records of every entry
    whose: Counts | None = None  # the person of every entry, who is counted once
    below: int = 0  # sets that fewer have are kept in mind
    rare: list[tuple[list[Counts], Counts]] = field(default_factory=list)

    def support(self, sets: Ints, number: int, entries: Counts) -> Counts:
        """Count the records that have each set, or the people."""
        if self.whose is not None:
            pairs = group([sets, self.whose[entries]], [number, int(self.whose.max()) + 1])
            return np.bincount(sets[pairs.first], minlength=number)
        return add_up(sets, np.asarray(self.weight)[entries], number)

    def note(self, chain: list[Counts], sets: Ints, people: Ints) -> None:
        """Keep one holder of every rare set in mind: its entries, one array per item, and how many have it."""
        places = np.flatnonzero(people < self.below)
        _, first = np.unique(sets[places], return_index=True)
        places = places[first]
        alone = np.zeros(len(self.item), dtype=bool)
        if self.rare:  # what is rare alone makes every larger set rare
            alone[np.isin(self.item, self.item[self.rare[0][0][0]])] = True
        places = places[~np.logical_or.reduce([alone[entries[places]] for entries in chain])]
        self.rare.append(([entries[places] for entries in chain], np.asarray(people[places], dtype=np.int64)))


@dataclass(frozen=True, slots=True, eq=False)
class RareItems(HeldItems):
    """The same, with everybody who has a rare set kept in mind."""

    chains: list[list[Counts]] = field(default_factory=list)
    firsts: list[Counts] = field(default_factory=list)

    @property
    def alone(self) -> Counts:
        """How many have each item."""
        return self.firsts[0]

    def note(self, chain: list[Counts], sets: Ints, people: Ints) -> None:
        """Keep all rows of rare sets, and of single items how many have each."""
        if not self.firsts:
            self.firsts.append(np.asarray(people, dtype=np.int64))
        places = np.flatnonzero(people < self.below)
        if len(places):
            self.chains.append([entries[places] for entries in chain])


@dataclass(frozen=True, slots=True, eq=False)
class KnownItems:
    """What can be known of the classes of a table: their items, and which other quasi-identifiers they share.

    ``owner`` and ``item`` are one entry per class and item, sorted; ``base`` says for every class who is like it on
    the other quasi-identifiers.
    """

    owner: Counts
    item: Counts
    base: Counts

    @classmethod
    def of(cls, classes: Classes, columns: Mapping[int, ItemSets]) -> KnownItems:
        """Take it out of classes; ``columns`` has the items of every code of the columns that hold sets."""
        others = [codes for at, codes in enumerate(classes.codes) if at not in columns]
        base = np.zeros(len(classes), dtype=np.int64)
        if others and len(classes):
            base = group(others, [int(codes.max()) + 1 for codes in others]).ids.astype(np.int64)
        owners, items, before = list[Counts](), list[Counts](), 0
        for at, sets in columns.items():
            codes = classes.codes[at].astype(np.int64)
            times = sets.sizes[codes]
            owners.append(np.repeat(np.arange(len(classes)), times))
            items.append(sets.items[_runs_from(sets.starts[codes], times)] + before)
            before += len(sets.names)
        owner, item = np.concatenate(owners), np.concatenate(items)
        order = np.lexsort((item, owner)) if len(columns) > 1 else np.arange(len(owner))
        return cls(owner[order], item[order], base)

    def fewest(self, classes: Classes, most: int, enough: int = 0) -> Counts:
        """Give for every class the fewest people who have some of its items, of ``most`` items or fewer.

        Whoever has no items is found by the other quasi-identifiers alone. Where fewer than ``enough`` people have some
        items it is not counted how few have more of them.
        """
        result = self._alike(classes)[self.base]
        held, entries = self._held(classes)
        np.minimum.at(result, self.owner[entries], held.fewest(most, enough))
        return result

    def rare(self, classes: Classes, most: int, below: int) -> list[tuple[Counts, Counts, Counts]]:
        """Give the sets of items that fewer people have than ``below``, by the number of items, beginning with one.

        Per number: a class that has each set; its items, one column per item; how many people have it. Sets that have a
        rare item beside others are left out.
        """
        held, entries = self._held(classes, below)
        held.fewest(most, below)
        return [
            (self.owner[entries[chain[0]]], np.stack([self.item[entries[one]] for one in chain], axis=1), people)
            for chain, people in _by_size(held.rare)
        ]

    def losing(self, classes: Classes, most: int, enough: int) -> Bools:
        """Say of every item of a class whether it should go, so that fewer sets of items are had by too few.

        Of every such set each who has it loses one item: that which is in most of them, and of these the rarest.
        """
        held, entries = self._held(classes)
        held = RareItems(held.person, held.item, held.region, held.weight, held.whose, enough)
        held.fewest(most, enough)
        hits = np.zeros(len(entries), dtype=np.int64)
        for chain in held.chains:
            for one in chain:
                np.add.at(hits, one, 1)
        gone = np.zeros(len(self.owner), dtype=bool)
        if not len(entries):
            return gone
        worth = hits * (int(held.alone.max()) + 1) - held.alone
        for chain in held.chains:
            each = np.stack(chain, axis=1)
            chosen = np.argmax(worth[each], axis=1)
            gone[entries[each[np.arange(len(each)), chosen]]] = True
        return gone

    def _alike(self, classes: Classes) -> Counts:
        """Count who is alike on the other quasi-identifiers."""
        number, person = int(self.base.max(initial=-1)) + 1, classes.cells.person
        if person is None:
            return add_up(self.base, classes.records, number)
        base = self.base[classes.members]
        once = group([base, person], [max(number, 1), int(person.max(initial=0)) + 1])
        return np.bincount(base[once.first], minlength=number)

    def _held(self, classes: Classes, below: int = 0) -> tuple[HeldItems, Counts]:
        """Give the items of everybody in a class, as items of those who are like them otherwise; and whose entry it is.

        Where people are counted everybody is in a class once; else a class stands for all of its records.
        """
        person, holder = classes.cells.person, np.arange(len(classes))
        weight: Any = classes.records if person is None else None
        whose: Any = None
        if person is not None:
            pairs = group([classes.members, person], [max(len(classes), 1), int(person.max(initial=0)) + 1])
            holder = classes.members[pairs.first].astype(np.int64)
            whose = person[pairs.first].astype(np.int64)
        starts = np.searchsorted(self.owner, np.arange(len(self.base) + 1))
        times = np.diff(starts)[holder]
        entries, who = _runs_from(starts[holder], times), np.repeat(np.arange(len(holder)), times)
        base, item = self.base[self.owner[entries]], self.item[entries]
        within = group([base, item], [int(column.max(initial=0)) + 1 for column in (base, item)]).ids.astype(np.int64)
        weight, whose = (None if one is None else one[who] for one in (weight, whose))
        return HeldItems(who, within, within, weight, whose, below), entries


def _by_size(rare: list[tuple[list[Counts], Counts]]) -> list[tuple[list[Counts], Counts]]:
    """Put together what was counted in parts: sets of as many items."""
    sizes = sorted({len(chain) for chain, _ in rare})
    found = []
    for size in sizes:
        parts = [one for one in rare if len(one[0]) == size]
        chain = [np.concatenate([chain[at] for chain, _ in parts]) for at in range(size)]
        found.append((chain, np.concatenate([people for _, people in parts])))
    return [one for one in found if len(one[1])]


def _runs_from(starts: Ints, times: Counts) -> Counts:
    """Give so many numbers from each start on, one after the other."""
    before = np.cumsum(times) - times
    return np.asarray(np.arange(int(times.sum())) + np.repeat(starts - before, times), dtype=np.int64)


class ItemsJudge(Judge):
    """Counts for every class who has some items of its set, among those like it on the other quasi-identifiers."""

    model: KKmAnonymity

    def __init__(self, model: KKmAnonymity, schema: Schema, domains: Mapping[str, Domain]) -> None:
        super().__init__(model, (), schema, domains)
        self.separators = separators_of(schema)
        self._sets = {schema.quasi_names.index(name): self.separators[name] for name in item_columns(model, schema)}
        self._known: dict[int, tuple[Any, ItemSets]] = {}

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        return (Ratios.integers(self.fewest(classes)),)

    def keeps(self, classes: Classes) -> Bools:
        return self.fewest(classes, self.model.k) >= self.model.k

    def fewest(self, classes: Classes, enough: int = 0) -> Counts:
        """Give for every class the fewest people who have some of its items."""
        if len(classes) <= 1 and not classes.codes:  # the whole table, as one class
            return classes.size.astype(np.int64)
        return KnownItems.of(classes, self.items_of(classes)).fewest(classes, self.model.m, enough)

    def items_of(self, classes: Classes) -> dict[int, ItemSets]:
        """Give the items of every code of the columns that hold sets."""
        if not classes.codes:
            msg = "These classes do not know what they are called."
            raise ParameterError(msg, hint="take them from a census or from published labels.")
        return {at: self._taken_apart(classes.names(at), separator) for at, separator in self._sets.items()}

    def notes(self, classes: Classes) -> tuple[str, ...]:
        if not classes.codes or not len(classes):
            return ()
        sizes = sum(sets.sizes[classes.codes[at]] for at, sets in self.items_of(classes).items())
        most = int(np.max(sizes))
        if most >= self.model.m:
            return ()
        return (f"No record has more than {most:,} {'item' if most == 1 else 'items'}: {self.model} is about all.",)

    def _taken_apart(self, texts: Any, separator: str) -> ItemSets:
        """Take labels apart, those of a level once."""
        if id(texts) not in self._known:
            self._known = self._known if len(self._known) < KNOWN_TEXTS else {}
            self._known[id(texts)] = texts, ItemSets.of(texts.tolist(), separator)
        return self._known[id(texts)][1]


def separators_of(schema: Schema) -> dict[str, str]:
    """Give the quasi-identifiers whose values are sets of items, each with what stands between these."""
    found = {name: getattr(hierarchy, "separator", None) for name, hierarchy in schema.quasi}
    return {name: separator for name, separator in found.items() if isinstance(separator, str)}


def item_sets_of(schema: Schema, classes: Classes) -> dict[int, ItemSets]:
    """Give the items of every code of the quasi-identifiers that hold sets, by the place of the column."""
    places = {name: place for place, name in enumerate(schema.quasi_names)}
    found = {places[name]: separator for name, separator in separators_of(schema).items()}
    return {at: ItemSets.of(classes.names(at).tolist(), separator) for at, separator in found.items()}


def item_columns(model: KKmAnonymity, schema: Schema) -> tuple[str, ...]:
    """Find the columns of sets that a promise is about: those that it names, or all."""
    known, names = separators_of(schema), read_of(model.of)
    if names is None and known:
        return tuple(known)
    how = "give such a column the hierarchy items(tree('icd.csv'))."
    if names is None:
        msg = f"{model} is about sets of items, and no quasi-identifier has any."
        raise SchemaError(msg, hint=how)
    for name in names:
        if name not in schema.quasi_names:
            raise UnknownColumnError.of(name, schema.quasi_names, given_as=f"a column of {model}")
        if name not in known:
            msg = f"{model} is about the items of column {name!r}, whose values are no sets."
            raise SchemaError(msg, hint=how)
    return names


def _read(clause: Clause) -> KKmAnonymity:
    """Read ``k>=5[diagnoses, any 2 items]``."""
    if len(clause.words) != 1 or not re.fullmatch(ITEMS, clause.words[0]) or clause.joint:
        raise TypeError
    return KKmAnonymity(clause.number, int(clause.words[0].split()[1]), clause.of)


@dataclass(frozen=True)
class KKmAnonymity(Model):
    """Whoever knows any ``m`` items of a person, and the other quasi-identifiers, finds at least ``k`` people.

    Parameters
    ----------
    k
        The fewest people who have these items, among those who are like the person otherwise; 1 or more.
    m
        How many items of a person somebody may know; 1 or more. Fewer are covered too, and none at all.
    of
        The columns whose values are sets, such as all diagnoses of a person; all of them where nothing is said. Of
        several columns any ``m`` items together are meant.

    Notes
    -----
    A column of sets is a quasi-identifier with the hierarchy ``items(...)``. Its sets need not be equal, as ``k`` alone
    asks for: nearly everybody's whole list is unique. Where all other quasi-identifiers are equal, any ``m`` items of a
    record are had by ``k`` records or more (people, where the schema has an entity). Without other quasi-identifiers it
    is km-anonymity. Who is left out for it is no longer there for others, who then may break it: so until nobody does.

    Does not protect against somebody who knows more than ``m`` items, how many a person has, or which one a person does
    not have; nor does it say what else those found have in common: they may all have one more item.

    References
    ----------
    G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos. *Anonymizing data with relational and transaction
    attributes.* ECML PKDD, 2013.
    M. Terrovitis, N. Mamoulis, P. Kalnis. *Privacy-preserving anonymization of set-valued data.* VLDB, 2008.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.KKmAnonymity(5, 2, of="diagnoses")), str(ic.KKmAnonymity(5, 1))
    ('k>=5[diagnoses, any 2 items]', 'k>=5[any 1 item]')
    """

    k: int
    m: int
    of: Of = None

    by_items = True
    judged_apart = False
    upward_closed = True
    union_closed = True
    forms = (
        Form("k", ">=", "k>=5[any 2 items]", _read, rank=180, told_by=ITEMS).offer(
            "Nobody is alone by some items of a list",
            "k>=5[any 2 items]",
            "Finding a person by some items of a list, such as two of their diagnoses: at least k people have them.",
            "Somebody who knows more items, how many there are, or one that a person does not have.",
            Key("k", "whole number", "the fewest people who have such items", "5"),
            Key("m", "whole number", "how many items of a person somebody may know", "2"),
            needs="items",
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.k, name="k", at_least=1)
        whole_number(self.m, name="m", at_least=1)
        self._normalize(of=read_of(self.of))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement("k", ">=", Fraction(self.k)),)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        return (ItemsJudge(self, schema, domains),)

    def meaning(self, *, several: bool = False) -> str:
        items = "an item" if self.m == 1 else f"any {self.m:,} items"
        what = "" if self.of is None else f" of {' and '.join(map(repr, read_of(self.of) or ()))}"
        found = f"finds at least {self.k:,} people who have {'it' if self.m == 1 else 'them'}"
        alone = "; several rows of a person together may tell more" if several else ""
        return f"Whoever knows {items}{what} in a person's row, and all else that is known of it, {found}{alone}."

    @property
    def limit(self) -> str:  # type: ignore[override]
        """What it does not protect against."""
        items = "one item" if self.m == 1 else f"{self.m:,} items"
        return (
            f"Covers who knows {items} of a person and no more: not how many there are, nor which are missing; and not "
            "what those who have them have in common."
        )

    @property
    def certificate_form(self) -> dict[str, Any]:
        return {"kind": "items", "m": self.m} | ({} if self.of is None else {"of": list(read_of(self.of) or ())})

    @property
    def promises_nothing(self) -> bool:
        return self.k == 1

    def __str__(self) -> str:
        items = "any 1 item" if self.m == 1 else f"any {self.m} items"
        return f"k>={self.k}" + bracket(read_of(self.of), items)
