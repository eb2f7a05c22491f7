from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from incrowd.core import CensusRequest, compatible_sizes
from incrowd.engines import open_table

TABLES = Path(__file__).parents[1] / "published" / "tables"
QUASI = ("Race", "Date_of_birth", "Gender", "ZIP")

labels = st.one_of(st.text("ab*", max_size=3), st.none())
tables = st.lists(st.tuples(labels, labels), min_size=1, max_size=12)


def sizes(rows: list[tuple[Any, ...]]) -> list[int]:
    """Count for every row the compatible rows, class by class."""
    distinct = sorted(set(rows), key=repr)
    names = [sorted({row[column] for row in rows}, key=repr) for column in range(len(rows[0]))]
    codes = [np.array([known.index(row[at]) for row in distinct]) for at, known in enumerate(names)]
    texts = [np.array([*known, "unused"], dtype=object) for known in names]
    counted = compatible_sizes(codes, texts, np.array([rows.count(row) for row in distinct])).tolist()
    return [counted[distinct.index(row)] for row in rows]


def match(one: str | None, other: str | None) -> bool:
    if one in {None, "", "*"} or other in {None, "", "*"}:
        return True
    assert one is not None
    assert other is not None
    return len(one) == len(other) and all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))


@given(rows=tables)
def test_two_rows_are_compatible_if_all_their_labels_are(rows: list[tuple[Any, ...]]) -> None:
    assert sizes(rows) == [sum(all(map(match, row, other)) for other in rows) for row in rows]


def test_masks_match_labels_of_their_length() -> None:
    assert sizes([("021*",), ("0213",), ("02138",), ("0***",), ("1*",)]) == [3, 3, 1, 3, 1]


def test_missing_empty_and_starred_labels_match_anything() -> None:
    assert sizes([(None,), ("",), ("*",), ("x",), ("y",)]) == [5, 5, 5, 4, 4]


def test_compatible_is_not_transitive() -> None:
    assert sizes([("a*",), ("*b",), ("ac",), ("cb",)]) == [3, 3, 2, 2]


def test_classes_without_a_star_are_compatible_with_themselves_only() -> None:
    assert sizes([("a", "x"), ("a", "x"), ("a", "y")]) == [2, 2, 1]


def test_rows_can_differ_in_every_column() -> None:
    assert sizes([("a*", "x"), ("x", "a*"), ("ab", "x")]) == [2, 1, 2]


def test_no_classes() -> None:
    assert compatible_sizes([np.zeros(0, int)], [np.zeros(0, object)], np.zeros(0, int)).tolist() == []


@pytest.mark.parametrize(
    ("table", "least"),
    [
        ("003_table10_improved_datafly", 1),
        ("003_table12_mu_argus", 1),
        ("003_table13_improved_mu_argus", 3),
        ("003_table14_l_diversity", 3),
        ("003_table15_improved_l_diversity", 3),
    ],
)
def test_the_published_tables(table: str, least: int) -> None:
    census = open_table(TABLES / f"{table}.csv").census(CensusRequest(QUASI))
    classes = census.classes()
    counted = compatible_sizes(classes.codes, [census.labels(name) for name in QUASI], classes.size)
    assert counted.min() == least


def test_many_classes_are_counted_without_comparing_all_pairs() -> None:
    count = 100_000
    names = np.array([f"{number:06}" for number in range(count)] + ["00000*", "******"], dtype=object)
    counted = compatible_sizes([np.arange(count + 2)], [names], np.ones(count + 2, dtype=np.int64))
    assert (counted[0], counted[10], counted[-2], counted[-1]) == (3, 2, 12, count + 2)
