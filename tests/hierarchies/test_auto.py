from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.core import Domain, Hierarchy
from incrowd.hierarchies import Intervals, auto, dates, flat, frequent, frequent_for, intervals, is_from_data, mask


def counted(**counts: int) -> Domain:
    return Domain.of("job", [name for name, count in counts.items() for _ in range(count)])


def test_flat_knows_only_the_value_and_the_star() -> None:
    ladder = flat().bind(Domain.of("sex", ["f", "m", None]))
    assert [names.tolist() for names in ladder.labels] == [["f", "m", None], ["*"]]


def test_they_print_as_written() -> None:
    assert (repr(flat()), repr(frequent(0.01, 0.05)), repr(auto())) == ("flat()", "frequent(0.01, 0.05)", "auto()")


DAY = dt.date(2024, 1, 1)


def days(*numbers: int) -> list[dt.date]:
    return [DAY + dt.timedelta(number) for number in numbers]


@pytest.mark.parametrize(
    ("values", "choice"),
    [
        ([True, False], flat()),
        ([1, 2, 3, 4], flat()),
        (range(17, 91), intervals(5, 10, 20)),
        (range(731), intervals(50, 100, 200)),
        (range(5), intervals(2, 4)),
        (range(1, 11), intervals(2, 4, 8, start=1)),
        (range(31), intervals(2, 10, 20)),
        ([n / 10 for n in range(20)], intervals(0.2, 0.4, 0.8)),
        ([0.01, 0.02, 0.03, 0.04, 0.05], intervals(0.02, 0.04)),
        ([Decimal(n) / 4 for n in range(9)], intervals(0.5, 1, 2)),
        ([10**20 + n for n in range(9)], intervals(2, 4, 8)),
        ([*range(20, 80), 99_999], intervals(5, 10, 20, top=80)),
        ([-999, *range(100)], intervals(5, 10, 20, bottom=0)),
        ([0] * 900 + [100 * n for n in range(1, 101)], intervals(500, 1000, 2000)),
        ([0.5, 1.5, 2.5, 3.5, float("inf")], intervals(2)),
        ([0.5, float("inf"), float("-inf"), None], flat()),
        (days(0, 1, 2, 3, 4), flat()),
        (days(*range(20)), dates("week")),
        (days(*range(90)), dates("week", "month")),
        (days(*range(0, 700, 2)), dates("week", "month", "quarter", "year")),
        (days(*range(0, 20_000, 20)), dates("month", "quarter", "year", "decade")),
        (days(0, 400, 800, 1200, 9000), dates("decade")),
        ([str(day) for day in days(*range(90))], dates("week", "month")),
        ([f"{day} 10:30" for day in days(*range(90))], dates("week", "month")),
        ([f"{day:%Y%m%d}" for day in days(*range(90))], dates("week", "month", format="%Y%m%d")),
        ([int(f"{day:%Y%m%d}") for day in days(*range(90))], dates("week", "month", format="%Y%m%d")),
        ([20240230, *range(20240301, 20240331)], intervals(2, 10, 20, bottom=20240300)),
        ([f"{n:05d}" for n in range(21)], mask()),
        ([f"{n:05d}" for n in range(20)], flat()),
        ([f"{n}" for n in range(21)], flat()),
        ([f"job {n}" for n in range(11)], flat()),
        ([f"job {n}" for n in range(40)] + ["nurse"] * 500, frequent(0.01)),
        ([f"job {n}" for n in range(40)] + ["nurse"] * 500 + ["cook", "judge"] * 20, frequent(0.01, 0.05)),
        ([f"job {n}" for n in range(10)], flat()),
    ],
)
def test_auto_chooses_by_kind_spread_and_number_of_values(values: Any, choice: object) -> None:
    assert auto().choose(Domain.of("x", values)) == choice


def test_auto_takes_days_first_for_timestamps() -> None:
    moments = [dt.datetime(2024, 1, day, hour, tzinfo=dt.UTC) for day in (1, 2, 9) for hour in range(5)]
    assert auto().choose(Domain.of("x", moments)) == dates("day", "week")


