"""A star becomes nothing on the way to a file, and nothing a star on the way back, in relations and in Arrow alike."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pytest

from incrowd.engines import Wording
from incrowd.engines.formats._stars import (
    batches_without_stars,
    relation_with_stars,
    relation_without_stars,
    with_stars,
    without_stars,
)

TABLE = pa.table({"a.ge": ["31", "*", None], "town": ["*", "A*", "B"], "ill": ["*", "x", None]})
WORDING = Wording(stars=("town", "a.ge"), numbers=("a.ge",))
WRITTEN = {"a.ge": [31, None, None], "town": [None, "A*", "B"], "ill": ["*", "x", None]}


def of_relation(table: pa.Table) -> Any:
    return relation_without_stars(duckdb.from_arrow(table), WORDING).to_arrow_table()


def of_batches(table: pa.Table) -> Any:
    numbered = table.set_column(1, "town", table["town"].dictionary_encode())
    return batches_without_stars(
        pa.RecordBatchReader.from_batches(numbered.schema, numbered.to_batches()), WORDING
    ).read_all()


@pytest.mark.parametrize("written", [of_relation, of_batches, lambda table: without_stars(table, WORDING)])
def test_only_whole_stars_of_named_columns_become_nothing_and_whole_numbers_are_such(written: Any) -> None:
    found = written(TABLE)
    assert found.to_pydict() == WRITTEN
    assert found.schema.types == [pa.int64(), pa.string(), pa.string()]
    assert written(found).to_pydict() == WRITTEN


def test_nothing_becomes_a_star_in_named_columns() -> None:
    known = {"a.ge": ["31", "*", "*"], "town": ["*", "A*", "B"], "ill": ["*", "x", None]}
    table = pa.table(WRITTEN)
    assert with_stars(table, ["a.ge", "town", "gone"]).to_pydict() == known
    relation = relation_with_stars(duckdb.from_arrow(table), {"a.ge", "town"})
    assert relation.to_arrow_table().to_pydict() == known


@pytest.mark.parametrize("wording", [None, Wording()])
def test_where_nothing_is_asked_nothing_is_touched(wording: Wording | None) -> None:
    relation = duckdb.from_arrow(TABLE)
    assert relation_without_stars(relation, wording) is relation
    assert without_stars(TABLE, wording) is TABLE
    assert with_stars(TABLE, ()) is TABLE
