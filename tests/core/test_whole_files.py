from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from core.faults import tree
from incrowd.core import (
    DataError,
    atomic_folder,
    atomic_path,
    bytes_in,
    check_file,
    check_path,
    check_target,
    json_in,
    text_in,
)


def test_a_file_is_read_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"ä": 1}', encoding="utf-8")
    assert bytes_in(tmp_path / "a.json") == '{"ä": 1}'.encode()
    assert text_in(str(tmp_path / "a.json")) == '{"ä": 1}'
    assert json_in(tmp_path / "a.json") == {"ä": 1}
    check_file(tmp_path / "a.json")


def test_a_pipe_is_not_waited_for_and_a_device_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        for read in (bytes_in, check_file):
            with pytest.raises(OSError, match="it is a pipe or a device, and no file"):
                read(path)


def test_what_is_missing_or_a_folder_is_said_as_the_system_says_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such file"):
        bytes_in(tmp_path / "none")
    for read in (bytes_in, check_file):
        with pytest.raises(IsADirectoryError, match="Is a directory"):
            read(tmp_path)


@pytest.mark.parametrize(("name", "wrong"), [("a\0b", "holds a character"), ("a" * 5_000, "too long")])
def test_what_no_file_can_be_called_is_said(name: str, wrong: str) -> None:
    for read in (check_path, check_file, bytes_in):
        with pytest.raises(OSError, match=wrong):
            read(name)
    check_path("nobody made this one")


def test_more_than_any_such_file_holds_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert bytes_in(tmp_path / "a", most=5) == b"12345"
    with pytest.raises(OSError, match="it is larger than"):
        bytes_in(tmp_path / "a", most=4)


@pytest.mark.parametrize("content", ["[" * 200_000, "9" * 5_000, "{", "\ufeff{}"])
def test_what_is_no_sensible_json_is_a_value_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"too deep|digits|Expecting|BOM"):
        json_in(tmp_path / "a.json")


# Files and folders written whole or not at all.


def test_the_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "out.csv") as part:
        part.write_text("whole")
        assert not (tmp_path / "out.csv").exists()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.csv", "whole")]


def test_the_temporary_file_lies_beside_the_target_where_nobody_else_looks_and_is_called_like_it(
    tmp_path: Path,
) -> None:
    with atomic_path(tmp_path / "out.csv.gz") as part:
        part.touch()
        assert (part.parent.parent, part.parent.name[:12], part.name) == (tmp_path, ".out.csv.gz-", "out.csv.gz")
        assert part.parent.stat().st_mode & 0o777 == 0o700


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
        pytest.raises(DataError, match=r"Cannot write the file '.*': .*another place") as caught,
        atomic_path(target),
    ):
        pytest.fail("the block must not run")
    assert caught.value.__context__ is None


def test_what_could_not_be_written_is_refused_before_any_work_and_nothing_is_left_of_the_trial(tmp_path: Path) -> None:
    check_target(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "out.csv").write_text("old")
    with pytest.raises(DataError, match=r"'out\.csv' exists already"):
        check_target(tmp_path / "out.csv")
    check_target(tmp_path / "out.csv", force=True)
    with pytest.raises(DataError, match="that file is read for it"):
        check_target(tmp_path / "out.csv", force=True, reads=[tmp_path])
    assert tree(tmp_path) == {"out.csv": b"old"}


def test_a_full_disk_is_no_wrong_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
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
    half = tmp_path / ".out-b-0123456789abcdef.part"
    for folder in (half / "out-b", half / "out-b.old"):
        (folder / "public").mkdir(parents=True)
        (folder / "public/data").write_text("of out-b")
    if there:
        write(tmp_path / "out", "old")
    write(tmp_path / "out", "new", force=True)
    assert tree(tmp_path / "out") == {"public/data": b"new"}
    assert sorted(tree(half) or ()) == ["out-b.old/public/data", "out-b/public/data"]
