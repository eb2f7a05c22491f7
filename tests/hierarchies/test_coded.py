from __future__ import annotations

from typing import Any

import pytest

from incrowd.core import Domain, HierarchyError, ParameterError
from incrowd.hierarchies import bottom_coded, top_coded


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
