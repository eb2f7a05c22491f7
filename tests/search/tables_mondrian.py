"""Small tables for Mondrian, and what its outcome publishes, record by record."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import strategies as st

import incrowd as ic
from incrowd.search import LocalOutcome, Problem
from search import slow_mondrian as slow
from search.slow_mondrian import AGES, GRADE, QUASI, SEXES, TOWN, Part
from search.tables import CATEGORIES

COLUMNS = (*QUASI, "disease")

rows = st.fixed_dictionaries(
    {
        "age": st.sampled_from(AGES),
        "grade": st.sampled_from(GRADE),
        "sex": st.sampled_from(SEXES),
        "town": st.sampled_from(sorted(TOWN)),
        "disease": st.sampled_from("abcd"),
    }
)
tables = st.lists(rows, min_size=1, max_size=40)
kinds = st.sampled_from(["range", "hierarchy", "set"])


def alike(**columns: list[Any]) -> Part:
    """Give records that differ in some columns only."""
    usual = {"age": 20, "grade": "none", "sex": "f", "town": "ulm", "disease": "a"}
    return [usual | dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def problem(table: Part, model: Any, **more: Any) -> Problem:
    roles = slow.schema(disease=CATEGORIES, entity="person" if "person" in table[0] else None)
    return Problem(ic.census([dict(row) for row in table], roles), roles, model, **more)


def members(outcome: LocalOutcome) -> list[Part]:
    """Give the records of every class."""
    recoding = outcome.recoding
    known = [[*recoding.domains[name].values.tolist(), None] for name in COLUMNS]
    result: list[Part] = [[] for _ in range(outcome.classes)]
    for *codes, number, count in zip(*recoding.codes[: len(COLUMNS)], recoding.classes, recoding.counts, strict=True):
        values = [values[code] for values, code in zip(known, codes, strict=True)]
        result[number] += [dict(zip(COLUMNS, values, strict=True))] * int(count)
    return result


def names(outcome: LocalOutcome) -> list[tuple[Any, ...]]:
    """Give what every class is called."""
    return list(zip(*(texts.tolist() for texts in outcome.recoding.labels), strict=True))


def published(outcome: LocalOutcome) -> Counter[Any]:
    """Count what is published: every record beside what it is called."""
    pairs = zip(members(outcome), names(outcome), strict=True)
    return Counter((tuple(row[name] for name in COLUMNS), called) for part, called in pairs for row in part)
