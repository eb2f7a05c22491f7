from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.models import choices, promise
from models import slow_items

held = st.frozensets(st.sampled_from("abcd"), max_size=4)
records = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("xy"), held), min_size=1, max_size=14)
few = st.integers(1, 4)


def named(table: Any) -> list[dict[str, Any]]:
    return [{"who": who, "ward": ward, "dx": "|".join(sorted(dx)) or None} for who, ward, dx in table]


def finding(table: Any, model: Any, **more: Any) -> Any:
    return ic.check(named(table), ic.Schema({"ward": ic.flat(), "dx": ic.items()}, **more), model).findings[0]


@given(table=records, m=few, k=st.integers(2, 4))
def test_the_fewest_records_are_those_of_the_definition(table: Any, m: int, k: int) -> None:
    each = [(number, ward, dx) for number, (_, ward, dx) in enumerate(table)]
    found = finding(table, ic.KKmAnonymity(k, m), insensitive=["who"])
    assert found.measured == (slow_items.fewest(each, m),)
    bad = {(ward, dx) for one in each if slow_items.fewest_of(each, one, m) < k for _, ward, dx in [one]}
    assert found.failing_classes == len(bad)


@given(table=records, m=few)
def test_people_with_several_rows_count_once(table: Any, m: int) -> None:
    assert finding(table, ic.KKmAnonymity(2, m), entity="who").measured == (slow_items.fewest(table, m),)


@given(table=records, m=few)
def test_sets_are_counted_alike_in_small_parts(table: Any, m: int) -> None:
    whole = finding(table, ic.KKmAnonymity(2, m), entity="who")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("incrowd.models._several_rows.AT_ONCE", 2)
        assert finding(table, ic.KKmAnonymity(2, m), entity="who") == whole


@given(table=records, m=few)
def test_items_that_become_one_and_wards_that_do_hide_as_many(table: Any, m: int) -> None:
    before = finding(table, ic.KKmAnonymity(2, m), entity="who").measured
    vaguer = [(who, ward, frozenset("a" if item in "ab" else item for item in dx)) for who, ward, dx in table]
    assert finding(vaguer, ic.KKmAnonymity(2, m), entity="who").measured >= before
    together = [(who, "x", dx) for who, _, dx in table]
    assert finding(together, ic.KKmAnonymity(2, m), entity="who").measured >= before


@given(table=records, m=few)
def test_whole_sets_that_are_equal_are_the_strong_reading(table: Any, m: int) -> None:
    assert (
        finding(table, ic.KAnonymity(2), entity="who").measured
        <= finding(table, ic.KKmAnonymity(2, m), entity="who").measured
    )


def test_the_example_of_pairs() -> None:
    """Terrovitis et al. 2008: every item is bought often, and a pair by one alone."""
    baskets = [
        (number, "x", frozenset(items)) for number, items in enumerate(["ab", "bc", "ac", "ab", "bc", "acd", "d"])
    ]
    assert finding(baskets, "k>=2[any 1 item]", insensitive=["who"]).measured == (2,)
    assert finding(baskets, "k>=2[any 2 items]", insensitive=["who"]).measured == (1,)
    assert finding(baskets, "k>=2[any 2 items]", insensitive=["who"]).failing_records == 1


def test_several_columns_are_known_together() -> None:
    table = [{"dx": "a|b", "drug": "p"}, {"dx": "a", "drug": "q"}, {"dx": "a", "drug": "p"}, {"dx": "b", "drug": "q"}]
    schema = ic.Schema({"dx": ic.items(), "drug": ic.items()})
    assert [
        ic.check(table, schema, f"k>=2[{of}any {m} items]").findings[0].measured for of, m in (("", 1), ("", 2))
    ] == [
        (Fraction(2),),
        (Fraction(1),),
    ]
    # Of a column that is not named the whole set is known.
    assert ic.check(table, schema, "k>=2[dx, any 1 item]").findings[0].measured == (1,)


