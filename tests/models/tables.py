"""Small tables as classes, for models to judge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import incrowd as ic
from incrowd.core import CensusRequest, Classes, Domain
from incrowd.engines import open_table
from incrowd.models import Judgement, Model

Rows = Sequence[tuple[Any, ...]]


def classes_of(rows: Rows, *, entity: bool = False) -> tuple[Classes, dict[str, Domain]]:
    """Rows are (class, sensitive value) or (class, sensitive value, person)."""
    table = [dict(zip(("q", "s", "person"), row, strict=False)) for row in rows]
    request = CensusRequest(("q",), ("s",), entity="person" if entity else None)
    census = open_table(table).census(request)
    return census.classes(), dict(census.domains)


def judge(model: Model, rows: Rows, meaning: Any = None, *, entity: bool = False) -> Judgement:
    """Judge the classes of a table with one sensitive column."""
    classes, domains = classes_of(rows, entity=entity)
    schema = ic.Schema(quasi=["q"], sensitive={"s": meaning})
    (bound,) = model.bind(schema, domains)
    return bound.judge(classes)


def bags(rows: Rows) -> tuple[list[Mapping[Any, int]], Mapping[Any, int]]:
    """Give the histogram of every class in the order of the classes, and that of the whole table."""
    by_class: defaultdict[Any, Counter[Any]] = defaultdict(Counter)
    for row in rows:
        by_class[row[0]][row[1]] += 1
    return [by_class[key] for key in sorted(by_class)], Counter(row[1] for row in rows)


def counted(*classes: Mapping[Any, int]) -> list[tuple[int, Any]]:
    """Make rows from one histogram per class."""
    return [(number, value) for number, bag in enumerate(classes) for value, count in bag.items() for _ in range(count)]