@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=5)
    | st.lists(st.floats(-1e6, 1e6), min_size=5)
    | st.lists(st.decimals(-1000, 1000, places=2), min_size=5)
    | st.lists(st.dates(), min_size=5)
    | st.lists(st.datetimes(), min_size=5)
    | st.lists(st.text("abc", min_size=1), min_size=5)
)
def test_every_level_that_auto_chooses_changes_something(values: list[Any]) -> None:
    domain = Domain.of("x", values)
    ladder = auto().bind(domain)
    sizes = [len(labels) for labels in ladder.labels]
    if len(domain.values) == 1:
        return
    assert sizes == sorted(set(sizes), reverse=True)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60).map(lambda values: [f"v{value}" for value in values]))
def test_rare_values_that_auto_groups_are_never_all(values: list[str]) -> None:
    chosen = frequent_for(Domain.of("x", values), 0.2, 0.4)
    if chosen is not None:
        assert all(len(labels) > 1 for labels in chosen.bind(Domain.of("x", values)).labels[:-1])


@given(st.integers(30, 5_000), st.integers(-1_000, 1_000), st.sampled_from([1, 3, 10, Decimal("0.1"), 0.25]))
def test_evenly_spread_numbers_get_three_levels(count: int, first: int, step: Any) -> None:
    chosen = auto().choose(Domain.of("x", [(first + number) * step for number in range(count)]))
    assert isinstance(chosen, Intervals)
    assert len(chosen.widths) >= 3


def test_auto_does_not_cut_numbers_of_which_none_but_one_is_finite() -> None:
    domain = Domain("x", "number", np.array([-np.inf, 1.0, np.inf]), np.ones(3, dtype=np.int64))
    assert auto().choose(domain) == flat()


def test_auto_binds_what_it_chooses() -> None:
    domain = Domain.of("age", range(17, 91))
    assert auto().bind(domain) == intervals(5, 10, 20).bind(domain)


FROM_DATA: dict[str, Hierarchy] = {
    "auto": ic.auto(),
    "frequent": ic.frequent(0.2),
    "ordered": ic.ordered(None, 2),
    "quantiles": ic.quantiles(2),
    "averaged": ic.averaged(ic.ordered(None, 2)),
}
FIXED: dict[str, Hierarchy] = {
    "intervals": ic.intervals(10, 20),
    "mask": ic.mask(),
    "dates": ic.dates("year"),
    "top_coded": ic.top_coded(20),
    "bottom_coded": ic.bottom_coded(20),
    "tree": ic.tree({"a": ["1", "2", "3"], "b": ["10", "11", "40", "950"]}),
    "postcodes": ic.postcodes("CH"),
    "classification": ic.classification("isco-08"),
    "ordered": ic.ordered([1, 2, 3, 10, 11, 40, 950], 2),
    "flat": ic.flat(),
    "averaged": ic.averaged(ic.intervals(10, 20)),
}


def domain(values: list[int]) -> Domain:
    return Domain("q", "number", np.array(values), np.array([3] * (len(values) - 1) + [1]))


def label_of_ten(hierarchy: Hierarchy, more: list[int]) -> str | None:
    """Give the label of the value 10 one level up, in a table with 11 and more values."""
    found = domain(sorted([10, 11, *more]))
    ladder = hierarchy.bind(found)
    label: str | None = ladder.labels[1][ladder.groups[1][found.values.tolist().index(10)]]
    return label


@pytest.mark.parametrize("name", FROM_DATA)
def test_groups_of_these_change_with_the_other_values(name: str) -> None:
    assert is_from_data(FROM_DATA[name])
    assert label_of_ten(FROM_DATA[name], [1, 2, 3]) != label_of_ten(FROM_DATA[name], [1, 2, 40, 950])


@pytest.mark.parametrize("name", FIXED)
def test_groups_of_these_do_not(name: str) -> None:
    assert not is_from_data(FIXED[name])
    if name not in {"dates", "postcodes"}:  # of which 10 is none
        assert label_of_ten(FIXED[name], [1, 2, 3]) == label_of_ten(FIXED[name], [1, 2, 40, 950])


def test_a_column_without_a_hierarchy_gets_an_automatic_one() -> None:
    assert is_from_data(None)
    assert not is_from_data(ic.ordered(None))  # no groups but one for all
