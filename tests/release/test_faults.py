"""Each query and each allocation fails once while a release is verified or made: it is said, or done with less."""

from __future__ import annotations

import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from core.faults import Allocations, tree
from release.test_anonymize import LOUD, Queries


def saved_release(folder: Path) -> None:
    """Publish a file that DuckDB reads."""
    people = folder / "people.csv"
    people.write_text("age,disease\n" + "".join(f"{30 + n % 7},{'flu' if n % 3 else 'hiv'}\n" for n in range(40)))
    roles = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"])
    how: dict[str, Any] = {"output": folder / "out", "format": "csv", "algorithm": ic.Optimal()}
    ic.anonymize(people, roles, model="k>=2, t<=0.9", **how)


@pytest.mark.parametrize("original", [False, True])
def test_whichever_query_fails_a_release_is_verified_by_another_one_or_not_at_all(
    original: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved_release(tmp_path)
    more: dict[str, Any] = {"original": tmp_path / "people.csv"} if original else {}
    queries = Queries()
    queries.watch(monkeypatch)
    whole = ic.verify(tmp_path / "out", **more)
    assert whole.holds
    asked, said = queries.asked, []
    for number in range(asked):
        queries.asked, queries.at = 0, number
        try:
            assert ic.verify(tmp_path / "out", **more) == whole
            assert queries.asked > asked  # it was asked again, with one thread
        except ic.EngineError as error:
            said += ["".join(traceback.format_exception(error))]
    assert len(said) > 7
    assert not [text for text in said if LOUD in text]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_whichever_query_fails_a_release_is_applied_whole_or_not_at_all(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved_release(tmp_path)
    lines = (tmp_path / "people.csv").read_text().splitlines()
    (tmp_path / "later.csv").write_text("\n".join([*lines, *lines[1:9]]) + "\n")
    before = tree(tmp_path)

    def publish() -> None:
        how: dict[str, Any] = {"output": tmp_path / "next", "format": kind}
        ic.apply(tmp_path / "out/owner", tmp_path / "later.csv", max_suppressed=0.5, **how)

    queries = Queries()
    queries.watch(monkeypatch)
    publish()
    whole, asked, said = tree(tmp_path / "next"), queries.asked, []
    shutil.rmtree(tmp_path / "next")
    for number in range(asked):
        queries.asked, queries.at = 0, number
        try:
            publish()
        except ic.EngineError as error:
            said += ["".join(traceback.format_exception(error))]
            assert tree(tmp_path) == before
        else:
            assert tree(tmp_path / "next") == whole
            shutil.rmtree(tmp_path / "next")
    assert len(said) > 7
    assert not [text for text in said if LOUD in text]


@pytest.mark.parametrize("source", ["file", "table"])
def test_whichever_library_cannot_write_on_nothing_is_left(source: str, tmp_path: Path) -> None:
    script = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("limited_files.py")), str(tmp_path), source]
    kinds = ["csv", "csv.gz", "parquet", "arrow", "xlsx", "sav", "dta"]
    done = subprocess.run([*script, *kinds], capture_output=True, text=True, check=False)
    (told,) = done.stdout.splitlines() or [done.stderr]
    assert int(told.removesuffix(" tried")) > 70


def test_wherever_memory_runs_out_a_release_is_verified_with_less_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved_release(tmp_path)
    allocations = Allocations("incrowd")
    allocations.watch(monkeypatch)
    whole, said = ic.verify(tmp_path / "out"), 0
    assert whole.holds
    for place in [*allocations.places]:
        allocations.at = place
        try:
            assert ic.verify(tmp_path / "out") == whole
        except (ic.EngineError, MemoryError):
            said += 1
    assert said > 10


def test_wherever_memory_runs_out_in_any_room_the_same_is_published_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in searches, models and measures; the kernels that all share are tried beside ``anonymize``."""
    table = [{"age": 20 + n % 30, "sex": "fm"[n % 2], "disease": ["flu", "hiv", "gout"][n % 3]} for n in range(60)]
    roles = ic.Schema(quasi={"age": ic.intervals(5, 10), "sex": ic.flat()}, sensitive=["disease"])

    def publish() -> None:
        ic.anonymize(table, roles, model="k>=3, l>=2", output=tmp_path / "out", format="csv")

    allocations = Allocations("incrowd")
    allocations.watch(monkeypatch)
    publish()
    whole, said = tree(tmp_path / "out"), 0
    shutil.rmtree(tmp_path / "out")
    for place in [*allocations.places]:
        allocations.at = place
        try:
            publish()
        except (ic.EngineError, MemoryError):
            said += 1
            assert list(tmp_path.iterdir()) == []
        else:
            assert tree(tmp_path / "out") == whole
            shutil.rmtree(tmp_path / "out")
    assert said > 100
