"""A census on the disk, and tables in shares."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from engines.mutations import mutations
from engines.subjects import make_subject
from incrowd.core import Census, CensusRequest, DataError, Packing
from incrowd.engines import (
    CellFile,
    CellWriter,
    _cell_files as spilled,
    can_spill,
    open_table,
    read_arrays,
    shares_of,
    spill_census,
    write_arrays,
)

TABLE = pa.table(
    {
        "age": [34, 36, 51, None, 34, 36, 34],
        "zip": ["01", "01", "02", "02", "01", "02", "01"],
        "disease": ["flu", "hiv", "flu", "hiv", "flu", None, "hiv"],
    }
)
REQUEST = CensusRequest(("age", "zip"), ("disease",))


@pytest.fixture(params=["duckdb", "parquet", "csv"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return make_subject(request.param, tmp_path).load(TABLE)


def test_a_census_on_the_disk_is_that_in_memory(table: Any, tmp_path: Path) -> None:
    engine = open_table(table)
    file = spill_census(engine, REQUEST, tmp_path / "cells.parquet")
    cells = file.all()
    domains = engine.domains(REQUEST.needed_columns)
    assert Census.assemble(REQUEST, domains, file.packing.unpack(cells.words), cells.counts) == engine.census(REQUEST)
    assert cells.parts.tolist() == [0] * len(cells.counts)
    file.remove()
    assert not (tmp_path / "cells.parquet").exists()


def test_cells_are_read_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled, "BLOCK", 2)
    file = CellFile(tmp_path / "cells.parquet", Packing.of([8]))
    writer = CellWriter(file)
    writer.add(spilled.Block([np.array([5, 1, 3])], np.array([1, 2, 3]), np.array([0, 1, 1])))
    writer.add(spilled.Block([np.array([2])], np.array([9]), np.array([0])))
    writer.close()
    assert [block.words[0].tolist() for block in file.blocks()] == [[5, 1], [3, 2]]
    whole = file.all()
    assert (whole.words[0].tolist(), whole.counts.tolist(), whole.parts.tolist()) == (
        [1, 2, 3, 5],
        [2, 9, 3, 1],
        [1, 0, 1, 0],
    )


def test_a_row_that_has_no_code_is_not_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "cells.parquet"
    pa.parquet.write_table(pa.table({"word0": pa.array([1, None], pa.int64()), "n": pa.array([1, 1])}), path)
    with pytest.raises(DataError, match="changed while it was being read"):
        CellFile(path, Packing.of([4])).all()


@pytest.mark.parametrize("name", ["pandas", "polars-lazy", "reference"])
def test_only_what_duckdb_holds_can_be_spilled(name: str, tmp_path: Path) -> None:
    assert not can_spill(open_table(make_subject(name, tmp_path).load(TABLE)))


def test_shares_have_every_class_once_and_whole(table: Any) -> None:
    engine = open_table(table)
    domains = engine.domains(["disease"])
    found: Counter[Any] = Counter()
    shares = list(shares_of(engine, ["age", "zip"], 3))
    for share in shares:
        found.update(classes_of(share, domains))
    assert len(shares) == 3
    assert found == classes_of(engine, domains)
    assert set(found.values()) == {1}


def classes_of(engine: Any, domains: Any) -> Counter[Any]:
    """Count classes by what they are called, how many records they have, and with which values."""
    classes = engine.classes(["age", "zip"], domains)
    texts = zip(*(classes.texts(column).tolist() for column in range(2)), strict=True)
    values = classes.histogram("disease")
    inside = [sorted(values.values[0][values.classes == number].tolist()) for number in range(len(classes))]
    return Counter(zip(texts, classes.records.tolist(), map(tuple, inside), strict=True))


def test_one_share_is_the_table_itself(table: Any) -> None:
    engine = open_table(table)
    assert list(shares_of(engine, ["age"], 1)) == [engine]


def test_damaged_arrays_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "arrays.parquet"
    write_arrays({"numbers": np.arange(50), "texts": np.array(["canary", None] * 9, dtype=object)}, path)
    told = []
    for content in mutations(path.read_bytes(), 40):
        path.write_bytes(content)
        try:
            read_arrays(path)
        except DataError as error:
            told.append(error.message)
    assert "The file 'arrays.parquet' is damaged: what it holds cannot be read." in told
    assert not [message for message in told if "canary" in message]
