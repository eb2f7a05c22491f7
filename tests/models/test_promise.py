from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

import incrowd as ic
from incrowd.models import All, Model, promise
from incrowd.models._form import Form, forms
from incrowd.models._promise import EXAMPLES

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
    st.builds(ic.LDiversity, whole, st.lists(names, min_size=1, max_size=3, unique=True), joint=st.just(value=True)),
    st.builds(ic.PSensitive, whole, st.lists(names, min_size=1, max_size=3, unique=True), joint=st.just(value=True)),
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
    st.builds(ic.AlphaAssociation, shares, columns, st.lists(st.one_of(names, st.just("")), min_size=1, max_size=3)),
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
        ("k", "k is not written like this.*write it like k>=5"),
        ("k>=", "needs a number at character 4"),
        ("k>=five", "needs a number at character 4"),
        ("k>=5 k>=6", "needs a number"),
        ("k>=5)", r"goes on unexpectedly at character 5"),
        ("k=7", "k is not written with '='.*write it like k>=7"),
        ("k>5, p>=2", "k is not written with '>'.*write it like k>=5"),
        ("k>=5.5", "k must be a whole number, got 5.5. Hint: write 5 or 6"),
        ("x>=3", r"asks for 'x', which does not exist.*these exist: k>=5, l>=3\[disease\]"),
        ("k<=5", "k is not written with '<='.*write it like k>=5"),
        ("l>=3[disease", "needs a comma or ']' at character 13"),
        ("l>=3[]", "needs a name at character 6"),
        ("l>=3[a,]", "needs a name at character 8"),
        ("l>=3[a+b, c]", r"mixes \+ and a comma at character 9"),
        ("k>=5[disease]", "in brackets that k does not take: a column"),
        ("l>=3[a: HIV]", "in brackets that l does not take: values after a colon"),
        ("t<=.2[a: x]", "in brackets that t does not take: values"),
        ("entropy-l>=2[a+b]", r"in brackets that entropy-l does not take: columns joined by \+"),
        ("probabilistic-l>=2[a+b]", "in brackets that probabilistic-l does not take"),
        ("nt(n=5, t=.1)[a+b]", "in brackets that nt does not take"),
        ("recursive(c=2, l=2)[a: x]", "in brackets that recursive does not take"),
        ("beta<=2[a+b]", "in brackets that beta does not take"),
        ("p-alpha(p=2, alpha=1)[a: x]", "in brackets that p-alpha does not take"),
        ("enhanced(p=2, alpha=1)[a+b]", "in brackets that enhanced does not take"),
        ("alpha(HIV=.2)[a: x]", "in brackets that alpha does not take: values"),
        ("alpha<=.2[a+b]", "in brackets that alpha does not take: columns joined"),
        ("l>=1e999999999", "needs a number at character 4"),
        ("t<=1e-999999999", "needs a number at character 4"),
        (f"t<=0.{'1' * 400}", "needs a number at character 4"),
        (f"t<=0.{'1' * 120}", "t must have at most 100 digits"),
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


def test_a_promise_has_one_form() -> None:
    assert str(ic.AlphaAssociation(0.5, values=["HIV", "flu", "HIV"])) == "alpha<=0.5[: HIV, flu]"
    assert ic.AlphaAssociation(0.5, values=["flu", "HIV"]) == promise("alpha<=0.5[: HIV, flu]")
    assert ic.LDiversity(2, of=["a"], joint=True) == ic.LDiversity(2, of="a")
    assert ic.PSensitive(2, of="a", joint=True) == ic.PSensitive(2, of="a")
    with pytest.raises(ic.ParameterError, match="of must be a list where it names several columns"):
        ic.LDiversity(2, of={"a", "b"})  # type: ignore[arg-type]


def test_decimals_are_exact_thresholds() -> None:
    assert ic.TCloseness(Decimal("0.30")) == promise("t<=0.3")
    assert ic.RecursiveDiversity(Decimal(2), 3) == ic.RecursiveDiversity(2, 3)
    for number in (Decimal("1e999999999"), Decimal("1e-999999999"), Fraction(1, 10**101), 1e-300, 10**400):
        with pytest.raises(ic.ParameterError, match="at most 100 digits"):
            ic.TCloseness(number, distance="kl")
    for number in (Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")):
        with pytest.raises(ic.ParameterError, match="t must be a finite number"):
            ic.TCloseness(number)


def test_only_models_and_texts_are_promises() -> None:
    assert promise(ic.KAnonymity(5)) == ic.KAnonymity(5)
    for wrong in (5, ["k>=5"], None):
        with pytest.raises(ic.ParameterError, match=f"A promise is a model or its text, got {type(wrong).__name__}"):
            promise(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", forms(), ids=lambda form: f"{form.name} {form.sense}")
def test_every_promise_that_a_hint_shows_can_be_read(form: Form) -> None:
    assert str(promise(form.example)) == form.example
    assert form.example.startswith(form.name)
    assert form.choice is None or promise(form.choice.example)


def test_the_examples_of_hints_can_be_read() -> None:
    assert len(promise(EXAMPLES).parts) == 4


@pytest.mark.parametrize(
    "text", ["k>=5.5", "l>=2.5[a]", "p>=0.5[a]", "nt(n=7.5, t=0.1)[a]", "recursive(c=2, l=1.5)[a]"]
)
def test_every_whole_number_that_a_hint_advises_is_taken(text: str) -> None:
    with pytest.raises(ic.ParameterError, match="whole number") as refused:
        promise(text)
    wrong = re.search(r"\d\.5", text)
    assert wrong is not None
    for advised in re.findall(r"\d+", refused.value.hint):
        assert promise(text.replace(wrong[0], advised))
