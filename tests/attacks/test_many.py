"""What is done differently for many people or large counts says the same."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.api._attack import _original, _target, _told
from incrowd.attacks import Outcome, _background
from incrowd.core import Classes
from incrowd.models import Ratios

ratios = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60), st.integers(1, 9)), min_size=1, max_size=12)


@given(ratios, st.sampled_from(["chance", "gain", "width"]), st.sampled_from([1, 3, 10**9 + 7]))
def test_people_are_counted_exactly_at_every_bound(rows: list[Any], unit: Any, times: int) -> None:
    table = [{"q": str(place)} for place, (_, _, size) in enumerate(rows) for _ in range(size)]
    classes = ic.census(table, ic.Schema(quasi={"q": None})).classes()
    place = [int(text) for text in classes.texts(0)]
    above, below = (np.array([rows[one][part] for one in place], dtype=np.int64) * times for part in (0, 1))
    found = _told.told(_outcome(classes, Ratios(above, below), unit), classes, ["q"])
    for bound, people in found.distribution:
        shares = [(Fraction(top, low), size) for top, low, size in rows]
        assert people == sum(size for share, size in shares if (share <= bound if unit == "width" else share >= bound))


def _outcome(classes: Classes, measured: Ratios, unit: Any) -> Outcome:
    nobody = np.zeros(len(classes), dtype=bool)
    return Outcome("some", None, "much", "little", measured, nobody, Fraction(0), 1, Fraction(0), unit)


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), min_size=1, max_size=6), st.integers(0, 3))
def test_large_counts_are_ruled_out_as_small_ones_are(classes: list[list[int]], excluded: int) -> None:
    counts = np.array([count for some in classes for count in some], dtype=np.int64)
    starts = np.cumsum([0, *map(len, classes)]).astype(np.intp)
    small = _background.after_excluding(counts, starts, excluded)
    large = _background.after_excluding(counts << 52, starts, excluded)
    assert large.right == small.right * 2**52
    assert (large.chance.numerators >> 52).tolist() == small.chance.numerators.tolist()
    assert large.certain.tolist() == small.certain.tolist()


TABLE = [{"age": age, "job": job, "s": s} for age in range(20, 36) for job in "abc" for s in "xy"]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(4, 8), "job": ic.flat()}, sensitive=["s"])


@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian()], ids=str)
def test_tables_of_all_pairs_are_used_only_where_there_is_room(monkeypatch: pytest.MonkeyPatch, algorithm: Any) -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=7", algorithm=algorithm)
    found = ic.attack(release, original=TABLE).to_dict(values=True)
    monkeypatch.setattr(_target, "MARKED", 0)
    monkeypatch.setattr(_original, "SPARSE", 0)
    assert ic.attack(release, original=TABLE).to_dict(values=True) == found
