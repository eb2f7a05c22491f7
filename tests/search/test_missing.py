"""Searches in tables whose sensitive values are partly missing: what is missing is no diversity to any of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import (
    CheapestFirst,
    Incognito,
    Mondrian,
    Optimal,
    Problem,
    Samarati,
    SwapDiversity,
    TopDown,
    find_frontier,
)
from incrowd.search.lattice import _optimal as _boxes, _rollup
from models import slow as models
from search import slow
from search.slow import PATHS, QUASI, Ok
from search.tables import both, k, tree

CATEGORIES = ic.categories({"secret": ["a"], "private": ["b", ""], "harmless": ["d"]})
KIND = {"a": 0, "b": 1, None: 1, "d": 2}
SCHEMA = ic.Schema(quasi={name: tree(name) for name in QUASI}, sensitive={"disease": CATEGORIES})
rows = st.fixed_dictionaries(
    {
        **{name: st.sampled_from(sorted(paths)) for name, paths in PATHS.items()},
        "disease": st.sampled_from(["a", "b", "d", None, None]),
    }
)
pytestmark = pytest.mark.filterwarnings("ignore:.*promises nothing")
tables = st.lists(rows, min_size=1, max_size=20)
shares = st.sampled_from([0.0, 0.1, 0.3])


def bag(group: Any) -> Counter[Any]:
    return Counter(row["disease"] for row in group if row["disease"] is not None)


def weight(group: Any) -> Fraction:
    return sum((Fraction(KIND[row["disease"]], 2) for row in group if row["disease"] is not None), Fraction(0))


COUNTING: list[tuple[Any, Ok]] = [
    (ic.LDiversity(1), lambda group, _: len(bag(group)) >= 1),
    (ic.LDiversity(2), lambda group, _: len(bag(group)) >= 2),
    (ic.LDiversity(2, missing=True), lambda group, _: len({row["disease"] for row in group}) >= 2),
    (ic.KAnonymity(3) & ic.PSensitive(2), both(k(3), lambda group, _: len(bag(group)) >= 2)),
    (
        ic.PSensitive(2) & ic.LDiversity(3, missing=True),
        lambda group, _: len(bag(group)) >= 2 and len({row["disease"] for row in group}) >= 3,
    ),
    (
        ic.EnhancedPAlphaSensitive(2, Fraction(1, 2)),
        lambda group, _: len({KIND[v] for v in bag(group)}) >= 2 and weight(group) >= Fraction(1, 2),
    ),
    (ic.PAlphaSensitive(1, 1), lambda group, _: len(bag(group)) >= 1 and weight(group) >= 1),
    (
        ic.PAlphaSensitive(1, 1, weight_over="distinct"),
        lambda group, _: sum(Fraction(KIND[v], 2) for v in bag(group)) >= 1,
    ),
]
PROMISES: list[tuple[Any, Ok]] = [
    *COUNTING,
    (
        ic.LDiversity(Fraction(3, 2), kind="probabilistic"),
        lambda group, _: bool(bag(group)) and 3 * max(bag(group).values()) <= 2 * bag(group).total(),
    ),
    (
        ic.LDiversity(2, kind="entropy"),
        lambda group, _: bool(bag(group)) and models.entropy_l(bag(group)) >= 2 - 1e-12,
    ),
    (ic.RecursiveDiversity(2, 2), lambda group, _: bool(bag(group)) and models.recursive_ratio(bag(group), 2) < 2),
    (
        ic.LDiversity(2) & ic.TCloseness(Fraction(1, 2)),
        lambda group, table: (
            len(bag(group)) >= 2
            and models.variational(Counter(row["disease"] for row in group), Counter(row["disease"] for row in table))
            <= Fraction(1, 2)
        ),
    ),
]


def problem(table: list[Any], model: Any, limit: int = 0) -> Problem:
    return Problem(ic.census(table, SCHEMA), SCHEMA, model, limit)


@settings(max_examples=30, deadline=None)
@given(table=tables, promise=st.sampled_from(PROMISES), share=shares, fast=st.booleans())
def test_full_domain_searches_equal_a_slow_one(table: list[Any], promise: Any, share: float, *, fast: bool) -> None:
    model, ok = promise
    limit = int(share * len(table))
    expected = slow.acceptable(table, ok, limit)
    found = Incognito().search(problem(table, model, limit))
    assert found.acceptable is not None
    assert {tuple(row) for row in found.acceptable.tolist()} == {node.levels for node in expected}
    samarati = Samarati("minimal", conditions=fast).search(problem(table, model, limit))
    assert samarati.minimal is not None
    assert {tuple(row) for row in samarati.minimal.tolist()} == slow.minimal(expected)
    with pytest.MonkeyPatch.context() as patch:
        if fast:
            patch.setattr(_boxes, "BOX", 4)
            patch.setattr(_boxes, "COARSE", 1)
            patch.setattr(_rollup, "COMPILE_AFTER", -1)
        best, outcome = slow.best(table, ok, limit, "loss"), Optimal().search(problem(table, model, limit))
    assert (outcome.best is None) == (best is None)
    if best is not None and outcome.best is not None:
        assert outcome.best.score == pytest.approx(best[0], abs=1e-10)


@settings(max_examples=25, deadline=None)
@given(
    table=tables,
    promise=st.sampled_from(PROMISES),
    algorithm=st.sampled_from([Mondrian(), CheapestFirst(), TopDown(), SwapDiversity(), SwapDiversity(swap=False)]),
)
def test_every_class_of_a_local_recoding_has_known_values(table: list[Any], promise: Any, algorithm: Any) -> None:
    model, ok = promise
    try:
        release: Any = ic.anonymize(table, SCHEMA, model=model, algorithm=algorithm)
    except ic.NoSafeRelease:
        assert not ok(table, table)
        return
    except ic.ParameterError:
        assert not isinstance(algorithm, Mondrian | CheapestFirst)
        return
    groups: defaultdict[Any, list[Any]] = defaultdict(list)
    for row in release.table:
        known = row["disease"] if isinstance(row["disease"], str) else None
        groups[tuple(row[name] for name in QUASI)].append({"disease": known})
    assert groups
    assert all(ok(group, table) for group in groups.values())


@settings(max_examples=20, deadline=None)
@given(table=tables, share=shares)
def test_the_frontier_counts_known_values(table: list[Any], share: float) -> None:
    limit = int(share * len(table))
    frontier = find_frontier(problem(table, ic.LDiversity(1), limit), "l", range(1, 4), "loss")
    for least, node in zip(range(1, 4), frontier.nodes, strict=True):
        expected = slow.best(table, _has_at_least(least), limit, "loss")
        assert (node is None) == (expected is None)
        if node is not None and expected is not None:
            assert node.score == pytest.approx(expected[0], abs=1e-10)


def _has_at_least(different: int) -> Any:
    return lambda group, _: len(bag(group)) >= different
