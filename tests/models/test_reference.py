"""Classes may be compared with the table that they were made of, not only with what is left of it (N-REF)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.models import Coverage, Model
from models import slow
from models.tables import bags, classes_of, counted

SCHEMA = ic.Schema(quasi=["q"], sensitive={"s": ic.ordered(list("abcdef"))})
TREE = ic.Schema(quasi=["q"], sensitive={"s": ic.tree({"x": ["a", "b", "c"], "y": ["d", "e", "f"]})})
rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=2, max_size=30)


def measured(model: Model, rows: list[Any], reference: Any, schema: ic.Schema = SCHEMA) -> list[Any]:
    classes, domains = classes_of(rows)
    (judge,) = model.bind(schema, domains, reference)
    values = judge.measure(classes)[0]
    return [values.at(index) for index in range(len(classes))]


@given(rows=rows, more=st.lists(st.integers(0, 5), min_size=6, max_size=6))
def test_distances_are_to_the_given_reference(rows: list[Any], more: list[int]) -> None:
    classes, whole = bags(rows)
    counts = np.array([whole[value] + extra for value, extra in zip(sorted(whole), more, strict=False)])
    given_bag = dict(zip(sorted(whole), counts.tolist(), strict=True))
    equal = [slow.variational(bag, given_bag) for bag in classes]
    assert measured(ic.TCloseness(1), rows, {"s": counts}) == equal
    in_order = [slow.ordered(bag, given_bag, sorted(whole)) for bag in classes]
    assert measured(ic.TCloseness(1, distance="ordered"), rows, {"s": counts}) == in_order
    far = measured(ic.TCloseness(1, distance="kl"), rows, {"s": counts})
    assert far == pytest.approx([slow.kl(bag, given_bag) for bag in classes], abs=1e-12)
    q = slow.shares(given_bag)
    gains = [max(0, *(share / q[value] - 1 for value, share in slow.shares(bag).items())) for bag in classes]
    assert measured(ic.BetaLikeness(1), rows, {"s": counts}) == gains
    held = [sum(q[value] for value in bag) for bag in classes]
    assert measured(Coverage(Fraction(1, 2)), rows, {"s": counts}) == held


def test_a_taxonomy_and_ratios_take_it_too() -> None:
    reference = {"s": np.array([2, 4, 2])}
    rows = counted({"a": 1, "b": 1}, {"d": 1})
    assert measured(ic.TCloseness(1, distance="hierarchical"), rows, reference, TREE) == [
        Fraction(1, 4),
        Fraction(3, 4),
    ]
    assert measured(ic.DeltaDisclosure(1), rows, reference) == [1, 2]
    assert measured(ic.BetaLikeness(1, enhanced=True), rows, reference) == [1, 3]


def test_a_judge_says_what_it_refers_to() -> None:
    _, domains = classes_of([(1, "a"), (1, "b")])
    model = ic.KAnonymity(1) & ic.TCloseness(1) & ic.BetaLikeness(1) & ic.DeltaDisclosure(1) & ic.NTCloseness(1, 1)
    own = [judge.reference_table for judge in model.bind(SCHEMA, domains)]
    assert own == [None, "table", "table", "table", "table"]
    given_one = [judge.reference_table for judge in model.bind(SCHEMA, domains, {"s": np.array([2, 1])})]
    assert given_one == [None, "input", "input", "input", "table"]


def test_a_reference_fits_the_column() -> None:
    rows = [(1, "a"), (1, "b")]
    for wrong in ({}, {"s": np.array([1, 1, 1])}):
        with pytest.raises(ic.ParameterError, match="must give a count for each of the 2 values of 's'"):
            measured(ic.TCloseness(1), rows, wrong)
    with pytest.raises(ic.ParameterError, match="The reference lacks values of 's' that the classes have"):
        measured(ic.TCloseness(1), rows, {"s": np.array([1, 0])})


@pytest.mark.parametrize("first", ["a", "b"])
def test_of_two_gains_that_no_float_tells_apart_the_larger_counts(first: str) -> None:
    m = 5 * 10**8
    second = "b" if first == "a" else "a"
    counts = {(1, first): m, (1, second): m - 1, (2, first): m + 1, (2, second): m}  # m/(2m+1) > (m-1)/(2m-1)
    table = [{"q": q, "s": s, "n": n} for (q, s), n in counts.items()]
    verdict = ic.check(table, ic.Schema(quasi=["q"], sensitive=["s"], count="n"), "beta<=1")
    gain = Fraction(m, 2 * m + 1) * Fraction(4 * m, 2 * m - 1) - 1
    other = Fraction(m, 2 * m - 1) * Fraction(4 * m, 2 * m + 1) - 1
    assert verdict.findings[0].measured == (max(gain, other),)


def test_a_person_with_two_values_is_found_before_a_search() -> None:
    schema = ic.Schema(quasi=["q"], sensitive=["s"], entity="person")
    rows = [(1, "a", "ann"), (2, "b", "ann"), (2, "b", "bob")]
    classes, domains = classes_of(rows, entity=True)
    (judge,) = ic.TCloseness(0.5).bind(schema, domains)
    with pytest.raises(ic.SchemaError, match="TCloseness needs one value per person and class"):
        judge.check_persons(classes)
    (given,) = ic.TCloseness(0.5).bind(schema, domains, {"s": np.array([1, 2])})
    assert given.judge(classes).ok.tolist() == [False, True]
    (counting,) = ic.LDiversity(2).bind(schema, domains)
    counting.check_persons(classes)
    (plain,) = ic.TCloseness(0.5).bind(SCHEMA, domains)
    plain.check_persons(classes_of([row[:2] for row in rows])[0])


def test_who_only_asks_whether_classes_keep_the_promise_hears_the_same() -> None:
    classes, domains = classes_of(counted({"a": 3, "b": 1}, {"a": 1}))
    for judge in (ic.KAnonymity(2) & ic.TCloseness(0.1)).bind(SCHEMA, domains):
        assert judge.keeps(classes).tolist() == judge.judge(classes).ok.tolist()


@pytest.mark.parametrize("model", [ic.TCloseness(0.5), ic.BetaLikeness(2), ic.DeltaDisclosure(2)], ids=str)
def test_a_table_in_which_a_person_counts_twice_is_no_reference(model: Model) -> None:
    schema = ic.Schema(quasi=["q"], sensitive=["s"], entity="person")
    table = [{"q": q, "s": s, "person": who} for q, s, who in [(1, "a", "ann"), (2, "b", "ann"), (2, "b", "bob")]]
    with pytest.raises(ic.SchemaError, match=f"{type(model).__name__} needs one value per person and class"):
        ic.check(table, schema, model)
    with pytest.raises(ic.SchemaError, match="NTCloseness needs one value per person and class"):
        ic.check(table, schema, "nt(n=2, t=0.5)[table]")
