"""Two columns at a time: how they go together, and counts over ranges, against slow and obvious counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.measures import Cover, Joint, Ranges, _pairs, answers, cramers_v

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
        patch.setattr(_pairs, "COMPILED_FROM", 1)
        patch.setattr(_pairs, "_BLOCK", 3)
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
