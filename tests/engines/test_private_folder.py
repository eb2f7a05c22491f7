"""What must not stay on the disk lies in folders that nobody else can read, and that go."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engines.subjects import make_subject
from incrowd.engines import _duckdb, _private_folder, open_table
from incrowd.engines._private_folder import private_folder

KILLED = """
import os, signal, sys
from incrowd.engines import open_table
engine = open_table(sys.argv[1], encoding="latin-1", temp=sys.argv[2])  # a copy of the table lies there as UTF-8
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def as_if_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_private_folder, "_cleared", set())
    monkeypatch.setattr(_private_folder, "_YOUNG", -1)


@pytest.mark.usefixtures("as_if_new")
def test_a_folder_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    with private_folder(tmp_path) as folder:
        assert folder.stat().st_mode & 0o077 == 0
        (folder / "copy").write_text("x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("as_if_new")
def test_what_a_killed_process_left_of_a_table_is_removed_by_the_next_one(tmp_path: Path) -> None:
    table, temp = tmp_path / "t.csv", tmp_path / "temp"
    table.write_bytes("name,age\nM\xfcller,31\n".encode("latin-1"))
    ran = subprocess.run([sys.executable, "-c", KILLED, str(table), str(temp)], check=False)
    assert ran.returncode == -signal.SIGKILL
    (left,) = temp.iterdir()
    assert any("Müller" in file.read_text(encoding="utf-8") for file in left.iterdir() if file.is_file())
    open_table(table, encoding="latin-1", temp=temp)
    assert not left.exists()


@pytest.mark.usefixtures("as_if_new")
def test_what_somebody_works_with_is_left_alone(tmp_path: Path) -> None:
    with private_folder(tmp_path) as folder:
        _private_folder._remove_leftovers(tmp_path)
        assert folder.is_dir()


@pytest.mark.usefixtures("as_if_new")
def test_what_is_young_or_no_folder_of_ours_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "incrowd_file").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "incrowd_link").symlink_to(tmp_path / "other")
    (tmp_path / "incrowd_release").mkdir()  # a user may call a folder so
    (tmp_path / "incrowd_release" / "data.csv").touch()
    _private_folder._remove_leftovers(tmp_path)
    assert (tmp_path / "incrowd_release" / "data.csv").exists()
    young, _ = _private_folder.make_private(tmp_path)
    monkeypatch.setattr(_private_folder, "_YOUNG", 60)
    _private_folder._remove_leftovers(tmp_path)
    names = {"incrowd_file", "incrowd_link", "incrowd_release", "other", young.name}
    assert {path.name for path in tmp_path.iterdir()} == names


@pytest.mark.parametrize("kind", ["pyarrow", "reference", "polars-lazy"])
def test_a_file_is_written_in_the_place_that_its_table_was_opened_with(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[Any] = []

    def noted(temp: Any) -> Any:
        places.append(temp)
        return _private_folder.make_room(temp)

    monkeypatch.setattr(_duckdb, "make_room", noted)
    table = make_subject(kind, tmp_path).load(pa.table({"age": [34, 31]}))
    open_table(table, temp=tmp_path / "spill").write(tmp_path / "out.csv")
    assert places == [tmp_path / "spill"]
    assert (tmp_path / "out.csv").read_text().split() == ["age", "31", "34"]
