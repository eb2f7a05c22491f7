"""Stars given back: small runs written out, and what every outcome must keep, counted person by person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.search import LocalOutcome
from search.slow import QUASI, Row, labels
from search.tables import problem, tables
from search.tables_levels import classes, rows, sizes

Pattern = tuple[Any, ...]
FIXED: dict[str, Any] = {"at_least": dict.fromkeys(QUASI, 0), "at_most": dict.fromkeys(QUASI, 0)}
THREE = ic.KAnonymity(3, candidates=True)


def covers(wide: Pattern, other: Pattern) -> bool:
    return all(one in {"*", value} for one, value in zip(wide, other, strict=True))


def fewest(counts: Mapping[Pattern, int]) -> int:
    """Count what a file shows: the records that cover a pattern, and those that lie inside of it."""
    around = [sum(n for wide, n in counts.items() if covers(wide, one)) for one in counts]
    inside = [sum(n for other, n in counts.items() if covers(one, other)) for one in counts]
    return min(*around, *inside)


def people_of(outcome: LocalOutcome) -> list[tuple[Pattern, Pattern]]:
    """Give for everybody who is published the true values at the published levels, and the pattern."""
    found, levels = classes(outcome), tuple((outcome.levels or {}).values())
    return [(labels(row, levels), pattern) for pattern, inside in found.items() if pattern for row in inside]


def searched(table: Sequence[Row], model: Any, limit: int = 0, **how: Any) -> LocalOutcome:
    return ic.LevelsAndCells(**how).search(problem(table, model, limit, **FIXED))


STRAGGLER = rows(*[("20", "ulm")] * 6, ("20", "bonn"), *[("47", "köln")] * 3, ("47", "kiel"))


def test_who_was_starred_to_hide_another_gets_the_value_back_if_others_hide_both() -> None:
    equal, kinder = (searched(STRAGGLER, ic.KAnonymity(4, candidates=word)) for word in (False, True))
    assert sizes(equal) == {("20", "f", "ulm"): 6, ("*", "f", "*"): 5}
    assert sizes(kinder) == {("20", "f", "ulm"): 6, ("20", "f", "*"): 1, ("*", "f", "*"): 4}
    assert kinder.score == pytest.approx(9 / 33)
    assert fewest(sizes(kinder)) == 4


@given(tables, st.integers(1, 4), st.integers(1, 3), st.integers(0, 2))
@settings(max_examples=150, deadline=None)
def test_everybody_fits_k_records_and_every_record_fits_k_people(
    table: list[Row], k: int, alike: int, limit: int
) -> None:
    model = ic.KAnonymity(alike) & ic.KAnonymity(k, candidates=True)
    if len(table) < max(k, alike):
        return
    outcome = ic.LevelsAndCells().search(problem(table, model, limit))
    people = people_of(outcome)
    assert len(people) == len(table) - outcome.suppressed
    published = Counter(pattern for _, pattern in people)
    for person, pattern in people:
        assert covers(pattern, person)
        assert sum(covers(other, person) for _, other in people) >= k
        assert sum(covers(pattern, other) for other, _ in people) >= k
    assert not people or fewest(published) >= k
    assert min(published.values(), default=alike) >= alike


@given(tables, st.integers(2, 4))
@settings(max_examples=100, deadline=None)
def test_no_value_is_left_that_could_be_given_back_and_nothing_costs_more_than_with_equal_records(
    table: list[Row], k: int
) -> None:
    if len(table) < k:
        return
    outcome = searched(table, ic.KAnonymity(k, candidates=True))
    people = people_of(outcome)
    for values in set(people):
        alike = people.count(values)
        person, pattern = values
        for at in (at for at, text in enumerate(pattern) if text == "*" != person[at]):
            shown = (*pattern[:at], person[at], *pattern[at + 1 :])
            counts = Counter(other for _, other in people)
            counts[pattern] -= alike
            counts[shown] += alike
            assert fewest(+counts) < k
    plain = searched(table, ic.KAnonymity(k))
    assert outcome.score is not None
    assert plain.score is not None
    assert outcome.score <= plain.score
    assert outcome.lower_bound == plain.lower_bound


@given(tables, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_rows_does_not_matter(table: list[Row], chance: Any) -> None:
    if len(table) < 3:
        return
    one, two = (searched(some, THREE) for some in (table, chance.sample(table, len(table))))
    assert Counter(people_of(one)) == Counter(people_of(two))


@given(st.lists(st.sampled_from(STRAGGLER), min_size=12, max_size=40))
@settings(max_examples=25, deadline=None)
def test_every_block_keeps_the_promise_by_itself(table: list[Row]) -> None:
    assert fewest(sizes(searched(table, THREE, block=6))) >= 3


def test_columns_that_give_each_other_back_come_back_together() -> None:
    found = sizes(searched(STRAGGLER, THREE, together=[["age", "town"]]))
    assert all((age == "*") == (town == "*") for age, _, town in found)


def test_beside_a_promise_about_values_records_that_look_the_same_are_judged() -> None:
    kinder, both = ic.LDiversity(2) & THREE, ic.LDiversity(2) & ic.KAnonymity(3)
    table = [{**row, "disease": "ab"[at % 2]} for at, row in enumerate(STRAGGLER)]
    assert sizes(searched(table, kinder)) == sizes(searched(table, both))


@pytest.mark.parametrize(("important", "shown"), [("town", ("*", "f", "bonn")), ("age", ("20", "f", "*"))])
def test_what_is_important_is_shown_first(important: str, shown: Pattern) -> None:
    others = ("31", "kiel"), ("49", "köln"), ("62", "kiel")
    table = rows(*[("20", "ulm")] * 5, *[("47", "bonn")] * 5, ("20", "bonn"), *others)
    outcome = ic.LevelsAndCells().search(problem(table, THREE, importance={important: 2}, **FIXED))
    assert sizes(outcome) == {("20", "f", "ulm"): 5, ("47", "f", "bonn"): 5, ("*", "f", "*"): 3, shown: 1}
