from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Domain, HierarchyError, ParameterError, UncoveredValuesError
from incrowd.hierarchies import Intervals, intervals


def labels(hierarchy: Intervals, values: list[Any], level: int = 1) -> list[str]:
    ladder = hierarchy.bind(Domain.of("x", values))
    return ladder.labels[level][ladder.groups[level]].tolist()  # type: ignore[no-any-return]


def test_an_interval_holds_its_lower_end_and_not_its_upper_end() -> None:
    assert labels(intervals(5), [19, 20, 24, 25]) == ["[15, 20)", "[20, 25)", "[20, 25)", "[25, 30)"]


def test_widths_are_levels_and_the_last_level_is_a_star() -> None:
    ladder = intervals(5, 10, 20).bind(Domain.of("age", [3, 7, 12, 17, 21]))
    assert [names.tolist() for names in ladder.labels[2:]] == [
        ["[0, 10)", "[10, 20)", "[20, 30)"],
        ["[0, 20)", "[20, 40)"],
        ["*"],
    ]


def test_a_star_stands_above_even_a_single_interval() -> None:
    assert [len(names) for names in intervals(10).bind(Domain.of("age", [3, 7])).labels] == [2, 1, 1]


def test_negative_numbers_lie_in_intervals_below_zero() -> None:
    assert labels(intervals(10), [-11, -10, -1, 0]) == ["[-20, -10)", "[-10, 0)", "[-10, 0)", "[0, 10)"]


def test_start_moves_all_intervals() -> None:
    assert labels(intervals(10, start=3), [2, 3, 13]) == ["[-7, 3)", "[3, 13)", "[13, 23)"]


def test_bottom_and_top_cut_the_intervals_at_the_ends() -> None:
    hierarchy = intervals(5, 10, bottom=18, top=88)
    assert labels(hierarchy, [17, 18, 87, 88, 99]) == ["<18", "[18, 20)", "[85, 88)", ">=88", ">=88"]
    assert labels(hierarchy, [17, 18, 87, 88, 99], level=2) == ["<18", "[18, 20)", "[80, 88)", ">=88", ">=88"]


def test_a_float_counts_as_the_decimal_that_is_written() -> None:
    assert labels(intervals(0.1), [0.3, 0.7, 0.75]) == ["[0.3, 0.4)", "[0.7, 0.8)", "[0.7, 0.8)"]


def test_a_float_a_hair_above_a_bound_is_above_it() -> None:
    assert labels(intervals(0.1), [0.1 + 0.2, 0.29999999999999993]) == ["[0.2, 0.3)", "[0.3, 0.4)"]


def test_a_width_that_is_no_decimal_is_written_as_a_fraction() -> None:
    third = intervals(Fraction(1, 3))
    assert labels(third, [0.1, 0.3333, 0.3334, 1.5]) == ["[0, 1/3)", "[0, 1/3)", "[1/3, 2/3)", "[4/3, 5/3)"]
    assert labels(third, [0.3333333333333333, 0.6666666666666667]) == ["[0, 1/3)", "[2/3, 1)"]
    assert labels(intervals(Fraction(1, 6)), [0.5, 0.51]) == ["[0.5, 2/3)", "[0.5, 2/3)"]


def test_decimals_and_very_large_integers_are_exact() -> None:
    assert labels(intervals(0.01), [Decimal("0.29"), Decimal("0.299")]) == ["[0.29, 0.3)", "[0.29, 0.3)"]
    assert labels(intervals(10), [2**70, 2**70 + 10]) == [
        "[1180591620717411303420, 1180591620717411303430)",
        "[1180591620717411303430, 1180591620717411303440)",
    ]


def test_numbers_near_the_end_of_64_bits_do_not_overflow() -> None:
    assert labels(intervals(10), [-(2**63), 2**63 - 1]) == [
        "[-9223372036854775810, -9223372036854775800)",
        "[9223372036854775800, 9223372036854775810)",
    ]


@pytest.mark.parametrize("width", [1e-300, Fraction(1, 10**400)])
def test_a_width_far_below_the_numbers_is_still_exact(width: float | Fraction) -> None:
    ladder = intervals(width).bind(Domain.of("x", [0.5, 1.5e10]))
    assert ladder.labels[1][0].startswith("[0.5, 0.50000")


def test_bounds_too_large_for_a_float_still_separate() -> None:
    hierarchy = intervals(10**400, bottom=-(10**400), top=10**400)
    assert labels(hierarchy, [0.5, 1.5]) == [f"[0, 1{'0' * 400})"] * 2


def test_bounds_are_exact_for_floats_too() -> None:
    hierarchy = intervals(10, bottom=Decimal("0.30000000000000001"), top=0.7)
    assert labels(hierarchy, [0.3, 0.5, 0.7]) == ["<0.30000000000000001", "[0.30000000000000001, 0.7)", ">=0.7"]


def test_text_that_reads_as_numbers_is_cut_into_intervals() -> None:
    ladder = intervals(5).bind(Domain.of("age", ["007", "12", "1.5e1"]))
    assert ladder.labels[0].tolist() == ["007", "1.5e1", "12"]
    assert ladder.labels[1].tolist() == ["[5, 10)", "[15, 20)", "[10, 15)"]


def test_text_that_is_no_number_is_counted_and_carried_but_not_shown() -> None:
    with pytest.raises(UncoveredValuesError, match="Column 'age' has 2 of 3 values that are no finite") as caught:
        intervals(5).bind(Domain.of("age", ["12", "canary", "1/3"]))
    assert set(caught.value.values) == {"canary", "1/3"}
    assert "canary" not in str(caught.value)


