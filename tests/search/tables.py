"""Small tables and promises for searches, each promise with a slow twin."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

import incrowd as ic
from incrowd.search import Problem
from models import slow
from search.slow import PATHS, QUASI, Ok, Row

CATEGORIES = ic.categories({"secret": ["a"], "private": ["b", "c"], "harmless": ["d"]})
CATEGORY = {"a": 0, "b": 1, "c": 1, "d": 2}
WEIGHT = {0: Fraction(0), 1: Fraction(1, 2), 2: Fraction(1)}

rows = st.fixed_dictionaries(
    {**{name: st.sampled_from(sorted(paths)) for name, paths in PATHS.items()}, "disease": st.sampled_from("abcd")}
)
tables = st.lists(rows, min_size=1, max_size=24)


def tree(name: str) -> Any:
    """Turn labels by level into a hierarchy."""
    return ic.tree(sorted({pair for path in PATHS[name].values() for pair in pairwise(path)}))


def schema(*, entity: bool = False) -> ic.Schema:
    return ic.Schema(
        quasi={name: tree(name) for name in QUASI},
        sensitive={"disease": CATEGORIES},
        entity="person" if entity else None,
    )


def problem(table: Sequence[Row], model: Any, limit: int = 0, **more: Any) -> Problem:
    roles = schema(entity="person" in table[0])
    return Problem(ic.census([dict(row) for row in table], roles), roles, model, limit, **more)


def bag(group: Sequence[Row]) -> Counter[str]:
    return Counter(row["disease"] for row in group)


def weight(group: Sequence[Row]) -> Fraction:
    return sum((WEIGHT[CATEGORY[row["disease"]]] for row in group), Fraction(0))


def k(least: int) -> Ok:
    return lambda group, _: len(group) >= least


def distinct(least: int) -> Ok:
    return lambda group, _: len(bag(group)) >= least


def both(one: Ok, two: Ok) -> Ok:
    return lambda group, table: one(group, table) and two(group, table)


PROMISES: list[tuple[Any, Ok]] = [
    (ic.KAnonymity(2), k(2)),
    (ic.KAnonymity(4), k(4)),
    (ic.LDiversity(2), lambda group, _: len(bag(group)) >= 2),
    (ic.KAnonymity(3) & ic.PSensitive(2), both(k(3), lambda group, _: len(bag(group)) >= 2)),
    (
        ic.KAnonymity(2) & ic.EnhancedPAlphaSensitive(2, 1),
        both(k(2), lambda group, _: len({CATEGORY[v] for v in bag(group)}) >= 2 and weight(group) >= 1),
    ),
    (ic.PAlphaSensitive(1, Fraction(3, 2)), lambda group, _: weight(group) >= Fraction(3, 2)),
    (
        ic.KAnonymity(2) & ic.LDiversity(2, kind="entropy"),
        both(k(2), lambda group, _: slow.entropy_l(bag(group)) >= 2 - 1e-12),
    ),
    (ic.LDiversity(2, kind="probabilistic"), lambda group, _: 2 * max(bag(group).values()) <= len(group)),
    (ic.RecursiveDiversity(2, 2), lambda group, _: slow.recursive_ratio(bag(group), 2) < 2),
    (
        ic.KAnonymity(2) & ic.TCloseness(Fraction(2, 5)),
        both(k(2), lambda group, table: slow.variational(bag(group), bag(table)) <= Fraction(2, 5)),
    ),
    (ic.AlphaAssociation(Fraction(1, 2), values=["a"]), lambda group, _: 2 * bag(group)["a"] <= len(group)),
    (
        ic.BetaLikeness(1),
        lambda group, table: all(
            Fraction(n, len(group)) <= 2 * Fraction(bag(table)[v], len(table)) for v, n in bag(group).items()
        ),
    ),
    (
        ic.DeltaDisclosure(1),
        lambda group, table: (
            len(bag(group)) == len(bag(table))
            and all(
                abs(math.log(Fraction(n, len(group)) / Fraction(bag(table)[v], len(table)))) < 1 + 1e-12
                for v, n in bag(group).items()
            )
        ),
    ),
]
"""Promises with what they mean for one class of a table."""
