from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import incrowd as ic
from incrowd.search import Inspection
from release.test_anonymize import FIRST, ROLES


def test_neighbours_of_a_release_are_counted_when_somebody_asks_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Any] = []
    alone = Inspection.left_out_alone

    def watched(self: Inspection, levels: Sequence[int] | None = None) -> dict[str, int]:
        counted.append(levels)
        return alone(self, levels)

    monkeypatch.setattr(Inspection, "left_out_alone", watched)
    release = ic.anonymize(FIRST, ROLES, model="k>=2, l>=2", algorithm=ic.Optimal(), at_least={"sex": 1})
    assert release.columns["age"].published == "in 2 groups instead of 4 values (level 1 of 3)"
    assert (release.columns["sex"].starred, counted) == (4, [])
    assert release.explanation.below == {"age": (4, {"k>=2": 4, "l>=2": 4})}
    assert dict(release.explanation.left_out) == {"k>=2": 0, "l>=2": 0}
    assert counted == [[0, 1], None]  # one level lower in one column, and the release itself


def test_a_release_explains_itself() -> None:
    release = ic.anonymize(FIRST, ROLES, model="k>=2, l>=2", algorithm=ic.Optimal(), at_least={"sex": 1})
    assert release.explain().splitlines() == [
        "The release keeps k>=2, l>=2.",
        "It publishes 4 of 4 records in 2 groups.",
        "0 (0.0%) are left out; 0 were allowed.",
        "",
        (
            "age: 2 groups instead of 4 values (level 1 of 3). "
            "One level finer would leave out 4 of 4 records (100.0%), which is more than the 0 allowed; k>=2 would "
            "be broken."
        ),
        "sex: not published (level 1 of 1). You asked for at least this level.",
        "",
        "1 of 2 columns that could help to recognise somebody carries nothing any more: sex.",
        "sex carries nothing. You asked for at least this level.",
        "",
        "Records that each promise leaves out alone: k>=2 0, l>=2 0. Each of them is kept by all classes.",
        "Detail kept: 33.3% on average over the columns.",
        (
            "Geometric mean of losses 0.633: 0 is the original, 1 is nothing left. "
            "No release with one level per column is better by the measure of the search."
        ),
    ]
