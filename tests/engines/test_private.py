from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.engines import _resources as _private, open_table
from incrowd.engines._resources import private_folder

KILLED = """
import os, signal, sys
from incrowd.engines import open_table
engine = open_table(sys.argv[1], encoding="latin-1", temp=sys.argv[2])  # a copy of the table lies there as UTF-8
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def _as_if_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_private, "_cleared", set())
    monkeypatch.setattr(_private, "_YOUNG", -1)


def test_a_folder_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    with private_folder(tmp_path) as folder:
        assert folder.stat().st_mode & 0o077 == 0
        (folder / "copy").write_text("x")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_of_a_table_is_removed_by_the_next_one(tmp_path: Path) -> None:
    table, temp = tmp_path / "t.csv", tmp_path / "temp"
    table.write_bytes("name,age\nM\xfcller,31\n".encode("latin-1"))
    ran = subprocess.run([sys.executable, "-c", KILLED, str(table), str(temp)], check=False)
    assert ran.returncode == -signal.SIGKILL
    (left,) = temp.iterdir()
    assert any("Müller" in file.read_text(encoding="utf-8") for file in left.iterdir() if file.is_file())
    open_table(table, encoding="latin-1", temp=temp)
    assert not left.exists()


def test_what_somebody_works_with_is_left_alone(tmp_path: Path) -> None:
    with private_folder(tmp_path) as folder:
        _private._clear(tmp_path)
        assert folder.is_dir()


def test_what_is_young_or_no_folder_of_ours_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "incrowd_file").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "incrowd_link").symlink_to(tmp_path / "other")
    (tmp_path / "incrowd_release").mkdir()  # a user may call a folder so
    (tmp_path / "incrowd_release" / "data.csv").touch()
    _private._clear(tmp_path)
    assert (tmp_path / "incrowd_release" / "data.csv").exists()
    young, _ = _private.make_private(tmp_path)
    monkeypatch.setattr(_private, "_YOUNG", 60)
    _private._clear(tmp_path)
    names = {"incrowd_file", "incrowd_link", "incrowd_release", "other", young.name}
    assert {path.name for path in tmp_path.iterdir()} == names
