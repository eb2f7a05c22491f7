"""Facts about nodes and lattices, through the front doors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import incrowd as ic
from incrowd.models import Model
from incrowd.search import Incognito, Problem, all_solutions, left_out_at

TABLES = Path(__file__).parent / "tables"
INDEX: dict[str, Any] = json.loads((TABLES / "index.json").read_text(encoding="utf-8"))
RACE = "hier_002_table7_race"


def hierarchy(name: str) -> Any:
    """Read a hierarchy file; one of them has the label Other on two levels, which we refuse: there it is renamed."""
    path = TABLES / f"{name}.csv"
    if name != RACE:
        return ic.tree(path)
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = {(f"{row[level]}{level or ''}", f"{row[level + 1]}{level + 1}") for row in rows for level in range(3)}
    return ic.tree(sorted(pairs))


def schema_of(fact: dict[str, Any]) -> ic.Schema:
    entry, arguments = INDEX[fact["table"]], fact.get("args", {})
    hierarchies = arguments.get("hierarchies", entry.get("hierarchies", {}))
    quasi = arguments.get("qi", [name for name, role in entry["roles"].items() if role == "quasi"])
    sensitive = [name for name, role in entry["roles"].items() if role == "sensitive" and name not in quasi]
    count = [name for name, role in entry["roles"].items() if role == "count"]
    meaning = ic.categories(TABLES / f"{entry['categories']}.csv") if "categories" in entry else None
    return ic.Schema(
        quasi={name: hierarchy(hierarchies[name]) for name in quasi},
        sensitive=dict.fromkeys(sensitive[:1], meaning) | dict.fromkeys(sensitive[1:]),
        count=count[0] if count else None,
    )


def model_of(given: dict[str, Any]) -> Model:
    kind = given["type"]
    if kind == "and":
        one, two = map(model_of, given["of"])
        return one & two
    build: dict[str, Callable[[], Model]] = {
        "k": lambda: ic.KAnonymity(given["k"]),
        "p_sensitive": lambda: ic.PSensitive(given["p"], of=given["attrs"]),
        "p_alpha": lambda: ic.PAlphaSensitive(given["p"], Fraction(given["alpha"]), of=given["attr"]),
        "enhanced_p_alpha": lambda: ic.EnhancedPAlphaSensitive(given["p"], Fraction(given["alpha"]), of=given["attr"]),
        "entropy_l": lambda: ic.LDiversity(given["l"], of=given["attr"], kind="entropy"),
        "nt": lambda: ic.NTCloseness(given["n"], Fraction(given["t"]), of=given["attr"], distance=given["distance"]),
    }
    return build[kind]()


def problem_of(fact: dict[str, Any]) -> Problem:
    arguments, schema = fact.get("args", {}), schema_of(fact)
    model = model_of(arguments.get("property", {"type": "k", "k": 1}))
    census = ic.census(TABLES / INDEX[fact["table"]]["file"], schema)
    return Problem(census, schema, model, arguments.get("limit", 0), policy=arguments.get("policy", "violating"))


def satisfying(fact: dict[str, Any]) -> Any:
    return [list(node.values()) for node in all_solutions(problem_of(fact)).acceptable]


def minimal(fact: dict[str, Any]) -> Any:
    problem = problem_of(fact)
    listed = [list(node.values()) for node in all_solutions(problem).minimal]
    minimal_by_incognito = Incognito().search(problem).minimal
    assert minimal_by_incognito is not None
    assert sorted(minimal_by_incognito.tolist()) == sorted(listed)
    return sorted(listed)


def violating(fact: dict[str, Any]) -> Any:
    left_out = left_out_at(problem_of(fact))
    return {key: left_out([int(level) for level in key.split(",")]) for key in fact["expected"]}


def survivors(fact: dict[str, Any]) -> Any:
    trace = Incognito().search(problem_of(fact)).trace
    return {"+".join(step.columns): step.survivors.tolist() for step in trace}


def classes(fact: dict[str, Any]) -> Any:
    census = problem_of(fact).census
    found = census.classes(fact["args"]["node"])
    labels = zip(*(found.texts(column).tolist() for column in range(len(census.quasi))), strict=True)
    return dict(zip(map("|".join, labels), found.records.tolist(), strict=True))


def shape(fact: dict[str, Any]) -> Any:
    """A lattice of so many levels: one column each, with a chain of groups above its values."""
    columns = {}
    for number, height in enumerate(fact["args"]["heights"]):
        steps = [(f"{value}", f"{number}-0") for value in "xy"] if height > 1 else []
        chain = [(f"{number}-{level}", f"{number}-{level + 1}") for level in range(height - 2)]
        top = [(f"{number}-{height - 2}", "*")] if height > 1 else [("x", "*"), ("y", "*")]
        columns[f"q{number}"] = ic.tree([*steps, *chain, *top])
    schema = ic.Schema(quasi=columns)
    rows = [dict.fromkeys(columns, value) for value in "xy"]
    problem = Problem(ic.census(rows, schema), schema, ic.KAnonymity(1))
    return [problem.nodes, sum(problem.highs)]


def size(fact: dict[str, Any]) -> Any:
    """The hierarchies alone decide: the sample has a value that the printed one lacks."""
    return math.prod(hierarchy(name).height + 1 for name in fact["args"]["hierarchies"].values())


MEASURES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "satisfying_nodes": satisfying,
    "minimal_nodes": minimal,
    "violating_counts": violating,
    "incognito_survivors": survivors,
    "node_classes": classes,
    "lattice_shape": shape,
    "lattice_size": size,
}


def expected(fact: dict[str, Any]) -> Any:
    """Nodes have no order."""
    value = fact["expected"]
    if fact["measure"] == "incognito_survivors":
        return {key: sorted(nodes) for key, nodes in value.items()}
    return sorted(value) if fact["measure"] in {"minimal_nodes", "satisfying_nodes"} else value
