"""Verdicts on shares of a table, put together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from incrowd.core import Finding, Verdict, joint_verdict

K = Finding("k>=2", (), (("k", ">=", Fraction(2)),), (Fraction(3),), 0, 0, None)
T = Finding("t<=0.5", ("d",), (("t", "<=", Fraction(1, 2)),), (0.25,), 0, 0, None, reference="table")


def verdict(k: int, t: float, *, failing: int = 0, notes: tuple[str, ...] = ()) -> Verdict:
    """Give a verdict on two classes of 4 and 5 records."""
    findings = (
        replace(K, measured=(Fraction(k),), failing_classes=failing, failing_records=failing * k),
        replace(T, measured=(t,)),
    )
    labels = np.array(["*"] * failing, dtype=object)
    return Verdict(findings, 2, 9, None, {"age": labels, "records": np.full(failing, k)}, notes, beside=findings[1:])


def test_the_worst_of_every_promise_counts() -> None:
    whole = joint_verdict([verdict(4, 0.1, notes=("one",)), verdict(1, 0.4, failing=1, notes=("one", "two"))])
    assert [finding.measured for finding in whole.findings] == [(Fraction(1),), (0.4,)]
    assert [finding.measured for finding in whole.beside] == [(0.4,)]
    assert (whole.classes, whole.records, whole.persons, whole.holds) == (4, 18, None, False)
    assert (whole.findings[0].failing_classes, whole.findings[0].failing_records) == (1, 1)
    assert {name: column.tolist() for name, column in whole.failing.items()} == {"age": ["*"], "records": [1]}
    assert whole.notes == ("one", "two")


def test_a_notebook_shows_every_promise_and_no_label() -> None:
    shown = verdict(1, 0.25, failing=1)._repr_html_()
    for cells in (("k&gt;=2", "k &gt;= 2", "1", "broken"), ("t&lt;=0.5", "t &lt;= 0.5", "0.25", "holds")):
        assert "".join(f'<td style="text-align: left">{cell}</td>' for cell in cells) in shown
    assert shown.count("<tr>") == 3


def test_a_share_without_classes_says_nothing() -> None:
    empty = replace(verdict(4, 0.1), findings=(replace(K, measured=()), replace(T, measured=())), classes=0, records=0)
    assert joint_verdict([empty, verdict(4, 0.1), empty]) == verdict(4, 0.1)
    assert joint_verdict([empty]).vacuous
