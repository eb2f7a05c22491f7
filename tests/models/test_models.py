from __future__ import annotations

import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.models import Model
from incrowd.models._measurement import Ratios
from models import slow
from models.tables import bags, classes_of, counted, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)
numbers = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=40)
CATEGORIES = ic.categories({"secret": ["a", "b"], "private": ["c"], "delicate": ["d", "e"], "harmless": ["f"]})
WEIGHT = {
    "a": Fraction(0),
    "b": Fraction(0),
    "c": Fraction(1, 3),
    "d": Fraction(2, 3),
    "e": Fraction(2, 3),
    "f": Fraction(1),
}
TREE = ic.tree({"x": {"ab": ["a", "b"], "c": ["c"]}, "y": {"de": ["d", "e"], "f": ["f"]}})
LEAF = {"a": "ab", "b": "ab", "c": "c", "d": "de", "e": "de", "f": "f"}
TOP = {"a": "x", "b": "x", "c": "x", "d": "y", "e": "y", "f": "y"}


@given(rows=rows)
def test_k_is_the_size(rows: list[Any]) -> None:
    sizes = [sum(bag.values()) for bag in bags(rows)[0]]
    result = judge(ic.KAnonymity(3), rows)
    assert result.measured[0].floats.tolist() == sizes
    assert result.ok.tolist() == [size >= 3 for size in sizes]
    assert result.deficit[0].tolist() == [max(3 - size, 0) for size in sizes]


@given(rows=rows, l=st.integers(1, 4))
def test_distinct_diversity_and_p_sensitivity_count_values(rows: list[Any], l: int) -> None:  # noqa: E741
    expected = [len(bag) >= l for bag in bags(rows)[0]]
    assert judge(ic.LDiversity(l), rows).ok.tolist() == expected
    assert judge(ic.PSensitive(l), rows).ok.tolist() == expected


@given(rows=rows, l=st.fractions(1, 4, max_denominator=6))
def test_probabilistic_diversity_bounds_the_largest_share(rows: list[Any], l: Fraction) -> None:  # noqa: E741
    expected = [max(slow.shares(bag).values()) <= 1 / l for bag in bags(rows)[0]]
    assert judge(ic.LDiversity(l, kind="probabilistic"), rows).ok.tolist() == expected
    assert judge(ic.AlphaAssociation(1 / l), rows).ok.tolist() == expected


@given(rows=rows)
def test_entropy_diversity_measures_the_effective_number_of_values(rows: list[Any]) -> None:
    measured = judge(ic.LDiversity(2, kind="entropy"), rows).measured[0].floats
    assert measured == pytest.approx([slow.entropy_l(bag) for bag in bags(rows)[0]])


@given(rows=rows, l=st.integers(1, 4), c=st.fractions(Fraction(1, 4), 4, max_denominator=4))
def test_recursive_diversity_compares_the_first_value_with_the_tail(rows: list[Any], l: int, c: Fraction) -> None:  # noqa: E741
    expected = [slow.recursive_ratio(bag, l) < c for bag in bags(rows)[0]]
    assert judge(ic.RecursiveDiversity(c, l), rows).ok.tolist() == expected


@given(rows=rows, p=st.integers(1, 3), alpha=st.fractions(0, 4, max_denominator=6))
def test_p_alpha_adds_up_weights_exactly(rows: list[Any], p: int, alpha: Fraction) -> None:
    classes = bags(rows)[0]
    weights = [sum((WEIGHT[value] * count for value, count in bag.items()), Fraction(0)) for bag in classes]
    distinct = [sum((WEIGHT[value] for value in bag), Fraction(0)) for bag in classes]
    kinds = [len({WEIGHT[value] for value in bag}) for bag in classes]
    plain = judge(ic.PAlphaSensitive(p, alpha), rows, CATEGORIES)
    assert plain.ok.tolist() == [len(b) >= p and w >= alpha for b, w in zip(classes, weights, strict=True)]
    enhanced = judge(ic.EnhancedPAlphaSensitive(p, alpha), rows, CATEGORIES)
    assert enhanced.ok.tolist() == [kind >= p and w >= alpha for kind, w in zip(kinds, weights, strict=True)]
    once = judge(ic.PAlphaSensitive(p, alpha, weight_over="distinct"), rows, CATEGORIES)
    assert once.ok.tolist() == [len(b) >= p and w >= alpha for b, w in zip(classes, distinct, strict=True)]


