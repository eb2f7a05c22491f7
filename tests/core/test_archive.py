"""A census is saved as plain arrays and comes back as it was."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import Census, CensusRequest, DataError, Domain, Ladder, Step
from incrowd.engines import open_table

COLUMNS: dict[str, list[Any]] = {
    "text": ["b", "a", "a"],
    "text with null": ["b", None, "a"],
    "text of any script": ["日本", "é\u0301", "\n"],
    "empty text": ["", "a", "a"],
    "nulls only": [None, None, None],
    "integers": [3, -1, None],
    "integers beyond 64 bits": [2**70, 0, -(2**64)],
    "decimals": [Decimal("1.50"), Decimal("-0.1"), None],
    "decimals and integers": [Decimal("1.5"), 2**70, 1],
    "floats": [0.1, -2.5, float("inf")],
    "booleans": [True, False, None],
    "dates": [dt.date(2024, 1, 1), dt.date(1, 1, 1), None],
    "timestamps": [dt.datetime(2024, 1, 1, 5, 6, 7, 8), None, None],  # noqa: DTZ001
    "instants": [dt.datetime(2024, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5))), None, None],
}


def take(rows: list[dict[str, Any]], *quasi: str, **request: Any) -> Census:
    return open_table(rows, missing_values=()).census(CensusRequest(quasi, **request))


def there_and_back(census: Census, folder: Path) -> Census:
    census.save(folder / "census.npz")
    return Census.load(str(folder / "census.npz"))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    take([{"a": "HIV"}, {"a": "flu"}], "a").save(tmp_path / "census.npz")
    return tmp_path / "census.npz"


@pytest.mark.parametrize("name", COLUMNS)
def test_every_kind_of_value_comes_back(name: str, tmp_path: Path) -> None:
    census = take([{"a": value} for value in COLUMNS[name]], "a")
    loaded = there_and_back(census, tmp_path)
    assert loaded == census
    assert loaded.domains["a"].values.dtype == census.domains["a"].values.dtype
    assert loaded.labels("a").tolist() == census.labels("a").tolist()


def test_the_spelling_of_a_text_file_comes_back(tmp_path: Path) -> None:
    domain = Domain.of_texts("a", ["2.0", "10"], np.array([1, 2]))
    census = Census.assemble(CensusRequest(("a",)), {"a": domain}, [np.array([0, 1])], np.array([1, 2]))
    assert there_and_back(census, tmp_path).labels("a").tolist() == ["2.0", "10"]


def test_ladders_floor_persons_and_what_was_dropped_come_back(tmp_path: Path) -> None:
    rows = [{"a": 1, "s": "x", "who": "Ada"}, {"a": 2, "s": None, "who": "Bea"}, {"a": None, "s": "x", "who": "Bea"}]
    domain = Domain.of("a", [1, 2])
    ladder = Ladder.climb(domain, [Step(np.array([0, 0]), ["few"], [12])])
    request = CensusRequest(("a",), ("s",), {"a": ladder}, {"a": np.int64(1)}, "who")  # type: ignore[dict-item]
    census = open_table(rows, drop_missing=["a"]).census(request)
    loaded = there_and_back(census, tmp_path)
    assert loaded == census
    assert (loaded.floor, loaded.persons, loaded.dropped) == ((1,), 2, 1)
    assert loaded.ladders["a"].leaves[1].tolist() == [12]


def test_a_ladder_with_null_comes_back(tmp_path: Path) -> None:
    domain = Domain.of("a", ["x", "y", None])
    ladder = Ladder.climb(domain, [Step(np.array([0, 0]), ["letter"])])
    census = take([{"a": "x"}, {"a": "y"}, {"a": None}], "a", ladders={"a": ladder})
    assert there_and_back(census, tmp_path).rollup([1]).labels("a").tolist() == ["letter", None]


def test_an_empty_table_comes_back(tmp_path: Path) -> None:
    census = take([], "a", sensitive=("s",), entity="who")
    assert there_and_back(census, tmp_path) == census


def test_types_stay_small_and_frozen(tmp_path: Path) -> None:
    loaded = there_and_back(take([{"a": 1}, {"a": 1}], "a"), tmp_path)
    assert (loaded.codes[0].dtype.name, loaded.counts.dtype.name) == ("uint8", "uint8")
    with pytest.raises(ValueError, match="read-only"):
        loaded.counts[0] = 9


@given(st.lists(st.none() | st.text(st.characters()), min_size=1, max_size=8))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str | None]) -> None:
    census = take([{"a": text} for text in texts], "a")
    assert there_and_back(census, tmp_path_factory.mktemp("any")) == census


def test_the_file_holds_nothing_that_runs_when_it_is_read(saved: Path) -> None:
    with np.load(saved, allow_pickle=False) as archive:
        kinds = {archive[name].dtype.kind for name in archive.files}
    assert "O" not in kinds


def test_a_failed_save_leaves_the_old_file_and_no_other(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Any, **_: Any) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    before = saved.read_bytes()
    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space left"):
        take([{"a": 1}], "a").save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused_by_name(saved: Path, share: float) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DataError, match=r"^census.npz cannot be read as a census \(\w+\)\.$"):
        Census.load(saved)


def test_a_damaged_file_is_refused_without_quoting_it(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes().replace(b"HIVflu", b"HIVfly"))
    with pytest.raises(DataError, match=r"^census.npz cannot be read as a census \(BadZipFile\)\.$") as error:
        Census.load(saved)
    assert "HIV" not in str(error.value)


def test_a_foreign_file_is_refused_without_quoting_it(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("name,disease\nAda,HIV\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"^patients.csv cannot be read as a census \(\w+\)\.$") as error:
        Census.load(tmp_path / "patients.csv")
    assert "Ada" not in str(error.value)
    assert "HIV" not in str(error.value)


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^none.npz cannot be read as a census \(FileNotFoundError\)\.$"):
        Census.load(tmp_path / "none.npz")


def test_a_single_array_is_no_census(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.arange(3))
    with pytest.raises(DataError, match=r"^array.npy cannot be read as a census \(TypeError\)\.$"):
        Census.load(tmp_path / "array.npy")


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    np.savez(tmp_path / "bad.npz", header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match=r"^bad.npz cannot be read as a census \(ValueError\)\.$"):
        Census.load(tmp_path / "bad.npz")


@pytest.mark.parametrize("header", [[], {}, {"format": "incrowd census 2"}, "text"])
def test_a_header_that_lacks_its_parts_is_refused(tmp_path: Path, header: Any) -> None:
    np.savez(tmp_path / "odd.npz", header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))
    with pytest.raises(DataError, match=r"^odd.npz cannot be read as a census \(\w+\)\.$"):
        Census.load(tmp_path / "odd.npz")


def test_a_census_of_another_version_is_refused(tmp_path: Path) -> None:
    header = np.frombuffer(b'{"format": "incrowd census 99"}', dtype=np.uint8)
    np.savez(tmp_path / "new.npz", header=header)
    with pytest.raises(DataError, match=r"^new.npz is not a census of this version\. Hint: take the census again"):
        Census.load(tmp_path / "new.npz")


def test_nothing_of_a_broken_file_travels_with_the_error(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-40])
    with pytest.raises(DataError, match="cannot be read as a census") as caught:
        Census.load(saved)
    assert (caught.value.__context__, caught.value.__cause__) == (None, None)
