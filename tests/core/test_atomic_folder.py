from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.core import DataError, atomic_folder

HOLDS = ("public/data", "public/part-*", "owner/key")


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


@pytest.mark.parametrize("name", ["thesis.docx", "public/thesis.docx", "owner/data", "public/part-1/x", "data"])
def test_a_folder_with_a_file_of_somebody_else_is_never_replaced(tmp_path: Path, name: str) -> None:
    write(tmp_path / "out", "old")
    (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "out" / name).write_text("mine")
    for force in (False, True):
        with pytest.raises(DataError, match=f"The folder 'out' holds what incrowd did not write: '{name}'"):
            write(tmp_path / "out", "new", force=force)
    assert (tmp_path / "out" / name).read_text() == "mine"
    assert (tmp_path / "out/public/data").read_text() == "old"


def test_four_files_of_somebody_else_are_named_and_the_others_counted(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    for number in range(6):
        (tmp_path / "out" / f"{number}.txt").touch()
    with pytest.raises(DataError, match=r"did not write: '0.txt', '1.txt', '2.txt', '3.txt' and 2 more\."):
        write(tmp_path / "out", "new", force=True)


def test_a_file_that_came_while_another_was_written_is_kept(tmp_path: Path) -> None:
    def meanwhile() -> None:
        with atomic_folder(tmp_path / "out", holds=HOLDS, force=True):
            write(tmp_path / "out", "old")
            (tmp_path / "out/public/mine.txt").touch()

    with pytest.raises(DataError, match=r"did not write: 'public/mine.txt'\."):
        meanwhile()
    assert (tmp_path / "out/public/mine.txt").exists()


def test_a_folder_that_lacks_what_makes_it_one_of_ours_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "out/owner").mkdir(parents=True)
    (tmp_path / "out/owner/key").write_text("mine")
    with pytest.raises(DataError, match="it has files, and no 'public/data' among them"):
        write(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out/owner/key").read_text() == "mine"


def test_what_a_system_puts_into_a_folder_is_no_obstacle(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    (tmp_path / "out/public/.DS_Store").touch()
    (tmp_path / "out/public/part-1").touch()
    write(tmp_path / "out", "new", force=True)
    assert [path.name for path in (tmp_path / "out/public").iterdir()] == ["data"]


def test_a_link_to_a_folder_is_not_followed_and_not_removed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    write(tmp_path / "out", "old")
    (tmp_path / "out/public/more").symlink_to(tmp_path / "mine")
    with pytest.raises(DataError, match="did not write: 'public/more'"):
        write(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out/public/more").is_symlink()


def test_a_file_in_the_way_and_a_missing_place_are_refused(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(DataError, match="there is a file of that name"):
        write(tmp_path / "out", "new", force=True)
    with pytest.raises(DataError, match="there is no folder 'nowhere'"):
        write(tmp_path / "nowhere" / "out", "new")


@pytest.mark.parametrize("there", [True, False])
def test_what_another_folder_left_that_only_begins_with_the_same_name_is_not_touched(
    tmp_path: Path, *, there: bool
) -> None:
    """The only copy of out-b stands aside, for whoever replaced it was killed."""
    aside = tmp_path / ".out-b-0123456789abcdef.old"
    half = tmp_path / ".out-b-0123456789abcdef.part"
    for folder in (aside, half):
        (folder / "public").mkdir(parents=True)
        (folder / "public/data").write_text("of out-b")
    if there:
        write(tmp_path / "out", "old")
    write(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out/public/data").read_text() == "new"
    assert (half / "public/data").read_text() == "of out-b"
    assert (aside / "public/data").read_text() == "of out-b"


KILLED = """
import os, signal, sys
from pathlib import Path
from incrowd.core import _atomic as _folder, atomic_folder
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "between":
    real = Path.rename
    def rename(self, target):
        real(self, target)
        if str(target).endswith(".old"):
            die()
    Path.rename = rename
with atomic_folder(sys.argv[1], holds=["public/data"], force=True) as part:
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


def test_a_folder_is_written_where_the_system_has_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incrowd.core._atomic.fcntl", None)
    left, young = (tmp_path / f".out-{token * 16}.part" for token in "ab")
    for one in (left, young):
        one.mkdir()
    os.utime(left, (0, 0))
    for text in ("one", "two"):
        with atomic_folder(tmp_path / "out", holds=["a.txt"], force=True) as part:
            (part / "a.txt").write_text(text, encoding="utf-8")
        assert (tmp_path / "out" / "a.txt").read_text(encoding="utf-8") == text
    assert sorted(one.name for one in tmp_path.iterdir()) == [young.name, "out"]
