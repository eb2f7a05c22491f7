from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Domain, HierarchyError, ParameterError


def labels(hierarchy: Any, values: Any) -> list[list[Any]]:
    return [names.tolist() for names in hierarchy.bind(Domain.of("x", values)).labels[1:]]


def test_ranges_hold_about_as_many_rows_each() -> None:
    assert labels(ic.quantiles(4, 2), [1, 2, 3, 4, 5, 6, 70, 800]) == [
        ["1..2", "3..4", "5..6", "70..800"],
        ["1..4", "5..800"],
        ["*"],
    ]


def test_a_value_is_never_divided_and_missing_values_stay_apart() -> None:
    assert labels(ic.quantiles(4), [0] * 90 + [5, 6, 7, None]) == [["0", "5..7", None], ["*"]]


def test_dates_have_quantiles_too() -> None:
    days = [dt.date(2024, 1, day) for day in range(1, 5)]
    assert labels(ic.quantiles(2), days)[0] == ["2024-01-01..2024-01-02", "2024-01-03..2024-01-04"]


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
