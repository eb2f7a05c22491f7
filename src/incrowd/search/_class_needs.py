"""What a class must have, as sums that compiled loops can add up: for promises that adding records cannot break."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

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
from incrowd.search._local_recoding import LocalTable
from incrowd.search._problem import Counts, Ints

LARGEST = 2**62  # sums stay below this


class Sum(NamedTuple):
    """A class must have at least so much: of records, or of different kinds."""

    # `worth`: what a record of every cell adds; where every cell is of a kind, what each kind adds, once.
    least: int
    worth: Counts
    kinds: Ints | None = None


def needed_sums(table: LocalTable, judge: Judge) -> Iterator[Sum]:
    """Translate one upward closed judge: first what it wants to be different; nothing where it is not known."""
    match judge.model:
        case KAnonymity(k=least):  # of people where they are known
            person = table.census.person
            number = len(table.census) if person is None else int(person.max(initial=0)) + 1
            yield Sum(least, np.ones(number, dtype=np.int64), person)
        case LDiversity() | PSensitive():
            yield _distinct_sum(table, judge, int(judge.model.requirements[0].bound))
        case PAlphaSensitive() as model:
            yield from _weight_sums(table, judge, model)
        case Coverage(share=share) if judge.reference is not None:
            counts = judge.reference[judge.columns[0]]
            yield Sum(math.ceil(share * int(counts.sum())), counts, table.sensitive_codes(judge.columns[0]))


def _distinct_sum(table: LocalTable, judge: Judge, least: int) -> Sum:
    codes = [table.sensitive_codes(name) for name in judge.columns]
    kinds = group(codes, [len(table.census.domains[name]) for name in judge.columns])
    return Sum(least, table.counted_cells(judge)[kinds.first].astype(np.int64), kinds.ids)


def _weight_sums(table: LocalTable, judge: Judge, model: PAlphaSensitive) -> Iterator[Sum]:
    """Count values or categories, and add up how harmless they are."""
    (name,) = judge.columns
    meaning = dict(table.problem.schema.sensitive)[name]
    if not isinstance(meaning, Categories):
        return
    bound = meaning.bind(table.census.domains[name])
    codes, alpha = table.sensitive_codes(name), model.requirements[1].bound
    scale = math.lcm(*(weight.denominator for weight in bound.weights), alpha.denominator)
    units = [int(Fraction(weight) * scale) for weight in bound.weights]
    if max(*units, int(alpha * scale), 1) * max(table.census.records, len(bound.category)) >= LARGEST:
        return
    worth = np.array(units, dtype=np.int64)[bound.category]
    if not model.missing:
        worth[len(table.census.domains[name].values) :] = 0
    if isinstance(model, EnhancedPAlphaSensitive):
        nothing = len(bound.names)  # the kind of what is missing
        kinds = np.where(table.counted_cells(judge), bound.category[codes], nothing)
        yield Sum(model.p, np.append(np.ones(nothing, dtype=np.int64), 0), kinds)
    else:
        yield _distinct_sum(table, judge, model.p)
    least, person = int(alpha * scale), table.census.person
    if model.weight_over == "distinct":
        yield Sum(least, worth, codes)
    elif person is None:
        yield Sum(least, worth[codes])
    else:  # who has a value twice in a class counts once
        pairs = group([person, codes], [int(person.max(initial=0)) + 1, len(worth)])
        yield Sum(least, worth[codes[pairs.first]], pairs.ids)