@given(rows=rows, t=st.fractions(0, 1, max_denominator=12))
def test_equal_distance_is_half_the_sum_of_differences(rows: list[Any], t: Fraction) -> None:
    classes, whole = bags(rows)
    distances = [slow.variational(bag, whole) for bag in classes]
    result = judge(ic.TCloseness(t), rows)
    assert [result.measured[0].at(i) for i in range(len(classes))] == distances
    assert result.ok.tolist() == [distance <= t for distance in distances]


@given(rows=numbers, t=st.fractions(0, 1, max_denominator=12))
def test_ordered_distance_is_exact(rows: list[Any], t: Fraction) -> None:
    classes, whole = bags(rows)
    distances = [slow.ordered(bag, whole, sorted(whole)) for bag in classes]
    result = judge(ic.TCloseness(t, distance="ordered"), rows)
    assert [result.measured[0].at(i) for i in range(len(classes))] == distances
    assert result.measured[0].floats == pytest.approx([float(distance) for distance in distances], abs=1e-12)
    assert result.ok.tolist() == [distance <= t for distance in distances]


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcdef")), min_size=1, max_size=14))
@settings(max_examples=30, deadline=None)
def test_closed_forms_equal_an_exact_transport_solver(rows: list[Any]) -> None:
    classes, whole = bags(rows)
    order = sorted(whole)
    steps = max(len(order) - 1, 1)
    line = {(a, b): Fraction(abs(order.index(a) - order.index(b)), steps) for a in order for b in order}
    height = {
        (a, b): Fraction(0 if a == b else 1 if LEAF[a] == LEAF[b] else 2 if TOP[a] == TOP[b] else 3, 3)
        for a in order
        for b in order
    }
    flat = {(a, b): Fraction(a != b) for a in order for b in order}
    for distance, cost, meaning in (
        ("ordered", line, ic.ordered(order)),
        ("hierarchical", height, TREE),
        ("equal", flat, None),
    ):
        measured = judge(ic.TCloseness(1, distance=distance), rows, meaning).measured[0]  # type: ignore[arg-type]
        expected = [slow.transport(bag, whole, cost) for bag in classes]
        assert [measured.at(i) for i in range(len(classes))] == expected
        assert measured.floats == pytest.approx([float(value) for value in expected], abs=1e-12)


@given(rows=rows)
def test_kl_beta_and_delta_follow_their_formulas(rows: list[Any]) -> None:
    classes, whole = bags(rows)
    q = slow.shares(whole)
    assert judge(ic.TCloseness(1, distance="kl"), rows).measured[0].floats == pytest.approx(
        [slow.kl(bag, whole) for bag in classes], abs=1e-12
    )
    gains = [max(share / q[value] - 1 for value, share in slow.shares(bag).items()) for bag in classes]
    beta = judge(ic.BetaLikeness(1), rows)
    assert [beta.measured[0].at(i) for i in range(len(classes))] == gains
    allowed = [
        all(
            share / q[v] - 1 <= 0 or float(share / q[v] - 1) <= min(1, -math.log(q[v])) + 1e-12
            for v, share in slow.shares(bag).items()
        )
        for bag in classes
    ]
    assert judge(ic.BetaLikeness(1, enhanced=True), rows).ok.tolist() == allowed
    changes = [max(abs(math.log(share / q[value])) for value, share in slow.shares(bag).items()) for bag in classes]
    result = judge(ic.DeltaDisclosure(1), rows)
    assert result.measured[0].floats.tolist() == [len(whole) - len(bag) for bag in classes]
    assert result.measured[1].floats == pytest.approx(changes, abs=1e-12)
    assert result.ok.tolist() == [
        set(bag) == set(whole) and change < 1 + 1e-12 for bag, change in zip(classes, changes, strict=True)
    ]


