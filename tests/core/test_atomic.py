from __future__ import annotations

import errno
import itertools
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from core.faults import KINDS, failing, killed_everywhere, tree, watched
from incrowd.core import DataError, _atomic, atomic_folder, atomic_path, check_target, remove_path


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
        pytest.raises(DataError, match=r"Cannot write the file '.*' there: .*another place") as caught,
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


# Every call of the file system is tried once: it fails, or it is the last.


def replace_folder(root: Path) -> None:
    """Replace a folder by two files in two folders, of which one is for us alone."""
    with atomic_folder(root / "out", holds=HOLDS, force=True) as part:
        (part / "owner").mkdir(mode=0o700)
        (part / "owner/key").write_text("new")
        (part / "public").mkdir()
        (part / "public/data").write_text("new")


def replace_file(root: Path) -> None:
    with atomic_path(root / "out", force=True) as part:
        part.write_text("new")


def old_folder(root: Path) -> None:
    root.mkdir()
    write(root / "out", "old")
    (root / "out/public/part-1").write_text("old")


def old_file(root: Path) -> None:
    root.mkdir()
    (root / "out").write_text("old")


JOBS = {"folder": (old_folder, replace_folder), "file": (old_file, replace_file)}


def prepared(place: Path, what: str) -> tuple[Path, dict[str, bytes] | None, dict[str, bytes] | None]:
    """Make what is to be replaced; give where, and what is there before and after it is."""
    begin, job = JOBS[what]
    begin(place / "done")
    before = tree(place / "done/out")
    job(place / "done")
    begin(place / "root")
    return place / "root", before, tree(place / "done/out")


