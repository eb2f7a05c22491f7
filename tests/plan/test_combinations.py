"""Which columns single people out, alone and together."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

import incrowd as ic
from incrowd.plan import SinglingOut


def test_combinations_that_single_people_out_are_counted() -> None:
    table = [
        {"age": 30, "sex": "f", "job": "x"},
        {"age": 30, "sex": "f", "job": "x"},
        {"age": 30, "sex": "m", "job": "x"},
        {"age": 41, "sex": "f", "job": "y"},
    ]
    found = ic.suggest(table).singling_out
    assert isinstance(found, SinglingOut)
    assert (found.together.alone, found.together.share) == (2, Fraction(1, 2))
    assert {one.columns: one.alone for one in found.single} == {("age",): 1, ("job",): 1, ("sex",): 1}
    assert {one.columns: one.alone for one in found.pairs} == {("age", "sex"): 2, ("sex", "job"): 2, ("age", "job"): 1}


def test_of_many_columns_only_some_pairs_are_looked_at() -> None:
    table = pd.DataFrame({f"c{number}": range(30) for number in range(30)})
    found = ic.suggest(table, roles={f"c{number}": "quasi" for number in range(30)}).singling_out
    assert found is not None
    assert (len(found.single), len(found.pairs)) == (30, 5)
