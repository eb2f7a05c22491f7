"""What labels stand for, groups to compare in, two columns at a time: against slow and obvious counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.core import Domain, Ladder
from incrowd.hierarchies import covers
from incrowd.measures import Cover, Joint, Ranges, _utility_pairs, answers, comparison_groups, cramers_v, in_line

TOWNS = ic.tree([("bonn", "west"), ("köln", "west"), ("kiel", "north"), ("ulm", "south")])


def bound(hierarchy: Any, values: list[Any]) -> tuple[Domain, Ladder]:
    domain = Domain.of("x", values)
    return domain, hierarchy.bind(domain)


def cover(hierarchy: Any, values: list[Any], labels: list[str | None]) -> Cover:
    domain, ladder = bound(hierarchy, values)
    return Cover.of_labels(in_line(domain, ladder), labels, domain, ladder)


def test_the_records_of_a_label_are_spread_evenly_over_the_values_it_covers() -> None:
    found = cover(ic.intervals(5, 10), [20, 21, 24, 29], ["[20, 25)", "*", "29"])
    assert found.number.tolist() == [3, 4, 1]
    assert found.on_values(np.array([6, 4, 2])).tolist() == [3, 3, 3, 3]
    assert found.inside(1, 3).tolist() == [2 / 3, 3 / 4, 1]


def test_values_that_a_hierarchy_groups_stand_side_by_side() -> None:
    domain, ladder = bound(TOWNS, ["bonn", "kiel", "köln", "ulm"])
    place = in_line(domain, ladder)
    west = [place[domain.texts.tolist().index(town)] for town in ("bonn", "köln")]
    assert abs(west[0] - west[1]) == 1
    assert cover(TOWNS, ["bonn", "kiel", "köln", "ulm"], ["west", "{bonn, ulm}"]).number.tolist() == [2, 2]


def test_a_set_need_not_be_a_stretch() -> None:
    values = ["a", "b", "c", "d"]
    found = cover(ic.flat(), values, ["{a, c}", "b"])
    assert found.on_values(np.array([4, 1])).tolist() == [2, 1, 2, 0]
    assert found.inside(1, 3).tolist() == [0.5, 1.0]
    assert found.on_groups(np.array([0, 0, 1, 1]), 2).tolist() == [[0.5, 0.5], [1, 0]]


def test_a_hierarchy_of_numbers_may_group_what_is_far_apart() -> None:
    parity = ic.tree([("1", "odd"), ("2", "even"), ("3", "odd")])
    assert cover(parity, [1, 2, 3], ["odd", "2"]).on_values(np.array([4, 1])).tolist() == [2, 1, 2]


def test_ranges_between_values_and_means() -> None:
    found = cover(ic.averaged(ic.intervals(5, 10)), [20, 21, 24, 29], ["20..24", "22", "27"])
    assert (found.low.tolist(), found.high.tolist()) == ([0, 1, 3], [2, 1, 3])  # 22 is nearest to 21, 27 to 29


def test_a_missing_value_is_covered_by_itself_and_by_the_star() -> None:
    found = cover(ic.intervals(5), [20, 21, None], [None, "*", "[20, 25)"])
    assert found.number.tolist() == [1, 3, 2]


def test_labels_that_stand_for_nothing_are_refused_without_being_named() -> None:
    with pytest.raises(ic.ParameterError, match="1 labels of column 'x' stand for no value") as raised:
        cover(TOWNS, ["bonn", "ulm"], ["west", "CANARY"])
    assert "CANARY" not in str(raised.value)
    with pytest.raises(ic.ParameterError, match="2 labels of column 'x' stand for no value"):
        cover(ic.intervals(5), [1, 2], ["CANARY", "other", "[0, 5)"])


numbers = st.lists(st.integers(0, 30), min_size=1, max_size=12, unique=True)
intervals = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=6)


@given(numbers, intervals, st.tuples(st.integers(0, 11), st.integers(0, 11)))
def test_what_lies_inside_a_range_is_counted_label_by_label(
    values: list[int], wanted: list[tuple[int, int]], ends: tuple[int, int]
) -> None:
    labels = [f"{low}-{low + more}" for low, more in dict(wanted).items()]
    labels = [label for label in labels if any(covers(label, str(value)) for value in values)] or ["*"]
    domain, ladder = bound(ic.flat(), values)
    found = Cover.of_labels(in_line(domain, ladder), labels, domain, ladder)
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


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=20)


def counted(rows: list[tuple[int, int, int]]) -> dict[tuple[int, int], int]:
    """Count pairs one by one."""
    expected: Counter[tuple[int, int]] = Counter()
    for one, two, count in rows:
        expected[one, two] += count
    return expected


def as_dict(joint: Joint) -> dict[tuple[int, int], int]:
    found = zip(joint.left.tolist(), joint.right.tolist(), joint.counts.tolist(), strict=True)
    return {(one, two): count for one, two, count in found}


@given(pairs, st.booleans())
def test_pairs_are_counted_however_many_there_could_be(rows: list[tuple[int, int, int]], many: bool) -> None:
    left, right, counts = (np.array(part) for part in zip(*rows, strict=True))
    joint = Joint.of(left, right, counts, (1 << 23, 3) if many else (4, 3))
    assert as_dict(joint) == counted(rows)
    shares = np.eye(4)[:, :2] + np.eye(4)[:, 2:], np.eye(3)
    table = joint.on_groups(*shares)
    for (row, column), value in np.ndenumerate(table):
        assert value == sum(count for one, two, count in rows if one % 2 == row and two == column)


@given(pairs, st.sampled_from([1, 200, 2**30, 2**33]))
def test_pairs_of_very_many_cells_are_counted_alike(rows: list[tuple[int, int, int]], times: int) -> None:
    rows = [(one, two, count * times) for one, two, count in rows]
    left, right, counts = (np.array(part) for part in zip(*rows, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_utility_pairs, "COMPILED_FROM", 1)
        patch.setattr(_utility_pairs, "_BLOCK", 3)
        joint = Joint.of(left.astype(np.uint8), right.astype(np.uint16), counts, (4, 3))
    assert as_dict(joint) == counted(rows)
    assert joint.left.tolist() == sorted(joint.left.tolist())
    assert {part.dtype for part in (joint.left, joint.right, joint.counts)} == {np.dtype(np.int64)}


def test_cramers_v_by_hand() -> None:
    assert cramers_v(np.array([[5.0, 0], [0, 5]])) == 1
    assert cramers_v(np.array([[2.0, 4], [3, 6]])) == pytest.approx(0, abs=1e-9)
    # chi squared of this table is 20 (9·9 - 1·1)² · ... = 12.8
    assert cramers_v(np.array([[9.0, 1], [1, 9]])) == pytest.approx(0.8)
    assert cramers_v(np.array([[9.0, 1, 0], [1, 9, 0], [0, 0, 0]])) == pytest.approx(0.8)
    assert cramers_v(np.array([[3.0, 4]])) == cramers_v(np.zeros((2, 2))) == 0


def test_a_shape_keeps_two_tables_comparable() -> None:
    assert cramers_v(np.array([[5.0, 0, 0], [0, 5, 0]]), (3, 3)) == pytest.approx(0.5**0.5)


def test_a_range_begins_at_a_record_and_holds_about_a_share_of_them() -> None:
    counts = np.full(100, 10)
    chance = np.random.default_rng(0)
    for _ in range(50):
        drawn = Ranges.draw(chance, counts, np.array([1, 1]), 0.3)
        assert 30 <= drawn.left[1] - drawn.left[0] + 1 <= 31
        assert 0 <= drawn.right[0] <= drawn.right[1] <= 1


def test_a_question_is_answered_from_values_exactly() -> None:
    joint = Joint.of(np.array([0, 1, 2]), np.array([0, 1, 1]), np.array([5, 7, 9]), (3, 2))
    left, right = (Cover.of_values(np.arange(size), np.arange(size)) for size in (3, 2))
    assert answers([Ranges((0, 1), (1, 1))], joint, left, right).tolist() == [7]
