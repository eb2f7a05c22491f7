"""A model that only this file knows goes all the way: nothing else in the house has a list of models to extend."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest

import incrowd as ic
from incrowd.core import Classes, Domain
from incrowd.models import Form, Judge, Key, Measured, Model, Ratios, Requirement, choices, promise
from incrowd.models._form import FORMS
from web.serving import PATIENTS, PLAN, Visitor, serving

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

        upward_closed: ClassVar[bool] = False
        union_closed: ClassVar[bool] = True
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
    del FORMS["even", ">="]


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
