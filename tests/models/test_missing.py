"""A missing sensitive value is no diversity, unless a promise says that it counts."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Classes
from incrowd.models import Judge, Model, cumulative_max, feasibility, max_groups, promise
from models import slow
from models.tables import bags, classes_of, counted, judge

value = st.sampled_from(["a", "b", "c", "d", None])
rows = st.lists(st.tuples(st.integers(0, 3), value), min_size=1, max_size=24)
bag = st.lists(value, min_size=1, max_size=8)
CATEGORIES = ic.categories({"secret": ["a", "b"], "delicate": ["c", ""], "harmless": ["d"]})
WEIGHT = {"a": Fraction(0), "b": Fraction(0), "c": Fraction(1, 2), None: Fraction(1, 2), "d": Fraction(1)}
DIVERSE = [
    ic.LDiversity(2),
    ic.LDiversity(Fraction(3, 2), kind="probabilistic"),
    ic.LDiversity(Fraction(3, 2), kind="entropy"),
    ic.RecursiveDiversity(2, 2),
    ic.PSensitive(2),
    ic.PAlphaSensitive(2, 1),
    ic.PAlphaSensitive(1, 1, weight_over="distinct"),
    ic.EnhancedPAlphaSensitive(2, 1),
]


def known(bag: Any) -> dict[Any, int]:
    return {value: count for value, count in bag.items() if value is not None}


@given(rows=rows, l=st.integers(1, 4))
@settings(max_examples=40)
def test_only_known_values_are_different_ones(rows: list[Any], l: int) -> None:  # noqa: E741
    classes = bags(rows)[0]
    for model in (ic.LDiversity(l), ic.PSensitive(l)):
        result = judge(model, rows)
        assert result.ok.tolist() == [len(known(bag)) >= l for bag in classes]
        assert result.deficit[0].tolist() == [max(l - len(known(bag)), 0) for bag in classes]
    for model in (ic.LDiversity(l, missing=True), ic.PSensitive(l, missing=True)):
        assert judge(model, rows).ok.tolist() == [len(bag) >= l for bag in classes]


@given(rows=rows, l=st.fractions(1, 4, max_denominator=6), c=st.fractions(Fraction(1, 4), 4, max_denominator=4))
@settings(max_examples=40)
def test_shares_are_those_of_the_known_values(rows: list[Any], l: Fraction, c: Fraction) -> None:  # noqa: E741
    classes = [known(bag) for bag in bags(rows)[0]]
    found = judge(ic.LDiversity(l, kind="probabilistic"), rows)
    assert found.ok.tolist() == [bool(bag) and max(slow.shares(bag).values()) <= 1 / l for bag in classes]
    entropy = judge(ic.LDiversity(l, kind="entropy"), rows)
    assert entropy.measured[0].floats == pytest.approx([slow.entropy_l(bag) if bag else 0 for bag in classes])
    assert not entropy.ok[[not bag for bag in classes]].any()
    rank = math.ceil(l)
    recursive = judge(ic.RecursiveDiversity(c, rank), rows)
    assert recursive.ok.tolist() == [bool(bag) and slow.recursive_ratio(bag, rank) < c for bag in classes]


@given(rows=rows, p=st.integers(1, 3), alpha=st.fractions(0, 3, max_denominator=4))
@settings(max_examples=40)
@pytest.mark.parametrize("missing", [False, True])
def test_what_is_missing_weighs_nothing_and_is_of_no_category(
    rows: list[Any], p: int, alpha: Fraction, *, missing: bool
) -> None:
    classes = [dict(bag) if missing else known(bag) for bag in bags(rows)[0]]
    weights = [sum((WEIGHT[value] * count for value, count in bag.items()), Fraction(0)) for bag in classes]
    once = [sum((WEIGHT[value] for value in bag), Fraction(0)) for bag in classes]
    kinds = [len({WEIGHT[value] for value in bag}) for bag in classes]
    pairs = list(zip(classes, kinds, weights, once, strict=True))
    plain = judge(ic.PAlphaSensitive(p, alpha, missing=missing), rows, CATEGORIES)
    assert plain.ok.tolist() == [len(bag) >= p and weight >= alpha for bag, _, weight, _ in pairs]
    enhanced = judge(ic.EnhancedPAlphaSensitive(p, alpha, missing=missing), rows, CATEGORIES)
    assert enhanced.ok.tolist() == [kind >= p and weight >= alpha for _, kind, weight, _ in pairs]
    distinct = judge(ic.PAlphaSensitive(p, alpha, weight_over="distinct", missing=missing), rows, CATEGORIES)
    assert distinct.ok.tolist() == [len(bag) >= p and weight >= alpha for bag, _, _, weight in pairs]


@given(first=bag, second=bag)
@settings(max_examples=40)
@pytest.mark.parametrize("model", [*DIVERSE, ic.AlphaAssociation(0.5)], ids=str)
def test_merging_classes_with_gaps_keeps_what_is_declared(model: Model, first: list[Any], second: list[Any]) -> None:
    apart = [("1", value) for value in first] + [("2", value) for value in second]
    before, after = (judge(model, rows, CATEGORIES).ok for rows in (apart, [("1", value) for _, value in apart]))
    if model.union_closed and before.all():
        assert after[0]
    if model.upward_closed and before.any():
        assert after[0]


@given(rows=rows)
@settings(max_examples=40)
@pytest.mark.parametrize(
    "model",
    [
        ic.LDiversity(2.5, kind="entropy"),
        ic.LDiversity(1.5, kind="probabilistic", missing=True),
        ic.LDiversity(1.5, kind="probabilistic"),
        ic.RecursiveDiversity(2, 3),
        ic.AlphaAssociation(0.4),
    ],
    ids=str,
)
def test_what_a_model_implies_holds_where_values_are_missing_too(model: Model, rows: list[Any]) -> None:
    implied = model.implied
    assert implied is not None
    assert not (judge(model, rows).ok & ~judge(implied, rows).ok).any()


@given(rows=rows, p=st.integers(2, 3))
@settings(max_examples=40)
def test_what_is_missing_makes_no_room_for_more_classes(rows: list[Any], p: int) -> None:
    classes, bound = _bound(ic.PSensitive(p), rows)
    counts = sorted(known(bags(rows)[1]).values(), reverse=True)
    found = feasibility([bound], classes)
    assert found.feasible == (len(counts) >= p)
    assert found.max_classes == (min(len(rows) // p, max_groups([counts], p)) if len(counts) >= p else 0)
    if len(counts) >= p:
        assert cumulative_max([counts])[0] == counts[0]
    nearest = [obstacle.nearest for obstacle in found.obstacles]
    assert nearest == ([] if found.feasible else [f"p>={len(counts)}[s]" if counts else None])


@pytest.mark.parametrize("model", DIVERSE, ids=str)
def test_a_column_without_any_known_value_keeps_no_promise(model: Model) -> None:
    classes, bound = _bound(model, [(1, None), (1, None), (2, None)])
    assert not bound.judge(classes).ok.any()
    (obstacle,) = feasibility([bound], classes).obstacles
    assert obstacle.nearest is None
    (obstacle,) = feasibility([bound], classes, 1).obstacles
    assert obstacle.nearest is None


def test_a_combination_with_a_gap_is_not_known() -> None:
    table = [{"q": 1, "a": a, "b": b} for a, b in (("x", "y"), ("x", None), (None, "y"), ("x", "z"))]
    schema = ic.Schema(quasi=["q"], sensitive=["a", "b"])
    (joint,) = ic.check(table, schema, ic.LDiversity(2, of=["a", "b"], joint=True)).findings
    (every,) = ic.check(table, schema, ic.LDiversity(2, of=["a", "b"], joint=True, missing=True)).findings
    assert (joint.measured, every.measured) == ((2,), (4,))


def test_people_of_whom_nothing_is_known_are_not_counted_in_shares() -> None:
    rows = [(1, "a", "ann"), (1, "b", "ann"), (1, "a", "bob"), (1, None, "cyd"), (1, None, "dan"), (1, "b", "dan")]
    assert judge(ic.LDiversity(1, kind="probabilistic"), rows, entity=True).measured[0].at(0) == Fraction(3, 2)
    asked = judge(ic.LDiversity(1, kind="probabilistic", missing=True), rows, entity=True)
    assert asked.measured[0].at(0) == 2


def test_many_values_and_classes_without_any_are_added_up_right() -> None:
    rows = [*counted({None: 2}, {"a": 3, None: 1}, {None: 1}, {"a": 1, "b": 1}, {None: 4})]
    assert judge(ic.LDiversity(1), rows).measured[0].floats.tolist() == [0, 1, 0, 2, 0]
    assert judge(ic.LDiversity(1, kind="probabilistic"), rows).measured[0].floats.tolist() == [0, 1, 0, 2, 0]
    assert judge(ic.LDiversity(1, kind="entropy"), rows).measured[0].floats == pytest.approx([0, 1, 0, 2, 0])
    assert judge(ic.RecursiveDiversity(2, 1), rows).measured[1].floats.tolist() == [
        math.inf,
        1,
        math.inf,
        0.5,
        math.inf,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "l>=3[diagnosis, missing]",
        "l>=3[missing]",
        "l>=3[a, b, missing]",
        "l>=3[a+b, missing]",
        'l>=3["missing"]',
        'l>=3["missing", missing]',
        "probabilistic-l>=2.5[diagnosis, missing]",
        "entropy-l>=2.5[diagnosis, missing]",
        "recursive(c=2, l=3)[diagnosis, missing]",
        "p>=2[a+b, missing]",
        'p-alpha(p=2, alpha=1, weight_over="distinct")[diagnosis, missing]',
        "enhanced(p=2, alpha=2)[missing]",
    ],
)
def test_that_missing_values_count_is_a_word_of_the_text(text: str) -> None:
    model = promise(text)
    assert str(model) == text
    assert promise(str(model)) == model
    assert model.missing == (text != 'l>=3["missing"]')


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("t<=0.2[diagnosis, missing]x", "goes on unexpectedly"),
        ("l>=3[diagnosis, missing, missing]", "has parameters that l does not take"),
        ("l>=3[a+b, c]", r"mixes \+ and a comma at character 9"),
        ("k>=3[missing]", "that k does not take: a column"),
    ],
)
def test_the_word_stands_once_where_it_has_a_meaning(text: str, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        promise(text)


def test_one_known_value_is_asked_for_where_values_are_missing() -> None:
    assert promise("l>=1").trivial_notes() == ["l>=1 promises nothing: every table without missing values keeps it."]
    assert promise("p>=1[missing]").trivial_notes() == ["p>=1[missing] promises nothing: every table keeps it."]


def _bound(model: Model, rows: list[Any]) -> tuple[Classes, Judge]:
    classes, domains = classes_of(rows)
    (bound,) = model.bind(ic.Schema(quasi=["q"], sensitive={"s": CATEGORIES}), domains)
    return classes, bound


def test_nothing_is_changed_where_nothing_is_missing() -> None:
    classes, bound = _bound(ic.LDiversity(2), counted({"a": 1, "b": 2}))
    assert bound.histogram(classes) is classes.histogram("s")
    assert np.array_equal(bound.counted_sizes(classes, classes.histogram("s")), classes.size)
