"""Other versions of a release, asked from Python as the page asks them."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import incrowd as ic
from incrowd.release import _versions, basis_of, inspect_node, lattice_of, version_of

AGES = (21, 22, 31, 32, 41, 71)
TABLE = [{"age": age, "sex": "fm"[place % 2]} for place, age in enumerate(AGES)]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10, 20), "sex": ic.flat()})


@pytest.fixture
def release() -> ic.Release:
    limits: dict[str, Any] = {"max_suppressed": 0.34, "at_least": {"sex": 1}, "at_most": {"age": 2}}
    return ic.anonymize(TABLE, SCHEMA, model="k>=2", algorithm=ic.Optimal(), **limits)


def test_a_release_is_one_of_its_versions(release: ic.Release) -> None:
    found = version_of(release)
    assert (found.levels, found.suppressed, found.records) == ({"age": 1, "sex": 1}, 2, 6)
    assert (found.classes, found.smallest, found.highest, found.average) == (2, 2, 0.5, 0.5)
    assert found.share_left_out == pytest.approx(1 / 3)


def test_the_lattice_says_of_every_node_whether_it_keeps_the_promise(release: ic.Release) -> None:
    states = {one.levels: one.state for one in lattice_of(release)}
    assert states == {(0, 1): "refused", (1, 1): "chosen", (2, 1): "acceptable"}


def test_of_a_large_lattice_only_neighbours_are_looked_at(release: ic.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_versions, "NODES", 1)
    found = {one.levels: (one.state, one.suppressed) for one in lattice_of(release)}
    assert found == {(1, 1): ("chosen", 2), (0, 1): ("refused", 6), (2, 1): ("acceptable", 2)}


def test_any_node_says_what_it_would_publish(release: ic.Release) -> None:
    top = inspect_node(release, {"age": 3, "sex": 1})
    assert (top.acceptable, top.version.classes, top.version.smallest, top.version.kept) == (True, 1, 6, 0.0)
    exact = inspect_node(release, {"age": 0, "sex": 0})
    assert (exact.acceptable, exact.version.suppressed, exact.version.highest) == (False, 6, None)


@pytest.mark.parametrize("levels", [{"age": 9, "sex": 0}, {"age": 0}, {"age": 0, "sex": 0, "zip": 0}])
def test_a_node_that_is_none_is_refused(release: ic.Release, levels: dict[str, int]) -> None:
    with pytest.raises((ic.ParameterError, ic.UnknownColumnError), match="level"):
        inspect_node(release, levels)


def test_a_release_that_was_read_does_not_know_other_versions(release: ic.Release) -> None:
    with pytest.raises(ic.ParameterError, match="is not at hand"):
        basis_of(dataclasses.replace(release, basis=None))
