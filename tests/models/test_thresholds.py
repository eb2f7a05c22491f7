from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import incrowd as ic


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: ic.KAnonymity(5.0), r"k must be a whole number, got 5\.0\. Hint: write 5\."),  # type: ignore[arg-type]
        (lambda: ic.KAnonymity("5"), "k must be a whole number, got the text '5'. Hint: write 5."),  # type: ignore[arg-type]
        (lambda: ic.KAnonymity(0), "k must be at least 1, got 0"),
        (lambda: ic.LDiversity(2.5), "l must be a whole number, got 2.5. Hint: write 2 or 3."),
        (lambda: ic.LDiversity(Fraction(1, 2)), "l must be a whole number, got 0.5. Hint: write 1."),
        (lambda: ic.KAnonymity("x"), "got the text 'x'. Hint: write a number without quotes and fractions, such as 5"),  # type: ignore[arg-type]
        (lambda: ic.LDiversity(0.5, kind="entropy"), "l must be at least 1, got 0.5"),
        (lambda: ic.LDiversity(2, kind="other"), "kind must be 'distinct', 'probabilistic' or 'entropy', got 'other'"),  # type: ignore[arg-type]
        (lambda: ic.LDiversity(2, joint=True), "joint=True needs the columns"),
        (lambda: ic.LDiversity(2, of=["a", "b"], kind="entropy", joint=True), "goes with kind='distinct'"),
        (lambda: ic.RecursiveDiversity(0, 2), "c must be above 0, got 0"),
        (lambda: ic.TCloseness(1.5), "t must be at least 0 and at most 1, got 1.5"),
        (lambda: ic.TCloseness(math.nan), "t must be a finite number, got nan"),
        (lambda: ic.TCloseness(0.1, distance="far"), "distance must be one of 'equal'"),  # type: ignore[arg-type]
        (lambda: ic.AlphaAssociation(0), "alpha must be above 0 and at most 1, got 0"),
        (lambda: ic.AlphaAssociation(0.5, values="HIV"), "values must be a list of texts"),
        (lambda: ic.PAlphaSensitive(2, -1), "alpha must be at least 0, got -1"),
        (lambda: ic.PAlphaSensitive(2, 1, weight_over="x"), "weight_over must be 'records' or 'distinct', got 'x'"),  # type: ignore[arg-type]
        (lambda: ic.PSensitive(2, of=[]), "of must name one or several different columns"),
        (lambda: ic.BetaLikeness(True), "beta must be a number, got True"),
    ],
)
def test_parameters_are_checked_when_the_model_is_built(build: Any, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        build()
