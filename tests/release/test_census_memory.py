"""What does not fit into memory is refused before it is counted, or looked at from coarser levels on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.core import CensusRequest, EngineError
from incrowd.engines import Remembered, open_table
from incrowd.release._census import census_within_memory, fits_in_memory

SCHEMA = ic.Schema(
    quasi={"zip": ic.mask(), "age": ic.intervals(5, 10, 20, 40), "sex": ic.flat()}, sensitive=["disease"]
)
LITTLE = "150KB"
"""379 cells of four columns fit."""


def people(rows: int = 1500) -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "zip": [str(zip_) for zip_ in rng.integers(10_000, 10_400, rows)],
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["f", "m"], rows),
            "disease": rng.choice(["flu", "asthma", "hiv", "none"], rows),
        }
    )


TABLE = people()


@pytest.mark.parametrize(
    "ask",
    [
        lambda table, **more: ic.census(table, SCHEMA, **more),
        lambda table, **more: ic.check(table, SCHEMA, "k>=5", **more),
        lambda table, **more: ic.assess(table, SCHEMA, **more),
        lambda table, **more: ic.risk(table, SCHEMA, **more),
    ],
    ids=["census", "check", "assess", "risk"],
)
@pytest.mark.parametrize("kind", ["frame", "file"])
def test_a_question_about_too_many_cells_is_refused(ask: Any, kind: str, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(TABLE, tmp_path / "t.parquet")
    table = TABLE if kind == "frame" else tmp_path / "t.parquet"
    with pytest.raises(EngineError, match=r"does not fit into memory: 379 cells do\. Hint: give it more memory"):
        ask(table, memory=LITTLE)
    assert ask(table, memory="4GB") is not None


def test_a_census_at_a_floor_may_fit_where_the_whole_does_not() -> None:
    with pytest.raises(EngineError, match="or count coarser, by floor="):
        ic.census(TABLE, SCHEMA, memory=LITTLE)
    assert ic.census(TABLE, SCHEMA, floor={"zip": 2, "age": 2}, memory=LITTLE).records == 1500


def test_few_rows_or_few_values_fit_without_another_look_at_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> int:
        raise AssertionError

    monkeypatch.setattr("incrowd.release._census.census_size_about", never)
    engine = open_table(TABLE)
    assert fits_in_memory(engine, CensusRequest(("zip", "age"), ("disease",)), 1500)
    assert fits_in_memory(engine, CensusRequest(("sex",), ("disease",)), 8)


def test_a_table_that_remembers_its_answers_still_estimates(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(TABLE, tmp_path / "t.parquet")
    engine = Remembered(open_table(tmp_path / "t.parquet", memory="1KB"))
    request = CensusRequest(("zip", "age"), ("disease",))
    assert engine.census_size_about(request, 1) == engine.census_size(request)
    with pytest.raises(EngineError, match="does not fit"):
        census_within_memory(engine, request)


def test_solutions_begin_at_a_floor_and_say_so() -> None:
    asked: Any = {"model": "k>=5, l>=2[disease]", "max_suppressed": 0.05}
    whole = ic.solutions(TABLE, SCHEMA, **asked)
    found = ic.solutions(TABLE, SCHEMA, memory=LITTLE, **asked)
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
    curve = ic.frontier(TABLE, SCHEMA, values=[5, 50], memory="100KB")
    same = ic.frontier(TABLE, SCHEMA, values=[5, 50], at_least=curve.floor)
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


def test_levels_that_are_given_are_a_floor_that_loses_nothing() -> None:
    first = ic.anonymize(TABLE, SCHEMA, model="k>=5", max_suppressed=0.05)
    assert first.recipe.levels == {"zip": 2, "age": 1, "sex": 0}
    again = ic.apply(first, TABLE, max_suppressed=0.05, memory="250KB")
    assert again.table.equals(first.table)
    assert again.measures == first.measures
    assert again.recipe.floor
    assert again.recipe.notes == (
        (
            "The census of this table does not fit into memory (641 cells do), so it was taken at coarser levels. "
            "None is above the level that was given: nothing was lost by that."
        ),
    )


def test_levels_that_are_given_and_do_not_fit_are_refused() -> None:
    first = ic.anonymize(TABLE, SCHEMA, model="k>=5", max_suppressed=0.05)
    with pytest.raises(EngineError, match="not even at the highest levels"):
        ic.apply(first, TABLE, max_suppressed=0.05, memory="10KB")
