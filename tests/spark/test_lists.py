"""Columns of lists on a cluster are read as texts, as everywhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import incrowd as ic
from engines.test_lists import TEXTS, VALUES, expected, texts_in
from spark.applications import spark_subject


def test_lists_become_sorted_texts(local: Any, tmp_path: Path) -> None:
    table = pa.table({"n": range(len(VALUES)), "dx": pa.array(VALUES)})
    assert texts_in(spark_subject("local", local, tmp_path).load(table)) == expected(TEXTS)


def test_lists_of_anything_else_are_refused(local: Any, tmp_path: Path) -> None:
    table = pa.table({"n": [1], "dx": pa.array([[1.5]])})
    with pytest.raises(ic.DataError, match="'dx' holds lists of double"):
        texts_in(spark_subject("local", local, tmp_path).load(table))


def test_a_release_is_that_of_one_machine(local: Any, tmp_path: Path) -> None:
    lists: list[Any] = [["I10", "E11"], ["E11", "I10"], ["I10"], None, [], ["E11", "I10"]]
    table = pa.table({"age": [1, 1, 2, 2, 2, 1], "dx": pa.array(lists)})
    schema = ic.Schema({"age": ic.flat(), "dx": ic.items()})
    here = ic.anonymize(table, schema, model="k>=2[any 2 items]")
    there = ic.anonymize(spark_subject("local", local, tmp_path).load(table), schema, model="k>=2[any 2 items]")
    assert there.verdict == here.verdict
