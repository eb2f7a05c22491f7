"""Labels are disjoint if no value can be meant by two of them."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, strategies as st

from incrowd.hierarchies import covers, disjoint


@pytest.mark.parametrize(
    "labels",
    [
        [],
        ["*"],
        [None],
        ["flu", "hiv", None],
        ["1", "1.0", "25"],
        ["476**", "479**", "47605"[:4] + "*x"],
        ["<30", "3*", ">=40"],
        ["20-29", "30-39", ">=40", "19"],
        ["[20, 30)", "[30, 40)", "40"],
        ["(5, 5)", "5"],
        ["2023", "2024-Q1", "2024-05-01"],
        ["2024-Q1", "2024-04-01 00:00:00", "June"],
        ["2024-01-01..2024-01-31", "2024-M02"],
        ["2020s", "2034", "19xx"],
        ["A10", "B20", "ward 3"],
        ["20+", "Europe"],
        ["Europe", "France", "25"],
        ["a*", "5-6"],
        ["202*-Q", "2024"],
    ],
)
def test_disjoint_labels(labels: list[str | None]) -> None:
    assert disjoint(labels)


@pytest.mark.parametrize(
    "labels",
    [
        ["*", "flu"],
        ["", None],
        ["476**", "4767*"],
        ["476**", "47605"],
        ["*5", "2*"],
        ["20-29", "25"],
        ["20-29", "29-39"],
        ["[20, 30]", "30"],
        ["<30", "<40"],
        ["20-39", "3*"],
        ["2**", ">=500"],
        ["5-5", "5"],
        ["2000-2030", "2024"],
        ["2024", "2024-Q1"],
        ["2020s", "2024"],
        ["2024-Q1", "2024-03-01 12:00:00"],
        ["2024-01-01..2024-01-31", "2024-M01"],
        ["2024-**-**", "2023"],
        ["20+", "25"],
        ["\u226520", "25"],
        ["20\u201329", "25"],
        ["20 to 29", "25"],
        ["20 to 29", "20-29"],
        ["over 20", "2*"],
        ["20+", ">=30"],
        ["20+", "30+"],
        ["spring 2024", "2024-Q1"],
    ],
)
def test_labels_that_overlap_or_may_overlap(labels: list[str | None]) -> None:
    assert not disjoint(labels)


def test_masks_of_too_many_shapes_count_as_overlapping() -> None:
    shapes = ["".join(letters) for letters in itertools.product("x*", repeat=7)][1:-1]
    assert not disjoint([f"{number:03d}{shape}" for number, shape in enumerate(shapes)])


def test_sets_are_compared_member_by_member() -> None:
    assert disjoint(["{a, b}", "{c, d}", "e"])
    assert not disjoint(["{a, b}", "{b, c}"])
    assert not disjoint(["{a, b}", "b"])
    assert not disjoint(["{1, 2}", "2-3"])
    assert not disjoint(['{"[20, 25)", "[25, 30)"}', "22"])


def test_many_plain_values_take_no_time() -> None:
    assert disjoint([f"{number:05d}" for number in range(99_990)] + ["9999*"])
    assert not disjoint([f"{number:05d}" for number in range(100_000)] + ["9999*"])


labels = st.one_of(
    st.from_regex(re.compile(r"[12*]{1,2}", re.ASCII), fullmatch=True),
    st.builds(lambda low, more: f"{low}-{low + more}", st.integers(0, 30), st.integers(0, 9)),
    st.builds(lambda sign, number: f"{sign}{number}", st.sampled_from(["<", "<=", ">", ">="]), st.integers(0, 30)),
    st.integers(0, 30).map(str),
)


@given(first=labels, second=labels)
def test_two_disjoint_labels_cover_no_common_value(first: str, second: str) -> None:
    values = [*map(str, range(40)), first, second]
    common = any(covers(first, value) and covers(second, value) for value in values)
    if first != second and common:
        assert not disjoint([first, second])