def test_exactly_at_the_bound() -> None:
    assert judge(ic.PAlphaSensitive(2, 1), counted({"c": 1, "d": 1}), CATEGORIES).ok.tolist() == [True]
    assert judge(ic.LDiversity(3, kind="probabilistic"), counted({"a": 1, "b": 1, "c": 1})).ok.tolist() == [True]
    assert judge(ic.LDiversity(7, kind="entropy"), counted(dict.fromkeys("abcdefg", 1))).ok.tolist() == [True]
    assert judge(ic.RecursiveDiversity(1, 2), counted({"a": 1, "b": 1})).ok.tolist() == [False]
    assert judge(ic.RecursiveDiversity(1, 3), counted({"a": 100, "b": 1, "c": 1})).ok.tolist() == [False]
    assert judge(ic.TCloseness(0.3), counted({"a": 8, "b": 2}, {"a": 2, "b": 8})).ok.tolist() == [True, True]


def test_published_distances() -> None:
    income = {3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1}
    low, spread = {3: 1, 4: 1, 5: 1}, {6: 1, 8: 1, 11: 1}
    rest = {value: 1 for value in income if value not in low and value not in spread}
    result = judge(ic.TCloseness(1, distance="ordered"), counted(low, spread, rest))
    assert [result.measured[0].at(i) for i in (0, 1)] == [Fraction(3, 8), Fraction(1, 6)]  # 004-EMD-P1, 004-EMD-P2
    assert judge(ic.TCloseness(1), counted(low, spread, rest)).measured[0].at(0) == Fraction(2, 3)


def test_a_large_table_does_not_overflow() -> None:
    huge = Ratios(np.array([2**62, 2**62 - 1]), np.array([2**62, 2**62]))
    assert huge.meets(">=", Fraction(10**9, 10**9)).tolist() == [True, False]
    assert huge.meets("<", Fraction(10**12 + 1, 10**12)).tolist() == [True, True]


ALL_MODELS = [
    (ic.KAnonymity(3), None),
    (ic.LDiversity(2), None),
    (ic.LDiversity(2, kind="probabilistic"), None),
    (ic.LDiversity(Fraction(3, 2), kind="entropy"), None),
    (ic.RecursiveDiversity(2, 2), None),
    (ic.PSensitive(2), None),
    (ic.PAlphaSensitive(2, 1), CATEGORIES),
    (ic.EnhancedPAlphaSensitive(2, 1), CATEGORIES),
    (ic.AlphaAssociation(0.5), None),
    (ic.TCloseness(0.3), None),
    (ic.TCloseness(0.3, distance="kl"), None),
    (ic.TCloseness(0.3, distance="ordered"), ic.ordered(list("fbdaec"))),
    (ic.TCloseness(0.3, distance="hierarchical"), TREE),
    (ic.BetaLikeness(1), None),
    (ic.BetaLikeness(1, enhanced=True), None),
    (ic.DeltaDisclosure(1), None),
]
bag = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)
people = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), min_size=1, max_size=8)


@given(first=bag, second=bag, rest=bag)
@settings(deadline=None)
@pytest.mark.parametrize(
    ("model", "meaning"), ALL_MODELS, ids=lambda part: str(part) if isinstance(part, Model) else ""
)
def test_merging_classes_keeps_what_is_declared(
    model: Model, meaning: Any, first: list[str], second: list[str], rest: list[str]
) -> None:
    apart = [("1", value) for value in first] + [("2", value) for value in second] + [("3", value) for value in rest]
    merged = [("1", value) for value in first + second] + [("3", value) for value in rest]
    before, after = judge(model, apart, meaning).ok.tolist(), judge(model, merged, meaning).ok.tolist()
    if model.union_closed and before[0] and before[1]:
        assert after[0]
    if model.upward_closed and (before[0] or before[1]):
        assert after[0]


