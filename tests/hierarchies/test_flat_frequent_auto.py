from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from incrowd.core import Domain, ParameterError
from incrowd.hierarchies import auto, dates, flat, frequent, intervals, mask


def counted(**counts: int) -> Domain:
    return Domain.of("job", [name for name, count in counts.items() for _ in range(count)])


def test_flat_knows_only_the_value_and_the_star() -> None:
    ladder = flat().bind(Domain.of("sex", ["f", "m", None]))
    assert [names.tolist() for names in ladder.labels] == [["f", "m", None], ["*"]]


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


def test_they_print_as_written() -> None:
    assert (repr(flat()), repr(frequent(0.01, 0.05)), repr(auto())) == ("flat()", "frequent(0.01, 0.05)", "auto()")


@pytest.mark.parametrize(
    ("values", "choice"),
    [
        ([True, False], flat()),
        ([1, 2, 3, 4], flat()),
        (range(17, 91), intervals(5, 10, 20)),
        (range(731), intervals(50, 100, 200)),
        (range(5), intervals(2)),
        ([0.01, 0.02, 0.03, 0.04, 0.05], intervals(0.002, 0.01, 0.02)),
        ([Decimal(n) / 4 for n in range(9)], intervals(0.1, 0.2, 1)),
        ([10**20 + n for n in range(9)], intervals(0.5, 1, 2)),
        ([0.5, 1.5, 2.5, 3.5, float("inf")], intervals(0.2, 1)),
        ([0.5, float("inf"), float("-inf"), None], flat()),
        ([dt.date(2024, 1, day) for day in range(1, 6)], dates("month", "quarter", "year", "decade")),
        ([f"{n:05d}" for n in range(21)], mask()),
        ([f"{n:05d}" for n in range(20)], frequent(0.01, 0.05)),
        ([f"{n}" for n in range(21)], frequent(0.01, 0.05)),
        ([f"ab{chr(97 + n)}" for n in range(21)], frequent(0.01, 0.05)),
        ([f"job {n}" for n in range(11)], frequent(0.01, 0.05)),
        ([f"job {n}" for n in range(10)], flat()),
    ],
)
def test_auto_chooses_by_kind_and_number_of_values(values: Any, choice: object) -> None:
    assert auto().choose(Domain.of("x", values)) == choice


def test_auto_takes_days_first_for_timestamps() -> None:
    moments = [dt.datetime(2024, 1, 1, hour, tzinfo=dt.UTC) for hour in range(5)]
    assert auto().choose(Domain.of("x", moments)) == dates("day", "month", "quarter", "year", "decade")


def test_auto_does_not_cut_numbers_of_which_none_but_one_is_finite() -> None:
    domain = Domain("x", "number", np.array([-np.inf, 1.0, np.inf]), np.ones(3, dtype=np.int64))
    assert auto().choose(domain) == flat()


def test_auto_binds_what_it_chooses() -> None:
    domain = Domain.of("age", range(17, 91))
    assert auto().bind(domain) == intervals(5, 10, 20).bind(domain)
