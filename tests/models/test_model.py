"""What every model keeps to, and that a model which only this file knows goes all the way through the house."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import incrowd as ic
from incrowd.core import Classes, Domain
from incrowd.models import Form, Judge, Key, Measured, Model, Ratios, Requirement, choices, promise
from incrowd.models._form import FORMS
from models.tables import classes_of, judge
from web.serving import PATIENTS, PLAN, Visitor, serving

rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=40)
CATEGORIES = ic.categories({"secret": ["a", "b"], "private": ["c"], "delicate": ["d", "e"], "harmless": ["f"]})
TREE = ic.tree({"x": {"ab": ["a", "b"], "c": ["c"]}, "y": {"de": ["d", "e"], "f": ["f"]}})
ALL_MODELS = [
    (ic.KAnonymity(3), None),
    (ic.KAnonymity(3, candidates=True), None),
    (ic.LDiversity(2), None),
    (ic.LDiversity(2, kind="probabilistic"), None),
    (ic.LDiversity(Fraction(3, 2), kind="entropy"), None),
    (ic.RecursiveDiversity(2, 2), None),
    (ic.PSensitive(2), None),
    (ic.PAlphaSensitive(2, 1), CATEGORIES),
    (ic.EnhancedPAlphaSensitive(2, 1), CATEGORIES),
    (ic.AlphaAssociation(0.5), None),
    (ic.TCloseness(0.3), None),
    (ic.TCloseness(0.3, distance="kl"), None),
    (ic.TCloseness(0.3, distance="ordered"), ic.ordered(list("fbdaec"))),
    (ic.TCloseness(0.3, distance="hierarchical"), TREE),
    (ic.BetaLikeness(1), None),
    (ic.BetaLikeness(1, enhanced=True), None),
    (ic.DeltaDisclosure(1), None),
]
bag = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)
people = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), min_size=1, max_size=8)


@given(first=bag, second=bag, rest=bag)
@settings(max_examples=40)
@pytest.mark.parametrize(
    ("model", "meaning"), ALL_MODELS, ids=lambda part: str(part) if isinstance(part, Model) else ""
)
def test_merging_classes_keeps_what_is_declared(
    model: Model, meaning: Any, first: list[str], second: list[str], rest: list[str]
) -> None:
    apart = [("1", value) for value in first] + [("2", value) for value in second] + [("3", value) for value in rest]
    merged = [("1", value) for value in first + second] + [("3", value) for value in rest]
    before, after = judge(model, apart, meaning).ok.tolist(), judge(model, merged, meaning).ok.tolist()
    if model.union_closed and before[0] and before[1]:
        assert after[0]
    if model.upward_closed and (before[0] or before[1]):
        assert after[0]


@given(first=people, second=people)
@settings(max_examples=40)
@pytest.mark.parametrize(
    "model",
    [ic.KAnonymity(2), ic.LDiversity(2), ic.LDiversity(2, kind="probabilistic"), ic.AlphaAssociation(0.5)],
    ids=str,
)
def test_with_persons_only_what_a_judge_declares_survives_merging(
    model: Model, first: list[Any], second: list[Any]
) -> None:
    apart = [("1", *row) for row in first] + [("2", *row) for row in second]
    merged = [("1", *row) for row in first + second]
    classes, domains = classes_of(apart, entity=True)
    schema = ic.Schema(quasi=["q"], sensitive=["s"], entity="person")
    (bound,) = model.bind(schema, domains)
    before = bound.judge(classes).ok.tolist()
    after = judge(model, merged, entity=True).ok.tolist()
    if bound.union_closed and all(before):
        assert after[0]
    assert bound.union_closed == model.upward_closed


@given(rows=rows)
@settings(max_examples=40)
@pytest.mark.parametrize(
    "model",
    [
        ic.LDiversity(2.5, kind="entropy"),
        ic.LDiversity(1.5, kind="probabilistic"),
        ic.RecursiveDiversity(2, 3),
        ic.RecursiveDiversity(Fraction(2, 5), 2),
        ic.TCloseness(0.4),
        ic.KAnonymity(2) & ic.TCloseness(0.2),
    ],
    ids=repr,
)
def test_what_a_model_implies_holds_wherever_it_holds(model: Model, rows: list[Any]) -> None:
    implied = model.implied
    assert implied is not None
    assert implied.upward_closed
    classes, domains = classes_of(rows)
    schema = ic.Schema(quasi=["q"], sensitive=["s"])
    holds = np.logical_and.reduce([bound.judge(classes).ok for bound in model.bind(schema, domains)])
    weaker = np.logical_and.reduce([bound.judge(classes).ok for bound in implied.bind(schema, domains)])
    assert not (holds & ~weaker).any()


@pytest.mark.parametrize(
    ("model", "meaning", "says"),
    [
        (ic.PAlphaSensitive(2, 1), None, "PAlphaSensitive needs to know how secret the values of 's' are"),
        (ic.TCloseness(0.1, distance="hierarchical"), None, "needs a taxonomy of the values of 's'"),
        (ic.TCloseness(0.1, distance="ordered"), None, "needs an order of the values of 's', which are text"),
        (ic.LDiversity(2, of="x"), None, r"no column 'x' \(given as the column of LDiversity\)"),
    ],
)
def test_a_model_says_what_it_misses_in_the_schema(model: Model, meaning: Any, says: str) -> None:
    with pytest.raises(ic.SchemaError, match=says):
        judge(model, [(1, "a"), (1, "b")], meaning)


def test_which_column_must_be_said_where_there_are_several() -> None:
    schema = ic.Schema(quasi=["q"], sensitive=["a", "b"])
    with pytest.raises(ic.SchemaError, match=r"LDiversity does not say which column it is about.*2 sensitive columns"):
        ic.LDiversity(2).bind(schema, {})
    assert [bound.columns for bound in ic.LDiversity(2, of=["a", "b"]).bind(schema, {})] == [("a",), ("b",)]
    assert [bound.columns for bound in ic.LDiversity(2, of=["a", "b"], joint=True).bind(schema, {})] == [("a", "b")]


def test_models_are_values_that_combine() -> None:
    both = ic.KAnonymity(5) & ic.LDiversity(3, of="disease") & ic.TCloseness(0.2, of="disease")
    assert len(both.parts) == 3
    assert (both.upward_closed, both.union_closed) == (False, True)
    assert pickle.loads(pickle.dumps(both)) == both  # noqa: S301 - our own bytes
    assert hash(ic.LDiversity(3, of="a")) == hash(ic.LDiversity(3, of=["a"]))
    with pytest.raises(TypeError, match="unsupported operand"):
        ic.KAnonymity(5) & 3  # type: ignore[operator]


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (ic.KAnonymity(5), "k>=5"),
        (ic.KAnonymity(5, candidates=True), "k>=5[candidates]"),
        (ic.LDiversity(3, of="disease"), "l>=3[disease]"),
        (ic.LDiversity(2.5, of="disease", kind="entropy"), "entropy-l>=2.5[disease]"),
        (ic.LDiversity(2, of=["a", "b"], joint=True), "l>=2[a+b]"),
        (ic.RecursiveDiversity(2, 3, of="disease"), "recursive(c=2, l=3)[disease]"),
        (ic.TCloseness(0.2, of="cost", distance="ordered"), "t<=0.2[cost, ordered]"),
        (ic.TCloseness(Fraction(1, 3)), "t<=1/3"),
        (ic.TCloseness(0.2, distance="variational"), "t<=0.2"),
        (ic.PSensitive(2), "p>=2"),
        (ic.PAlphaSensitive(2, 1), "p-alpha(p=2, alpha=1)"),
        (ic.EnhancedPAlphaSensitive(2, 2, weight_over="distinct"), 'enhanced(p=2, alpha=2, weight_over="distinct")'),
        (ic.AlphaAssociation(0.5, of="disease", values=["HIV"]), "alpha<=0.5[disease: HIV]"),
        (ic.BetaLikeness(0.25, enhanced=True), "enhanced-beta<=0.25"),
        (ic.DeltaDisclosure(1.5, of="disease"), "delta<1.5[disease]"),
    ],
)
def test_a_promise_has_one_text(model: Model, text: str) -> None:
    assert str(model) == text


# Nothing else in the house has a list of models to extend.

TABLE = "age,town,disease\n" + "\n".join(f"{30 + row % 6},{'AB'[row % 2]},{'xyz'[row % 3]}" for row in range(48)) + "\n"


@pytest.fixture
def even() -> Iterator[type[Model]]:
    """Define a model: every class has an even number of records, and at least so many."""

    class Halves(Judge):
        def measure(self, classes: Classes) -> tuple[Measured, ...]:
            return Ratios.integers(classes.records), Ratios.integers(classes.records % 2)

    @dataclass(frozen=True)
    class Even(Model):
        least: int

        upward_closed = False
        union_closed = True
        limit: ClassVar[str] = "Pairs of twins look alike."
        forms: ClassVar[tuple[Form, ...]] = (
            Form("even", ">=", "even>=4", lambda clause: Even(clause.number), brackets=()).offer(
                "Even groups",
                "even>=4",
                "Odd ones out.",
                "Twins.",
                Key("least", "whole number", "the fewest", "4"),
                needs="nothing",
            ),
        )

        @property
        def requirements(self) -> tuple[Requirement, ...]:
            return Requirement("even", ">=", Fraction(self.least)), Requirement("odd", "<=", Fraction(0))

        def judges(self, schema: ic.Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
            return (Halves(self, (), schema, domains),)

        def meaning(self, *, several: bool = False) -> str:
            return f"Everybody has a partner; several: {several}."

        @property
        def certificate_form(self) -> dict[str, Any]:
            return {"kind": "even"}

        def __str__(self) -> str:
            return f"even>={self.least}"

    yield Even
    del FORMS["even", ">=", None]


@pytest.mark.usefixtures("even")
def test_a_new_model_is_read_planned_kept_certified_and_reported(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    columns = '[columns.age]\nrole = "quasi"\n[columns.town]\nrole = "quasi"\n[columns.disease]\nrole = "sensitive"\n'
    plan = f'version = 1\n[data]\npath = "t.csv"\n{columns}[privacy]\npromise = ["k>=2", "even>=4"]\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    release = ic.Plan.read(tmp_path / "plan.toml").run()
    assert release.verdict.holds
    assert [finding.promise for finding in release.verdict.findings] == ["k>=2", "even>=4"]
    out = release.save(tmp_path / "out", format="csv", about={})
    told = json.loads((out / "public" / "release.json").read_text(encoding="utf-8"))["promises"][1]
    assert (told["kind"], told["promise"], told["limits"]) == ("even", "even>=4", "Pairs of twins look alike.")
    assert not ic.verify(out / "public").holds  # what verify.py does not know is never called fine
    report = (out / "public" / "report.html").read_text(encoding="utf-8")
    assert "Everybody has a partner; several: False." in report
    assert "Pairs of twins look alike." in report


@pytest.mark.usefixtures("even")
def test_a_new_model_is_offered_on_the_page(tmp_path: Path) -> None:
    assert str(promise("even>=6")) == "even>=6"
    assert choices()[-1]["title"] == "Even groups"
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    with serving(tmp_path) as (app, address), Visitor(app, address) as visiting:
        assert visiting.ask("GET", "/api/models")[-1] == choices()[-1]
        assert visiting.ask("POST", "/api/promise/check", json={"promise": ["even>=4"]})["problem"] is None
