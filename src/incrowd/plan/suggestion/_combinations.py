"""Which columns single people out, alone and together, counted for a suggestion."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, CensusRequest, Packing, tally
from incrowd.engines import Engine
from incrowd.evidence import people_alone
from incrowd.release import fits_in_memory

COLUMNS = 10  # pairs are formed of so many columns at most, those with the most values: 45 pairs
LONG, FEWER = 200_000, 5  # of so long a census pairs are formed of so many columns only: 10 pairs
SHOWN = 5  # so many pairs are given, those that single most people out


@dataclass(frozen=True, slots=True)
class Combination:
    """Some columns, and how many records they single out.

    Where a table says whose record is whose, ``people`` are those who have values that no other person has.
    """

    columns: tuple[str, ...]
    alone: int  # records with a combination of values that no other record has
    share: Fraction  # their share of all records
    people: int | None = None


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """How many records columns single out: all quasi-identifiers, each of them, and pairs, those with most first."""

    together: Combination
    single: tuple[Combination, ...]
    pairs: tuple[Combination, ...]

    @classmethod
    def of(cls, census: Census, by_person: Census | None = None) -> SinglingOut:
        quasi = census.quasi
        widest = sorted(quasi, key=lambda name: (-len(census.domains[name]), name))
        widest = widest[: COLUMNS if len(census) < LONG else FEWER]
        kept = [name for name in quasi if name in widest]
        single = [_combination_of(census, (name,)) for name in quasi]
        pairs = [_combination_of(census, pair) for pair in itertools.combinations(kept, 2)] if len(quasi) > 2 else []
        together = replace(
            _combination_of(census, quasi), people=None if by_person is None else people_alone(by_person, quasi)
        )
        return cls(together, _in_order(single), _in_order(pairs)[:SHOWN])


def census_of(engine: Engine, quasi: Sequence[str], entity: str | None = None) -> Census | None:
    """Count once; nothing without quasi-identifiers, and where the census would not fit into memory."""
    request = CensusRequest(tuple(quasi), entity=entity)
    if not quasi or not fits_in_memory(engine, request):
        return None
    return engine.census(request)


def count_alone_with(engine: Engine, quasi: Sequence[str], name: str) -> int | None:
    """Count the records that are one of a kind by the quasi-identifiers and one more column, if that fits in memory."""
    census = census_of(engine, [*quasi, name]) if quasi else None
    return None if census is None else _combination_of(census, census.quasi).alone


def _combination_of(census: Census, names: Sequence[str]) -> Combination:
    if len(names) == 1:  # how often each value occurs is known already
        sizes: npt.NDArray[np.integer] = census.domains[names[0]].counts
    elif len(names) == len(census.quasi) and census.person is None:  # these are its cells
        sizes = census.counts
    else:
        codes = [census.codes[census.quasi.index(name)] for name in names]
        words = Packing.of([len(census.domains[name]) for name in names]).pack(codes)
        if (census.counts != 1).any():  # a cell of several records is put beside itself: then no count is added up
            words = [np.concatenate([word[census.counts > 0], word[census.counts > 1]]) for word in words]
        sizes = tally(words)[1]
    alone = int(np.count_nonzero(sizes == 1))
    return Combination(tuple(names), alone, Fraction(alone, max(census.records, 1)))


def _in_order(combinations: Sequence[Combination]) -> tuple[Combination, ...]:
    return tuple(sorted(combinations, key=lambda one: (-one.alone, one.columns)))
