from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.models import choices, promise
from incrowd.models._several_rows import Items
from models import slow_rows

Rows = list[tuple[Any, str, str]]
rows: st.SearchStrategy[Rows] = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("pqr"), st.sampled_from("xy")), min_size=1, max_size=24
)
several = st.integers(1, 4)


def finding(table: Rows, model: ic.KmAnonymity) -> Any:
    named = [dict(zip(("who", "ward", "sex"), row, strict=True)) for row in table]
    return ic.check(named, ic.Schema(quasi=["ward", "sex"], entity="who"), model).findings[0]


def people_of(table: Rows, columns: Sequence[int] = (1, 2)) -> dict[Any, list[Any]]:
    people = defaultdict(list)
    for row in table:
        people[row[0]].append(tuple(row[at] for at in columns))
    return people


@given(table=rows, m=several, multiset=st.booleans(), known=st.sampled_from([(1, 2), (1,), (2,)]))
def test_the_fewest_people_are_those_of_the_definition(
    table: Rows, m: int, multiset: bool, known: tuple[int, ...]
) -> None:
    names = None if len(known) == 2 else ["", "ward", "sex"][known[0]]
    found = finding(table, ic.KmAnonymity(2, m, names, multiset=multiset))
    people = people_of(table, known)
    assert found.measured == (slow_rows.fewest(people, m, multiset=multiset),)
    support = slow_rows.support_by_set(people, m, multiset=multiset)
    rare = {
        (item[0] if multiset else item)  # type: ignore[index]
        for some, number in support.items()
        if number < 2
        for item in some
    }
    bad = {row[1:] for row in table if tuple(row[at] for at in known) in rare}
    assert found.failing_classes == len(bad)


@given(table=rows, m=several, multiset=st.booleans(), k=st.integers(2, 4))
def test_who_is_exposed_is_known_without_counting_larger_sets(table: Rows, m: int, multiset: bool, k: int) -> None:
    people = people_of(table)
    codes = {region: code for code, region in enumerate(sorted({row[1:] for row in table}))}
    persons, regions = np.array([row[0] for row in table]), np.array([codes[row[1:]] for row in table])
    items = Items.of(persons, regions, np.ones(len(table), dtype=np.int64), multiset=multiset)
    found = set(items.person[items.fewest(m, k) < k].tolist())
    assert found == slow_rows.exposed(people, k, m, multiset=multiset)


@given(table=rows, m=several, multiset=st.booleans(), at_once=st.integers(1, 9))
def test_sets_are_counted_alike_in_small_parts(table: Rows, m: int, multiset: bool, at_once: int) -> None:
    persons, regions = (np.array(column) for column in zip(*[(row[0], ord(row[1])) for row in table], strict=True))
    items = Items.of(persons, regions, np.ones(len(table), dtype=np.int64), multiset=multiset)
    whole = items.fewest(m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("incrowd.models._several_rows.AT_ONCE", at_once)
        assert items.fewest(m).tolist() == whole.tolist()


@given(table=rows, m=several)
def test_the_first_row_alone_is_k_of_people(table: Rows, m: int) -> None:
    named = [dict(zip(("who", "ward", "sex"), row, strict=True)) for row in table]
    verdict = ic.check(named, ic.Schema(quasi=["ward", "sex"], entity="who"), ic.KAnonymity(2))
    assert finding(table, ic.KmAnonymity(2, 1)).measured == verdict.findings[0].measured
    assert finding(table, ic.KmAnonymity(2, m)).measured <= verdict.findings[0].measured


@given(table=rows, m=several)
def test_rows_that_become_alike_hide_as_many_people(table: Rows, m: int) -> None:
    merged = [(who, "pq" if ward in "pq" else ward, sex) for who, ward, sex in table]
    assert finding(merged, ic.KmAnonymity(2, m)).measured >= finding(table, ic.KmAnonymity(2, m)).measured


def test_each_row_can_hide_and_two_of_them_single_out() -> None:
    pairs = [("ann", "pq"), ("bob", "qr"), ("cem", "pr")]
    table: Any = [(name, ward, "x") for name, wards in pairs for ward in wards]
    assert finding(table, ic.KmAnonymity(2, 1)).holds
    assert finding(table, ic.KmAnonymity(2, 2)).measured == (1,)


def test_who_counts_sees_more() -> None:
    table: Any = [("ann", "p", "x"), ("ann", "p", "y"), ("bob", "p", "x"), ("bob", "p", "x"), ("cem", "p", "y")]
    model = ic.KmAnonymity(2, 1, "ward", multiset=True)
    assert finding(table, model).measured == (2,)
    assert finding([*table, ("ann", "p", "y")], model).measured == (1,)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("k>=5[any 2 rows]", ic.KmAnonymity(5, 2)),
        ("k>=5[any 1 row]", ic.KmAnonymity(5, 1)),
        ("k>=3[any 2 rows, multiset]", ic.KmAnonymity(3, 2, multiset=True)),
        ("k>=3[ward, sex, any 12 rows]", ic.KmAnonymity(3, 12, ["ward", "sex"])),
        ('k>=3["any 2 rows", "multiset", any 2 rows]', ic.KmAnonymity(3, 2, ["any 2 rows", "multiset"])),
    ],
)
def test_text(text: str, model: ic.KmAnonymity) -> None:
    assert promise(text) == model
    assert str(model) == text
    assert str(promise(f"k>=9, {text}").parts[1]) == text


