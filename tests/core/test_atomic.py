from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from incrowd.core import DataError, atomic_path


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
