from __future__ import annotations

from typing import Any

import pytest

from incrowd.core import Domain, HierarchyError, ParameterError
from incrowd.hierarchies import bottom_coded, frequent, top_coded


def test_ninety_and_over_become_one_group_and_others_keep_their_age() -> None:
    ladder = top_coded(90).bind(Domain.of("age", [89, 90, 104]))
    assert [names.tolist() for names in ladder.labels] == [["89", "90", "104"], ["89", ">=90"], ["*"]]


def test_each_further_bound_widens_the_group() -> None:
    ladder = bottom_coded(18, 21).bind(Domain.of("age", [3, 17, 18, 20, 21]))
    assert [names.tolist() for names in ladder.labels[1:3]] == [["<18", "18", "20", "21"], ["<21", "21"]]


def test_null_is_not_coded() -> None:
    ladder = top_coded(90, 80).bind(Domain.of("age", [85, 95, None]))
    assert ladder.labels[2].tolist() == [">=80", None]


@pytest.mark.parametrize(("make", "bounds"), [(top_coded, (80, 90)), (top_coded, (90, 90)), (bottom_coded, (21, 18))])
def test_bounds_that_do_not_widen_are_refused(make: Any, bounds: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match=f"from level to level, got {bounds[0]}, {bounds[1]}"):
        make(*bounds)


def test_a_bound_is_needed() -> None:
    with pytest.raises(ParameterError, match="At least one bound"):
        top_coded()


def test_booleans_have_no_top() -> None:
    with pytest.raises(HierarchyError, match="top codes need numbers"):
        top_coded(90).bind(Domain.of("x", [True, False]))


def test_they_print_as_written() -> None:
    assert (repr(top_coded(90, 80.5)), repr(bottom_coded(18))) == ("top_coded(90, 80.5)", "bottom_coded(18)")


def counted(**counts: int) -> Domain:
    return Domain.of("job", [name for name, count in counts.items() for _ in range(count)])


def test_values_below_a_count_become_rare() -> None:
    ladder = frequent(3, 10).bind(counted(baker=2, cook=3, nurse=10, pope=1))
    assert ladder.labels[1].tolist() == ["rare (<3)", "cook", "nurse"]
    assert ladder.labels[2].tolist() == ["rare (<10)", "nurse"]


def test_a_share_is_exact_and_a_value_on_the_threshold_stays() -> None:
    ladder = frequent(0.29).bind(counted(baker=29, cook=28, nurse=43))
    assert ladder.labels[1].tolist() == ["baker", "rare (<29%)", "nurse"]


def test_missing_values_count_neither_as_a_value_nor_as_rows() -> None:
    ladder = frequent(0.5).bind(Domain.of("job", ["a", "b", "b", None, None, None, None]))
    assert ladder.labels[1].tolist() == ["rare (<50%)", "b", None]


def test_numbers_can_be_rare_too() -> None:
    assert frequent(2).bind(Domain.of("x", [1, 1, 2, 3])).labels[1].tolist() == ["1", "rare (<2)"]


@pytest.mark.parametrize("thresholds", [(), (0,), (-1,), (10, 5), (10, 10), (0.5, 10), (0.5, 0.5), (1.5, 0.5)])
def test_thresholds_that_do_not_grow_are_refused(thresholds: tuple[Any, ...]) -> None:
    with pytest.raises(ParameterError, match="at_least must be growing numbers of rows, or growing shares"):
        frequent(*thresholds)


@pytest.mark.parametrize("threshold", [1, 2.5])
def test_a_count_is_a_whole_number_from_two_on(threshold: float) -> None:
    with pytest.raises(ParameterError, match=f"at_least must be a whole number of at least 2, got {threshold}"):
        frequent(threshold)
