"""Only what teaches something counts as guessed: no missing value, no number that nearly nobody else has, no loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.evidence import Attacks

Rows = list[dict[str, Any]]


def attacked(rows: Rows, **options: Any) -> Attacks:
    with pytest.warns(ic.PrivacyWarning, match="promises nothing"):
        release = ic.anonymize(rows, ic.Schema(quasi={"town": ic.flat()}, sensitive=["s"]), model="k>=1", **options)
    return ic.attack(release, original=rows)


def towns(**values: list[Any]) -> Rows:
    return [{"town": town, "s": value} for town, listed in values.items() for value in listed]


def test_a_group_of_missing_values_tells_nothing() -> None:
    found = attacked(towns(bonn=[None, None, None], kiel=["hiv", "flu", None]))
    for name in ("homogeneity", "attribute linkage"):
        assert (found.get(name).right, found.get(name).exposed.records) == (Fraction(0), 0)
    inference = found.get("inference")
    assert (inference.targets, inference.right, inference.baseline) == (6, Fraction(1), Fraction(1, 6))
    assert inference.worst == Fraction(1, 3)


def test_a_missing_value_is_neither_guessed_nor_ruled_out() -> None:
    found = attacked(towns(bonn=["hiv", "hiv", None])).get("background knowledge")
    assert (found.right, found.worst, found.exposed.records) == (Fraction(2), Fraction(2, 3), 0)
    assert found.baseline == Fraction(2, 3)


def test_missing_values_of_people_with_several_rows_are_not_certain() -> None:
    rows: Rows = [{"id": number // 2, "town": "bonn", "s": [None, "flu"][number % 2]} for number in range(8)]
    rows[1]["s"] = "hiv"
    schema = ic.Schema(quasi={"town": ic.flat()}, sensitive=["s"], entity="id")
    release = ic.anonymize(rows, schema, model="k>=2")
    found = ic.attack(release, original=rows)
    assert found.get("homogeneity").exposed.records == 0
    assert found.get("attribute linkage").exposed.records == 0
    assert found.get("inference").worst == Fraction(3, 4)


def test_the_category_of_missing_values_is_none_unless_somebody_says_so() -> None:
    rows = towns(bonn=[None, None], kiel=["hiv", "flu"])
    silent = ic.Schema(quasi={"town": ic.flat()}, sensitive={"s": ic.tree([("hiv", "ill"), ("flu", "ill")])})
    stated = ic.Schema(
        quasi={"town": ic.flat()}, sensitive={"s": ic.categories({"ill": ["hiv", "flu"], "not asked": [""]})}
    )
    found = [
        ic.attack(ic.anonymize(rows, schema, model="k>=2")).get("category inference") for schema in (silent, stated)
    ]
    assert [one.right for one in found] == [2, 4]
    assert [one.baseline for one in found] == [Fraction(1, 2), Fraction(1, 2)]


def test_risk_does_not_count_missing_values_as_guessed() -> None:
    rows = towns(bonn=[None, None, None], kiel=["hiv", "flu", None])
    guess = ic.risk(rows, ic.Schema(quasi={"town": ic.flat()}, sensitive=["s"])).guesses["s"]
    assert (guess.highest, guess.average, guess.without, guess.certain) == (
        Fraction(1, 3),
        Fraction(1, 6),
        Fraction(1, 6),
        0,
    )


def test_numbers_that_nearly_nobody_shares_are_compared_by_ranges() -> None:
    rows = [{"town": f"t{number % 100}", "s": 1000.5 + number} for number in range(1000)]
    found = attacked(rows).get("skewness")
    assert found.means == "one of 20 ranges is at least 10 times likelier than in the table"
    assert found.worst == Fraction(
        2
    )  # ten people of every town, at most one in each of 20 ranges: a tenth, not 1,000 x
    assert found.exposed.records == 0


def test_a_group_within_one_range_is_skewed() -> None:
    rows = [{"town": f"t{number // 10}", "s": number} for number in range(1000)]
    found = attacked(rows).get("skewness")
    assert (found.worst, found.exposed.records) == (20, 1000)


def test_a_rare_word_is_still_compared_as_it_is() -> None:
    rows = towns(bonn=["hiv"] * 2, kiel=["flu"] * 48)
    assert attacked(rows).get("skewness").worst == 25


def test_few_numbers_are_compared_as_they_are() -> None:
    rows = towns(bonn=[7] * 2, kiel=[1, 2, 3, 4] * 12)
    assert attacked(rows).get("skewness").worst == 25


def test_a_constant_column_is_no_gain_for_people_who_are_left_out() -> None:
    rows = towns(bonn=["yes"] * 4, kiel=["yes"] * 3)
    release = ic.anonymize(
        rows,
        ic.Schema(quasi={"town": ic.flat()}, sensitive=["s"]),
        model="k>=4",
        max_suppressed=0.5,
        at_most={"town": 0},
    )
    found = ic.attack(release, original=rows).get("attribute linkage")
    assert (found.rate, found.baseline, found.advantage) == (Fraction(4, 7), Fraction(4, 7), Fraction(0))


values = st.sampled_from(["a", "b", "c", None])


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("xyz"), values), min_size=1, max_size=25), st.integers(2, 3))
def test_no_guess_is_worse_than_without_the_release(pairs: list[tuple[str, Any]], k: int) -> None:
    rows = [{"town": town, "s": value} for town, value in pairs]
    schema = ic.Schema(quasi={"town": ic.flat()}, sensitive=["s"])
    try:
        release = ic.anonymize(
            rows, schema, model=f"k>={k}", algorithm=ic.Optimal(), max_suppressed=0.5, at_most={"town": 0}
        )
    except ic.NoSafeRelease:
        return
    found = ic.attack(release, original=rows)
    certain = sum(
        len(inside)
        for town in "xyz"
        if (inside := [s for t, s in pairs if t == town])
        and {*inside} - {None} == {*inside}
        and len({*inside}) == 1
        and len(inside) >= k
    )
    assert found.get("homogeneity").right == certain
    for one in found:
        assert one.advantage >= 0 or not one.guesses, one.name
