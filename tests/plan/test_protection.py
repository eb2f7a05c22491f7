from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Domain
from incrowd.models import LDiversity
from incrowd.plan import SinglingOut
from incrowd.plan.suggestion._protection import promise_for


def promised(values: list[Any], *, by_person: bool = False) -> str | None:
    promise, why = promise_for(Domain.of("x", values), by_person=by_person)
    assert (promise is None) == why.startswith("no promise: ")
    return None if promise is None else str(promise)


@pytest.mark.parametrize(
    ("values", "promise"),
    [
        (["a", "b"] * 50, None),
        (["a"] * 100, None),
        ([None] * 100, None),
        (["a", "b", "c"] * 30, "l>=2[x]"),
        (["a", "b", "c", "d"] * 25, "l>=3[x]"),
        (["a"] * 95 + ["b", "c", "d", "e", "f"], None),
        (["a"] * 70 + ["b"] * 25 + ["c", "d", "e", "f", "g"], "l>=2[x]"),
        (list(range(100)), "t<=0.3[x, ordered]"),
        ([*range(90), *[None] * 10], "l>=3[x]"),
    ],
)
def test_a_promise_fits_the_values_of_a_column(values: list[Any], promise: str | None) -> None:
    assert promised(values) == promise


def test_distances_are_not_promised_where_people_have_several_rows() -> None:
    assert promised(list(range(100)), by_person=True) == "l>=3[x]"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["a", "b"] * 50, "alpha<=0.75[x] would bound"),
        (["a"] * 79 + ["b"] * 21, "alpha<=0.9[x] would bound"),
        (["a"] * 81 + ["b"] * 19, "beta<=1[x] would let no value be more than 2 times as frequent"),
        (["a"] * 40 + ["b"] * 40 + [None] * 20, "alpha<=0.7[x] would bound"),
    ],
)
def test_the_bound_that_fits_two_values_is_named_and_not_promised_unasked(values: list[Any], told: str) -> None:
    promise, why = promise_for(Domain.of("x", values), by_person=False)
    assert promise is None
    assert told in why


@given(st.integers(1, 400), st.integers(1, 400), st.integers(0, 400))
def test_a_bound_on_two_values_leaves_room_above_what_is_known_of_everybody(one: int, other: int, gaps: int) -> None:
    _, why = promise_for(Domain.of("x", [*["a"] * one, *["b"] * other, *[None] * gaps]), by_person=False)
    most = Fraction(max(one, other, gaps), one + other + gaps)
    found = re.search(r"alpha<=(0\.\d+)\[x\]", why)
    assert found is None or most < Fraction(found[1]) < 1
    assert (found is None) == (most > Fraction(4, 5))


def test_nothing_need_be_said_of_missing_values() -> None:
    domain = Domain.of("x", [*range(90), *[None] * 10])
    assert promise_for(domain, by_person=False) == (LDiversity(3, of="x"), "")


def test_missing_values_are_no_diversity() -> None:
    assert promised(["a", "b", None] * 30) is None
    assert promised([*["a", "b", "c", "d"] * 4, *[None] * 84]) is None


@pytest.mark.parametrize("by_person", [False, True])
@pytest.mark.parametrize("rare", [1, 6, 19])
def test_the_bound_that_is_named_for_a_rare_value_can_be_promised(rare: int, by_person: bool) -> None:
    rows = [{"nr": n, "age": n % 4, "x": "secret" if n < rare else "usual"} for n in range(100)]
    _, why = promise_for(Domain.of("x", [row["x"] for row in rows]), by_person=by_person)
    found = re.search(r"beta<=\d+\[x\]", why)
    assert found is not None
    assert "secret" not in why
    assert "not promised unasked" in why
    schema = ic.Schema(quasi={"age": ic.flat()}, sensitive=["x"], entity="nr" if by_person else None)
    release = ic.anonymize(rows, schema, model=f"k>=5, {found[0]}", max_suppressed=0.05, others="drop")
    assert release.verdict.holds


def test_combinations_that_single_people_out_are_counted() -> None:
    table = [
        {"age": 30, "sex": "f", "job": "x"},
        {"age": 30, "sex": "f", "job": "x"},
        {"age": 30, "sex": "m", "job": "x"},
        {"age": 41, "sex": "f", "job": "y"},
    ]
    found = ic.suggest(table).singling_out
    assert isinstance(found, SinglingOut)
    assert (found.together.alone, found.together.share) == (2, Fraction(1, 2))
    assert {one.columns: one.alone for one in found.single} == {("age",): 1, ("job",): 1, ("sex",): 1}
    assert {one.columns: one.alone for one in found.pairs} == {("age", "sex"): 2, ("sex", "job"): 2, ("age", "job"): 1}


def test_of_many_columns_only_some_pairs_are_looked_at() -> None:
    table = pd.DataFrame({f"c{number}": range(30) for number in range(30)})
    found = ic.suggest(table, roles={f"c{number}": "quasi" for number in range(30)}).singling_out
    assert found is not None
    assert (len(found.single), len(found.pairs)) == (30, 5)