def test_order_repeats_and_rows_that_stand_for_several_do_not_matter() -> None:
    table = [{"dx": "a|b|a", "n": 3}, {"dx": "b|a", "n": 1}, {"dx": " b ", "n": 2}]
    schema = ic.Schema({"dx": ic.items()}, count="n")
    assert ic.check(table, schema, "k>=2[any 2 items]").findings[0].measured == (4,)


def test_knowing_more_items_than_anybody_has_is_knowing_all() -> None:
    table = [("p", "x", frozenset("ab"))] * 3
    verdict = ic.check(
        named(table), ic.Schema({"ward": ic.flat(), "dx": ic.items()}, insensitive=["who"]), "k>=2[any 9 items]"
    )
    assert verdict.holds
    assert any("more than 2 items" in note for note in verdict.notes)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("k>=5[any 2 items]", ic.KKmAnonymity(5, 2)),
        ("k>=5[any 1 item]", ic.KKmAnonymity(5, 1)),
        ("k>=5[dx, any 2 items]", ic.KKmAnonymity(5, 2, "dx")),
        ("k>=3[dx, drugs, any 12 items]", ic.KKmAnonymity(3, 12, ["dx", "drugs"])),
        ('k>=3["any 2 items", any 2 items]', ic.KKmAnonymity(3, 2, ["any 2 items"])),
    ],
)
def test_text(text: str, model: ic.KKmAnonymity) -> None:
    assert promise(text) == model
    assert str(model) == text
    assert str(promise(f"k>=9, {text}").parts[1]) == text


@pytest.mark.parametrize(
    "text",
    [
        "k>=5[any 2 items, any 3 items]",
        "k>=5[any 2 items, any 2 rows]",
        "k>=5[any 0 items]",
        "k>=5[any 2 items, multiset]",
        "k>=5[dx + drugs, any 2 items]",
        "k>=5[any two items]",
        "k>=5[any 2 items: a]",
        "k<=5[any 2 items]",
        "l>=2[any 2 items, multiset",
    ],
)
def test_text_that_means_nothing(text: str) -> None:
    with pytest.raises(ic.ParameterError):
        promise(text)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"k": 0}, "k must be"), ({"m": 0}, "m must be"), ({"of": []}, "must name"), ({"of": ["a", "a"]}, "must name")],
)
def test_wrong_parameters(wrong: Any, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        ic.KKmAnonymity(**{"k": 2, "m": 2, **wrong})


def test_it_needs_a_column_of_sets() -> None:
    table = [{"dx": "a|b", "ward": "x"}]
    with pytest.raises(ic.SchemaError, match="no quasi-identifier has any"):
        ic.check(table, ic.Schema(quasi=["dx", "ward"]), "k>=2[any 2 items]")
    with pytest.raises(ic.SchemaError, match="'ward', whose values are no sets"):
        ic.check(table, ic.Schema({"dx": ic.items(), "ward": ic.flat()}), "k>=2[ward, any 2 items]")
    with pytest.raises(ic.UnknownColumnError, match="'warm'"):
        ic.check(table, ic.Schema({"dx": ic.items(), "ward": ic.flat()}), "k>=2[warm, any 2 items]")


def test_it_is_offered_and_says_what_it_means() -> None:
    (choice,) = (one for one in choices() if "items of a list" in one["title"])
    assert isinstance(promise(choice["example"]), ic.KKmAnonymity)
    assert "any 2 items of 'dx'" in ic.KKmAnonymity(5, 2, "dx").meaning()
    assert "several rows" in ic.KKmAnonymity(5, 1).meaning(several=True)
    assert ic.KKmAnonymity(1, 2).trivial_notes()
    assert "2 items" in ic.KKmAnonymity(5, 2).limit


def test_what_cannot_be_kept_is_said_before_a_search() -> None:
    with pytest.raises(ic.NoSafeRelease, match="has 3 records") as error:
        ic.anonymize([{"dx": "a"}] * 3, ic.Schema({"dx": ic.items()}), model="k>=4[any 2 items]")
    assert "k>=3[any 2 items]" in str(error.value)
