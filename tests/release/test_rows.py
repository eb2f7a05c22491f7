"""What single rows become in a release."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.core import CensusRequest
from incrowd.engines import open_table
from incrowd.release import published_rows, rows_with_sizes

SCHEMA = ic.Schema(quasi={"zip": ic.mask(), "age": ic.intervals(5, 10, 20, 40)}, sensitive=["disease"])


def people(rows: int = 600) -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "zip": [str(zip_) for zip_ in rng.integers(10_000, 10_400, rows)],
            "age": rng.integers(18, 90, rows),
            "disease": rng.choice(["flu", "asthma", "hiv"], rows),
        }
    )


def texts(table: pa.Table) -> list[list[str | None]]:
    return [[str(value) for value in row.values()] for row in table.to_pylist()]


@pytest.mark.parametrize("memory", [None, "60KB"])
@pytest.mark.parametrize("algorithm", [ic.Optimal(), ic.Mondrian()], ids=repr)
def test_rows_become_what_is_published_also_at_a_floor(algorithm: Any, memory: str | None) -> None:
    table = people()
    more: Any = {} if memory is None else {"memory": memory}
    release = ic.anonymize(table, SCHEMA, model="k>=5", algorithm=algorithm, **more)
    assert bool(release.recipe.floor) is (memory is not None)
    shown = published_rows(release.recoding, table.column_names, texts(table))
    assert Counter(tuple(row or ()) for row in shown) == Counter(tuple(row) for row in texts(release.table))


def test_a_value_that_the_table_does_not_have_is_in_no_class() -> None:
    release = ic.anonymize(people(), SCHEMA, model="k>=5", algorithm=ic.Mondrian(), memory="60KB")
    assert published_rows(release.recoding, ["zip", "age", "disease"], [["99999", "30", "flu"]]) == [None]


def test_rows_get_the_size_of_their_entity_and_those_of_nobody_none() -> None:
    table = [{"home": home, "age": 30} for home in ("b", "a", "b", "c", "b")]
    census = open_table(table).with_sizes("size", "home").census(CensusRequest(("home", "size")))
    rows: list[list[str | None]] = [["1", "c"], ["2", "b"], ["3", "a"], ["4", None], ["5", "z"]]
    assert rows_with_sizes(rows, 1, census) == [
        ["1", "c", "1"], ["2", "b", "3"], ["3", "a", "1"], ["4", None, None], ["5", "z", None],
    ]  # fmt: skip