@pytest.mark.parametrize(
    "text",
    [
        "k>=5[any 2 rows, any 3 rows]",
        "k>=5[any 0 rows]",
        "k>=5[multiset]",
        "k>=5[any 2 rows, candidates]",
        "k>=5[any 2 rows, multiset, multiset]",
        "k>=5[ward + sex, any 2 rows]",
        "k>=5[ward]",
        "k>=5[any two rows]",
        "k>=5[any 2 rows: p]",
        "k<=5[any 2 rows]",
        "l>=2[any 2 rows, multiset",
    ],
)
def test_text_that_means_nothing(text: str) -> None:
    with pytest.raises(ic.ParameterError):
        promise(text)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"k": 0}, "k must be"),
        ({"m": 0}, "m must be"),
        ({"m": True}, "m must be"),
        ({"multiset": 1}, "multiset must be"),
        ({"known": []}, "must name"),
        ({"known": ["a", "a"]}, "must name"),
    ],
)
def test_wrong_parameters(wrong: Any, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        ic.KmAnonymity(**{"k": 2, "m": 2, **wrong})


def test_it_needs_to_know_whose_row_is_whose() -> None:
    table = [{"who": 1, "ward": "p", "n": 1}]
    with pytest.raises(ic.SchemaError, match="whose row is whose"):
        ic.check(table, ic.Schema(quasi=["ward"]), "k>=2[any 2 rows]")
    with pytest.raises(ic.SchemaError, match="several records"):
        ic.check(table, ic.Schema(quasi=["ward"], entity="who", count="n"), "k>=2[any 2 rows]")
    with pytest.raises(ic.UnknownColumnError, match="'warm'"):
        ic.check(table, ic.Schema(quasi=["ward"], entity="who"), "k>=2[warm, any 2 rows]")


def test_it_is_offered_and_says_what_it_means() -> None:
    (choice,) = (one for one in choices() if "several rows" in one["title"])
    assert isinstance(promise(choice["example"]), ic.KmAnonymity)
    assert "any 2 rows" in ic.KmAnonymity(5, 2).meaning()
    assert "'ward'" in ic.KmAnonymity(5, 2, "ward", multiset=True).meaning()
    assert ic.KmAnonymity(1, 2).trivial_notes()


def test_what_cannot_be_kept_is_said_before_a_search() -> None:
    table = [{"who": who, "ward": ward} for who in range(3) for ward in "pq"]
    schema = ic.Schema(quasi=["ward"], entity="who")
    with pytest.raises(ic.NoSafeRelease, match="has 3") as error:
        ic.anonymize(table, schema, model="k>=4[any 2 rows]")
    assert "k>=3[any 2 rows]" in str(error.value)
