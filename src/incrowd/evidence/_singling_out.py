"""Who is one of a kind in a table: records or people that share their values with nobody."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from incrowd.core import Census, CensusRequest, Schema, group
from incrowd.release import Reading, census_within_memory, open_with_schema

WIDEST, SHOWN = 8, 5
"""Pairs are formed of so many columns at most, those with the most values; and so many pairs are given."""


@dataclass(frozen=True, slots=True)
class Alone:
    """Some columns, and how many are one of a kind by them."""

    columns: tuple[str, ...]
    alone: int
    share: Fraction


@dataclass(frozen=True, slots=True)
class OneOfAKind:
    """Who is one of a kind: by all quasi-identifiers, without each, by each alone, and by the worst pairs.

    ``people``: of how many; records where no column says whose they are.
    """

    records: int
    people: int
    together: Alone
    without: tuple[Alone, ...]
    single: tuple[Alone, ...]
    pairs: tuple[Alone, ...]


def one_of_a_kind(
    table: Any, schema: Schema, *, hint: str = "ask about fewer columns.", **reading: Unpack[Reading]
) -> OneOfAKind:
    """Count who is one of a kind; ``hint`` says what to do where the census does not fit into memory.

    People are counted where the schema has an ``entity``, and every row as often as its ``count`` says.
    """
    names = schema.quasi_names
    request = CensusRequest(names, entity=schema.entity, count=schema.count)
    census = census_within_memory(open_with_schema(table, schema, **reading), request, hint)
    widest = sorted(names, key=lambda name: -len(census.domains[name]))[:WIDEST]
    without = [_alone_by(census, [one for one in names if one != name]) for name in names]
    single = [_alone_by(census, [name]) for name in names]
    pairs = [_alone_by(census, pair) for pair in itertools.combinations(widest, 2)]
    return OneOfAKind(
        census.records,
        _count_people(census),
        _alone_by(census, names),
        tuple(sorted(without, key=lambda one: one.alone)),
        tuple(sorted(single, key=lambda one: -one.alone)),
        tuple(sorted(pairs, key=lambda one: -one.alone)[:SHOWN]),
    )


def _count_people(census: Census) -> int:
    return census.records if census.persons is None else census.persons


def _alone_by(census: Census, names: Sequence[str]) -> Alone:
    alone = 0
    if len(census) and names and census.persons is not None:
        alone = people_alone(census, names) or 0
    elif len(census) and names:
        codes = [census.codes[census.quasi.index(name)] for name in names]
        sizes = group(codes, [len(census.domains[name]) for name in names]).sums(census.counts)
        alone = int(np.count_nonzero(sizes == 1))
    return Alone(tuple(names), alone, Fraction(alone, max(_count_people(census), 1)))


def people_alone(census: Census, names: Sequence[str]) -> int | None:
    """Count the people who have values that nobody else has, in any of their records; nothing without persons."""
    if census.person is None or not len(census) or not names:
        return None
    codes = [census.codes[census.quasi.index(name)] for name in names]
    found = group(codes, [len(census.domains[name]) for name in names])
    person = census.person.astype(np.int64)
    least, most = (np.zeros(len(found), dtype=np.int64) for _ in range(2))
    least[found.ids] = most[found.ids] = person  # any of a group's people, to begin with
    np.minimum.at(least, found.ids, person)
    np.maximum.at(most, found.ids, person)
    return len(np.unique(least[least == most]))