@pytest.fixture(params=[True, False], ids=["exchanged", "stepping-aside"])
def exchanges(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Say whether names can be exchanged, as on Linux and macOS; elsewhere they cannot."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # nobody pulls the plug
    if not request.param:
        monkeypatch.setattr("incrowd.core._atomic._exchange", lambda *_: False)
    return bool(request.param)


@pytest.mark.parametrize("what", [*JOBS])
def test_whatever_call_fails_the_old_one_is_whole_and_the_error_names_what(
    tmp_path: Path, what: str, *, exchanges: bool
) -> None:
    root, before, after = prepared(tmp_path, what)
    wrong, tried = [], 0
    with watched(root) as faults:
        for kind in KINDS:
            for number in itertools.count():
                faults.begin(number, failing(kind))
                trouble = caught_from(lambda: JOBS[what][1](root))
                calls, faults.at = faults.names, -1
                if len(calls) <= number:
                    break
                tried += 1
                named, left = "out" in str(trouble), [path.name for path in root.iterdir() if path.name != "out"]
                there = tree(root / "out")
                told = trouble is not None and named and there == before and not left
                in_vain = not exchanges and what == "file" and trouble is not None and there == after  # it was renamed
                done = trouble is None and there == after and len(left) <= 1
                if not (told or in_vain or done):
                    wrong.append((calls[number], errno.errorcode[kind], trouble, left, there))
                for path in root.iterdir():
                    remove_path(path)
                root.rmdir()
                JOBS[what][0](root)
    assert wrong == []
    assert tried > 3 * 30


def caught_from(job: Callable[[], object]) -> Exception | None:
    try:
        job()
    except (OSError, DataError) as error:
        return error
    return None


@pytest.mark.parametrize("what", [*JOBS])
def test_whenever_it_is_killed_the_old_one_or_the_new_one_is_whole_and_the_next_one_clears_up(
    tmp_path: Path, what: str, *, exchanges: bool
) -> None:
    root, before, after = prepared(tmp_path, what)
    options = () if exchanges else ("without-exchange",)
    left = killed_everywhere(root, f"core.test_atomic:replace_{what}", *options)
    assert len(left) > 30
    gone, moved = 0, 0
    for state in left:
        there = tree(state / "out")
        assert {path.name[:5] for path in state.iterdir()} <= {"out", ".out-"}
        if there is None:
            gone += 1
            with pytest.raises(DataError, match="'out' exists already"):  # the next one puts it back
                write(state / "out", "other")
            there = tree(state / "out")
        assert there in (before, after)
        if there == after:
            moved += 1
            check_that_nothing_comes_back(shutil.copytree(state, tmp_path / f"moved-{state.name}"))
        JOBS[what][1](state)
        assert tree(state / "out") == after
        assert [path.name for path in state.iterdir()] == ["out"]
    assert (gone > 0) == (what == "folder" and not exchanges)
    assert moved > 3


def check_that_nothing_comes_back(state: Path) -> None:
    """Let the new one be moved elsewhere: what is left of the old one, half removed, does not take its place."""
    (state / "out").rename(state / "elsewhere")
    with pytest.raises(ValueError, match="half way"):
        fail_after_clearing(state / "out")
    assert [path.name for path in state.iterdir()] == ["elsewhere"]


def fail_after_clearing(target: Path) -> None:
    with atomic_folder(target, holds=HOLDS):
        msg = "half way"
        raise ValueError(msg)


def test_a_folder_that_could_not_be_put_back_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither does the new one get the name, nor the old one its own again: the next one puts it back."""
    old_folder(tmp_path / "root")
    target, before = tmp_path / "root/out", tree(tmp_path / "root/out")
    real = Path.rename

    def rename(self: Path, to: Path) -> Path:
        if to == target:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(to))
        return real(self, to)

    with monkeypatch.context() as patch:
        patch.setattr("incrowd.core._atomic._exchange", lambda *_: False)
        patch.setattr(Path, "rename", rename)
        with pytest.raises(OSError, match="out"):
            replace_folder(tmp_path / "root")
    assert not target.exists()
    with pytest.raises(DataError, match="'out' exists already"):
        write(target, "other")
    assert tree(target) == before
    assert [path.name for path in (tmp_path / "root").iterdir()] == ["out"]


@pytest.mark.parametrize("can", [True, False])
def test_a_file_that_comes_at_the_last_moment_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, can: bool
) -> None:
    old_folder(tmp_path / "root")
    mine, before, exchange = tmp_path / "root/out/public/mine.txt", tree(tmp_path / "root/out"), _atomic._exchange

    def come_and_exchange(one: Path, other: Path) -> bool:
        if other.name == "out" and not mine.exists():
            mine.write_text("mine")
            return can and exchange(one, other)
        return exchange(one, other)

    monkeypatch.setattr("incrowd.core._atomic._exchange", come_and_exchange)
    with pytest.raises(DataError, match=r"did not write: 'public/mine.txt'\."):
        replace_folder(tmp_path / "root")
    assert tree(tmp_path / "root/out") == {**(before or {}), "public/mine.txt": b"mine"}
    assert [path.name for path in (tmp_path / "root").iterdir()] == ["out"]


def test_a_file_of_somebody_else_stays_whatever_call_fails(tmp_path: Path) -> None:
    old_folder(tmp_path / "root")
    mine = tmp_path / "root/out/public/mine.txt"
    mine.write_text("mine")
    with watched(tmp_path / "root") as faults:
        for number in itertools.count():
            faults.begin(number, failing(errno.EIO))
            trouble, calls, faults.at = caught_from(lambda: replace_folder(tmp_path / "root")), faults.names, -1
            assert trouble is not None
            assert mine.exists()
            if len(calls) <= number:
                break
    assert number > 10


def test_what_stepped_aside_is_removed_last(tmp_path: Path) -> None:
    """Whoever clears up can be killed too, and what has the name now be moved elsewhere."""
    old_folder(tmp_path / "root")
    aside = tmp_path / f"root/.out-{'a' * 16}.part/out.old"
    for folder in (aside, aside.with_name("out")):
        shutil.copytree(tmp_path / "root/out", folder)
    whole, states = tree(aside), list[bool]()

    def look(_: int) -> None:
        states.append(aside.with_name("out").exists())
        assert tree(aside) == whole or not states[-1]

    with watched(tmp_path / "root") as faults:
        faults.begin(None, look)
        replace_folder(tmp_path / "root")
    assert states[0] is True
    assert states[-1] is False
    assert [path.name for path in (tmp_path / "root").iterdir()] == ["out"]


@pytest.mark.parametrize("what", [*JOBS])
def test_a_new_name_is_on_the_disk_before_what_had_it_is_removed(tmp_path: Path, what: str) -> None:
    root, _, _ = prepared(tmp_path, what)
    with watched(root) as faults:
        faults.begin(-1, lambda _: None)
        JOBS[what][1](root)
    calls = [name for name in faults.names if name in {"exchange", "fsync", "unlink"}]
    assert calls[calls.index("exchange") :][:3] == ["exchange", "fsync", "unlink"]


@pytest.mark.parametrize("kind", [errno.ENOLCK, errno.ENOTSUP])
def test_a_disk_that_has_no_locks_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(kind, os.strerror(kind))

    monkeypatch.setattr("incrowd.core._atomic.fcntl.flock", refuse)
    young, old = (tmp_path / f".out-{letter * 16}.part" for letter in "ab")
    for one in (young, old):
        one.mkdir()
    os.utime(old, (0, 0))
    write(tmp_path / "out", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [young.name, "out"]


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
