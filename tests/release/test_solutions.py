from __future__ import annotations

from typing import Any

import incrowd as ic
from release.test_census import LITTLE, MANY, WIDE


def test_solutions_begin_at_a_floor_and_say_so() -> None:
    asked: Any = {"model": "k>=5, l>=2[disease]", "max_suppressed": 0.05}
    whole = ic.solutions(MANY, WIDE, **asked)
    found = ic.solutions(MANY, WIDE, memory=LITTLE, **asked)
    assert (whole.floor, whole.notes) == ({}, ())
    assert found.floor == {"zip": 2, "age": 2}
    assert found.acceptable == [node for node in whole.acceptable if node["zip"] >= 2 and node["age"] >= 2]
    assert found.notes == (
        "The census of this table does not fit into memory (379 cells do), so it was taken at coarser levels.",
        (
            "Column 'zip' was counted at level 2: level 0 cannot keep the promise, which is proven; "
            "level 1 was not searched."
        ),
        "Column 'age' was counted at level 2: levels 0 to 1 were not searched.",
        "A release with such levels may be better: more memory would look at them.",
    )


def test_a_curve_begins_at_a_floor_and_says_so() -> None:
    curve = ic.frontier(MANY, WIDE, values=[5, 50], memory="100KB")
    same = ic.frontier(MANY, WIDE, values=[5, 50], at_least=curve.floor)
    assert curve.floor == {"zip": 2, "age": 1}
    assert curve.nodes == same.nodes
    assert (same.floor, same.notes) == ({}, ())
    assert curve.notes == (
        (
            "The census of this table does not fit into memory (256 cells do), so it was taken at coarser levels. The "
            "search saw these columns no finer than that: zip (level 2), age (level 1). A release with such levels may "
            "be better: more memory would look at them."
        ),
    )
