"""The papers' tables through the front door, fact by fact."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.core import Verdict

HERE = Path(__file__).parent
FACTS: list[dict[str, Any]] = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))["facts"]
INDEX: dict[str, Any] = json.loads((HERE / "tables" / "index.json").read_text(encoding="utf-8"))

LATER = {
    "nodes and lattices": {
        *("minimal_nodes", "satisfying_nodes", "incognito_survivors", "node_classes", "violating_counts"),
        *("lattice_size", "lattice_height", "lattice_shape"),
    },
    "local algorithms": {"unique_combinations", "distortion_ratio", "differing_rows", "same_multiset", "prefix_equal"},
    "attacks, linking and estimates": {"link", "posterior", "homogeneous", "similarity", "se", "attribute_disclosures"},
    "feasibility": {"max_groups", "max_classes", "cumulative_max"},
    "assess": {
        *("k_compatible", "alpha_vector", "cost_matrix", "nt", "class_weights", "weights", "weight_of", "value_counts"),
        *("category_distance", "distances", "entropy_counts", "recursive_counts", "log_ratio", "ratio", "uncovered"),
    },
}
"""Measures that wait for what they are about."""


def schema_of(fact: dict[str, Any]) -> ic.Schema:
    """Read the roles of a published table; a fact may name one sensitive column of several."""
    entry, arguments = INDEX[fact["table"]], fact.get("args", {})
    columns: dict[str, list[str]] = {}
    for name, role in entry["roles"].items():
        columns.setdefault(role, []).append(name)
    sensitive = [arguments["sensitive"]] if "sensitive" in arguments else columns.get("sensitive", [])
    meaning = ic.categories(HERE / "tables" / f"{entry['categories']}.csv") if "categories" in entry else None
    return ic.Schema(
        quasi=columns["quasi"],
        sensitive={name: meaning if number == 0 else None for number, name in enumerate(sensitive)},
        count=columns["count"][0] if "count" in columns else None,
    )


def verdict(fact: dict[str, Any], *promises: str) -> Verdict:
    schema = schema_of(fact)
    names = json.dumps(list(schema.sensitive_names), ensure_ascii=False)
    return ic.check(HERE / "tables" / INDEX[fact["table"]]["file"], schema, ", ".join(promises).replace("[]", names))


def worst(fact: dict[str, Any], promise: str) -> list[Any]:
    """Give what was measured, number by number; of several columns the worst."""
    findings = verdict(fact, promise).findings
    return [min(numbers) for numbers in zip(*(finding.measured for finding in findings), strict=True)]


MEASURES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "rows": lambda fact: verdict(fact, "k>=1").records,
    "k": lambda fact: worst(fact, "k>=1")[0],
    "class_sizes": lambda fact: sorted(verdict(fact, "k>=1000000").failing["records"].tolist()),
    "number_of_classes": lambda fact: verdict(fact, "k>=1").classes,
    "distinct_l": lambda fact: worst(fact, "l>=1[]")[0],
    "p_sensitive": lambda fact: worst(fact, "p>=1[]")[0],
    "max_frequency": lambda fact: worst(fact, "alpha<=1[]")[0],
    "alpha_max": lambda fact: worst(fact, "alpha<=1[]")[0],
    "entropy_l": lambda fact: pytest.approx(worst(fact, "entropy-l>=1[]")[0]),
    "recursive_ratio": lambda fact: worst(fact, f"recursive(c=1, l={fact['args']['l']})[]")[1],
    "p_alpha": lambda fact: worst(fact, "p-alpha(p=1, alpha=0)[]"),
    "enhanced_p_alpha": lambda fact: worst(fact, "enhanced(p=1, alpha=0)[]"),
    "t": lambda fact: farthest(fact),  # noqa: PLW0108 - defined below
}


def farthest(fact: dict[str, Any]) -> Any:
    schema = schema_of(fact)
    model = ic.TCloseness(1, of=schema.sensitive_names, distance=fact["args"]["distance"])
    path = HERE / "tables" / INDEX[fact["table"]]["file"]
    return max(finding.measured[0] for finding in ic.check(path, schema, model).findings)


def expected(fact: dict[str, Any]) -> Any:
    value = fact["expected"]
    if fact["measure"] == "class_sizes":
        return sorted(value)
    return Fraction(value) if isinstance(value, str) else value


NOW = [fact for fact in FACTS if fact["measure"] in MEASURES]


@pytest.mark.parametrize("fact", NOW, ids=lambda fact: fact["id"])
def test_published_fact(fact: dict[str, Any]) -> None:
    assert MEASURES[fact["measure"]](fact) == expected(fact)


def test_every_fact_belongs_somewhere() -> None:
    waiting = set().union(*LATER.values())
    unknown = {fact["id"] for fact in FACTS if fact["measure"] not in {None, *MEASURES, *waiting}}
    assert unknown == set()
    assert not waiting & set(MEASURES)


def test_what_cannot_be_reconstructed_is_listed() -> None:
    lost = {fact["id"] for fact in FACTS if fact["status"] == "not_reconstructable"}
    assert lost == {
        "000-T3.10-third-group",
        "001-fig-cases",
        "002-F3-data",
        "002-T8",
        "003-fig6-fig7",
        "004-gui-tables",
    }
