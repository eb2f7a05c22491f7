from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.core import DataError
from incrowd.io import atomic_folder

HOLDS = ("public", "owner")


def write(target: Path, text: str, *, force: bool = False) -> None:
    with atomic_folder(target, holds=HOLDS, force=force) as part:
        (part / "public").mkdir()
        (part / "public" / "data").write_text(text)


def test_the_folder_appears_when_the_block_ends(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "out", holds=HOLDS) as part:
        (part / "public").mkdir()
        assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["public"]


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_folder_or_none(tmp_path: Path, trouble: type[BaseException]) -> None:
    def fail() -> None:
        with atomic_folder(tmp_path / "out", holds=HOLDS, force=True) as part:
            (part / "public").mkdir()
            raise trouble

    with pytest.raises(trouble):
        fail()
    assert list(tmp_path.iterdir()) == []
    write(tmp_path / "out", "old")
    with pytest.raises(trouble):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out/public/data").read_text() == "old"


def test_an_existing_folder_is_replaced_only_by_force(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    with pytest.raises(DataError, match="The folder 'out' exists already"):
        write(tmp_path / "out", "new")
    write(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out/public/data").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_empty_folder_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write(tmp_path / "out", "new")
    assert (tmp_path / "out/public/data").read_text() == "new"


def test_a_folder_with_other_things_is_never_replaced(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    (tmp_path / "out" / "thesis.docx").touch()
    with pytest.raises(DataError, match="holds other things than owner and public"):
        write(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out" / "thesis.docx").exists()


def test_a_file_in_the_way_and_a_missing_place_are_refused(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(DataError, match="there is a file of that name"):
        write(tmp_path / "out", "new", force=True)
    with pytest.raises(DataError, match="does not exist"):
        write(tmp_path / "nowhere" / "out", "new")


KILLED = """
import os, signal, sys
from pathlib import Path
from incrowd.io import _folder, atomic_folder
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "between":
    real = Path.rename
    def rename(self, target):
        real(self, target)
        if str(target).endswith(".old"):
            die()
    Path.rename = rename
with atomic_folder(sys.argv[1], holds=("public", "owner"), force=True) as part:
    (part / "public").mkdir()
    (part / "public" / "data").write_text("half")
    if sys.argv[2] == "inside":
        die()
"""


@pytest.mark.parametrize("when", ["inside", "between"])
def test_who_is_killed_leaves_the_old_folder_or_none_and_the_next_one_clears_up(tmp_path: Path, when: str) -> None:
    target = tmp_path / "out"
    write(target, "old")
    ran = subprocess.run([sys.executable, "-c", KILLED, str(target), when], check=False)
    assert ran.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2  # something hidden is left over
    assert not target.exists() or (target / "public/data").read_text() == "old"
    with pytest.raises(DataError, match="exists already"):  # the old one is back, and not overwritten
        write(target, "new")
    assert (target / "public/data").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_somebody_is_writing_is_not_cleared_away(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "out", holds=HOLDS) as part:
        (part / "owner").mkdir()
        write(tmp_path / "out", "first", force=True)
        assert part.exists()
        (tmp_path / "out/public/data").unlink()
        (tmp_path / "out/public").rmdir()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["owner"]
