from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from models import slow_items

held = st.frozensets(st.sampled_from("abcd"), max_size=4)
records = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("xy"), held), min_size=1, max_size=12)
SCHEMA: dict[str, Any] = {"quasi": {"ward": ic.flat(), "dx": ic.items()}}


def attacked(table: Any, items: int, *, people: bool = False) -> Any:
    named = [{"who": who, "ward": ward, "dx": "|".join(sorted(dx)) or None} for who, ward, dx in table]
    more: dict[str, Any] = {"entity": "who"} if people else {"insensitive": ["who"]}
    return ic.attack(named, ic.Schema(**SCHEMA, **more), intruder=ic.Intruder(items=items)).get("known items")


@given(table=records, m=st.integers(1, 3))
def test_whoever_knows_most_picks_one_of_those_who_fit(table: Any, m: int) -> None:
    each = [(at, ward, dx) for at, (_, ward, dx) in enumerate(table)]
    found, fewest = attacked(table, m), [slow_items.fewest_of(each, one, m) for one in each]
    assert found.right == sum(Fraction(1, number) for number in fewest)
    assert found.exposed.records == fewest.count(1)
    assert found.worst == Fraction(1, min(fewest))
    assert found.baseline == Fraction(1, len(table))


def _text(one: Any) -> str:
    return f"{one[0]} {sorted(one[1])}"


@given(table=records, m=st.integers(1, 2), people=st.booleans())
def test_the_owner_sees_the_items_that_one_person_alone_has(table: Any, m: int, people: bool) -> None:
    each = [(who if people else at, ward, dx) for at, (who, ward, dx) in enumerate(table)]
    sets = {
        (ward, frozenset(some))
        for _, ward, dx in each
        for size in range(1, m + 1)
        for some in itertools.combinations(sorted(dx), size)
    }
    rare = {(ward, some) for ward, some in sets if slow_items.people_with(each, ward, some) == 1}
    alone = {
        (ward, some)
        for ward, some in rare
        if not any((ward, frozenset([one])) in rare for one in some) or len(some) == 1
    }
    found = attacked(table, m, people=people).exposed_records()
    said = [(ward, frozenset(dx.split("|"))) for ward, dx in zip(found["ward"], found["dx"], strict=True)]
    assert sorted(map(_text, said)) == sorted(map(_text, alone))
    assert set(found["people"].tolist()) <= {1}


def test_a_release_that_keeps_the_promise_exposes_nobody() -> None:
    lists = ["a|b", "b|a", "a|c", "c|a", "b", "c", "a|b|c", "d|a"]
    table = [{"ward": "x", "dx": text} for text in lists]
    schema = ic.Schema(**SCHEMA)
    release = ic.anonymize(table, schema, model="k>=2[any 2 items]", max_suppressed=0.3)
    before, after = (ic.attack(one, *more).get("known items") for one, *more in ([table, schema], [release]))
    assert before.exposed.records > after.exposed.records == 0
    assert after.rate < before.rate
    assert ic.attack(release, original=table).get("known items").rate == after.rate


def test_columns_without_sets_are_not_attacked() -> None:
    found = ic.attack([{"ward": "x"}] * 3, ic.Schema(["ward"]))
    assert "known items" not in {one.name for one in found}


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
def test_how_many_items_are_known_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(ic.ParameterError, match="items must be a whole number"):
        ic.Intruder(items=wrong)