@given(first=people, second=people)
@settings(deadline=None)
@pytest.mark.parametrize(
    "model",
    [ic.KAnonymity(2), ic.LDiversity(2), ic.LDiversity(2, kind="probabilistic"), ic.AlphaAssociation(0.5)],
    ids=str,
)
def test_with_persons_only_what_a_judge_declares_survives_merging(
    model: Model, first: list[Any], second: list[Any]
) -> None:
    apart = [("1", *row) for row in first] + [("2", *row) for row in second]
    merged = [("1", *row) for row in first + second]
    classes, domains = classes_of(apart, entity=True)
    schema = ic.Schema(quasi=["q"], sensitive=["s"], entity="person")
    (bound,) = model.bind(schema, domains)
    before = bound.judge(classes).ok.tolist()
    after = judge(model, merged, entity=True).ok.tolist()
    if bound.union_closed and all(before):
        assert after[0]
    assert bound.union_closed == model.upward_closed


def test_a_person_in_two_classes_breaks_what_averages() -> None:
    rows = [("1", "a", "ann"), ("1", "b", "bob"), ("2", "a", "cyd"), ("2", "b", "bob")]
    assert judge(ic.AlphaAssociation(0.5), rows, entity=True).ok.tolist() == [True, True]
    assert judge(ic.AlphaAssociation(0.5), [("1", *row[1:]) for row in rows], entity=True).ok.tolist() == [False]


def test_missing_values_do_not_shrink_a_taxonomy() -> None:
    named, starred = (ic.tree({top: {"x": ["a", "b"], "y": ["c", "d"]}}) for top in ("Any", "*"))
    rows = [*counted({"a": 5, "b": 5}, {"c": 5, "d": 5}), (0, None)]
    model = ic.TCloseness(0.4, distance="hierarchical")
    assert judge(model, rows, starred).ok.tolist() == [False, False]
    with pytest.raises(ic.SchemaError, match="missing values, which have no place in its taxonomy"):
        judge(model, rows, named)


def test_classes_of_another_table_are_refused() -> None:
    _, domains = classes_of([(1, "HIV"), (1, "flu")])
    others, _ = classes_of([(1, "HIV"), (1, "HIV"), (1, "AIDS")])
    (bound,) = ic.AlphaAssociation(0.5, values=["HIV"]).bind(ic.Schema(quasi=["q"], sensitive=["s"]), domains)
    with pytest.raises(ic.ParameterError, match="other values of 's' than the table"):
        bound.judge(others)


def test_a_class_that_fails_misses_something() -> None:
    assert judge(ic.RecursiveDiversity(1, 2), counted({"a": 1, "b": 1})).deficit[1][0] > 0
    assert judge(ic.RecursiveDiversity(1, 3), counted({"a": 1, "b": 1})).deficit[0].tolist() == [1]


def test_entropy_of_many_values_is_not_lost_by_rounding() -> None:
    for count in (4548, 50_000):
        rows = [(1, value) for value in range(count)] * 3
        assert judge(ic.LDiversity(count, kind="entropy"), rows).ok.tolist() == [True]
    just_above = math.exp(math.log(3))  # 3.0000000000000004
    model = ic.LDiversity(just_above, kind="entropy")
    assert judge(model, counted({"a": 1, "b": 1, "c": 1})).ok.tolist() == [True]
    assert judge(model.implied, counted({"a": 1, "b": 1, "c": 1})).ok.tolist() == [True]


def test_billions_of_records_do_not_overflow() -> None:
    table = [{"q": q, "s": s, "n": n} for q, s, n in ((1, "a", 10**10), (1, "b", 1), (2, "a", 1), (2, "b", 10**10))]
    schema = ic.Schema(quasi=["q"], sensitive=["s"], count="n")
    verdict = ic.check(table, schema, "t<=0.1, beta<=0.5")
    assert [float(finding.measured[0]) for finding in verdict.findings] == pytest.approx([0.5, 1.0], abs=1e-6)


