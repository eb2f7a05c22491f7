from __future__ import annotations

from typing import Any

import pytest

from incrowd.api._suggest._promise import promise_for
from incrowd.core import Domain


def promised(values: list[Any], *, by_person: bool = False) -> str | None:
    promise, why = promise_for(Domain.of("x", values), by_person=by_person)
    assert (promise is None) == bool(why)
    return None if promise is None else str(promise)


@pytest.mark.parametrize(
    ("values", "promise"),
    [
        (["a", "b"] * 50, None),
        (["a"] * 100, None),
        ([None] * 100, None),
        (["a", "b", "c"] * 30, "l>=2[x]"),
        (["a", "b", "c", "d"] * 25, "l>=3[x]"),
        (["a"] * 95 + ["b", "c", "d", "e", "f"], None),
        (["a"] * 70 + ["b"] * 25 + ["c", "d", "e", "f", "g"], "l>=2[x]"),
        (list(range(100)), "t<=0.3[x, ordered]"),
        ([*range(90), *[None] * 10], "l>=3[x]"),
    ],
)
def test_a_promise_fits_the_values_of_a_column(values: list[Any], promise: str | None) -> None:
    assert promised(values) == promise


def test_distances_are_not_promised_where_people_have_several_rows() -> None:
    assert promised(list(range(100)), by_person=True) == "l>=3[x]"


def test_missing_values_are_no_diversity() -> None:
    assert promised(["a", "b", None] * 30) is None
    assert promised([*["a", "b", "c", "d"] * 4, *[None] * 84]) is None
