"""Results as plain data that can be written as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from incrowd.core import Finding, Verdict
from incrowd.measures import Exposed

if TYPE_CHECKING:
    from incrowd.evidence._assessment import ColumnAssessment

Plain = dict[str, Any]


def number(value: Fraction | float | None) -> Plain | None:
    """Write a number as a float, and exactly where that is possible; JSON knows no infinity."""
    if value is None:
        return None
    if isinstance(value, float) and math.isinf(value):
        return {"value": None, "exact": "inf"}
    return {"value": float(value), "exact": None if isinstance(value, float) else str(value)}


def plain_exposed(exposed: Exposed | None) -> Plain | None:
    """Write who is exposed."""
    if exposed is None:
        return None
    counts = {"classes": exposed.classes, "records": exposed.records, "persons": exposed.persons}
    return {**counts, "share": number(exposed.share)}


def plain_column(column: ColumnAssessment) -> Plain:
    """Write what the classes tell about a sensitive column."""
    return {
        "values": column.values,
        "distinct_l": column.distinct_l,
        "p": column.p,
        "probabilistic_l": number(column.probabilistic_l),
        "entropy_l": number(column.entropy_l),
        "recursive": None if column.recursive is None else _numbers(column.recursive),
        "alpha": number(column.alpha),
        "t": _numbers(column.t),
        "beta": number(column.beta),
        "enhanced_beta": number(column.enhanced_beta),
        "delta": number(column.delta),
        "p_alpha": _pair(column.p_alpha),
        "enhanced": _pair(column.enhanced),
        "homogeneous": plain_exposed(column.homogeneous),
        "similar": plain_exposed(column.similar),
        "not_measured": dict(column.not_measured),
    }


def plain_verdict(verdict: Verdict) -> Plain:
    """Write whether promises hold; the labels of failing classes are data and stay behind."""
    return {
        "holds": verdict.holds,
        "vacuous": verdict.vacuous,
        "notes": list(verdict.notes),
        "findings": [_finding(finding) for finding in verdict.findings],
    }


def _finding(finding: Finding) -> Plain:
    return {
        "promise": finding.promise,
        "columns": list(finding.columns),
        "holds": finding.holds,
        "required": [{"name": name, "sense": sense, "bound": number(bound)} for name, sense, bound in finding.required],
        "measured": [number(value) for value in finding.measured],
        "failing_classes": finding.failing_classes,
        "failing_records": finding.failing_records,
        "failing_persons": finding.failing_persons,
        "reference": finding.reference,
        "supersets": finding.supersets,
    }


def _numbers(numbers: Mapping[Any, Fraction | float]) -> Plain:
    return {str(key): number(value) for key, value in numbers.items()}


def _pair(pair: tuple[int, Fraction] | None) -> Plain | None:
    return None if pair is None else {"p": pair[0], "alpha": number(pair[1])}
