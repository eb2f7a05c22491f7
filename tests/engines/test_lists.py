"""Columns of lists are read as texts, alike from every kind of table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import incrowd as ic
from engines.subjects import TYPED, make_subject
from incrowd.engines import open_table

VALUES: list[Any] = [["I10", "E11"], ["E11", "I10", "E11"], None, [], ["ä"], ["10", "9"], ["E11", None], [""], ["a|b"]]
TEXTS = ["E11|I10", "E11|I10", None, None, "ä", "10|9", "|", "|", "|"]


def texts_in(table: Any, separator: str = "|") -> Any:
    engine = open_table(table, lists={"dx": separator})
    domain = engine.domains(["dx"])["dx"]
    return dict(zip(domain.texts.tolist(), domain.counts.tolist(), strict=True))


def expected(texts: list[str | None]) -> dict[str | None, int]:
    return {text: texts.count(text) for text in texts}


@pytest.mark.parametrize("kind", TYPED)
def test_lists_become_sorted_texts(kind: str, tmp_path: Path) -> None:
    table = pa.table({"n": range(len(VALUES)), "dx": pa.array(VALUES)})
    assert texts_in(make_subject(kind, tmp_path).load(table)) == expected(TEXTS)


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("type_", [pa.int32(), pa.uint64(), pa.large_string()])
def test_items_are_texts_or_whole_numbers(kind: str, type_: Any, tmp_path: Path) -> None:
    values: list[Any] = [[10, 9], [9, 10], None, [7]]
    if pa.types.is_large_string(type_):
        values = [value and list(map(str, value)) for value in values]
    table = pa.table({"n": range(4), "dx": pa.array(values, pa.list_(type_))})
    assert texts_in(make_subject(kind, tmp_path).load(table), ";") == expected(["10;9", "10;9", None, "7"])


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("values", [[[["a"]]], [[1.5]], [[True]]])
def test_lists_of_anything_else_are_refused(kind: str, values: Any, tmp_path: Path) -> None:
    table = pa.table({"n": [1], "dx": pa.array(values)})
    with pytest.raises(ic.DataError, match="'dx' holds lists of"):
        texts_in(make_subject(kind, tmp_path).load(table))


def test_objects_of_python_are_lists_too() -> None:
    frame = pd.DataFrame({"dx": [("b", "a"), {"a"}, np.array(["b", "a"]), None, np.array([2, 1])]}, dtype=object)
    assert texts_in(frame) == expected(["a|b", "a", "a|b", None, "1|2"])
    assert frame["dx"][0] == ("b", "a")


@pytest.mark.parametrize("kind", [*TYPED, "csv"])
def test_texts_stay_as_they_are(kind: str, tmp_path: Path) -> None:
    table = pa.table({"n": range(3), "dx": ["b|a", "a", None]})
    assert texts_in(make_subject(kind, tmp_path).load(table)) == expected(["b|a", "a", None])


@pytest.mark.parametrize("kind", TYPED)
def test_a_release_of_lists_is_that_of_their_texts(kind: str, tmp_path: Path) -> None:
    lists: list[Any] = [["I10", "E11"], ["E11", "I10"], ["I10"], None, [], ["E11", "I10"]]
    texts = [None if not one else "|".join(one) for one in lists]
    schema = ic.Schema({"age": ic.flat(), "dx": ic.items()})
    tables = [pa.table({"age": [1, 1, 2, 2, 2, 1], "dx": pa.array(column)}) for column in (lists, texts)]
    found, same = (
        ic.anonymize(make_subject(kind, tmp_path).load(table), schema, model="k>=2[any 2 items]") for table in tables
    )
    rows = make_subject(kind, tmp_path).rows
    assert sorted(map(str, rows(found.table))) == sorted(map(str, rows(same.table)))
    assert found.verdict == same.verdict


@pytest.mark.parametrize("kind", TYPED)
def test_items_that_are_nothing_are_counted_and_refused(kind: str, tmp_path: Path) -> None:
    table = pa.table({"age": [1, 1, 1], "dx": pa.array([["Canary|1"], ["Canary", None], ["Canary"]])})
    with pytest.raises(ic.DataError, match="'dx' has 1 value with an item") as error:
        ic.anonymize(
            make_subject(kind, tmp_path).load(table), ic.Schema({"dx": ic.items()}, insensitive=["age"]), model="k>=2"
        )
    assert "Canary" not in str(error.value)


def test_a_column_of_lists_without_their_hierarchy_is_refused_as_before() -> None:
    with pytest.raises(ic.DataError, match="list"):
        ic.anonymize([{"dx": ["a"]}] * 3, ic.Schema(["dx"]), model="k>=2")
