"""Tables that are not the same at every reading, and machines that have not the same left."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest

import incrowd as ic
from incrowd.release._verdict import expect

SCHEMA = ic.Schema(quasi={"zip": ic.mask(), "birth_date": ic.dates("month", "year", "decade")}, sensitive=["diagnosis"])
WITHOUT = "The census of this table does not fit into memory, so it was taken at coarser levels."


def test_the_number_of_cells_that_fit_is_told_only_if_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("incrowd.engines._resources.left_over", lambda: 600_000)
    table = ic.hospital(3_000).select(["zip", "birth_date", "diagnosis"])
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    left = ic.anonymize(tmp_path / "t.parquet", SCHEMA, model="k>=5", max_suppressed=0.05).recipe
    given = ic.anonymize(tmp_path / "t.parquet", SCHEMA, model="k>=5", max_suppressed=0.05, memory="450KB").recipe
    assert left.notes[0] == WITHOUT
    assert given.notes[0] == WITHOUT.replace(",", " (1,168 cells do),")
    assert left.floor == given.floor


def test_a_release_that_was_not_predicted_may_be_of_a_table_that_changes() -> None:
    with pytest.raises(
        ic.ReleaseMismatch, match=r"other rows each time that it is read, as a sample does.*please report"
    ):
        expect(fine=False, problem="has other classes than the search predicted")
