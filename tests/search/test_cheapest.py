"""Cheapest label first: small runs written out, what every outcome must keep, and what is refused."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import CheapestFirst, LocalOutcome, Problem, Progress
from search.slow import QUASI, Row
from search.slow_cheapest import covers, lost, overlapping
from search.tables import PROMISES, problem, tables

pytestmark = pytest.mark.filterwarnings("ignore:AlphaAssociation lists", "ignore:.* promises nothing")

promises = st.sampled_from(PROMISES)
searches = st.one_of(
    st.builds(CheapestFirst, tighten=st.booleans(), block=st.sampled_from([None, 3, 8])),
    st.builds(CheapestFirst, tighten=st.booleans(), strict=st.just(value=True)),
)


def rows(*ages_and_towns: tuple[str, str], disease: str = "a") -> list[Row]:
    return [{"age": age, "sex": "f", "town": town, "disease": disease} for age, town in ages_and_towns]


def called(outcome: LocalOutcome) -> list[tuple[Any, ...]]:
    """Give what every class is called."""
    return list(zip(*(texts.tolist() for texts in outcome.recoding.labels), strict=True))


def members(outcome: LocalOutcome) -> list[list[Row]]:
    """Give the records of every class."""
    recoding = outcome.recoding
    texts = [domain.texts[codes] for domain, codes in zip(recoding.domains.values(), recoding.codes, strict=True)]
    result: list[list[Row]] = [[] for _ in range(outcome.classes)]
    for *values, number, count in zip(*texts, recoding.classes, recoding.counts, strict=True):
        result[number] += [dict(zip(recoding.domains, values, strict=True))] * int(count)
    return result


def published(outcome: LocalOutcome) -> Counter[Any]:
    pairs = zip(members(outcome), called(outcome), strict=True)
    return Counter((tuple(row.values()), label) for part, label in pairs for row in part)


def sizes(outcome: LocalOutcome) -> dict[Any, int]:
    return dict(zip(called(outcome), outcome.sizes.tolist(), strict=True))


def test_values_that_are_frequent_stay_and_the_rest_shares_the_cheapest_label() -> None:
    table = rows(("20", "ulm"), ("20", "ulm"), ("47", "bonn"), ("47", "köln"), ("49", "bonn"), ("49", "köln"))
    outcome = CheapestFirst().search(problem(table, ic.KAnonymity(2)))
    assert sizes(outcome) == {("20", "f", "ulm"): 2, ("40s", "f", "bonn"): 2, ("40s", "f", "köln"): 2}
    assert (outcome.suppressed, outcome.proof) == (0, "heuristic")


def test_what_is_left_over_joins_the_class_with_which_it_costs_least() -> None:
    table = rows(("20", "ulm"), ("20", "ulm"), ("25", "ulm"), ("62", "kiel"), ("62", "kiel"))
    outcome = CheapestFirst().search(problem(table, ic.KAnonymity(2)))
    assert sizes(outcome) == {("20s", "f", "ulm"): 3, ("62", "f", "kiel"): 2}


def test_an_important_column_is_kept_precise() -> None:
    table = rows(("20", "ulm"), ("20", "kiel"), ("62", "ulm"), ("62", "kiel"))
    towns = CheapestFirst().search(problem(table, ic.KAnonymity(2), importance={"town": 9}))
    assert sizes(towns) == {("*", "f", "kiel"): 2, ("*", "f", "ulm"): 2}
    ages = CheapestFirst().search(problem(table, ic.KAnonymity(2), importance={"age": 9}))
    assert sizes(ages) == {("20", "f", "*"): 2, ("62", "f", "*"): 2}


def test_a_class_needs_different_values_where_the_promise_says_so() -> None:
    table = [*rows(("20", "ulm"), ("20", "ulm")), *rows(("25", "ulm"), disease="b")]
    outcome = CheapestFirst().search(problem(table, ic.LDiversity(2)))
    assert sizes(outcome) == {("20s", "f", "ulm"): 3}


def test_columns_begin_at_their_lowest_allowed_level() -> None:
    table = rows(("20", "ulm"), ("20", "ulm"), ("62", "bonn"), ("62", "bonn"))
    outcome = CheapestFirst().search(problem(table, ic.KAnonymity(2), at_least={"age": 1}))
    assert sizes(outcome) == {("20s", "f", "ulm"): 2, ("60s", "f", "bonn"): 2}


def test_an_untightened_part_of_the_strict_mode_is_called_by_its_cuts_alone() -> None:
    table = rows(("20", "ulm"), ("25", "ulm"), ("31", "ulm"), ("31", "bonn"), ("25", "bonn"))
    tight = CheapestFirst(strict=True).search(problem(table, ic.KAnonymity(2)))
    assert sizes(tight) == {("young", "f", "bonn"): 2, ("young", "f", "ulm"): 3}
    wide = CheapestFirst(strict=True, tighten=False).search(problem(table, ic.KAnonymity(2)))
    assert sizes(wide) == {("*", "*", "west"): 2, ("*", "*", "south"): 3}


@settings(max_examples=150)
@given(tables, promises, searches)
def test_every_class_covers_its_members_and_keeps_the_promise(table: list[Row], promise: Any, search: Any) -> None:
    model, ok = promise
    asked = problem(table, model)
    if not ok(table, table):
        with pytest.raises(ic.NoSafeRelease, match="records in one class break"):
            search.search(asked)
        return
    outcome = search.search(asked)
    parts, labels = members(outcome), called(outcome)
    assert len(set(labels)) == len(labels)
    assert Counter(tuple(row[name] for name in (*QUASI, "disease")) for part in parts for row in part) == Counter(
        tuple(row[name] for name in (*QUASI, "disease")) for row in table
    )
    assert all(ok(part, table) for part in parts)
    assert all(
        covers(name, text, row[name])
        for part, label in zip(parts, labels, strict=True)
        for row in part
        for name, text in zip(QUASI, label, strict=True)
    )
    assert outcome.sizes.tolist() == [len(part) for part in parts]


@settings(max_examples=50)
@given(tables, searches)
def test_the_loss_is_what_the_labels_say(table: list[Row], search: CheapestFirst) -> None:
    outcome = search.search(problem(table, ic.KAnonymity(1)))
    for at, name in enumerate(QUASI):
        slow = sum((lost(name, label[at]) * len(part) for part, label in _both(outcome)), Fraction(0))
        assert outcome.labels[at].lost @ outcome.sizes == pytest.approx(float(slow))


def _both(outcome: LocalOutcome) -> zip[tuple[Sequence[Row], tuple[Any, ...]]]:
    return zip(members(outcome), called(outcome), strict=True)


@settings(max_examples=50)
@given(tables, promises, searches, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    table: list[Row], promise: Any, search: CheapestFirst, chance: random.Random
) -> None:
    model, ok = promise
    if ok(table, table):
        mixed = chance.sample(table, len(table))
        assert published(search.search(problem(table, model))) == published(search.search(problem(mixed, model)))


@settings(max_examples=75)
@given(tables, promises, st.booleans())
def test_labels_of_the_strict_mode_do_not_overlap(table: list[Row], promise: Any, tighten: bool) -> None:
    model, ok = promise
    if ok(table, table):
        outcome = CheapestFirst(strict=True, tighten=tighten).search(problem(table, model))
        assert overlapping(called(outcome)) == []


@settings(max_examples=50)
@given(tables, st.sampled_from([2, 3]), st.booleans())
def test_records_that_are_alike_share_a_class(table: list[Row], k: int, strict: bool) -> None:
    if len(table) >= k:
        outcome = CheapestFirst(strict=strict).search(problem(table, ic.KAnonymity(k)))
        homes = {(tuple(row[name] for name in QUASI), label) for part, label in _both(outcome) for row in part}
        assert len(homes) == len({tuple(row[name] for name in QUASI) for row in table})


people = st.lists(
    st.tuples(tables.map(lambda table: table[0]), st.sampled_from(["p1", "p2", "p3", "p4", "p5"])),
    min_size=1,
    max_size=20,
)


@settings(max_examples=50)
@given(people, st.sampled_from([1, 2, 3]), st.sampled_from([None, 4]))
def test_people_with_several_rows_count_once(table: list[tuple[Row, str]], k: int, block: int | None) -> None:
    whole = [{**row, "person": person} for row, person in table]
    if len({row["person"] for row in whole}) >= k:
        outcome = CheapestFirst(block=block).search(problem(whole, ic.KAnonymity(k)))
        assert all(len({row["person"] for row in part}) >= k for part in members(outcome))


# Ranges


def ages(*values: int | None, labels: str = "range", **more: Any) -> dict[Any, int]:
    schema = ic.Schema(quasi={"age": more.pop("age", ic.intervals(10, 20, 40))})
    census = ic.census([{"age": value} for value in values], schema)
    search = CheapestFirst(labels=labels, **more)  # type: ignore[arg-type]
    outcome = search.search(Problem(census, schema, ic.KAnonymity(2)))
    return {label: size for (label,), size in sizes(outcome).items()}


def test_numbers_are_called_by_the_smallest_and_the_largest_of_the_class() -> None:
    assert ages(20, 22, 47, 49, 50) == {"20..22": 2, "47..50": 3}
    assert ages(20, 20, 22, 22) == {"20": 2, "22": 2}


def test_a_missing_number_lies_in_no_range() -> None:
    assert ages(20, 22, None, None) == {"20..22": 2, None: 2}
    assert ages(20, 22, None) == {"*": 3}


def test_strict_ranges_part_what_is_missing_first() -> None:
    assert ages(20, 22, 47, 49, None, strict=True) == {"*": 5}
    assert ages(20, 22, 47, 49, None, None, strict=True) == {"20..22": 2, "47..49": 2, None: 2}


def test_untightened_ranges_are_the_runs_with_which_classes_were_formed() -> None:
    assert ages(20, 20, 21, 24, 25, 31) == {"20": 2, "21..31": 2, "24..25": 2}
    assert ages(20, 20, 21, 24, 25, 31, tighten=False) == {"20": 2, "20..31": 2, "24..25": 2}
    assert ages(20, 22, 24, 47, strict=True, tighten=False) == {"20..22": 2, "24..47": 2}


def test_numbers_can_be_published_as_their_mean() -> None:
    averaged = ic.averaged(ic.intervals(10, 20, 40))
    assert ages(20, 22, 47, 49, age=averaged, labels="hierarchy") == {"21": 2, "48": 2}
    assert ages(20, 22, 47, 49, age=averaged, labels="hierarchy", tighten=False) == {"21": 2, "48": 2}


@settings(max_examples=75)
@given(
    st.lists(
        st.tuples(st.sampled_from([17, 20, 21, 25, 31, 62, None]), st.sampled_from("fm")), min_size=3, max_size=25
    ),
    searches,
)
def test_ranges_cover_their_members(table: list[tuple[int | None, str]], search: CheapestFirst) -> None:
    schema = ic.Schema(quasi={"age": ic.intervals(10, 20, 40), "sex": ic.flat()})
    census = ic.census([{"age": age, "sex": sex} for age, sex in table], schema)
    search = CheapestFirst("range", search.tighten, search.strict, search.block)
    outcome = search.search(Problem(census, schema, ic.KAnonymity(3)))
    assert outcome.sizes.min() >= 3
    for part, (label, _) in _both(outcome):
        for row in part:
            assert _in_range(row["age"], label)


def _in_range(age: str | None, label: str | None) -> bool:
    if age is None or label in {None, "*"}:
        return label == "*" or (age is None and label is None)
    low, _, high = str(label).partition("..")
    return int(low) <= int(age) <= int(high or low)


# What is refused


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"labels": "set"}, "labels must be 'hierarchy' or 'range', got 'set'."),
        ({"tighten": 1}, "tighten must be true or false, got 1."),
        ({"strict": None}, "strict must be true or false, got None."),
        ({"block": 0}, "block must be a whole number of at least 1, got 0."),
        ({"block": True}, "block must be a whole number of at least 1, got True."),
        ({"block": 5, "strict": True}, "block cannot be kept with strict=True"),
    ],
)
def test_wrong_parameters_are_refused(how: Any, message: str) -> None:
    with pytest.raises(ic.ParameterError, match=message.replace("(", r"\(")):
        CheapestFirst(**how)


def test_a_promise_that_classes_lose_together_is_refused() -> None:
    table = rows(("20", "ulm"), ("20", "ulm"))
    with pytest.raises(ic.ParameterError, match="puts classes together, which can break nt"):
        CheapestFirst().search(problem(table, ic.NTCloseness(2, Fraction(1, 2))))
    whole = [{**row, "person": "p"} for row in table]
    with pytest.raises(ic.ParameterError, match="shares of people do not add up"):
        CheapestFirst().search(problem(whole, ic.AlphaAssociation(Fraction(1, 2))))


def test_tells_how_many_combinations_are_done() -> None:
    told: list[Progress] = []
    table = rows(("20", "ulm"), ("20", "ulm"), ("47", "kiel"), ("47", "kiel"))
    CheapestFirst(block=2).search(problem(table, ic.KAnonymity(2)), told.append)
    assert [(one.checked, one.nodes) for one in told] == [(1, 2), (2, 2)]


def test_what_overlapping_labels_tell_is_noted() -> None:
    table = rows(("20", "ulm"), ("20", "ulm"))
    assert "may overlap" in CheapestFirst().search(problem(table, ic.KAnonymity(2))).notes[0]
    assert "No two labels overlap" in CheapestFirst(strict=True).search(problem(table, ic.KAnonymity(2))).notes[0]
