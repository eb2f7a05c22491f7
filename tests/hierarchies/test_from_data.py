"""Which hierarchies form their groups from the table."""

from __future__ import annotations

import numpy as np
import pytest

import incrowd as ic
from incrowd.core import Domain, Hierarchy
from incrowd.hierarchies import is_from_data

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
