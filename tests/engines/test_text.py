from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.core import CensusRequest
from incrowd.engines import Budget, _text, open_table
from incrowd.engines._cell_files import spill_census
from incrowd.engines._lazy_frame import FrameEngine
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
    assert list(tmp_path.glob("incrowd_*/*/*.parquet"))


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


@pytest.mark.parametrize("count", [None, "times"])
def test_classes_are_read_off_the_codes_as_off_the_rows(count: str | None, tmp_path: Path) -> None:
    engine: Any = open_table(write(tmp_path, 200))
    asked: Any = (["age", "zip"], engine.domains(["disease"]), None, count)
    ours, theirs = engine.classes(*asked), FrameEngine.classes(engine, *asked)
    assert [ours.texts(column).tolist() for column in (0, 1)] == [theirs.texts(column).tolist() for column in (0, 1)]
    assert ours.records.tolist() == theirs.records.tolist()
    assert (ours.histogram("disease").counts == theirs.histogram("disease").counts).all()
    person = engine.classes(["age"], {}, "zip")
    assert person.size.tolist() == FrameEngine.classes(engine, ["age"], {}, "zip").size.tolist()


def test_a_value_that_is_not_the_originals_is_refused_in_a_released_file(tmp_path: Path) -> None:
    engine: Any = open_table(write(tmp_path, 20))
    domain = open_table([{"disease": "flu"}]).domains(["disease"])
    with pytest.raises(ic.UncoveredValuesError):
        engine.classes(["age"], domain)


def test_cells_of_rows_that_are_held_are_written_as_those_on_the_disk(tmp_path: Path) -> None:
    path = write(tmp_path, 300)
    files = []
    for ending in ("csv", "parquet"):
        table = path.with_suffix(f".{ending}")
        if ending == "parquet":
            open_table(path).write(table)
        block = spill_census(open_table(table), REQUEST, tmp_path / f"{ending}.cells").all()
        files.append(([word.tolist() for word in block.words], block.counts.tolist(), block.parts.tolist()))
    assert files[0] == files[1]
    assert sum(files[0][1]) == 300


def test_a_file_is_read_again_with_one_thread_where_memory_runs_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, batches, failures = write(tmp_path, 200), _text._column_batches, [True]
    expected = open_table(path, memory="1GB").census(REQUEST)

    def failing(relation: Any, names: Any, rows: int) -> Any:  # noqa: ARG001
        yield from batches(relation, names, 50)  # what was read before does not count twice
        if failures:
            failures.clear()
            msg = "Out of Memory Error: could not allocate block"
            raise pa.ArrowInvalid(msg)

    monkeypatch.setattr(_text, "_column_batches", failing)
    engine: Any = open_table(path, memory="2GB")
    found = engine.census(REQUEST)
    assert not failures
    assert [codes.tolist() for codes in found.codes] == [codes.tolist() for codes in expected.codes]
    assert found.counts.tolist() == expected.counts.tolist()
    assert engine._home._workshop.database.spared