def test_an_order_may_name_values_that_the_table_lacks() -> None:
    rows = counted({"a": 9, "c": 1}, {"a": 1, "c": 9})
    for order in (["a", "b", "c"], ["b", "a", "c"], ["a", "c"]):
        measured = judge(ic.TCloseness(1, distance="ordered"), rows, ic.ordered(order)).measured[0]
        assert [measured.at(0), measured.at(1)] == [Fraction(2, 5), Fraction(2, 5)]


def test_a_listed_value_that_is_not_there_is_a_warning_and_no_obstacle() -> None:
    with pytest.warns(ic.PrivacyWarning, match="lists 1 of 1 values that column 's' does not have"):
        assert judge(ic.AlphaAssociation(0.5, values=["zz"]), [(1, "a")]).ok.tolist() == [True]


@given(rows=rows)
@settings(deadline=None)
@pytest.mark.parametrize(
    "model",
    [
        ic.LDiversity(2.5, kind="entropy"),
        ic.LDiversity(1.5, kind="probabilistic"),
        ic.RecursiveDiversity(2, 3),
        ic.RecursiveDiversity(Fraction(2, 5), 2),
        ic.TCloseness(0.4),
        ic.KAnonymity(2) & ic.TCloseness(0.2),
    ],
    ids=repr,
)
def test_what_a_model_implies_holds_wherever_it_holds(model: Model, rows: list[Any]) -> None:
    implied = model.implied
    assert implied is not None
    assert implied.upward_closed
    classes, domains = classes_of(rows)
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    holds = np.logical_and.reduce([bound.judge(classes).ok for bound in model.bind(schema, domains)])
    weaker = np.logical_and.reduce([bound.judge(classes).ok for bound in implied.bind(schema, domains)])
    assert not (holds & ~weaker).any()


@given(rows=rows, p=st.integers(1, 3), alpha=st.integers(0, 3))
def test_enhanced_implies_p_alpha_implies_p_sensitive(rows: list[Any], p: int, alpha: int) -> None:
    enhanced = judge(ic.EnhancedPAlphaSensitive(p, alpha), rows, CATEGORIES).ok
    plain = judge(ic.PAlphaSensitive(p, alpha), rows, CATEGORIES).ok
    assert not (enhanced & ~plain).any()
    assert not (plain & ~judge(ic.PSensitive(p), rows).ok).any()


