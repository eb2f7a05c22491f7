"""What a release keeps of what was counted: one reading for several questions, and never an old answer."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import incrowd as ic
from incrowd.core import Census, CensusRequest
from incrowd.engines import Remembered, TableMemory, open_table
from incrowd.engines._lazy_frame import FrameEngine

ROWS = [{"age": 20 + number % 12, "town": "ab"[number % 2], "s": "xyz"[number % 3]} for number in range(240)]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(3, 6), "town": ic.flat()}, sensitive=["s"])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


def released(table: Path, **more: Any) -> ic.Release:
    output = table.parent / f"out{len(list(table.parent.iterdir()))}"
    return ic.anonymize(table, SCHEMA, model="k>=10, l>=2[s]", algorithm=ic.Mondrian(), output=output, **more)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[CensusRequest]:
    asked: list[CensusRequest] = []
    count = FrameEngine.census

    def census(self: FrameEngine, request: CensusRequest) -> Census:
        asked.append(request)
        return count(self, request)

    monkeypatch.setattr(FrameEngine, "census", census)
    return asked


def test_several_questions_about_a_file_count_it_once(table: Path, counted: list[CensusRequest]) -> None:
    release = released(table)
    counted.clear()
    ic.attack(release, original=table)
    ic.risk(release)
    ic.utility(release, table)
    assert len(counted) == 1  # the release; the original was counted when it was made


def test_a_file_that_changed_is_counted_anew(table: Path) -> None:
    release = released(table)
    before = ic.risk(release)
    pl.read_parquet(release.table).head(30).write_parquet(release.table)
    assert (before.records, ic.risk(release).records) == (240, 30)


def test_an_original_that_changed_is_found_out(table: Path) -> None:
    release = released(table)
    ic.attack(release, original=table)
    pl.read_parquet(table).head(200).write_parquet(table)
    for ask in (lambda: ic.attack(release, original=table), lambda: ic.utility(release, table)):
        with pytest.raises(ic.DataError, match=r"changed since|not made"):
            ask()


def test_the_answers_are_those_of_a_release_that_keeps_nothing(table: Path) -> None:
    release = released(table)
    for _ in range(2):
        kept = ic.attack(release, original=table).to_dict(values=True), str(ic.risk(release))
    frame = pl.read_parquet(table)
    anew = ic.anonymize(frame, SCHEMA, model="k>=10, l>=2[s]", algorithm=ic.Mondrian())
    assert kept == (ic.attack(anew, original=frame).to_dict(values=True), str(ic.risk(anew)))


def test_copies_keep_nothing(table: Path) -> None:
    release = released(table)
    ic.risk(release)
    assert release.kept.published is not None
    assert pickle.loads(pickle.dumps(release.kept)).published is None  # noqa: S301 - our own
    assert replace(release).kept.published is None


def test_what_is_too_large_is_given_and_not_kept(table: Path, counted: list[CensusRequest]) -> None:
    request = CensusRequest(("age", "town"), ("s",))
    for most, times in ((None, 1), (3, 2)):
        counted.clear()
        answers = TableMemory(most)
        first, again = (Remembered(open_table(table), answers).census(request) for _ in range(2))
        assert first == again
        assert len(counted) == times


PATIENTS = [
    {"age": 30 + row % 4, "disease": ("flu", "hiv", "burn")[row % 3], "name": f"Ann {row}"} for row in range(24)
]


ROLES = ic.Schema(quasi={"age": ic.intervals(2)}, sensitive=["disease"], identifiers=["name"])


WAYS: list[Callable[[Any], Any]] = [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, copy.copy]  # noqa: S301


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "deepcopy", "copy"])
def test_settings_and_results_can_be_copied(way: Callable[[Any], Any]) -> None:
    found = ic.suggest(PATIENTS)
    assert way(found.plan()) == found.plan()
    assert repr(way(found)) == repr(found)
    assert repr(way(ic.profile(PATIENTS))) == repr(ic.profile(PATIENTS))
    knows = ic.Intruder(values={"disease": ["flu"]}, public={"disease": {"flu": 1}})
    assert way(knows).values == knows.values
    assert way(knows).public == knows.public


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "deepcopy", "copy"])
@pytest.mark.parametrize("promise", ["t<=0.5[disease, ordered]", "t<=0.5[disease, equal]", "k>=2"])
def test_verdicts_and_attacks_can_be_copied(way: Callable[[Any], Any], promise: str) -> None:
    schema = ic.Schema(quasi=["age"], sensitive={"disease": ic.ordered(["flu", "burn", "hiv"])}, identifiers=["name"])
    assert way(ic.check(PATIENTS, schema, promise)) == ic.check(PATIENTS, schema, promise)
    release = ic.anonymize(PATIENTS, schema, model=promise, max_suppressed=1 if promise == "k>=2" else 0.5)
    assert repr(way(ic.attack(release))) == repr(ic.attack(release))


def test_a_pickled_release_leaves_the_original_table_behind_and_a_copy_keeps_it() -> None:
    release = ic.anonymize(PATIENTS, ROLES, model="k>=3")
    pickled = pickle.dumps(release)
    assert b"Ann 7" not in pickled
    assert b"Census" not in pickled
    back = pickle.loads(pickled)  # noqa: S301
    assert (back.table, back.verdict, back.recipe) == (release.table, release.verdict, release.recipe)
    assert back.basis is None
    assert back.explain() == release.explain()
    for whole in (copy.copy(release), copy.deepcopy(release)):
        assert whole.basis is release.basis
        assert whole.table == release.table
    assert copy.deepcopy(release).table is not release.table


def test_a_notebook_shows_a_release_as_a_table_without_its_values() -> None:
    table = [{"<b>age": age, "x": f"canary{age}"} for age in (31, 34, 52, 55)]
    release = ic.anonymize(table, ic.Schema({"<b>age": ic.intervals(10, 20)}, insensitive=["x"]), model="k>=2")
    shown = release._repr_html_()
    assert shown.startswith("<p>Release(k&gt;=2: 4 of 4 records, 2 classes)</p><table>")
    assert ">&lt;b&gt;age</td>" in shown
    assert "canary" not in shown
