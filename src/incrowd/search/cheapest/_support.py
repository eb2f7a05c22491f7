"""What a class must have, as sums that compiled loops can add up: the promise, or what it implies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import group
from incrowd.hierarchies import Categories
from incrowd.models import (
    Coverage,
    EnhancedPAlphaSensitive,
    Judge,
    KAnonymity,
    LDiversity,
    PAlphaSensitive,
    PSensitive,
)
from incrowd.search._local import LocalTable
from incrowd.search.cheapest._kernels import Support
from incrowd.search.cheapest._tables import Board

Ints = npt.NDArray[np.integer]
Whole = npt.NDArray[np.int64]
LARGEST = 2**62
"""Sums stay below this."""


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """A class must have at least so much: of records (``kinds`` is ``None``), or of different kinds.

    ``worth``: what a record of every cell adds; where there are kinds, what each kind adds, once.
    """

    least: int
    worth: Whole
    kinds: Ints | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """What every class of a table must have.

    A class that has all ``sums`` keeps the promise if they are ``enough``; else it must be judged.
    """

    sums: tuple[Sum, ...]
    enough: bool

    @classmethod
    def of(cls, table: LocalTable) -> Needs:
        """Translate the promise of a table, or what it implies."""
        model = table.problem.model.implied
        judges = () if model is None else table.problem.judges(model)
        sums, enough = [], table.upward_closed
        for judge in judges:
            found = list(_sums(table, judge))
            enough = enough and bool(found)
            sums += found
        return cls(tuple(sums), enough)

    def support(self, board: Board, least: int = 1) -> Support:
        """Lay the sums out for the points of a table; classes have at least so many records."""
        points, counts = board.points, board.table.census.counts.astype(np.int64)
        plain = [one for one in self.sums if one.kinds is None]
        pairs = [
            (one, group([points.ids, one.kinds], [len(points), len(one.worth)]))
            for one in self.sums
            if one.kinds is not None
        ]
        starts, kinds, worth = [], [], []
        entries = known = 0
        for one, found in pairs:
            owner, kind = points.ids[found.first], one.kinds[found.first]  # type: ignore[index]
            starts.append(entries + np.searchsorted(owner, np.arange(len(points) + 1)))
            kinds.append(known + kind.astype(np.int64))
            worth.append(one.worth)
            entries, known = entries + len(found), known + len(one.worth)
        return Support(
            amounts=np.array([board.weights, *(points.sums(counts * one.worth) for one in plain)], dtype=np.int64),
            needed=np.array([least, *(one.least for one in plain)], dtype=np.int64),
            starts=np.array(starts, dtype=np.int64).reshape(len(pairs), len(points) + 1),
            kinds=np.concatenate([np.zeros(0, dtype=np.int64), *kinds]).astype(np.int32),
            worth=np.concatenate([np.zeros(0, dtype=np.int64), *worth]),
            wanted=np.array([one.least for one, _ in pairs], dtype=np.int64),
        )


def _sums(table: LocalTable, judge: Judge) -> Iterator[Sum]:
    """Translate one upward closed judge; nothing where it is not known."""
    model = judge.model
    if isinstance(model, KAnonymity):
        yield _heads(table, model.k)
    elif isinstance(model, (LDiversity, PSensitive)):
        yield _different(table, judge, int(model.requirements[0].bound))
    elif isinstance(model, PAlphaSensitive):
        yield from _weighed(table, judge, model)
    elif isinstance(model, Coverage) and judge.reference is not None:
        counts = judge.reference[judge.columns[0]]
        yield Sum(math.ceil(model.share * int(counts.sum())), counts, _codes(table, judge.columns[0]))


def _heads(table: LocalTable, least: int) -> Sum:
    """Count records, or people where they are known."""
    person = table.census.person
    if person is None:
        return Sum(least, np.ones(len(table.census), dtype=np.int64))
    return Sum(least, np.ones(int(person.max(initial=0)) + 1, dtype=np.int64), person)


def _different(table: LocalTable, judge: Judge, least: int) -> Sum:
    """Count different values, or combinations of values."""
    codes = [_codes(table, name) for name in judge.columns]
    kinds = group(codes, [len(table.census.domains[name]) for name in judge.columns])
    return Sum(least, table.counting(judge)[kinds.first].astype(np.int64), kinds.ids)


def _weighed(table: LocalTable, judge: Judge, model: PAlphaSensitive) -> Iterator[Sum]:
    """Count values or categories, and add up how harmless they are."""
    (name,) = judge.columns
    meaning = dict(table.problem.schema.sensitive)[name]
    if not isinstance(meaning, Categories):
        return
    bound = meaning.bind(table.census.domains[name])
    codes, alpha = _codes(table, name), model.requirements[1].bound
    scale = math.lcm(*(weight.denominator for weight in bound.weights), alpha.denominator)
    units = [int(Fraction(weight) * scale) for weight in bound.weights]
    if max(*units, int(alpha * scale), 1) * max(table.census.records, len(bound.category)) >= LARGEST:
        return
    worth = np.array(units, dtype=np.int64)[bound.category]
    if not model.missing:
        worth[len(table.census.domains[name].values) :] = 0
    if isinstance(model, EnhancedPAlphaSensitive):
        nothing = len(bound.names)  # the kind of what is missing
        kinds = np.where(table.counting(judge), bound.category[codes], nothing)
        yield Sum(model.p, np.append(np.ones(nothing, dtype=np.int64), 0), kinds)
    else:
        yield _different(table, judge, model.p)
    least, person = int(alpha * scale), table.census.person
    if model.weight_over == "distinct":
        yield Sum(least, worth, codes)
    elif person is None:
        yield Sum(least, worth[codes])
    else:  # who has a value twice in a class counts once
        pairs = group([person, codes], [int(person.max(initial=0)) + 1, len(worth)])
        yield Sum(least, worth[codes[pairs.first]], pairs.ids)


def _codes(table: LocalTable, name: str) -> Ints:
    census = table.census
    return census.codes[len(census.quasi) + census.sensitive.index(name)]