def test_people_are_counted_once_where_that_has_a_meaning() -> None:
    rows = [(1, "a", "ann"), (1, "b", "ann"), (1, "a", "bob"), (2, "a", "cyd")]
    assert judge(ic.KAnonymity(2), rows, entity=True).measured[0].floats.tolist() == [2, 1]
    assert judge(ic.AlphaAssociation(1), rows, entity=True).measured[0].at(0) == 1
    with pytest.raises(ic.SchemaError, match=r"LDiversity needs one value per person and class.*several in 's'"):
        judge(ic.LDiversity(2, kind="entropy"), rows, entity=True)
    single = [(1, "a", "ann"), (1, "a", "ann"), (1, "b", "bob")]
    assert judge(ic.LDiversity(2, kind="entropy"), single, entity=True).ok.tolist() == [True]


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: ic.KAnonymity(5.0), r"k must be a whole number, got 5\.0\. Hint: write 5\."),  # type: ignore[arg-type]
        (lambda: ic.KAnonymity("5"), "k must be a whole number, got the text '5'. Hint: write 5."),  # type: ignore[arg-type]
        (lambda: ic.KAnonymity(0), "k must be at least 1, got 0"),
        (lambda: ic.LDiversity(2.5), "l must be a whole number, got 2.5. Hint: write 2 or 3."),
        (lambda: ic.LDiversity(Fraction(1, 2)), "l must be a whole number, got 0.5. Hint: write 1."),
        (lambda: ic.KAnonymity("x"), "got the text 'x'. Hint: write a number without quotes and fractions, such as 5"),  # type: ignore[arg-type]
        (lambda: ic.LDiversity(0.5, kind="entropy"), "l must be at least 1, got 0.5"),
        (lambda: ic.LDiversity(2, kind="other"), "kind must be 'distinct', 'probabilistic' or 'entropy', got 'other'"),  # type: ignore[arg-type]
        (lambda: ic.LDiversity(2, joint=True), "joint=True needs the columns"),
        (lambda: ic.LDiversity(2, of=["a", "b"], kind="entropy", joint=True), "goes with kind='distinct'"),
        (lambda: ic.RecursiveDiversity(0, 2), "c must be above 0, got 0"),
        (lambda: ic.TCloseness(1.5), "t must be at least 0 and at most 1, got 1.5"),
        (lambda: ic.TCloseness(math.nan), "t must be a finite number, got nan"),
        (lambda: ic.TCloseness(0.1, distance="far"), "distance must be one of 'equal'"),  # type: ignore[arg-type]
        (lambda: ic.AlphaAssociation(0), "alpha must be above 0 and at most 1, got 0"),
        (lambda: ic.AlphaAssociation(0.5, values="HIV"), "values must be a list of texts"),
        (lambda: ic.PAlphaSensitive(2, -1), "alpha must be at least 0, got -1"),
        (lambda: ic.PAlphaSensitive(2, 1, weight_over="x"), "weight_over must be 'records' or 'distinct', got 'x'"),  # type: ignore[arg-type]
        (lambda: ic.PSensitive(2, of=[]), "of must name one or several different columns"),
        (lambda: ic.BetaLikeness(True), "beta must be a number, got True"),
    ],
)
def test_parameters_are_checked_when_the_model_is_built(build: Any, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        build()


@pytest.mark.parametrize(
    ("model", "meaning", "says"),
    [
        (ic.PAlphaSensitive(2, 1), None, "PAlphaSensitive needs to know how secret the values of 's' are"),
        (ic.TCloseness(0.1, distance="hierarchical"), None, "needs a taxonomy of the values of 's'"),
        (ic.TCloseness(0.1, distance="ordered"), None, "needs an order of the values of 's', which are text"),
        (ic.LDiversity(2, of="x"), None, r"no column 'x' \(given as the column of LDiversity\)"),
    ],
)
def test_a_model_says_what_it_misses_in_the_schema(model: Model, meaning: Any, says: str) -> None:
    with pytest.raises(ic.SchemaError, match=says):
        judge(model, [(1, "a"), (1, "b")], meaning)


def test_a_column_with_missing_values_has_no_order() -> None:
    with pytest.raises(ic.SchemaError, match="'s' has missing values, which have no place in an order"):
        judge(ic.TCloseness(0.1, distance="ordered"), [(1, 1), (1, None)])


def test_which_column_must_be_said_where_there_are_several() -> None:
    schema = ic.Schema(quasi=["q"], sensitive=["a", "b"])
    with pytest.raises(ic.SchemaError, match=r"LDiversity does not say which column it is about.*2 sensitive columns"):
        ic.LDiversity(2).bind(schema, {})
    assert [bound.columns for bound in ic.LDiversity(2, of=["a", "b"]).bind(schema, {})] == [("a",), ("b",)]
    assert [bound.columns for bound in ic.LDiversity(2, of=["a", "b"], joint=True).bind(schema, {})] == [("a", "b")]


def test_models_are_values_that_combine() -> None:
    both = ic.KAnonymity(5) & ic.LDiversity(3, of="disease") & ic.TCloseness(0.2, of="disease")
    assert len(both.parts) == 3
    assert (both.upward_closed, both.union_closed) == (False, True)
    assert pickle.loads(pickle.dumps(both)) == both  # noqa: S301 - our own bytes
    assert hash(ic.LDiversity(3, of="a")) == hash(ic.LDiversity(3, of=["a"]))
    with pytest.raises(TypeError, match="unsupported operand"):
        ic.KAnonymity(5) & 3  # type: ignore[operator]


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (ic.KAnonymity(5), "k>=5"),
        (ic.LDiversity(3, of="disease"), "l>=3[disease]"),
        (ic.LDiversity(2.5, of="disease", kind="entropy"), "entropy-l>=2.5[disease]"),
        (ic.LDiversity(2, of=["a", "b"], joint=True), "l>=2[a+b]"),
        (ic.RecursiveDiversity(2, 3, of="disease"), "recursive(c=2, l=3)[disease]"),
        (ic.TCloseness(0.2, of="cost", distance="ordered"), "t<=0.2[cost, ordered]"),
        (ic.TCloseness(Fraction(1, 3)), "t<=1/3"),
        (ic.TCloseness(0.2, distance="variational"), "t<=0.2"),
        (ic.PSensitive(2), "p>=2"),
        (ic.PAlphaSensitive(2, 1), "p-alpha(p=2, alpha=1)"),
        (ic.EnhancedPAlphaSensitive(2, 2, weight_over="distinct"), 'enhanced(p=2, alpha=2, weight_over="distinct")'),
        (ic.AlphaAssociation(0.5, of="disease", values=["HIV"]), "alpha<=0.5[disease: HIV]"),
        (ic.BetaLikeness(0.25, enhanced=True), "enhanced-beta<=0.25"),
        (ic.DeltaDisclosure(1.5, of="disease"), "delta<1.5[disease]"),
    ],
)
def test_a_promise_has_one_text(model: Model, text: str) -> None:
    assert str(model) == text


