from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.core import CensusRequest
from incrowd.engines import Budget, _text, open_table
from incrowd.engines._text_columns import TextRows

REQUEST = CensusRequest(("zip", "age"), ("disease",))


def write(folder: Path, rows: int) -> Path:
    path = folder / "t.csv"
    lines = [f"{i % 7:03},{i % 3 or ''},{'flu' if i % 5 else 'hiv'},{i % 4 + 1}" for i in range(rows)]
    path.write_text("zip,age,disease,times\n" + "\n".join(lines) + "\n")
    return path


def merged_from(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let equal rows be merged from so many on, and all fit that are left."""
    monkeypatch.setattr(_text, "TextRows", lambda names, missing, *_: TextRows(names, missing, most))


@pytest.mark.parametrize("most", [1, 10, 1_000_000])
def test_merging_equal_rows_early_changes_nothing(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, 500)
    expected = open_table(path).census(REQUEST)
    monkeypatch.setattr(_text, "_BATCH", 50)
    merged_from(most, monkeypatch)
    assert open_table(path).census(REQUEST) == expected
    assert expected.records == 500


def test_what_is_kept_grows_with_the_cells_and_not_with_the_rows() -> None:
    rows = TextRows(["zip"], [], most=10)
    for _ in range(100):
        rows.add(pa.record_batch({"zip": ["a", "b", None, "a"]}))
    assert len(rows.codes("zip")) < 20
    assert rows.weights.sum() == 400
    assert rows.texts("zip").to_pylist() == ["a", "b", None]


def test_merged_rows_can_still_stand_for_several_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, 400)
    monkeypatch.setattr(_text, "_BATCH", 40)
    merged_from(1, monkeypatch)
    census = open_table(path, drop_missing=["age"]).census(CensusRequest(("zip",), count="times"))
    dropped = sum(i % 4 + 1 for i in range(400) if i % 3 == 0)
    assert (census.records, census.dropped) == (1000 - dropped, dropped)


def test_a_memory_limit_decides_how_many_rows_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []

    def noted(budget: Budget, _: int) -> int:
        kept.append(budget.total)
        return 1_000

    monkeypatch.setattr(Budget, "rows", noted)
    for memory in ("64MB", "640MB"):
        open_table(write(tmp_path, 5), memory=memory).domains(["zip"])
    assert kept == [64_000_000, 640_000_000]
    monkeypatch.undo()
    assert 9 < Budget(kept[1]).rows(3) / Budget(kept[0]).rows(3) < 11


def test_the_file_is_read_once_for_all_columns_of_a_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    batches = _text._column_batches

    def counted(*args: Any) -> Any:
        reads.append(args)
        return batches(*args)

    monkeypatch.setattr(_text, "_column_batches", counted)
    engine = open_table(write(tmp_path, 30))
    engine.census(REQUEST)
    engine.census_size(REQUEST)
    engine.domains(["zip"])
    assert len(reads) == 1


def too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no row fit."""
    monkeypatch.setattr(Budget, "rows", lambda *_: 1)


def test_rows_that_do_not_fit_are_counted_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, 500)
    expected = open_table(path)
    census, domains = expected.census(REQUEST), expected.domains(["zip", "age", "times"])
    too_long(monkeypatch)
    engine = open_table(path, temp=tmp_path)
    assert engine.census(REQUEST) == census
    assert engine.domains(["zip", "age", "times"]) == domains
    assert engine.census_size(REQUEST) == len(census)
    assert list(tmp_path.glob("incrowd_*/*.parquet"))


def test_what_is_on_the_disk_is_dropped_and_weighed_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, 400)
    request = CensusRequest(("zip",), count="times")
    expected = open_table(path, drop_missing=["age"]).census(request)
    too_long(monkeypatch)
    assert open_table(path, drop_missing=["age"]).census(request) == expected
    assert expected.dropped == sum(i % 4 + 1 for i in range(400) if i % 3 == 0)


@pytest.mark.filterwarnings("ignore:Rows keep their order")
@pytest.mark.parametrize("keep", [False, True])
def test_what_is_on_the_disk_is_published_alike(keep: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, 300)
    schema = ic.Schema(quasi={"zip": ic.mask(), "age": ic.flat()}, sensitive=["disease"], insensitive=["times"])
    for algorithm in (ic.Optimal(), ic.Mondrian()):
        monkeypatch.undo()
        expected = ic.anonymize(path, schema, model="k>=20", algorithm=algorithm, order="keep" if keep else "sorted")
        too_long(monkeypatch)
        release = ic.anonymize(path, schema, model="k>=20", algorithm=algorithm, order="keep" if keep else "sorted")
        assert release.table.equals(expected.table)
