"""Facts about combinations of columns that make a record stand out, and about tables compared row by row."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

import incrowd as ic
from incrowd.core import Census
from incrowd.search._mu_argus import Labelled, is_rare, minimal_combinations
from published.nodes import INDEX, TABLES, schema_of


def rows_of(table: str) -> list[dict[str, str]]:
    with (TABLES / INDEX[table]["file"]).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def unique_combinations(fact: dict[str, Any]) -> list[str]:
    """Give the combinations on which fewer than k records are like one record, smaller ones first."""
    arguments, schema = fact["args"], schema_of(fact)
    census = ic.census(rows_of(fact["table"]), schema)
    classes = census.classes(arguments["levels"])
    labels = np.stack([codes.astype(np.int64) for codes in classes.codes])
    own = _codes(census, rows_of(fact["table"])[arguments["row"] - 1], arguments["levels"])
    wanted = np.flatnonzero((labels == np.array(own)[:, np.newaxis]).all(axis=0))
    table = Labelled(labels, np.ones(labels.shape, dtype=bool), classes.size)
    if arguments.get("minimal"):
        found = [chosen for chosen, _ in minimal_combinations(table, wanted, arguments["k"], len(labels))]
    else:
        found = [chosen for chosen in _subsets(len(labels)) if is_rare(table, wanted, chosen, arguments["k"]).any()]
    return ["+".join(census.quasi[column] for column in chosen) for chosen in found]


def _codes(census: Census, row: dict[str, str], levels: dict[str, int]) -> list[int]:
    """Give the group of a row's values in every quasi-identifier."""
    leaves = {name: census.domains[name].texts.tolist().index(row[name]) for name in census.quasi}
    return [int(census.ladders[name].groups[levels[name]][leaves[name]]) for name in census.quasi]


def _subsets(columns: int) -> Iterator[tuple[int, ...]]:
    for number in range(1, columns + 1):
        yield from itertools.combinations(range(columns), number)


def differing_rows(fact: dict[str, Any]) -> list[int]:
    """Give the numbers of the rows that have another value than the original in a column."""
    column = fact["args"]["column"]
    pairs = zip(rows_of(fact["table"]), rows_of(fact["args"]["original"]), strict=True)
    return [number for number, (one, other) in enumerate(pairs, start=1) if one[column] != other[column]]


def same_multiset(fact: dict[str, Any]) -> bool:
    column = fact["args"]["column"]
    one, other = (Counter(row[column] for row in rows_of(name)) for name in (fact["table"], fact["args"]["original"]))
    return one == other


def prefix_equal(fact: dict[str, Any]) -> bool:
    columns, number = fact["args"]["columns"], fact["args"]["n"]
    one, other = (
        [[row[column] for column in columns] for row in rows_of(name)[:number]]
        for name in (fact["table"], fact["args"]["other"])
    )
    return len(one) == number and one == other
