"""No attack beats the bound that a model promises, whatever algorithm made the release."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.evidence import Attacks
from search.tables import CATEGORIES, schema, tables

FULL_DOMAIN = [ic.Optimal(), ic.Incognito(), ic.Samarati(), ic.Datafly()]
LOCAL = [
    ic.Mondrian(),
    ic.Mondrian(strict=False),
    ic.Mondrian(labels="set"),
    *(getattr(ic, name)() for name in ("TopDown", "CheapestFirst", "MuArgus", "SwapDiversity") if hasattr(ic, name)),
]


def released(table: Any, model: Any, algorithm: Any, limit: float) -> ic.Release | None:
    """Give the release, or nothing where there is none or the algorithm cannot carry the promise."""
    try:
        return ic.anonymize(
            [dict(row) for row in table], schema(), model=model, algorithm=algorithm, max_suppressed=limit
        )
    except (ic.NoSafeRelease, ic.ParameterError):
        return None


def reidentification(found: Attacks) -> list[Any]:
    names = ("singling out", "linkage", "narrowest group")
    return [entry.worst for entry in found if entry.name in names and entry.column is None and entry.worst is not None]


def worst(name: str) -> Callable[[Attacks], list[Any]]:
    return lambda found: [found.get(name).worst]


def similar(found: Attacks) -> list[Any]:
    return [found.get("similarity").exposed.records, found.get("homogeneity").exposed.records]


BOUNDS: list[tuple[Any, Callable[[Attacks], list[Any]], Any]] = [
    (ic.KAnonymity(2), reidentification, Fraction(1, 2)),
    (ic.KAnonymity(3), reidentification, Fraction(1, 3)),
    (ic.LDiversity(2, kind="probabilistic"), worst("inference"), Fraction(1, 2)),
    (ic.AlphaAssociation(Fraction(2, 3)), worst("inference"), Fraction(2, 3)),
    (ic.RecursiveDiversity(2, 3), worst("background knowledge"), Fraction(2, 3)),
    (ic.TCloseness(Fraction(1, 3)), worst("change of belief"), Fraction(1, 3)),
    (ic.BetaLikeness(1), worst("skewness"), Fraction(2)),
    (ic.KAnonymity(2) & ic.PSensitive(2), lambda found: [found.get("homogeneity").exposed.records], 0),
    (ic.KAnonymity(2) & ic.EnhancedPAlphaSensitive(2, 1), similar, 0),
]


@pytest.mark.parametrize("algorithm", [*FULL_DOMAIN, *LOCAL], ids=str)
@pytest.mark.parametrize(("model", "measure", "bound"), BOUNDS, ids=[str(model) for model, *_ in BOUNDS])
@pytest.mark.filterwarnings("ignore:.* compares with the original table")
@settings(max_examples=5, deadline=None)
@given(table=tables, limit=st.sampled_from([0, 0.3]))
def test_no_attack_beats_the_bound(
    table: Any, algorithm: Any, model: Any, measure: Callable[[Attacks], list[Any]], bound: Any, limit: float
) -> None:
    release = released(table, model, algorithm, limit)
    if release is not None:
        found = ic.attack(release, original=[dict(row) for row in table])
        assert all(number <= bound for number in measure(found))


@pytest.mark.parametrize(
    ("model", "diseases", "posterior"),
    [
        ("l>=2", "aaaaaaaaad", Fraction(9, 10)),
        ("entropy-l>=2", "aaaaaabbdd", Fraction(6, 10)),
        ("recursive(c=2, l=2)", "aaaaaadddd", Fraction(6, 10)),
    ],
)
def test_these_models_promise_no_bound_on_the_posterior(model: str, diseases: str, posterior: Fraction) -> None:
    table = [{"age": "x", "disease": disease} for disease in diseases]
    roles = ic.Schema(quasi=["age"], sensitive={"disease": CATEGORIES})
    release = ic.anonymize(table, roles, model=f"k>=2, {model}")
    assert ic.attack(release).get("inference").worst == posterior
