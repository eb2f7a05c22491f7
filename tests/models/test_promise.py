from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.models import All, Model, promise

names = st.one_of(
    st.sampled_from(
        [
            "disease",
            "marital status",
            "a.b",
            "ordered",
            "kl",
            "path",
            "a, b",
            'say "hi"',
            "[x]",
            "a:b",
            "a+b",
            " x",
            "ä",
            "1",
        ]
    ),
    st.text(min_size=1, max_size=8).filter(lambda text: text.isprintable()),
)
columns = st.one_of(st.none(), st.lists(names, min_size=1, max_size=3, unique=True))
positive = st.one_of(st.integers(1, 50), st.fractions(1, 50, max_denominator=30))
shares = st.fractions(Fraction(1, 100), 1, max_denominator=100)
whole = st.integers(1, 9)

models = st.one_of(
    st.builds(ic.KAnonymity, whole),
    st.builds(ic.LDiversity, whole, columns),
    st.builds(ic.LDiversity, positive, columns, st.sampled_from(["probabilistic", "entropy"])),
    st.builds(ic.LDiversity, whole, st.lists(names, min_size=2, max_size=3, unique=True), joint=st.just(value=True)),
    st.builds(ic.RecursiveDiversity, positive, whole, columns),
    st.builds(ic.TCloseness, shares, columns, st.sampled_from(["equal", "ordered", "hierarchical", "kl"])),
    st.builds(
        ic.NTCloseness,
        whole,
        shares,
        columns,
        st.sampled_from(["equal", "ordered", "hierarchical", "kl"]),
        st.sampled_from(["lattice", "path", "drop", "table"]),
    ),
    st.builds(ic.PSensitive, whole, columns),
    st.builds(ic.PAlphaSensitive, whole, positive, columns, st.sampled_from(["records", "distinct"])),
    st.builds(ic.EnhancedPAlphaSensitive, whole, positive, columns, st.sampled_from(["records", "distinct"])),
    st.builds(ic.AlphaAssociation, shares, columns),
    st.builds(
        ic.AlphaAssociation, shares, st.lists(names, min_size=1, max_size=1), st.lists(names, min_size=1, max_size=3)
    ),
    st.builds(ic.BetaLikeness, positive, columns, st.booleans()),
    st.builds(ic.DeltaDisclosure, positive, columns),
)


@given(model=models)
def test_a_promise_reads_as_it_prints(model: Model) -> None:
    assert promise(str(model)) == model


@given(parts=st.lists(models, min_size=2, max_size=4))
def test_several_promises_read_as_they_print(parts: list[Model]) -> None:
    together = All(tuple(parts))
    assert promise(str(together)) == together


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("k>=5", ic.KAnonymity(5)),
        (" k >= 5 , l>=3 [ disease ] ", ic.KAnonymity(5) & ic.LDiversity(3, of="disease")),
        ("entropy-l>=2.5[disease]", ic.LDiversity(2.5, of="disease", kind="entropy")),
        ("recursive(c=2, l=3)[disease]", ic.RecursiveDiversity(2, 3, of="disease")),
        ("t<=0.2[cost, ordered]", ic.TCloseness(0.2, of="cost", distance="ordered")),
        ("t<=1/3", ic.TCloseness(Fraction(1, 3))),
        ('t<=0.2["ordered"]', ic.TCloseness(0.2, of="ordered")),
        ("nt(n=1000, t=0.1)[disease]", ic.NTCloseness(1000, 0.1, of="disease")),
        (
            "nt(n=1000, t=0.1)[disease, ordered, drop]",
            ic.NTCloseness(1000, 0.1, of="disease", distance="ordered", supersets="drop"),
        ),
        ("nt(n=5, t=1/3)[path]", ic.NTCloseness(5, Fraction(1, 3), supersets="path")),
        ("l>=3[path]", ic.LDiversity(3, of="path")),
        ("t<=0.5[table]", ic.TCloseness(0.5, of="table")),
        ("p-alpha(p=2, alpha=1)", ic.PAlphaSensitive(2, 1)),
        ("enhanced(p=2, alpha=2)", ic.EnhancedPAlphaSensitive(2, 2)),
        (
            "alpha<=0.5[disease: HIV, lung cancer]",
            ic.AlphaAssociation(0.5, of="disease", values=["HIV", "lung cancer"]),
        ),
    ],
)
def test_promises_of_the_design(text: str, model: Any) -> None:
    assert promise(text) == model


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "needs a name at character 1"),
        ("k", "asks for k, which there is not.*there are k>="),
        ("k>=", "needs a number at character 4"),
        ("k>=five", "needs a number at character 4"),
        ("k>=5 k>=6", "needs a number"),
        ("k>=5)", r"goes on unexpectedly at character 5"),
        ("k<=5", "asks for k<=, which there is not"),
        ("l>=3[disease", "needs a comma at character 13"),
        ("l>=3[a b] x", "goes on unexpectedly"),
        ("recursive(c=2)", "has parameters that recursive does not take, or lacks some"),
        ("recursive(c=2, x=3)", "has parameters that recursive does not take"),
        ("recursive(c 2)", "needs '='"),
        ("t<=0.2[cost, ordered, kl]", "has parameters that t does not take"),
        ("nt(n=5)", "has parameters that nt does not take, or lacks some"),
        ("nt(n=5, t=0.1)[drop, path]", "has parameters that nt does not take"),
        ("nt(n=0.5, t=0.1)", "n must be a whole number"),
        ("t<=2", "t must be at least 0 and at most 1, got 2"),
        ('l>=3["open]', "cannot be read at character 6"),
        ('l>=3[a "b"]', "needs a comma"),
    ],
)
def test_a_wrong_promise_is_shown_with_the_place(text: str, says: str) -> None:
    with pytest.raises(ic.ParameterError, match=says):
        promise(text)


def test_several_promises_are_at_least_one() -> None:
    with pytest.raises(ic.ParameterError, match="All needs at least one promise"):
        All(())
    both = ic.KAnonymity(5) & ic.NTCloseness(9, 0.5)
    assert [(bound.name, bound.sense, bound.bound) for bound in both.requirements] == [
        ("k", ">=", 5),
        ("t", "<=", Fraction(1, 2)),
    ]
