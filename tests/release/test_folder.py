from __future__ import annotations

import errno
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import incrowd as ic
from core.faults import KINDS, failing, watched
from incrowd.release._folder import Folders, save
from release.test_certificate import PEOPLE, certificate, release_of, tree


def test_what_may_be_given_away_and_what_must_be_kept_lie_in_two_folders(tmp_path: Path) -> None:
    release_of().save(tmp_path / "out", plan="version = 1\n")
    assert list(tree(tmp_path / "out")) == [
        "owner/input.json",
        "owner/plan.toml",
        "owner/recipe.json",
        "owner/recoding.json",
        "owner/recoding.parquet",
        "public/data.parquet",
        "public/release.json",
        "public/verify.py",
    ]
    assert (tmp_path / "out/owner").stat().st_mode & 0o077 == 0
    assert (tmp_path / "out/owner/plan.toml").read_text() == "version = 1\n"


def test_the_same_release_gives_the_same_files_whatever_the_order_and_the_kind_of_the_table(tmp_path: Path) -> None:
    shuffled = PEOPLE.copy()
    random.Random(3).shuffle(shuffled)
    frames: list[Any] = [PEOPLE, shuffled, pd.DataFrame(shuffled), pl.DataFrame(PEOPLE), pa.Table.from_pylist(shuffled)]
    for number, frame in enumerate(frames):
        for format_ in ("csv", "parquet"):
            save(release_of(table=frame), tmp_path / f"{number}{format_}", format=format_, date="2026-02-03")
    for format_ in ("csv", "parquet"):
        first = tree(tmp_path / f"0{format_}/public")
        assert all(tree(tmp_path / f"{number}{format_}/public") == first for number in range(len(frames)))


@pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz", "arrow", "xlsx", "sav", "dta"])
def test_a_release_of_every_format_can_be_replaced(tmp_path: Path, kind: Any) -> None:
    about: dict[str, str] | None = {} if kind == "csv" else None  # reports are the same files beside data of any format
    for _ in range(2):
        release_of("k>=3").save(tmp_path / "out", force=True, format=kind, plan="version = 1", about=about)
    assert ic.verify(tmp_path / "out/public/release.json").holds


def test_an_earlier_release_is_replaced_only_by_force(tmp_path: Path) -> None:
    release_of().save(tmp_path / "out")
    before = tree(tmp_path / "out")
    with pytest.raises(ic.DataError, match="The folder 'out' exists already"):
        release_of("k>=3").save(tmp_path / "out")
    assert tree(tmp_path / "out") == before
    release_of("k>=3").save(tmp_path / "out", force=True, format="csv")
    assert certificate(tmp_path / "out")["promise"] == "k>=3"
    assert not (tmp_path / "out/public/data.parquet").exists()
    with pytest.raises(ic.ParameterError, match="format must be one of 'parquet', 'csv'"):
        release_of().save(tmp_path / "other", format="docx")  # type: ignore[arg-type]


def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("incrowd.release._folder.write_recoding", fail)
    with pytest.raises(OSError, match="No space left"):
        release_of().save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys
import incrowd as ic
from incrowd.release import _folder as _save
release = ic.anonymize([{"age": 31}, {"age": 34}], ic.Schema({"age": ic.intervals(10)}), model="k>=2")
_save.write_recoding = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
release.save(sys.argv[1])
"""


def test_who_is_killed_while_saving_leaves_no_release_and_the_next_one_clears_up(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out")], check=False)
    assert ran.returncode == -signal.SIGKILL
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    release_of().save(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_nobody_else_reads_what_the_owner_keeps_neither_while_it_is_written_nor_later(tmp_path: Path) -> None:
    """Every folder and file is looked at before every call: what others may enter holds nothing of the owner's."""
    release, seen = release_of(), set()

    def look(_: int) -> None:
        for path in tmp_path.rglob("*"):
            around = [path, *(one for one in path.parents if tmp_path in one.parents)]
            if all(one.stat().st_mode & 0o077 for one in around):
                seen.add(path.relative_to(tmp_path).parts[:2])

    with watched(tmp_path) as faults:
        faults.begin(None, look)
        release.save(tmp_path / "out", plan="version = 1\n")
        assert len(faults.names) > 50
    assert seen == {("out",), ("out", "public")}
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "out/owner").iterdir()}
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "out/owner").stat().st_mode & 0o777 == 0o700


def test_whatever_call_fails_while_a_release_is_saved_the_old_one_is_whole_and_the_error_names_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call that changes something fails once; tests of ``core`` try all calls, in all ways."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    release_of().save(tmp_path / "out")
    release, before = release_of("k>=3"), tree(tmp_path / "out")
    wrong, tried, calls = [], 0, saving_calls(tmp_path, release)
    for number, name in enumerate(calls):
        if name not in {"mkdir", "open", "write", "chmod", "exchange"}:
            continue
        tried += 1
        trouble = None
        with watched(tmp_path) as faults:
            faults.begin(number, failing(KINDS[tried % len(KINDS)]))
            try:
                release.save(tmp_path / "out", force=True, plan="version = 1\n")
            except (OSError, ic.IncrowdError) as error:
                trouble = error
        left = [path.name for path in tmp_path.iterdir() if path.name != "out"]
        if trouble is None:  # the new one is there, and removing the old one failed
            assert tree(tmp_path / "out").keys() > before.keys()
            release_of().save(tmp_path / "out", force=True)
        elif (
            not {"out", "data.parquet"} & set(re.findall(r"[\w.]+", str(trouble)))
            or tree(tmp_path / "out") != before
            or left
        ):
            wrong.append((number, name, trouble, left))
    assert wrong == []
    assert tried > 30


def saving_calls(place: Path, release: ic.Release) -> list[str]:
    """Name the calls of the file system that replace a release."""
    shutil.copytree(place / "out", place / "copy")
    with watched(place) as faults:
        faults.begin(-1, lambda _: None)
        release.save(place / "copy", force=True, plan="version = 1\n")
    shutil.rmtree(place / "copy")
    return faults.names


def test_at_every_moment_of_a_save_the_old_release_or_the_new_one_is_whole_and_the_next_one_clears_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies on the disk before each call is what is left by who is killed there."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    place, states = tmp_path / "place", []
    release_of().save(place_made(place) / "out")
    before = tree(place / "out")

    def keep(number: int) -> None:
        states.append(shutil.copytree(place, tmp_path / str(number)))

    with watched(place) as faults:
        faults.begin(None, keep)
        release_of("k>=3").save(place / "out", force=True, plan="version = 1\n")
    after = tree(place / "out")
    assert after != before
    for state in states:
        assert tree(state / "out") in (before, after)
        assert {path.name[:5] for path in state.iterdir()} <= {"out", ".out-"}
        with Folders.new(state / "out", force=True) as folders:
            (folders.public / "release.json").touch()
        assert [path.name for path in state.iterdir()] == ["out"]
        assert [*tree(state / "out")] == ["public/release.json"]
    assert len(states) > 100


def place_made(place: Path) -> Path:
    place.mkdir()
    return place


def test_a_place_that_may_not_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", refuse)  # root may write anywhere, so rights alone would not do
    with pytest.raises(ic.DataError, match="Cannot write the folder 'out'"):
        release_of().save(tmp_path / "out")


def test_a_release_is_saved_where_the_system_has_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incrowd.core._draft.fcntl", None)
    release_of().save(tmp_path / "out")
    release_of().save(tmp_path / "out", force=True)
    assert ic.verify(tmp_path / "out").differences == ()
    assert not [path for path in tmp_path.iterdir() if path.name != "out"]