def test_infinity_lies_in_no_interval() -> None:
    with pytest.raises(UncoveredValuesError, match="1 of 2 values"):
        intervals(5).bind(Domain.of("x", [1.5, float("inf")]))
    with pytest.raises(UncoveredValuesError, match="1 of 2 values"):
        intervals(5).bind(Domain.of("x", [Decimal("1.5"), Decimal("Infinity")]))


def test_dates_and_booleans_are_refused_with_a_hint() -> None:
    with pytest.raises(HierarchyError, match=r"kind boolean; intervals need numbers.*flat\(\)"):
        intervals(5).bind(Domain.of("x", [True, False]))
    with pytest.raises(HierarchyError, match=r"kind date; .*dates\(...\)"):
        intervals(5).bind(Domain("x", "date", np.array(["2024-01-01"], "datetime64[D]"), np.array([1])))


def test_missing_values_stay_apart_until_the_star() -> None:
    ladder = intervals(5).bind(Domain.of("age", [3, None]))
    assert [names.tolist() for names in ladder.labels] == [["3", None], ["[0, 5)", None], ["*"]]


def test_a_column_without_values_is_no_trouble() -> None:
    assert intervals(5).bind(Domain.of("age", [])).height == 2
    assert intervals(5).bind(Domain("age", "number", np.array([], dtype=np.int64), np.array([]))).height == 2


@pytest.mark.parametrize(
    ("widths", "message"),
    [
        ((), "at least one width"),
        ((0,), "width must be above 0, got 0"),
        ((5, 12), "12 is not a whole multiple of 5"),
        ((5, 5), "5 is not a whole multiple of 5"),
        ((10, 5), "5 is not a whole multiple of 10"),
        ((0.1, 0.25), "0.25 is not a whole multiple of 0.1"),
        (("5",), "width must be a finite number, got '5'"),
        ((True,), "width must be a finite number, got True"),
        ((float("nan"),), "width must be a finite number, got nan"),
        ((None,), "width must be a finite number, got NoneType"),
    ],
)
def test_widths_that_make_no_ladder_are_refused_when_written(widths: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        intervals(*widths)


def test_bottom_must_be_below_top() -> None:
    with pytest.raises(ParameterError, match="bottom=90 and top=18"):
        intervals(5, bottom=90, top=18)


def test_equal_parameters_are_equal_objects_and_print_as_written() -> None:
    assert intervals(5, np.float64(10), start=0.5) == intervals(5.0, Decimal(10), start=Fraction(1, 2))
    assert repr(intervals(0.5, 10, bottom=-1, top=90)) == "intervals(0.5, 10, start=0, bottom=-1, top=90)"


def test_floats_that_missed_their_bound_by_rounding_match_exact_arithmetic() -> None:
    values = np.unique([np.arange(1000) * 0.1, np.nextafter(np.arange(1000) / 10, -1), np.arange(1000) / 10])
    ladder = intervals(0.1).bind(Domain("x", "number", values, np.ones(len(values), dtype=np.int64)))
    exact = [Fraction(repr(value)) // Fraction(1, 10) for value in values.tolist()]
    starts = [Fraction(ladder.labels[1][group][1:].partition(",")[0]) * 10 for group in ladder.groups[1]]
    assert starts == exact


def test_text_numbers_of_any_size_share_one_scale() -> None:
    assert labels(intervals(10), ["1e30", "5"]) == [
        "[1000000000000000000000000000000, 1000000000000000000000000000010)",
        "[0, 10)",
    ]


def levels_of(hierarchy: Any, values: Any) -> list[list[Any]]:
    return [names.tolist() for names in hierarchy.bind(Domain.of("x", values)).labels[1:]]


def test_ranges_hold_about_as_many_rows_each() -> None:
    assert levels_of(ic.quantiles(4, 2), [1, 2, 3, 4, 5, 6, 70, 800]) == [
        ["1..2", "3..4", "5..6", "70..800"],
        ["1..4", "5..800"],
        ["*"],
    ]


def test_a_value_is_never_divided_and_missing_values_stay_apart() -> None:
    assert levels_of(ic.quantiles(4), [0] * 90 + [5, 6, 7, None]) == [["0", "5..7", None], ["*"]]


def test_dates_have_quantiles_too() -> None:
    days = [dt.date(2024, 1, day) for day in range(1, 5)]
    assert levels_of(ic.quantiles(2), days)[0] == ["2024-01-01..2024-01-02", "2024-01-03..2024-01-04"]


@given(st.lists(st.integers(-50, 50), min_size=1), st.sampled_from([(2,), (4, 2), (8, 4, 2), (10, 5)]))
def test_no_range_holds_more_than_its_share_and_one_value(values: list[int], parts: tuple[int, ...]) -> None:
    domain = Domain.of("x", values)
    ladder = ic.quantiles(*parts).bind(domain)
    most = int(domain.counts.max())
    for count, groups in zip(parts, ladder.groups[1:], strict=False):
        for group in set(groups.tolist()):
            assert domain.counts[groups == group].sum() <= len(values) / count + most


@pytest.mark.parametrize(
    ("parts", "message"), [((), "got none"), ((5, 2), "must nest"), ((2, 4), "must nest"), ((1,), "at least 2")]
)
def test_parts_that_do_not_nest_are_refused(parts: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ic.quantiles(*parts)


def test_text_has_no_quantiles() -> None:
    with pytest.raises(HierarchyError, match="kind text and has no order of its own"):
        ic.quantiles(2).bind(Domain.of("x", ["a"]))
