"""Releases that were saved before the house was rebuilt: they are read as then, and publishing again gives the same."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from incrowd.engines import read_arrays
from release.saved_cases import CASES, DATA, publish
from release.verified import run_script

EVERY = (*CASES, "plan")
TIME = {"date", "versions"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    shutil.unpack_archive(DATA / "releases.zip", folder)
    return folder


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the folder of a release that is published now, once for all tests."""
    folder = tmp_path_factory.mktemp("fresh")

    @cache
    def published(case: str) -> Path:
        publish(case, folder / case)
        return folder / case

    return published


def original(case: str) -> Path:
    return DATA / f"{CASES[case][0] if case in CASES else 'patients'}.csv"


def plain(path: Path) -> dict[str, Any]:
    """Read what does not change with time and libraries, which decide how Parquet is packed."""
    found = {name: value for name, value in json.loads(path.read_text()).items() if name not in TIME}
    if found.get("data", {}).get("name") == "data.parquet":
        found["data"] = {name: value for name, value in found["data"].items() if name not in {"sha256", "bytes"}}
    return found


@pytest.mark.parametrize("case", EVERY)
def test_a_release_that_was_saved_then_is_verified_now(case: str, saved: Path) -> None:
    alone = ic.verify(saved / case)
    known = ic.verify(saved / case, original=original(case))
    assert (alone.differences, known.outcome) == ((), "holds")


@pytest.mark.parametrize("case", EVERY)
def test_the_script_of_today_finds_it_as_certified(case: str, saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run_script(saved / case, capsys)
    assert {"holds": 0, "could not be checked": 4}[ic.verify(saved / case).outcome] == code, said


@pytest.mark.parametrize("case", EVERY)
def test_publishing_again_gives_the_same_files(case: str, saved: Path, fresh: Callable[[str], Path]) -> None:
    then, now = saved / case, fresh(case)
    files = {path.relative_to(then) for path in then.rglob("*") if path.is_file()}
    assert {path.relative_to(now) for path in now.rglob("*") if path.is_file()} == files | {Path("public/verify.py")}
    for path in files:
        if path.name == "recipe.json":  # it has learnt since what repeats, and how to say plainly what searched
            assert {**plain(now / path), "search": None} == {"repeated": [], "search": None, **plain(then / path)}, path
        elif path.name == "release.json":  # which says it too
            search = plain(now / path)["search"]
            assert {"search": search, **plain(then / path)} == plain(now / path), path
        elif path.name == "plan.toml":  # its paths have been right since when it is read where it lies
            plan = (now / path).read_text().replace("../../", "").replace('".."', '"plan"')
            search = '\n[search]  # how the release is searched\nalgorithm = "optimal"\n'
            assert plan.replace(search, "") == (then / path).read_text()
        elif path.name == "recoding.json":  # it has learnt since to tell when it was damaged
            sealed = {name: value for name, value in plain(now / path).items() if name not in {"sha256", "seal"}}
            assert sealed == {**plain(then / path), "format": "incrowd recoding 2"}
        elif path.suffix == ".json":
            assert plain(now / path) == plain(then / path), path
        elif path.name == "data.parquet":
            assert pq.read_table(now / path).equals(pq.read_table(then / path)), path
        elif path.name == "recoding.parquet":
            before, after = read_arrays(then / path), read_arrays(now / path)
            assert list(after) == list(before)
            assert all(np.array_equal(after[name], before[name]) for name in before), path
        else:
            assert (now / path).read_bytes() == (then / path).read_bytes(), path


@pytest.mark.parametrize("case", EVERY)
def test_its_recoding_is_loaded_and_applied_to_the_same_table(case: str, saved: Path, tmp_path: Path) -> None:
    known = ic.load_recoding(saved / case / "owner")
    recipe = json.loads((saved / case / "owner" / "recipe.json").read_text())
    assert (str(known.model), known.recoding.levels) == (recipe["promise"], recipe["levels"])
    if recipe["levels"] is None:
        with pytest.raises(ic.HierarchyError, match="belongs to the table that it was made for"):
            ic.apply(known, original(case), others="drop")
        return
    kind = "csv" if (saved / case / "public" / "data.csv").exists() else "parquet"
    keys: Any = {"patient": DATA / "key.bin"} if case == "pseudonyms" else None
    limit = recipe["max_suppressed_records"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ic.PrivacyWarning)
        how: dict[str, Any] = {"max_suppressed_records": limit, "others": "drop", "pseudonyms": keys, "format": kind}
        again = ic.apply(saved / case / "owner", original(case), output=tmp_path / "again", **how)
    if kind == "csv":
        assert again.table.read_bytes() == (saved / case / "public" / "data.csv").read_bytes()
    else:
        assert pq.read_table(again.table).equals(pq.read_table(saved / case / "public" / "data.parquet"))


@pytest.mark.parametrize("case", EVERY)
def test_it_is_attacked_as_the_release_of_today_is(case: str, saved: Path, fresh: Callable[[str], Path]) -> None:
    assert str(ic.attack(saved / case)) == str(ic.attack(fresh(case)))
