"""Results and settings can be pickled and copied, as frameworks and notebooks do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import incrowd as ic

TABLE = [{"age": 30 + row % 4, "disease": ("flu", "hiv", "burn")[row % 3], "name": f"Ann {row}"} for row in range(24)]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(2)}, sensitive=["disease"], identifiers=["name"])
WAYS: list[Callable[[Any], Any]] = [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, copy.copy]  # noqa: S301


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "deepcopy", "copy"])
def test_settings_and_results_can_be_copied(way: Callable[[Any], Any]) -> None:
    found = ic.suggest(TABLE)
    assert way(found.plan()) == found.plan()
    assert repr(way(found)) == repr(found)
    assert repr(way(ic.profile(TABLE))) == repr(ic.profile(TABLE))
    knows = ic.Intruder(values={"disease": ["flu"]}, public={"disease": {"flu": 1}})
    assert way(knows).values == knows.values
    assert way(knows).public == knows.public


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "deepcopy", "copy"])
@pytest.mark.parametrize("promise", ["t<=0.5[disease, ordered]", "t<=0.5[disease, equal]", "k>=2"])
def test_verdicts_and_attacks_can_be_copied(way: Callable[[Any], Any], promise: str) -> None:
    schema = ic.Schema(quasi=["age"], sensitive={"disease": ic.ordered(["flu", "burn", "hiv"])}, identifiers=["name"])
    assert way(ic.check(TABLE, schema, promise)) == ic.check(TABLE, schema, promise)
    release = ic.anonymize(TABLE, schema, model=promise, max_suppressed=1 if promise == "k>=2" else 0.5)
    assert repr(way(ic.attack(release))) == repr(ic.attack(release))


def test_a_pickled_release_leaves_the_original_table_behind_and_a_copy_keeps_it() -> None:
    release = ic.anonymize(TABLE, SCHEMA, model="k>=3")
    pickled = pickle.dumps(release)
    assert b"Ann 7" not in pickled
    back = pickle.loads(pickled)  # noqa: S301
    assert (back.table, back.verdict, back.recipe) == (release.table, release.verdict, release.recipe)
    assert back.basis is None
    for whole in (copy.copy(release), copy.deepcopy(release)):
        assert whole.basis is release.basis
        assert whole.table == release.table
    assert copy.deepcopy(release).table is not release.table
