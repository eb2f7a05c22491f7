from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

import incrowd as ic
from incrowd.models._judge import Ratios
from models.tables import classes_of, counted, judge

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)
CATEGORIES = ic.categories({"secret": ["a", "b"], "private": ["c"], "delicate": ["d", "e"], "harmless": ["f"]})


def test_exactly_at_the_bound() -> None:
    assert judge(ic.PAlphaSensitive(2, 1), counted({"c": 1, "d": 1}), CATEGORIES).ok.tolist() == [True]
    assert judge(ic.LDiversity(3, kind="probabilistic"), counted({"a": 1, "b": 1, "c": 1})).ok.tolist() == [True]
    assert judge(ic.LDiversity(7, kind="entropy"), counted(dict.fromkeys("abcdefg", 1))).ok.tolist() == [True]
    assert judge(ic.RecursiveDiversity(1, 2), counted({"a": 1, "b": 1})).ok.tolist() == [False]
    assert judge(ic.RecursiveDiversity(1, 3), counted({"a": 100, "b": 1, "c": 1})).ok.tolist() == [False]
    assert judge(ic.TCloseness(0.3), counted({"a": 8, "b": 2}, {"a": 2, "b": 8})).ok.tolist() == [True, True]


def test_a_large_table_does_not_overflow() -> None:
    huge = Ratios(np.array([2**62, 2**62 - 1]), np.array([2**62, 2**62]))
    assert huge.meets(">=", Fraction(10**9, 10**9)).tolist() == [True, False]
    assert huge.meets("<", Fraction(10**12 + 1, 10**12)).tolist() == [True, True]


def test_a_person_in_two_classes_breaks_what_averages() -> None:
    rows = [("1", "a", "ann"), ("1", "b", "bob"), ("2", "a", "cyd"), ("2", "b", "bob")]
    assert judge(ic.AlphaAssociation(0.5), rows, entity=True).ok.tolist() == [True, True]
    assert judge(ic.AlphaAssociation(0.5), [("1", *row[1:]) for row in rows], entity=True).ok.tolist() == [False]


def test_classes_of_another_table_are_refused() -> None:
    _, domains = classes_of([(1, "HIV"), (1, "flu")])
    others, _ = classes_of([(1, "HIV"), (1, "HIV"), (1, "AIDS")])
    (bound,) = ic.AlphaAssociation(0.5, values=["HIV"]).bind(ic.Schema(quasi=["q"], sensitive=["s"]), domains)
    with pytest.raises(ic.ParameterError, match="other values of 's' than the table"):
        bound.judge(others)


def test_a_class_that_fails_misses_something() -> None:
    assert judge(ic.RecursiveDiversity(1, 2), counted({"a": 1, "b": 1})).deficit[1][0] > 0
    assert judge(ic.RecursiveDiversity(1, 3), counted({"a": 1, "b": 1})).deficit[0].tolist() == [1]


def test_people_are_counted_once_where_that_has_a_meaning() -> None:
    rows = [(1, "a", "ann"), (1, "b", "ann"), (1, "a", "bob"), (2, "a", "cyd")]
    assert judge(ic.KAnonymity(2), rows, entity=True).measured[0].floats.tolist() == [2, 1]
    assert judge(ic.AlphaAssociation(1), rows, entity=True).measured[0].at(0) == 1
    with pytest.raises(ic.SchemaError, match=r"LDiversity needs one value per person and class.*several in 's'"):
        judge(ic.LDiversity(2, kind="entropy"), rows, entity=True)
    single = [(1, "a", "ann"), (1, "a", "ann"), (1, "b", "bob")]
    assert judge(ic.LDiversity(2, kind="entropy"), single, entity=True).ok.tolist() == [True]


def test_no_classes_are_judged_without_complaint() -> None:
    for model in (ic.KAnonymity(2), ic.LDiversity(2), ic.TCloseness(0.1), ic.BetaLikeness(1), ic.DeltaDisclosure(1)):
        assert judge(model, []).ok.tolist() == []