def test_no_classes_are_judged_without_complaint() -> None:
    for model in (ic.KAnonymity(2), ic.LDiversity(2), ic.TCloseness(0.1), ic.BetaLikeness(1), ic.DeltaDisclosure(1)):
        assert judge(model, []).ok.tolist() == []


def counted_classes(rows: list[tuple[Any, Any, int]]) -> list[dict[str, Any]]:
    return [{"q": q, "s": s, "n": n} for q, s, n in rows]


def test_tails_and_weights_are_exact_beyond_floats() -> None:
    m = 2**53
    table = counted_classes([(1, "a", m + 1), (1, "b", m - 1), (1, "c", 2)])
    schema = ic.Schema(quasi=["q"], sensitive={"s": ic.categories({"x": ["a"], "y": ["b"], "z": ["c"]})}, count="n")
    assert not ic.check(table, schema, "recursive(c=1, l=2)").holds  # a tie; adding floats gives another number
    assert ic.check(table, schema, "recursive(c=1, l=2)").findings[0].measured == (3, 1)
    assert ic.check(table, schema, "p-alpha(p=1, alpha=1)").findings[0].measured[1] == Fraction(m - 1, 2) + 2


def test_weights_do_not_overflow() -> None:
    names = [f"v{number}" for number in range(20)]
    schema = ic.Schema(quasi=["q"], sensitive={"s": ic.categories({name: [name] for name in names})}, count="n")
    table = counted_classes([(1, names[-1], 2**61), (1, names[-2], 2**60)])
    measured = ic.check(table, schema, "p-alpha(p=1, alpha=1)").findings[0].measured[1]
    assert measured == 2**61 + 2**60 * Fraction(18, 19)


@pytest.mark.parametrize("listed", ["1", "1.0"])
def test_listed_values_are_found_as_categories_find_them(listed: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("q,s\n1,1.0\n1,1.0\n1,2.5\n")
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    assert ic.check(path, schema, f"alpha<=0.5[: {listed}]").findings[0].measured == (Fraction(2, 3),)
    assert ic.check(path, schema, f'alpha("{listed}"=0.5)').findings[0].measured == (Fraction(2, 3),)


def test_the_empty_text_lists_missing_values_and_booleans_have_a_text() -> None:
    missing = [(1, "a"), (1, None), (1, None)]
    assert judge(ic.AlphaAssociation(0.5, values=[""]), missing).measured[0].at(0) == Fraction(2, 3)
    assert judge(ic.AlphaAssociation({"": 0.5, "a": 0.5}), missing).ok.tolist() == [False]
    assert judge(ic.AlphaAssociation(0.5, values=["true"]), [(1, True), (1, True), (1, False)]).ok.tolist() == [False]
