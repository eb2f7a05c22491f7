"""What must not stay on the disk lies in folders that nobody else can read, and that go."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engines.subjects import make_subject
from incrowd.engines import _duckdb, _private_folder, open_table
from incrowd.engines._private_folder import NamelessFile, private_folder

KILLED = """
import os, pathlib, signal, sys
from incrowd.engines import _private_folder, open_table
_private_folder._SHELL = pathlib.Path("/nowhere")
engine = open_table(sys.argv[1], temp=sys.argv[2], {how})
engine.domains(["name", "age"])
os.kill(os.getpid(), signal.SIGKILL)
"""


def until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.02)


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


@pytest.mark.parametrize(("how", "rows"), [("encoding='latin-1'", 1), ("memory='1MB'", 60_000)], ids=["copy", "spilt"])
@pytest.mark.usefixtures("as_if_new")
def test_of_a_table_a_killed_process_leaves_nothing_but_names_and_the_next_one_removes_them(
    tmp_path: Path, how: str, rows: int
) -> None:
    table, temp = tmp_path / "t.csv", tmp_path / "temp"
    people = "".join(f"Müller {n},{n}\n" for n in range(rows))
    table.write_text(f"name,age\n{people}", encoding="latin-1" if rows == 1 else "utf-8")
    code = KILLED.format(how=how)
    ran = subprocess.run([sys.executable, "-c", code, str(table), str(temp)], check=False)
    assert ran.returncode == -signal.SIGKILL
    (left,) = temp.iterdir()
    assert any(link.is_symlink() for link in left.rglob("*"))
    assert [file for file in left.rglob("*") if file.is_file() and file.stat().st_size] == []
    open_table(table, encoding="latin-1", temp=temp)
    assert not left.exists()


SPILLED = """
import os, pathlib, signal, sys
from incrowd.engines import private_folder
with private_folder(sys.argv[1]) as folder, private_folder(sys.argv[1]) as other:
    (folder / "spill").mkdir()
    (folder / "spill" / "rows").write_text("secret")
    (other / ".incrowd-private").unlink()  # it is somebody else's now
    child = os.fork()
    if not child:
        os.close(1)
        signal.pause()
    print(child, flush=True)
    os.kill(os.getpid(), signal.{by})
"""


@pytest.mark.parametrize("by", ["SIGKILL", "SIGTERM"])
def test_what_was_spilt_goes_with_a_process_however_that_ends(tmp_path: Path, by: str) -> None:
    command = [sys.executable, "-c", SPILLED.format(by=by), str(tmp_path)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    child = int(ran.stdout)
    try:
        until(lambda: len([*tmp_path.iterdir()]) == 1)
    finally:
        os.kill(child, signal.SIGKILL)
    (other,) = tmp_path.iterdir()
    assert not any(other.iterdir())


def test_where_no_shell_can_be_started_or_it_was_ended_all_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_private_folder, "_watchers", [])
    for shell in (tmp_path, Path("/nowhere")):
        monkeypatch.setattr(_private_folder, "_SHELL", shell)
        with private_folder(tmp_path) as folder:
            assert folder.is_dir()
        assert _private_folder._watchers == []
    heard, told = os.pipe()
    os.close(heard)
    monkeypatch.setattr(_private_folder, "_SHELL", Path("/bin/sh"))
    monkeypatch.setattr(_private_folder, "_watchers", [told])
    with private_folder(tmp_path):
        assert _private_folder._watchers == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("as_if_new")
def test_a_copy_of_a_process_does_not_remove_the_folders_of_the_first(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes("name,age\nM\xfcller,31\n".encode("latin-1"))
    engine: Any = open_table(table, encoding="latin-1", temp=tmp_path / "new" / "temp")
    with private_folder(tmp_path) as folder:
        child = os.fork()
        if not child:  # it ends as any process does, and is through with what it has
            try:
                with private_folder(tmp_path / "new" / "temp") as own:
                    assert own.is_dir()
                _private_folder.clear_room(folder, None)
                workshop = engine._home._workshop
                _duckdb._leave_room(workshop.folder, workshop._copies, os.getppid())
                os._exit(own.exists())
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert folder.is_dir()
        assert engine.domains(["name"])["name"].texts.tolist() == ["Müller"]
    del engine
    gc.collect()
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("nameless", [True, False])
def test_a_nameless_file_is_read_by_its_path_as_long_as_it_is_open(
    nameless: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not nameless:
        monkeypatch.setattr(_private_folder, "_OPEN_FILES", tmp_path / "nowhere")
    with NamelessFile(tmp_path, "copy.csv") as copy:
        copy.file.write(b"secret")
        copy.file.flush()
        assert copy.path.read_bytes() == b"secret"
        assert copy.path.is_symlink() is nameless
        assert [path for path in tmp_path.iterdir() if path.is_file() and not path.is_symlink()] == [copy.path] * (
            not nameless
        )
    assert list(tmp_path.iterdir()) == []


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
