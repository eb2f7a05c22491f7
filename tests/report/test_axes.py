from __future__ import annotations

import math
from typing import Any

import pytest

from incrowd.report._axes import Axis, day_axis, name_axis, number_axis, plain_axis, power_axis

DAY = 86_400_000


def names(axis: Axis) -> list[str]:
    return [name for _, name in axis.ticks]


@pytest.mark.parametrize(
    ("values", "how", "shown"),
    [
        ([0, 0.47], {"share": True}, ["0%", "10%", "20%", "30%", "40%", "50%"]),
        ([0.001, 0.004], {"zero": True, "share": True}, ["0.0%", "0.1%", "0.2%", "0.3%", "0.4%"]),
        ([3], {"zero": True, "whole": True}, ["0", "1", "2", "3"]),
        ([1, 2], {"whole": True}, ["1", "2"]),
        ([18, 90], {}, ["0", "20", "40", "60", "80", "100"]),
        ([-2_000, 9_000], {}, ["\N{MINUS SIGN}5,000", "0", "5,000", "10,000"]),
        ([7, 7], {}, ["2", "4", "6", "8", "10", "12"]),
        ([], {}, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_numbers_begin_and_end_at_round_ones(values: list[float], how: Any, shown: list[str]) -> None:
    axis = number_axis(values, **how)
    assert names(axis) == shown
    assert (axis.ticks[0][0], axis.ticks[-1][0]) == (0, 1)
    assert all(0 <= axis.at(value) <= 1 for value in values)


@pytest.mark.parametrize("values", [[-1.7e308, 1.7e308], [math.inf, 1, math.nan], [5e-324, 1e-300], [1e18, 1e18 + 1]])
def test_no_number_stops_the_drawing(values: list[float]) -> None:
    axis = number_axis(values)
    assert all(0 <= axis.at(value) <= 1 for value in values if math.isfinite(value))


def test_powers_are_as_far_from_each_other_as_they_are_multiples() -> None:
    axis = power_axis([1, 100])
    assert names(axis) == ["1", "2", "5", "10", "20", "50", "100"]
    assert axis.at(10) == 0.5
    assert names(power_axis([10, 1_000_000])) == ["10", "100", "1,000", "10,000", "100,000", "1,000,000"]


@pytest.mark.parametrize(
    ("length", "shown"),
    [
        (120 * 365.25, ["1980", "2000", "2020", "2040", "2060", "2080"]),
        (40 * 365.25, ["1970", "1980", "1990", "2000", "2010"]),
        (500, ["1970-01", "1970-04", "1970-07", "1970-10", "1971-01", "1971-04"]),
        (9, ["1970-01-01", "1970-01-03", "1970-01-05", "1970-01-07", "1970-01-09"]),
        (0.2, ["1970-01-01T00", "1970-01-01T01", "1970-01-01T02", "1970-01-01T03", "1970-01-01T04"]),
    ],
)
def test_moments_are_named_by_what_tells_them_apart(length: float, shown: list[str]) -> None:
    axis = day_axis([0, length * DAY])
    assert names(axis) == shown
    assert all(0 <= at <= 1 for at, _ in axis.ticks)


def test_names_stand_in_the_middle_of_their_parts_from_the_left_or_from_above() -> None:
    assert [at for at, _ in name_axis(["a", "b"]).ticks] == [0.25, 0.75]
    down = name_axis(["a", "b"], downwards=True)
    assert (down.at("a"), down.at("b"), down.step) == (0.75, 0.25, 0.5)


def test_an_axis_that_is_not_drawn_has_no_names() -> None:
    assert plain_axis([2, 4]).ticks == ()
    assert (plain_axis([2, 4]).at(3), plain_axis([2, 4], downwards=True).at(2)) == (0.5, 1)
