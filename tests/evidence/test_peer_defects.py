"""Mistakes that other tools make when they measure a table, each once as a test."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import incrowd as ic


def column_of(*values: Any, meaning: Any = None) -> Any:
    """Assess one class of sensitive values."""
    table = [{"q": "same", "s": value} for value in values]
    return ic.assess(table, ic.Schema(quasi=["q"], sensitive={"s": meaning})).columns["s"]


def test_100_of_one_value_and_two_others_are_not_recursively_diverse() -> None:
    table = [{"q": 1, "s": value} for value in ["a"] * 100 + ["b", "c"]]
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    assert not ic.check(table, schema, ic.RecursiveDiversity(1, 3)).holds
    assert ic.assess(table, schema).columns["s"].recursive == {2: 50, 3: 100}


@pytest.mark.parametrize("count", [2, 3, 5, 6, 7, 10, 14, 49, 100])
@pytest.mark.parametrize("times", [1, 3, 7])
def test_the_entropy_of_equally_frequent_values_is_their_number(count: int, times: int) -> None:
    assert column_of(*list(range(count)) * times).entropy_l == count


def test_labels_of_a_filtered_frame_are_no_positions() -> None:
    frame = pd.DataFrame({"q": ["x", "a", "y", "a", "b"], "s": ["1", "1", "2", "1", "2"]})
    kept = frame[frame["q"].isin(["a", "b"])]
    assert kept.index.tolist() == [1, 3, 4]
    assessment = ic.assess(kept, ic.Schema(quasi=["q"], sensitive=["s"]))
    assert (assessment.records, assessment.classes, assessment.k) == (3, 2, 1)
    assert assessment.columns["s"].distinct_l == 1
    assert assessment.columns["s"].homogeneous.records == 3


def test_records_with_a_missing_quasi_identifier_are_counted() -> None:
    frame = pd.DataFrame({"q": ["a", "a", None], "s": ["1", "2", "1"]})
    assessment = ic.assess(frame, ic.Schema(quasi=["q"], sensitive=["s"]))
    assert (assessment.records, assessment.classes, assessment.k) == (3, 2, 1)


def test_every_class_is_compared_with_the_t_that_was_asked_for() -> None:
    table = [{"q": q, "s": s} for q, s in [(1, "a"), (1, "a"), (2, "a"), (2, "b"), (3, "b"), (3, "b")]]
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    assert ic.assess(table, schema).columns["s"].t["equal"] == Fraction(1, 2)
    (finding,) = ic.check(table, schema, ic.TCloseness(0.2)).findings
    assert (finding.required, finding.failing_classes) == ((("t", "<=", Fraction(1, 5)),), 2)


def test_the_separator_is_honoured(tmp_path: Path) -> None:
    path = tmp_path / "semicolons.csv"
    path.write_text("q;s\n1,5;a\n1,5;b\n")
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    assert ic.assess(path, schema).k == 2
    path.write_text("q|s;t\n1|a;x\n1|b;x\n")
    assert ic.assess(path, ic.Schema(quasi=["q"], sensitive=["s;t"]), separator="|").k == 2


def test_codes_of_kinds_are_not_silently_taken_for_amounts() -> None:
    table = [{"q": q, "icd": code} for q, code in [(1, 10), (1, 20), (2, 30)]]
    schema = ic.Schema(quasi=["q"], sensitive=["icd"])
    column = ic.assess(table, schema).columns["icd"]
    assert (column.t["equal"], column.t["ordered"]) == (Fraction(2, 3), Fraction(1, 2))
    (finding,) = ic.check(table, schema, "t<=0.6").findings
    assert (finding.measured, finding.holds) == ((Fraction(2, 3),), False)


def test_the_average_chance_is_that_of_people_and_not_of_classes() -> None:
    table = [{"q": "alone"}, *[{"q": "crowd"}] * 9]
    assert ic.assess(table, ic.Schema(quasi=["q"])).average_chance == Fraction(1 + 9 * Fraction(1, 9), 10)


def test_a_level_that_no_record_has_is_no_class() -> None:
    frame = pd.DataFrame({"q": pd.Categorical(["a", "a", "b", "b"], categories=["a", "b", "never"])})
    assessment = ic.assess(frame, ic.Schema(quasi=["q"]))
    assert (assessment.classes, assessment.k) == (2, 2)


def test_a_value_that_no_record_has_is_no_value() -> None:
    frame = pd.DataFrame({"q": [1, 1], "s": pd.Categorical(["a", "b"], categories=["a", "b", "never"])})
    column = ic.assess(frame, ic.Schema(quasi=["q"], sensitive=["s"])).columns["s"]
    assert (column.values, column.delta) == (2, 0)


def test_a_column_with_one_value_divides_nothing_by_zero() -> None:
    column = column_of(5, 5, 5)
    assert column.t == {"equal": 0, "ordered": 0, "kl": 0}
    assert (column.distinct_l, column.entropy_l, column.beta, column.enhanced_beta, column.delta) == (1, 1, 0, 0, 0)
    assert column_of("x", "x", meaning=ic.tree({"top": ["x"]})).t["hierarchical"] == 0


def test_the_result_does_not_depend_on_the_hash_seed() -> None:
    script = (
        "import json, incrowd as ic\n"
        "table = [{'q': q, 's': s} for q in 'abc' for s in 'xyzzy']\n"
        "print(json.dumps(ic.assess(table, ic.Schema(quasi=['q'], sensitive=['s'])).to_dict(values=True)))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
