"""What a suggestion says about danger and protection: which columns single people out, and what can be promised."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from incrowd.core import Census, CensusRequest, Domain, Packing, tally
from incrowd.engines import Engine
from incrowd.evidence import people_alone
from incrowd.models import AlphaAssociation, BetaLikeness, LDiversity, Model, TCloseness
from incrowd.release import fits_in_memory

# Which columns single people out, alone and together.

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
        return cls(together, _sorted_combinations(single), _sorted_combinations(pairs)[:SHOWN])


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


def _sorted_combinations(combinations: Sequence[Combination]) -> tuple[Combination, ...]:
    return tuple(sorted(combinations, key=lambda one: (-one.alone, one.columns)))


# What can be promised about a confidential column: no more than its values allow.

DIFFERENT = 3  # at least so many different sensitive values in a group, unless the table has fewer
# A group of so many people shall hold them: one in so many must have another value than the most frequent ones
ATTAINED = 5
MEASURED = 12  # numbers with more values are measured: what is near counts as well as what is different
STEPS = 20  # bounds on shares are rounded up to one in so many
CLOSE = 0.3  # how far the numbers of a group may lie from those of everybody, as a share of their span
NO_PROMISE = "no promise: "  # how the reason begins if there is none

# Why a bound that fits is named and no more, and what to do with it
UNASKED = (
    "it is not promised unasked, for where the values go with age, say, only very vague groups keep it; "
    "if you want it, write it into promise below [privacy]"
)


def promise_for(domain: Domain, *, by_person: bool, marks: Collection[str] = ()) -> tuple[Model | None, str]:
    """Give what can be promised about a column, and why nothing or less than usual."""
    # Missing values, and marks of such, do not count: that nothing is known is no diversity. Distances between numbers
    # are not defined where people have several rows.
    has_null, domain = domain.has_null, domain.with_missing(marks)
    counts = np.sort(domain.counts[: len(domain.values)])[::-1]
    if len(counts) < 2:
        return None, f"{NO_PROMISE}{'one value' if len(counts) else 'no value'} cannot be spread"
    if len(counts) == 2:
        return None, f"{NO_PROMISE}{_certainty_bound(domain)}; {UNASKED}"
    if domain.kind == "number" and len(counts) > MEASURED and not by_person and not has_null:
        return TCloseness(CLOSE, of=domain.column, distance="ordered"), ""
    attained = [number for number in (2, 3) if ATTAINED * counts[number - 1 :].sum() >= domain.counts.sum()]
    different = min(DIFFERENT, max(attained, default=1), 2 if len(counts) == DIFFERENT else DIFFERENT)
    if different < 2:
        return None, f"{NO_PROMISE}nearly everybody has the same value; {_gain_bound(domain, counts)}; {UNASKED}"
    return LDiversity(different, of=domain.column), ""


def _certainty_bound(domain: Domain) -> str:
    """Bound how certain a guess of either of two values may be, with room above what is known of everybody."""
    counts = domain.counts[: len(domain.values)]
    most = Fraction(int(domain.counts.max()), int(domain.counts.sum()))
    if ATTAINED * (1 - most) < 1:
        return f"two values, and nearly everybody has the same; {_gain_bound(domain, counts)}"
    share = Fraction(math.ceil((most + (1 - most) / 2) * STEPS), STEPS)
    bound = AlphaAssociation(share, of=domain.column)
    return f"two values, so no group has three different ones; {bound} would bound how certain a guess can be"


def _gain_bound(domain: Domain, counts: npt.NDArray[np.int64]) -> str:
    """Name a bound on the rare values, which a group need not hold: one in a group of the usual size is within it."""
    rarest = Fraction(int(counts.min()), int(domain.counts.sum()))
    beta = max(math.ceil(1 / (ATTAINED * rarest)) - 1, 1)
    bound = BetaLikeness(beta, of=domain.column)
    return f"{bound} would let no value be more than {beta + 1:,} times as frequent in a group as in all"
