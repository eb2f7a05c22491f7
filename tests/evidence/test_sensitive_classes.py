"""Published classes with the values of a sensitive column, also of one that nothing was promised about."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import incrowd as ic
from incrowd.evidence import association_of, closeness_by_class, sensitive_classes
from incrowd.search import Optimal

AGES = [21, 22, 23, 24, 31, 32, 33, 34, 71]
DISEASES = ["flu", "flu", "hiv", "flu", "flu", "hiv", "hiv", "hiv", "flu"]
TABLE = [{"age": age, "disease": disease} for age, disease in zip(AGES, DISEASES, strict=True)]
SCHEMA = ic.Schema(quasi={"age": ic.intervals(10)}, sensitive=["disease"])


SEARCHES = [ic.Optimal(), ic.LevelsAndCells(), ic.Mondrian()]


@pytest.fixture(params=SEARCHES, ids=repr)
def release(request: pytest.FixtureRequest) -> ic.Release:
    return ic.anonymize(TABLE, SCHEMA, model="k>=3", max_suppressed=0.2, algorithm=request.param)


def test_a_column_that_nothing_was_promised_about_is_counted_without_another_search(
    release: ic.Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        pytest.fail("it was searched again")

    monkeypatch.setattr(Optimal, "search", refuse)
    assert release.basis is not None
    assert release.basis.problem.census.sensitive == ()
    found = association_of(release, "disease")
    local = "Mondrian" in release.recipe.algorithm  # which leaves nobody out
    assert found.sizes.tolist() == ([5, 4] if local else [4, 4])
    assert found.alphas == {"flu": Fraction(4, 5) if local else Fraction(3, 4), "hiv": Fraction(3, 4)}


@pytest.mark.parametrize("search", SEARCHES, ids=repr)
def test_the_classes_are_those_of_a_release_that_promises_something_about_it(search: Any) -> None:
    how: Any = {"max_suppressed": 0.2, "algorithm": search}
    with pytest.warns(ic.PrivacyWarning, match="promises nothing"):
        told = ic.anonymize(TABLE, SCHEMA, model="k>=3, p>=1[disease]", **how)
    plain = ic.anonymize(TABLE, SCHEMA, model="k>=3", **how)
    (_, one), (_, two) = (sensitive_classes(release, "disease") for release in (plain, told))
    assert sorted(one.size.tolist()) == sorted(two.size.tolist())
    shown = [sorted(association_of(release, "disease").alphas.items()) for release in (plain, told)]
    assert shown[0] == shown[1]


def test_a_release_whose_census_begins_at_a_floor_shows_its_own_classes() -> None:
    rng = np.random.default_rng(3)
    columns = zip(rng.integers(10_000, 10_400, 600), rng.integers(18, 90, 600), rng.integers(0, 3, 600), strict=True)
    table = [{"zip": str(zip_), "age": int(age), "disease": "fha"[at]} for zip_, age, at in columns]
    schema = ic.Schema(quasi={"zip": ic.mask(), "age": ic.intervals(5, 10, 20, 40)}, sensitive=["disease"])
    release = ic.anonymize(table, schema, model="k>=5", max_suppressed=0.02, memory="90KB")
    assert release.recipe.floor
    assert release.basis is not None
    sizes = sensitive_classes(release, "disease")[1].size
    assert sorted(sizes.tolist()) == sorted(release.basis.sizes.tolist())


def test_closeness_lists_the_classes_that_fail_first(release: ic.Release) -> None:
    loose = closeness_by_class(release, "disease", 8, 1.0)
    assert (loose.failing, loose.more, loose.quasi) == (0, 0, ("age",))
    strict = closeness_by_class(release, "disease", 8, 0.0, most=1)
    assert strict.classes[0].certified_by is None
    looked_at = "" if release.recoding.levels else ", drop"  # classes of their own have no lattice above them
    assert (strict.promise, strict.more) == (f"nt(n=8, t=0)[disease{looked_at}]", 1)


def test_only_sensitive_columns_can_be_asked_about(release: ic.Release) -> None:
    with pytest.raises(ic.UnknownColumnError, match="sensitive column"):
        association_of(release, "age")


def test_local_classes_of_people_with_several_rows_know_only_what_was_promised() -> None:
    table = [{**row, "who": number // 2} for number, row in enumerate(TABLE)]
    schema = ic.Schema(quasi=dict(SCHEMA.quasi), sensitive=["disease"], entity="who")
    release = ic.anonymize(table, schema, model="k>=2", max_suppressed=0.5, algorithm=ic.LevelsAndCells())
    with pytest.raises(ic.ParameterError, match="Nothing is promised about column 'disease'"):
        association_of(release, "disease")
