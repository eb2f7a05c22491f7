"""The papers' tables through the front door, fact by fact."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.attacks import expected_homogeneity
from incrowd.core import Census, CensusRequest, Verdict
from incrowd.engines import open_table
from incrowd.evidence import Assessment, Attacks
from incrowd.hierarchies import covers
from incrowd.models import cumulative_max, max_groups
from published import combinations, local, nodes

pytestmark = pytest.mark.filterwarnings("ignore:.* promises nothing")  # measuring asks for the weakest promise

HERE = Path(__file__).parent
FACTS: list[dict[str, Any]] = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))["facts"]
INDEX: dict[str, Any] = json.loads((HERE / "tables" / "index.json").read_text(encoding="utf-8"))

LATER: dict[str, set[str]] = {}
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


def path_of(table: str) -> Path:
    return HERE / "tables" / str(INDEX[table]["file"])


def verdict(fact: dict[str, Any], *promises: str) -> Verdict:
    schema = schema_of(fact)
    names = json.dumps(list(schema.sensitive_names), ensure_ascii=False)
    return ic.check(path_of(fact["table"]), schema, ", ".join(promises).replace("[]", names))


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
    return max(finding.measured[0] for finding in ic.check(path_of(fact["table"]), schema, model).findings)


def assess(fact: dict[str, Any], **options: Any) -> Assessment:
    return ic.assess(path_of(fact["table"]), schema_of(fact), **options)


def census_of(fact: dict[str, Any], schema: ic.Schema) -> Census:
    """Count a table as it stands, without hierarchies."""
    request = CensusRequest(schema.quasi_names, schema.sensitive_names, count=schema.count)
    return open_table(path_of(fact["table"])).census(request)


def cost_matrix(fact: dict[str, Any]) -> list[list[Fraction]]:
    """Give the columns of the matrix, one per class, in any order; rows as the fact has them."""
    association = assess(fact).association()
    classes = range(len(association.sizes))
    return sorted([association.share(value, number) for value in fact["expected"]] for number in classes)


def closeness(fact: dict[str, Any]) -> bool:
    """Judge (n, t)-closeness of a table, or of a node of its lattice."""
    arguments, schema = fact["args"], schema_of(fact)
    model = ic.NTCloseness(arguments["n"], Fraction(arguments["t"]), supersets=arguments["mode"])
    assert arguments["distance"] == "variational"
    if "node" not in arguments:
        return ic.check(path_of(fact["table"]), schema, model).holds
    files = INDEX[fact["table"]]["hierarchies"]
    ladders = {name: ic.tree(HERE / "tables" / f"{files[name]}.csv") for name in schema.quasi_names}
    schema = ic.Schema(ladders, schema.sensitive_names, count=schema.count)
    census = ic.census(path_of(fact["table"]), schema)
    (judge,) = model.bind(schema, census.domains)
    return bool(judge.judge(census.classes(arguments["node"])).ok.all())


def class_weights(fact: dict[str, Any]) -> list[Any]:
    """Give the total weight of every class, or of the whole table as one class."""
    schema = schema_of(fact)
    census = census_of(fact, schema)
    classes = census.classes() if fact.get("args", {}).get("qi") is None else census.classes().as_one()
    (judge,) = ic.PAlphaSensitive(1, 0).bind(schema, census.domains)
    _, weights = judge.measure(classes)
    return sorted(weights.at(number) for number in range(len(classes)))


def ranks(fact: dict[str, Any]) -> dict[str, tuple[int, Fraction]]:
    """Give for every value the rank of its category, and its weight."""
    categories: Any = dict(schema_of(fact).sensitive).popitem()[1]
    numbered = enumerate(zip(categories.groups, categories.weights, strict=True))
    return {value: (rank, weight) for rank, ((_, values), weight) in numbered for value in values}


def category_distance(fact: dict[str, Any]) -> Fraction:
    known = ranks(fact)
    steps = abs(known[fact["args"]["a"]][0] - known[fact["args"]["b"]][0])
    return Fraction(steps, max(rank for rank, _ in known.values()))


def value_counts(fact: dict[str, Any]) -> dict[str, int]:
    column = fact["args"]["column"]
    domain = census_of(fact, ic.Schema(quasi=[column])).domains[column]
    return dict(zip(domain.texts.tolist(), domain.counts.tolist(), strict=True))


def counted(*classes: dict[Any, int]) -> Assessment:
    """Assess a table that is given as one histogram per class."""
    rows = [{"q": number, "s": value, "n": count} for number, bag in enumerate(classes) for value, count in bag.items()]
    return ic.assess([row for row in rows if row["n"]], ic.Schema(quasi=["q"], sensitive=["s"], count="n"))


def distance(fact: dict[str, Any]) -> Any:
    """Measure how far a class is from the table; the rest of the table makes a second class, which is nearer."""
    arguments = fact["args"]
    values = [int(value) for value in arguments["domain"]]
    p, q = ([Fraction(share) for share in arguments[name]] for name in "pq")
    size = math.lcm(*(share.denominator for share in p))
    total = 3 * math.lcm(size, *(share.denominator for share in q))
    own = {value: int(share * size) for value, share in zip(values, p, strict=True)}
    rest = {value: int(share * total) - own[value] for value, share in zip(values, q, strict=True)}
    far = counted(own, rest).columns["s"].t[{"variational": "equal"}.get(arguments["distance"], arguments["distance"])]
    return far if isinstance(far, Fraction) else pytest.approx(far)


def logarithm(fact: dict[str, Any]) -> Any:
    """Measure log x as the divergence of a class with one value from a table in which 1 in x records has it."""
    share = 1 / Fraction(fact["args"]["x"])
    one, all_ = share.numerator, share.denominator
    divergence = counted({"a": 1}, {"a": 10**6 * one - 1, "b": 10**6 * (all_ - one)}).columns["s"].t["kl"]
    return pytest.approx(divergence / math.log(fact["args"]["base"]))


def recursive(fact: dict[str, Any]) -> bool:
    arguments = fact["args"]
    model = ic.RecursiveDiversity(Fraction(arguments["c"]), arguments["l"])
    return counted(dict(enumerate(arguments["counts"]))).check(model).holds


def uncovered(fact: dict[str, Any]) -> list[list[Any]]:
    """Compare row by row: number, column, value and label of each cell whose label does not cover its value."""
    pairs = zip(*(rows_of(table) for table in (fact["args"]["original"], fact["table"])), strict=True)
    return [
        [number, column, before[column], after[column]]
        for number, (before, after) in enumerate(pairs, start=1)
        for column in fact["args"]["columns"]
        if not covers(after[column], before[column])
    ]


def rows_of(table: str) -> list[dict[str, str]]:
    with path_of(table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def frequencies(fact: dict[str, Any]) -> Any:
    if "freqs" in fact["args"]:
        return fact["args"]["freqs"]
    census = census_of(fact, schema_of(fact))
    return [census.domains[name].counts for name in census.sensitive]


def attacked(fact: dict[str, Any], **known: Any) -> Attacks:
    return ic.attack(path_of(fact["table"]), schema_of(fact), intruder=ic.Intruder(**known))


def exposed(fact: dict[str, Any], name: str, **known: Any) -> list[int]:
    """Give the classes and records that an attack on the first sensitive column exposes."""
    found = attacked(fact, **known).get(name, schema_of(fact).sensitive_names[0]).exposed
    return [found.classes, found.records]


def similar(fact: dict[str, Any]) -> list[int]:
    name, categories = schema_of(fact).sensitive[0]
    ranks = fact.get("args", {}).get("only")
    only = [] if ranks is None else [categories.names[rank - 1] for rank in ranks]  # type: ignore[union-attr]
    return exposed(fact, "similarity", categories={name: only})


def posterior(fact: dict[str, Any]) -> dict[str, Fraction]:
    """Give what is left in a class once values are ruled out; the facts are about classes where one is left."""
    name, arguments = schema_of(fact).sensitive_names[0], fact["args"]
    found = attacked(fact, values={name: arguments["exclude"]}).get("background knowledge").exposed_records()
    inside = [all(row) for row in zip(*(found[key] == label for key, label in arguments["match"].items()), strict=True)]
    (value,) = set(found[name][inside].tolist())
    return {value: Fraction(1)}


def linked(fact: dict[str, Any]) -> list[list[int]]:
    """Give per row of the external table the rows that it is re-identified as."""
    arguments = fact["args"]
    schema = ic.Schema(quasi=arguments["on"], sensitive=["Row"])
    people = rows_of(arguments["external"])
    found = ic.attack(path_of(fact["table"]), schema, external=people, on=arguments["on"], who="Row")
    table = found.get("linkage").exposed_records()
    rows = dict(zip(table["Row"].tolist(), table["Row_"].tolist(), strict=True))
    return [[int(rows[person["Row"]])] if person["Row"] in rows else [] for person in people]


MEASURES |= {
    "homogeneous": lambda fact: exposed(fact, "homogeneity"),
    "similarity": similar,
    "posterior": posterior,
    "link": linked,
    "se": lambda fact: expected_homogeneity(*(fact["args"][name] for name in "nkK")).classes,
    "attribute_disclosures": lambda fact: attacked(fact).attribute_disclosures,
    "k_compatible": lambda fact: assess(fact, matching="compatible").compatible_k,
    "alpha_vector": lambda fact: assess(fact).association().alphas,
    "cost_matrix": cost_matrix,
    "nt": closeness,
    "class_weights": class_weights,
    "weights": lambda fact: {value: weight for value, (_, weight) in ranks(fact).items()},
    "weight_of": lambda fact: sum(ranks(fact)[value][1] for value in fact["args"]["values"]),
    "category_distance": category_distance,
    "value_counts": value_counts,
    "distances": distance,
    "entropy_counts": lambda fact: pytest.approx(
        math.log(counted(dict(enumerate(fact["args"]["counts"]))).columns["s"].entropy_l or 0)
    ),
    "recursive_counts": recursive,
    "log_ratio": logarithm,
    "ratio": lambda fact: Fraction(fact["args"]["num"], fact["args"]["den"]),
    "uncovered": uncovered,
    "unique_combinations": combinations.unique_combinations,
    "differing_rows": combinations.differing_rows,
    "same_multiset": combinations.same_multiset,
    "prefix_equal": combinations.prefix_equal,
    "distortion_ratio": local.distortion_ratio,
    "max_groups": lambda fact: max_groups(frequencies(fact), fact["args"]["p"]),
    "cumulative_max": lambda fact: cumulative_max(frequencies(fact)),
    "max_classes": lambda fact: (
        ic.feasibility(path_of(fact["table"]), schema_of(fact), ic.KAnonymity(fact["args"]["k"])).max_classes
    ),
}


def expected(fact: dict[str, Any]) -> Any:
    value = fact["expected"]
    if fact["measure"] == "class_sizes":
        return sorted(value)
    if fact["measure"] == "cost_matrix":
        return sorted([Fraction(share) for share in column] for column in zip(*value.values(), strict=True))
    if isinstance(value, dict):
        return {name: Fraction(number) for name, number in value.items()}
    return Fraction(value) if isinstance(value, str) else value


NOW = [fact for fact in FACTS if fact["measure"] in MEASURES]


@pytest.mark.parametrize("fact", NOW, ids=lambda fact: fact["id"])
def test_published_fact(fact: dict[str, Any]) -> None:
    assert MEASURES[fact["measure"]](fact) == expected(fact)


@pytest.mark.parametrize(
    "fact", [fact for fact in FACTS if fact["measure"] in nodes.MEASURES], ids=lambda fact: fact["id"]
)
def test_published_fact_about_nodes(fact: dict[str, Any]) -> None:
    assert nodes.MEASURES[fact["measure"]](fact) == nodes.expected(fact)


def test_every_fact_belongs_somewhere() -> None:
    waiting = set[str]().union(*LATER.values())
    unknown = {fact["id"] for fact in FACTS if fact["measure"] not in {None, *MEASURES, *nodes.MEASURES, *waiting}}
    assert unknown == set()
    assert not waiting & {*MEASURES, *nodes.MEASURES}


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
