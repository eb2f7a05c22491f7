"""Published local recodings: what our own searches make of the same table."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import incrowd as ic
from incrowd.models import promise
from incrowd.search import Problem, TopDown

TABLES = Path(__file__).parent / "tables"
INDEX: dict[str, Any] = json.loads((TABLES / "index.json").read_text(encoding="utf-8"))


def distortion_ratio(fact: dict[str, Any]) -> Fraction:
    """Recode Table 4.4(b) from the top; what comes out must be Table 4.4(c), the table of the fact."""
    original = INDEX[fact["args"]["original"]]
    schema = ic.Schema(
        quasi={"Zipcode": ic.tree(TABLES / f"{original['hierarchies']['Zipcode']}.csv")},
        sensitive={"Health_condition": ic.categories(TABLES / f"{original['categories']}.csv")},
        insensitive=["Row"],
    )
    path, model = TABLES / original["file"], promise("k>=2, enhanced(p=2, alpha=1)")
    release = ic.anonymize(path, schema, model=model, algorithm=TopDown()).table.to_pylist()
    with (TABLES / INDEX[fact["table"]]["file"]).open(encoding="utf-8") as file:
        _, *lines = file.read().splitlines()
    assert sorted(",".join(str(row[name]) for name in original["columns"]) for row in release) == sorted(lines)
    outcome = TopDown().search(Problem(ic.census(path, schema), schema, model))
    return Fraction(outcome.costs["distortion"]).limit_denominator(1000)
