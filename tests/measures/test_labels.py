"""What labels stand for, and groups to compare in: against slow and obvious counts."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Domain, Ladder
from incrowd.hierarchies import covers
from incrowd.measures import Axis, Cover, Spread, ValueGroups, comparison_groups, line_positions

TOWNS = ic.tree([("bonn", "west"), ("köln", "west"), ("kiel", "north"), ("ulm", "south")])


def bound(hierarchy: Any, values: list[Any]) -> tuple[Domain, Ladder]:
    domain = Domain.of("x", values)
    return domain, hierarchy.bind(domain)


def cover(hierarchy: Any, values: list[Any], labels: list[str | None]) -> Cover:
    domain, ladder = bound(hierarchy, values)
    return Cover.of_labels(line_positions(domain, ladder), labels, domain, ladder)


def spread(hierarchy: Any, values: list[Any], labels: list[str | None]) -> Spread:
    domain, ladder = bound(hierarchy, values)
    axis = Axis.of(domain)
    assert axis is not None
    return Spread.of_labels(axis, labels, domain, ladder)


def day(month: int, number: int) -> dt.date:
    return dt.date(2024, month, number)


def test_the_records_of_a_label_lie_evenly_in_the_range_that_it_names() -> None:
    found = spread(ic.intervals(5, 10), [20, 21, 24, 29], ["[20, 25)", "*", "29"])
    assert found.inside(1, 3).tolist() == [4 / 5, 9 / 10, 1]  # 21 to 29: four of five years, nine of ten, and itself
    assert found.between(22, 24).tolist() == [2 / 5, 2 / 10, 0]
    shares = found.on_groups(ValueGroups(np.arange(4), ("20", "21", "24", "29")))
    assert shares[0] == pytest.approx([1 / 5, 2 / 5, 2 / 5, 0])  # 22 is nearer to 21, and 23 to 24
    assert shares[1] == pytest.approx([1 / 10, 2 / 10, 4 / 10, 3 / 10])
    assert shares[2].tolist() == [0, 0, 0, 1]


def test_dates_lie_evenly_in_their_period_whatever_days_the_table_has() -> None:
    values = [day(1, 1), day(1, 2), day(1, 31), day(3, 1)]
    found = spread(ic.dates("month", "quarter"), values, ["2024-M01", "2024-Q1", "2024-03-01"])
    assert found.inside(0, 1).tolist() == [2 / 31, 2 / 91, 0]
    assert found.averages(np.zeros(4)).tolist() == [19723 + 15, 19723 + 45, 19723 + 60]


def test_fractions_lie_evenly_between_the_ends_of_their_interval() -> None:
    found = spread(ic.intervals(10), [1.5, 2.5, 9.5], ["[0, 10)", "2.5"])
    assert found.inside(0, 1) == pytest.approx([0.1, 1])
    assert found.averages(np.zeros(3)).tolist() == [5, 2.5]


def test_an_open_end_reaches_as_far_as_the_release_shows_and_no_farther() -> None:
    top = ic.intervals(5, bottom=20, top=90)
    found = spread(top, [10, 30, 88, 91, 99], ["[30, 35)", "[85, 90)", ">=90", "<20"])
    assert found.between(90, 91).tolist() == [0, 0, 1, 0]  # nothing published says that somebody is 99
    assert found.between(19, 20).tolist() == [0, 0, 0, 1]


def test_of_a_star_only_the_ends_of_the_column_are_taken_as_known() -> None:
    found = spread(ic.intervals(5), [10, 11, 12, 19], ["*"])
    assert found.inside(0, 2).tolist() == [3 / 10]
    assert spread(ic.intervals(5), [10, 18], ["*", "[15, 20)"]).between(10, 15).tolist() == [1 / 2, 0]


def test_a_mask_of_whole_numbers_is_a_range() -> None:
    assert spread(ic.mask(), [47601, 47699], ["476**"]).between(47600, 47625).tolist() == [1 / 4]


def test_a_hierarchy_of_texts_is_spread_over_what_it_has_not_over_what_the_table_has() -> None:
    found = cover(TOWNS, ["bonn", "ulm"], ["west", "*", "{west, ulm}"])
    assert found.among(np.array([True, False])).tolist() == [1 / 2, 1 / 4, 1 / 3]


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=8, unique=True),
    st.lists(st.tuples(st.integers(-5, 45), st.integers(1, 20)), min_size=1, max_size=5),
    st.tuples(st.integers(-9, 50), st.integers(0, 30)),
)
def test_a_range_of_whole_numbers_holds_the_share_of_a_label_that_counting_gives(
    values: list[int], named: list[tuple[int, int]], asked: tuple[int, int]
) -> None:
    labels: list[str | None] = [f"[{low}, {low + length})" for low, length in dict.fromkeys(named)]
    found = spread(ic.intervals(50), values, labels).between(asked[0], asked[0] + asked[1])
    slow = [
        sum(covers(label, str(one)) for one in range(asked[0], asked[0] + asked[1]))
        / sum(covers(label, str(one)) for one in range(-60, 120))
        for label in labels
    ]
    assert found == pytest.approx(slow)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=8, unique=True), st.integers(-5, 45), st.integers(1, 20))
def test_every_number_of_a_label_counts_with_the_nearest_value(values: list[int], low: int, length: int) -> None:
    domain = Domain.of("x", values)
    groups = ValueGroups(np.arange(len(values)), tuple(str(one) for one in sorted(values)))
    (found,) = spread(ic.intervals(50), values, [f"[{low}, {low + length})"]).on_groups(groups).tolist()
    slow = dict.fromkeys(domain.values.tolist(), 0.0)
    for one in range(low, low + length):
        away = min(abs(one - value) for value in values)
        near = [value for value in slow if abs(one - value) == away]
        for value in near:
            slow[value] += 1 / len(near) / length
    assert found == pytest.approx(list(slow.values()))


def test_groups_with_labels_begin_where_these_say() -> None:
    domain, ladder = bound(ic.intervals(10), [*range(20, 38), 45, 46, 47])
    groups = comparison_groups(domain, domain.counts, ladder)
    assert groups.names == ("[20, 30)", "[30, 40)", "[40, 50)")
    found = spread(ic.intervals(10), domain.values.tolist(), ["[30, 40)", "[40, 50)"]).on_groups(groups)
    assert found.tolist() == [[0, 1, 0], [0, 0, 1]]


def test_values_that_a_hierarchy_groups_stand_side_by_side() -> None:
    domain, ladder = bound(TOWNS, ["bonn", "kiel", "köln", "ulm"])
    place = line_positions(domain, ladder)
    west = [place[domain.texts.tolist().index(town)] for town in ("bonn", "köln")]
    assert abs(west[0] - west[1]) == 1
    assert cover(TOWNS, ["bonn", "kiel", "köln", "ulm"], ["west", "{bonn, ulm}"]).number.tolist() == [2, 2]


def test_a_set_need_not_be_a_stretch() -> None:
    values = ["a", "b", "c", "d"]
    found = cover(ic.flat(), values, ["{a, c}", "b"])
    assert found.inside(1, 3).tolist() == [0.5, 1.0]
    assert found.on_groups(ValueGroups(np.array([0, 0, 1, 1]), ("one", "other"))).tolist() == [[0.5, 0.5], [1, 0]]


def test_a_hierarchy_of_numbers_may_group_what_is_far_apart() -> None:
    parity = ic.tree([("1", "odd"), ("2", "even"), ("3", "odd")])
    found = spread(parity, [1, 2, 3], ["odd", "2"])
    assert found.inside(0, 0).tolist() == [0.5, 0]
    assert found.on_groups(ValueGroups(np.array([0, 1, 0]), ("odd", "even"))).tolist() == [[1, 0], [0, 1]]


def test_ranges_between_values_and_means() -> None:
    found = spread(ic.averaged(ic.intervals(5, 10)), [20, 21, 24, 29], ["20..24", "22.5", "27"])
    assert found.inside(0, 1).tolist() == [2 / 5, 0, 0]
    assert found.on_groups(ValueGroups(np.arange(4), ("20", "21", "24", "29")))[1:].tolist() == [
        [0, 1, 0, 0],
        [0, 0, 0, 1],
    ]


def test_a_missing_value_is_told_by_itself_alone() -> None:
    found = spread(ic.intervals(5), [20, 21, None], [None, "*", "[20, 25)"])
    assert found.inside(2, 2).tolist() == [1, 0, 0]
    assert found.inside(0, 2).tolist() == [1, 2 / 5, 2 / 5]
    assert found.on_groups(ValueGroups(np.array([0, 0, 1]), ("known", "missing"))).tolist() == [[0, 1], [1, 0], [1, 0]]


def test_labels_that_stand_for_nothing_are_refused_without_being_named() -> None:
    with pytest.raises(ic.ParameterError, match="1 labels of column 'x' stand for no value") as raised:
        cover(TOWNS, ["bonn", "ulm"], ["west", "CANARY"])
    assert "CANARY" not in str(raised.value)
    with pytest.raises(ic.ParameterError, match="2 labels of column 'x' stand for no value"):
        spread(ic.intervals(5), [1, 2], ["CANARY", "other", "[0, 5)"])


numbers = st.lists(st.integers(0, 30), min_size=1, max_size=12, unique=True)
intervals = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=6)


@given(numbers, intervals, st.tuples(st.integers(0, 11), st.integers(0, 11)))
def test_what_lies_inside_a_range_is_counted_label_by_label(
    values: list[int], wanted: list[tuple[int, int]], ends: tuple[int, int]
) -> None:
    labels = [f"{low}-{low + more}" for low, more in dict(wanted).items()]
    labels = [label for label in labels if any(covers(label, str(value)) for value in values)] or ["*"]
    domain, ladder = bound(ic.flat(), values)
    found = Cover.of_labels(line_positions(domain, ladder), labels, domain, ladder)
    first, last = sorted(ends)
    for label, share in zip(labels, found.inside(first, last).tolist(), strict=True):
        inside = [place for place, value in enumerate(sorted(values)) if covers(label, str(value))]
        assert share == pytest.approx(sum(first <= place <= last for place in inside) / len(inside))


def test_few_values_are_compared_as_they_are() -> None:
    domain = Domain.of("x", ["b", "a", None])
    found = comparison_groups(domain, domain.counts)
    assert (found.group.tolist(), found.names) == ([0, 1, 2], ("a", "b", "missing"))


def test_of_a_hierarchy_the_finest_level_with_at_most_twenty_groups_is_taken() -> None:
    domain, ladder = bound(ic.intervals(5, 10, 50), list(range(150)))
    found = comparison_groups(domain, domain.counts, ladder)
    assert (len(found), found.names[:2]) == (15, ("[0, 10)", "[10, 20)"))


def test_other_numbers_are_cut_into_groups_of_about_equal_size() -> None:
    domain = Domain.of("x", [*range(100), None])
    found = comparison_groups(domain, domain.counts)
    assert len(found) == 20
    assert (found.names[0], found.names[1], found.names[-1]) == ("from 0", "from 6", "missing")
    assert max(Counter(found.group.tolist()).values()) == 6


def test_of_other_texts_the_rarest_are_put_together() -> None:
    texts = [chr(97 + number) for number in range(26)]
    domain = Domain.of("x", [text for number, text in enumerate(texts) for _ in range(30 - number)])
    found = comparison_groups(domain, domain.counts)
    assert found.names == (*texts[:19], "all others")
    assert found.group.tolist() == [*range(19), *[19] * 7]
