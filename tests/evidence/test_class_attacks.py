"""Attacks on classes: written-out examples, and agreement with attacks made person by person."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from attacks import slow
from incrowd.evidence import Attacks

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcd")), min_size=1, max_size=20)
CATEGORIES = {"a": "bad", "b": "bad", "c": "fair", "d": "good"}
MEANING = ic.categories({"bad": ["a", "b"], "fair": ["c"], "good": ["d"]})


def attacked(table: slow.Rows, meaning: Any = None, original: slow.Rows | None = None, **known: Any) -> Attacks:
    names = ("q", "s", "person")
    dicts = [dict(zip(names, row, strict=False)) for row in table]
    schema = ic.Schema(quasi=["q"], sensitive={"s": meaning}, entity="person" if len(table[0]) > 2 else None)
    before = None if original is None else [dict(zip(names, row, strict=False)) for row in original]
    return ic.attack(dicts, schema, original=before, intruder=ic.Intruder(**known))


def test_a_class_of_one_value_tells_it() -> None:
    found = attacked([(1, "flu"), (1, "flu"), (2, "flu"), (2, "hiv")]).get("homogeneity")
    assert (found.exposed.classes, found.exposed.records, found.exposed.share) == (1, 2, Fraction(1, 2))
    assert slow.numbers(found.rate, found.baseline, found.advantage, found.worst) == (
        Fraction(1, 2),
        0,
        Fraction(1, 2),
        1,
    )
    assert dict(found.worst_class) == {"q": "1"}


def test_a_table_of_one_value_tells_it_without_its_classes() -> None:
    found = attacked([(1, "flu"), (2, "flu")]).get("homogeneity")
    assert slow.numbers(found.rate, found.baseline, found.advantage) == (1, 1, 0)


def test_the_posterior_is_compared_with_the_prior() -> None:
    found = attacked([(1, "flu"), (1, "flu"), (1, "hiv"), (2, "hiv"), (2, "hiv"), (2, "cold")]).get("inference")
    assert (found.rate, found.baseline, found.worst) == (Fraction(4, 6), Fraction(3, 6), Fraction(2, 3))


def test_the_original_says_what_is_known_without_the_release() -> None:
    published = [(1, "flu"), (1, "hiv")]
    found = attacked(published, original=[*published, *[(9, "flu")] * 6])
    assert (found.get("inference").baseline, found.get("skewness").worst) == (Fraction(1, 2), 4)
    other = attacked([(1, "flu"), (1, "hiv"), (1, "hiv")], original=[(1, "hiv"), (1, "hiv"), *[(9, "flu")] * 3])
    assert (other.get("inference").rate, other.get("inference").baseline) == (Fraction(2, 3), Fraction(1, 3))


def test_one_value_ruled_out_can_leave_one() -> None:
    found = attacked([(1, "flu"), (1, "hiv"), (2, "a"), (2, "b"), (2, "c")]).get("background knowledge")
    assert (found.exposed.classes, found.exposed.records) == (1, 2)
    assert found.worst == 1


def test_given_values_are_ruled_out_about_people_who_do_not_have_them() -> None:
    table = [(1, "flu"), (1, "flu"), (1, "hiv"), (2, "flu"), (2, "flu")]
    found = attacked(table, values={"s": ["flu", "pox"]}).get("background knowledge")
    assert slow.numbers(found.exposed.records, found.targets, found.right, found.baseline) == (1, 1, 1, 1)
    assert {name: list(column) for name, column in found.exposed_records().items()} == {
        "q": ["1"],
        "s": ["hiv"],
        "records": [1],
    }
    assert found.notes == ("1 of 2 given values do not occur in column 's'.",)


def test_a_public_distribution_can_mislead() -> None:
    table = [(1, "flu"), (1, "hiv"), (1, "hiv")]
    found = attacked(table, public={"s": {"flu": 0.3, "hiv": 0.001}}).get("background knowledge")
    assert slow.numbers(found.right, found.targets, found.worst) == (1, 3, Fraction(1, 3))


def test_similar_values_are_one_category() -> None:
    table = [(1, "a"), (1, "b"), (2, "d"), (2, "d"), (3, "a"), (3, "d")]
    found = attacked(table, MEANING)
    assert (found.get("similarity").exposed.classes, found.get("similarity").exposed.records) == (2, 4)
    assert found.get("category inference").rate == Fraction(5, 6)
    only = attacked(table, MEANING, categories={"s": ["bad"]}).get("similarity")
    assert (only.exposed.classes, only.exposed.records) == (1, 2)


def test_a_taxonomy_says_at_which_level_values_are_similar() -> None:
    tree = ic.tree({"all": {"bad": ["a", "b"], "good": ["c"]}, "none": {"odd": ["d"]}})
    table = [(1, "a"), (1, "b"), (2, "a"), (2, "c")]
    assert attacked(table, tree).get("similarity").exposed.classes == 1
    assert attacked(table, tree, level=2).get("similarity").exposed.classes == 2


def test_a_level_that_no_taxonomy_has_is_refused() -> None:
    tree = ic.tree({"all": {"bad": ["a", "b"], "good": ["c"]}, "none": {"odd": ["d"]}})
    with pytest.raises(
        ic.ParameterError, match=r"level is 3, and no taxonomy .* has more than 2 below its top"
    ) as refused:
        attacked([(1, "a")], tree, level=3)
    assert refused.value.hint == "take a level from 1 to 2."
    with pytest.raises(ic.ParameterError, match="more than 1"):
        attacked([(1, 2)], ic.ordered([1, 2, 3, 4], 2), level=2)
    schema = ic.Schema(quasi=["q"], sensitive={"s": tree, "r": ic.tree({"x": ["u"], "y": ["v"]})})
    found = ic.attack([{"q": 1, "s": "a", "r": "u"}], schema, intruder=ic.Intruder(level=2))
    assert found.notes == ("similarity of column 'r' is judged at level 1, its highest.",)


def test_a_narrow_range_of_numbers_tells_the_number() -> None:
    table = [(1, 60), (1, 80), (1, 70), (2, 40), (2, 100), (2, 90), (3, 80), (3, 70), (3, 110)]
    found = attacked(table, narrow=0.3).get("similarity")
    assert (found.exposed.classes, found.exposed.records, found.worst, found.unit) == (1, 3, Fraction(2, 7), "width")
    assert attacked(table, narrow=Fraction(2, 7)).get("similarity").exposed.classes == 1
    assert attacked(table, narrow=0.28).get("similarity").exposed.classes == 0
    floats = [(key, value + 0.5) for key, value in table]
    assert attacked(floats, narrow=Fraction(2, 7)).get("similarity").worst == Fraction(2, 7)


def test_a_missing_number_is_anywhere() -> None:
    assert attacked([(1, 5), (1, None), (2, 1), (2, 90)]).get("similarity").exposed.classes == 0


def test_words_with_an_order_have_narrow_ranges_too() -> None:
    order = ic.ordered(["none", "low", "mid", "high", "top"])
    table = [(1, "low"), (1, "mid"), (2, "none"), (2, "top")]
    assert attacked(table, order, narrow=0.25).get("similarity").exposed.classes == 1


def test_the_gain_of_a_rare_value() -> None:
    table = [(1, "hiv"), (1, "flu"), *[(2, "flu")] * 98]
    found = attacked(table).get("skewness")
    assert (found.worst, found.exposed.classes, found.exposed.records) == (50, 1, 2)
    assert found.distribution[0] == (Fraction(1), 100)


def test_words_without_categories_are_said_not_to_be_attacked() -> None:
    (note,) = attacked([(1, "a")]).notes
    assert note == (
        "similarity of column 's' was not attacked: not all its values are numbers or dates, and it has no categories."
    )


def test_the_worst_class_and_the_values_stay_out_of_print() -> None:
    found = attacked([("canary-q", "canary-s")] * 2)
    assert "canary" not in str(found) + repr(found) + repr(found.entries) + str(found.to_dict())
    assert "canary-q" in str(found.to_dict(values=True))


@settings(max_examples=30)
@given(rows, st.integers(0, 4))
def test_guesses_agree_with_guesses_person_by_person(table: list[Any], excluded: int) -> None:
    found = attacked(table, excluded=excluded)
    classes, everybody = slow.grouped(table), [row[1] for row in table]
    alone = slow.certain(table)
    homogeneous, guess = found.get("homogeneity"), found.get("inference")
    assert (homogeneous.exposed.classes, homogeneous.exposed.records) == (len(alone), alone.total())
    assert guess.right == sum(map(slow.best_guess, classes.values()))
    assert guess.worst == max(slow.best_guess(values) / len(values) for values in classes.values())
    known = found.get("background knowledge")
    assert known.worst == max(slow.chance_after(values, excluded) for values in classes.values())
    assert known.right == sum(slow.right_after(values, excluded) for values in classes.values())
    assert known.baseline == slow.right_after(everybody, excluded) / len(table)
    left = [values for values in classes.values() if len(set(values)) <= excluded + 1]
    assert (known.exposed.classes, known.exposed.records) == (len(left), sum(map(len, left)))
    skew, change = found.get("skewness"), found.get("change of belief")
    assert skew.worst == max(slow.gain(values, everybody) for values in classes.values())
    assert change.worst == max(slow.change(values, everybody) for values in classes.values())


@given(rows, st.sets(st.sampled_from("abcd")), st.dictionaries(st.sampled_from("abcd"), st.integers(1, 9)))
def test_ruled_out_values_agree_person_by_person(table: list[Any], out: set[str], public: dict[str, int]) -> None:
    classes = slow.grouped(table).values()
    listed = attacked(table, values={"s": sorted(out)}).get("background knowledge")
    found = [slow.after_listed(values, out) for values in classes]
    assert slow.numbers(listed.targets, listed.right) == (
        sum(people for _, people, _ in found),
        sum(most for *_, most in found),
    )
    assert listed.exposed.records == sum(people for left, people, _ in found if left == 1)
    distribution = {value: Fraction(share, 1000 + ord(value)) for value, share in public.items()}
    unlikely = attacked(table, public={"s": distribution}, excluded=2).get("background knowledge")
    results = [slow.after_unlikely(values, distribution, 2) for values in classes]
    assert unlikely.right == sum(right for _, right in results)
    assert unlikely.exposed.records == sum(right for left, right in results if left == 1)


@given(rows)
def test_categories_agree_person_by_person(table: list[Any]) -> None:
    found = attacked(table, MEANING)
    coarse = [(key, CATEGORIES[value]) for key, value in table]
    alone = slow.certain(coarse)
    similar = found.get("similarity").exposed
    assert (similar.classes, similar.records) == (len(alone), alone.total())
    guesses = found.get("category inference")
    assert guesses.right == sum(map(slow.best_guess, slow.grouped(coarse).values()))
    assert guesses.baseline == slow.best_guess([row[1] for row in coarse]) / len(table)


people = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.integers(0, 5)), min_size=1, max_size=16)


@given(people)
def test_people_with_several_rows_count_once(table: list[Any]) -> None:
    found = attacked(table)
    persons = {row[2] for row in table}
    assert found.persons == len(persons)
    classes = {key: {row[2] for row in table if row[0] == key} for key in {row[0] for row in table}}
    values = {key: {row[1] for row in table if row[0] == key} for key in classes}
    certain = {
        key
        for key, members in classes.items()
        if any({row[2] for row in table if row[:2] == (key, value)} == members for value in values[key])
    }
    exposed = found.get("homogeneity").exposed
    assert (exposed.classes, exposed.persons) == (len(certain), len(set().union(*(classes[key] for key in certain))))


@given(people)
def test_who_is_the_only_one_in_just_those_classes(table: list[Any]) -> None:
    sets = {person: frozenset(row[0] for row in table if row[2] == person) for _, _, person in table}
    alone = {person for person, one in sets.items() if list(sets.values()).count(one) == 1}
    found = attacked(table).get("several rows")
    assert found.exposed.persons == len(alone)
    assert found.rate == Fraction(len(set(sets.values())), len(sets))
    assert {int(person) for person in found.exposed_records()["person"]} == alone


def test_an_empty_table_exposes_nobody() -> None:
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    empty = pl.DataFrame({"q": [], "s": []}, schema={"q": pl.Int64, "s": pl.String})
    assert [entry.exposed.records for entry in ic.attack(empty, schema)] == [0] * 6
    assert {entry.worst for entry in ic.attack(empty, schema)} == {None}


def test_an_entry_is_found_by_name_and_column() -> None:
    table = [{"q": 1, "s": "a", "t": 1}]
    found = ic.attack(table, ic.Schema(quasi=["q"], sensitive=["s", "t"]))
    assert found.get("homogeneity", "t").column == "t"
    assert found.attribute_disclosures == 2
    with pytest.raises(ic.ParameterError, match="There are 2 entries for the attack 'homogeneity'"):
        found.get("homogeneity")
    with pytest.raises(ic.ParameterError, match="There is no entry for the attack 'magic'"):
        found.get("magic")


@pytest.mark.parametrize(
    ("known", "match"),
    [
        ({"excluded": -1}, "excluded must be a whole number of at least 0, got -1"),
        ({"narrow": 2}, "narrow must be a number from 0 to 1, got 2"),
        ({"gain": 0}, "gain must be a number at least 1, got 0"),
        ({"values": {"s": "flu"}}, "values of column 's' must be a list, got str"),
        ({"values": ["flu"]}, "values must be a dict with the column as key, got list"),
        ({"public": {"s": ["flu"]}}, "public of column 's' must be a dict from value to share, got list"),
        ({"values": {5: ["flu"]}}, "values must have names of columns as keys, got int"),
        ({"values": {"s": [["flu"]]}}, "values of column 's' cannot hold list"),
        ({"public": {"s": {b"flu": 1}}}, "public of column 's' cannot hold bytes"),
        ({"excluded": 2**63}, r"excluded must be below 2\*\*63"),
    ],
)
def test_what_an_intruder_cannot_know_is_refused(known: dict[str, Any], match: str) -> None:
    with pytest.raises(ic.ParameterError, match=match):
        ic.Intruder(**known)


def test_an_intruder_knows_values_of_numpy_as_those_of_python() -> None:
    values = [np.int64(10), np.float64(1.5), np.bool_(True), np.datetime64("2020-01-02", "ns"), np.str_("flu")]
    assert ic.Intruder(values={"s": values}).values["s"] == ("10", "1.5", "true", "2020-01-02", "flu")
    assert ic.Intruder(public={"s": {np.int64(10): 1}}).public["s"] == {"10": 1}
    assert ic.Intruder(excluded=np.int64(2)).excluded == 2  # type: ignore[arg-type]


def test_an_intruder_may_rule_out_more_values_than_there_are() -> None:
    table = [{"q": 1, "s": "a"}, {"q": 1, "s": "b"}]
    found = ic.attack(table, ic.Schema(quasi=["q"], sensitive=["s"]), intruder=ic.Intruder(excluded=2**63 - 1))
    assert found.get("background knowledge").rate == 1


def test_an_intruder_who_knows_other_columns_is_refused() -> None:
    with pytest.raises(ic.UnknownColumnError, match="The table has no column 'z'"):
        attacked([(1, "a")], values={"z": ["a"]})
    with pytest.raises(ic.ParameterError, match="1 of the categories given for column 's' are none of its 3"):
        attacked([(1, "a")], MEANING, categories={"s": ["ugly"]})


def test_people_with_several_rows_have_categories_too() -> None:
    table = [(1, "a", 1), (1, "d", 1), (1, "b", 2), (2, "a", 3), (2, "d", 4)]
    found = attacked(table, MEANING)
    assert (found.get("similarity").exposed.classes, found.get("similarity").exposed.persons) == (1, 2)
    assert found.get("background knowledge").notes == (
        "people have several rows: their different values count one by one.",
    )
    assert [entry for entry in found if entry.name == "change of belief"] == []
    assert found.notes == (
        (
            "change of belief about column 's' was not measured: "
            "people have several values there, whose shares do not add up to a distribution."
        ),
    )


def test_values_that_are_no_texts_can_be_ruled_out() -> None:
    table = [(1, True), (1, False), (2, None), (2, True)]
    known = attacked(table, values={"s": [True, None]}).get("background knowledge")
    assert (known.exposed.classes, known.targets) == (1, 1)


def test_numbers_without_an_end_have_no_range() -> None:
    assert attacked([(1, 0.5), (1, float("inf"))]).get("similarity").exposed.classes == 0


several = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcd"), st.integers(0, 5)), min_size=1, max_size=20)
SAME = {value: value for value in "abcd"}


@settings(max_examples=30)
@given(several)
def test_the_baseline_is_about_the_same_targets_as_the_guess(table: list[Any]) -> None:
    found = attacked(table, MEANING)
    assert found.get("inference").baseline == slow.said_of_everybody(table, SAME)
    assert found.get("category inference").baseline == slow.said_of_everybody(table, CATEGORIES)
    for name in ("singling out", "homogeneity", "inference", "similarity", "category inference"):
        assert found.get(name).advantage >= 0


@settings(max_examples=30)
@given(several, several, st.sets(st.sampled_from("abcd"), max_size=3))
def test_a_guess_per_class_is_never_worse_than_without_the_release(
    table: list[Any], more: list[Any], out: set[str]
) -> None:
    original = [*table, *((key + 5, value, person + 3) for key, value, person in more)]
    found = attacked(table, MEANING, original=original, values={"s": sorted(out)})
    assert found.get("inference").baseline == slow.said_of_everybody(table, SAME, original)
    assert found.get("category inference").baseline == slow.said_of_everybody(table, CATEGORIES, original)
    for name in ("homogeneity", "inference", "background knowledge", "similarity", "category inference"):
        assert found.get(name).advantage >= 0
