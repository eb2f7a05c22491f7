from __future__ import annotations

import errno
import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from core.faults import KINDS, failing, killed_everywhere, tree, watched
from core.test_whole_files import HOLDS, write
from incrowd.core import DataError, _draft, atomic_folder, atomic_path, atomic_paths, remove_path

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
        monkeypatch.setattr("incrowd.core._draft._exchange", lambda *_: False)
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
    left = killed_everywhere(root, f"core.test_draft:replace_{what}", *options)
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
        patch.setattr("incrowd.core._draft._exchange", lambda *_: False)
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
    mine, before, exchange = tmp_path / "root/out/public/mine.txt", tree(tmp_path / "root/out"), _draft._exchange

    def come_and_exchange(one: Path, other: Path) -> bool:
        if other.name == "out" and not mine.exists():
            mine.write_text("mine")
            return can and exchange(one, other)
        return exchange(one, other)

    monkeypatch.setattr("incrowd.core._draft._exchange", come_and_exchange)
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

    monkeypatch.setattr("incrowd.core._draft.fcntl.flock", refuse)
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
    monkeypatch.setattr("incrowd.core._draft.fcntl", None)
    left, young = (tmp_path / f".out-{token * 16}.part" for token in "ab")
    for one in (left, young):
        one.mkdir()
    os.utime(left, (0, 0))
    for text in ("one", "two"):
        with atomic_folder(tmp_path / "out", holds=["a.txt"], force=True) as part:
            (part / "a.txt").write_text(text, encoding="utf-8")
        assert (tmp_path / "out" / "a.txt").read_text(encoding="utf-8") == text
    assert sorted(one.name for one in tmp_path.iterdir()) == [young.name, "out"]


def old_files(root: Path) -> None:
    root.mkdir()
    for name in ("one", "two"):
        (root / name).write_text("old")


def replace_files(root: Path) -> None:
    with atomic_paths([root / "one", root / "two", root / "three"], force=True) as parts:
        for part in parts:
            part.write_text("new")


OLD = {"one": b"old", "two": b"old"}
STEPS = [OLD, OLD | {"one": b"new"}, {"one": b"new", "two": b"new"}, dict.fromkeys(("one", "two", "three"), b"new")]


def test_whatever_call_fails_all_files_are_replaced_or_none(tmp_path: Path, *, exchanges: bool) -> None:
    root, seen = tmp_path / "root", set[str]()
    for number in itertools.count():
        old_files(root)
        with watched(root) as faults:
            faults.begin(number, failing(KINDS[number % len(KINDS)]))
            trouble = caught_from(lambda: replace_files(root))
        there = {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()}
        if trouble is None:
            assert there == STEPS[-1]
        elif exchanges:
            assert tree(root) == OLD
            seen |= {name for name in STEPS[-1] if f"{name}'" in str(trouble)}
        shutil.rmtree(root)
        if len(faults.names) <= number:
            break
    assert number > 60
    assert len(seen) == (3 if exchanges else 0)


def test_whenever_it_is_killed_every_file_is_whole_and_they_are_replaced_in_their_order(tmp_path: Path) -> None:
    old_files(tmp_path / "root")
    seen = []
    for state in killed_everywhere(tmp_path / "root", "core.test_draft:replace_files"):
        there = {path.name: path.read_bytes() for path in state.iterdir() if path.is_file()}
        seen.append(STEPS.index(there))
        replace_files(state)
        assert tree(state) == STEPS[-1]
    assert sorted(seen) == seen
    assert {*seen} == {0, 1, 2, 3}
