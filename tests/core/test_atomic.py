from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.core import DataError, atomic_folder, atomic_path


def test_the_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "out.csv") as part:
        part.write_text("whole")
        assert not (tmp_path / "out.csv").exists()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.csv", "whole")]


def test_the_temporary_file_lies_beside_the_target_and_ends_like_it(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "out.csv.gz") as part:
        part.touch()
        assert (part.parent, part.name[:5], part.suffixes[-2:]) == (tmp_path, ".out-", [".csv", ".gz"])


def fail_half_way(target: Path, trouble: BaseException, *, force: bool = False) -> None:
    with atomic_path(target, force=force) as part:
        part.write_text("half")
        raise trouble


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt])
def test_nothing_is_left_when_the_block_fails(tmp_path: Path, trouble: type[BaseException]) -> None:
    with pytest.raises(trouble, match="half way"):
        fail_half_way(tmp_path / "out.csv", trouble("half way"))
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("old")
    with pytest.raises(ValueError, match="half way"):
        fail_half_way(tmp_path / "out.csv", ValueError("half way"), force=True)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.csv", "old")]


def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(DataError, match=r"The file 'out.csv' exists already"), atomic_path(target):
        pytest.fail("the block must not run")
    with atomic_path(target, force=True) as part:
        part.write_text("new")
    assert target.read_text() == "new"


@pytest.mark.parametrize("reads", ["data", "data/a.csv", "data/*.csv", "**/a.csv"])
def test_what_is_read_is_not_replaced_even_by_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.csv").write_text("old")
    with (
        pytest.raises(DataError, match=r"Cannot write to 'a\.csv': that file is read for it"),
        atomic_path("data/a.csv", force=True, reads=[reads]),
    ):
        pytest.fail("the block must not run")
    with atomic_path("data/b.csv", reads=[reads, {"no": "path"}]) as part:
        part.write_text("new")
    assert (tmp_path / "data/a.csv").read_text() == "old"


def write_while_another_does(target: Path) -> None:
    with atomic_path(target) as part:
        part.write_text("ours")
        target.write_text("theirs")


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="exists already"):
        write_while_another_does(tmp_path / "out.csv")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.csv", "theirs")]


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_is_never_replaced(tmp_path: Path, force: bool) -> None:
    (tmp_path / "out.csv").mkdir()
    with (
        pytest.raises(DataError, match="there is a folder of that name"),
        atomic_path(tmp_path / "out.csv", force=force),
    ):
        pytest.fail("the block must not run")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="its folder 'no' does not exist"), atomic_path(tmp_path / "no" / "out.csv"):
        pytest.fail("the block must not run")


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "data.csv").write_text("old")
    link = tmp_path / "out.csv"
    link.symlink_to(tmp_path / "real" / "data.csv")
    with pytest.raises(DataError, match="exists already"), atomic_path(link):
        pytest.fail("the block must not run")
    with atomic_path(link, force=True) as part:
        part.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "real" / "data.csv").read_text() == "new"


def test_a_link_that_leads_nowhere_gets_its_file(tmp_path: Path) -> None:
    (tmp_path / "out.csv").symlink_to(tmp_path / "data.csv")
    with atomic_path(tmp_path / "out.csv") as part:
        part.write_text("new")
    assert (tmp_path / "data.csv").read_text() == "new"


def test_the_file_has_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with atomic_path(os.fspath(tmp_path / "out")) as part:
        part.touch()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_block_that_writes_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such file"), atomic_path(tmp_path / "out.csv"):
        pass


@pytest.mark.parametrize("target", ["/proc/x.csv", "x" * 300])
def test_a_place_where_nothing_can_be_written_is_refused_before_any_work(target: str) -> None:
    with (
        pytest.raises(DataError, match=r"Cannot write the file '.*' there: .*another place") as caught,
        atomic_path(target),
    ):
        pytest.fail("the block must not run")
    assert caught.value.__context__ is None


def test_a_full_disk_is_no_wrong_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "touch", full)
    with pytest.raises(OSError, match="No space left"), atomic_path(tmp_path / "out.csv"):
        pytest.fail("the block must not run")


@pytest.mark.parametrize("folder", [".", "/"])
def test_a_folder_without_a_name_is_shown_as_it_was_given(folder: str) -> None:
    with (
        pytest.raises(DataError, match=f"Cannot write the file '{re.escape(folder)}': there is a folder"),
        atomic_path(folder),
    ):
        pytest.fail("the block must not run")


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
