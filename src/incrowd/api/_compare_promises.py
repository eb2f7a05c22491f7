"""The promises of a certificate beside what its file shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from incrowd.api._against_input import against_input
from incrowd.api._promised import KINDS_THAT_REFER, exactly, plain_model
from incrowd.api._released import Measurement
from incrowd.core import Finding
from incrowd.models import Model

Told = tuple[bool | None, str]
_SEEN_IN_ROWS = frozenset({"l", "p"})
"""Promises about which values a class has: rows show that as well as persons do."""


def compare_promises(certificate: dict[str, Any], found: Measurement) -> Iterator[Told]:
    """Compare every promise; one that is not in the certificate's text, or lacks there, differs."""
    findings, written = found.verdict.findings, certificate["promises"]
    if len(written) != len(findings):
        yield False, f"promises: certified {len(written)}, found {len(findings)}"
        return
    if certificate["counted"] not in {"records", "persons"}:
        yield False, "counted: neither records nor persons"
        return
    persons = certificate["counted"] == "persons"
    left_out = certificate["suppressed"] - certificate.get("masked", 0)
    for entry, part, finding in zip(written, found.promises, findings, strict=True):
        yield from _promise(entry, part, finding, persons=persons)
        most = None if persons else against_input(part, finding, found, left_out)
        yield from _against_input(entry, part, finding, most)


def _promise(entry: dict[str, Any], part: Model, finding: Finding, *, persons: bool) -> Iterator[Told]:
    name = f"{part} {'+'.join(finding.columns)}".strip()
    expected = _expected(part, finding)
    if any(entry.get(key) != value for key, value in expected.items()) or entry["holds"] is not True:
        yield False, f"{name}: what is written about it is not what it means"
        return
    kind, found = entry["kind"], [exactly(number) for number in finding.measured]
    if persons and kind not in {"k", *_SEEN_IN_ROWS}:
        yield None, f"{name}: it counts people, and the file does not say whose row is whose"
        return
    certified = entry["measured"]
    if persons and kind == "k":
        fits = finding.required[0][2] <= Fraction(certified[0]) <= finding.measured[0]
        yield None if fits else False, f"{name}: {certified[0]} people certified, {found[0]} records found"
        return
    fits = len(certified) == len(found) and all(map(_same, certified, finding.measured))
    fits = fits and entry["holds_here"] == finding.holds
    shown = ", ".join(
        f"{what} {float(number):.6g}" for (what, *_), number in zip(finding.required, finding.measured, strict=False)
    )
    yield fits, f"{name}: {shown}" if fits else f"{name}: certified {', '.join(certified)}; found {shown}"
    if entry["owner_only"] and kind in KINDS_THAT_REFER:
        why = "" if finding.holds else "; this file alone does not show that it holds"
        yield None, f"{name}: {entry['owner_only']}{why}"
    elif not finding.holds:
        yield False, f"{name}: the promise does not hold"


def _against_input(
    entry: dict[str, Any], part: Model, finding: Finding, most: Fraction | float | None
) -> Iterator[Told]:
    """Compare how far the original table can be, which follows from the file, or is what was promised."""
    name, written = f"{part} {'+'.join(finding.columns)}".strip(), entry.get("input_at_most")
    bound = finding.required[0][2]
    if written is None and most is None:
        return
    shown = most is not None and most <= bound
    if most is None or written is None or not _same(written, most if shown else bound):
        yield False, f"{name}: how far the original table can be is not what follows from the file"
    elif shown:
        yield True, f"{name}: at most {float(most):.6g} from the original table, whoever was left out"


def _expected(part: Model, finding: Finding) -> dict[str, Any]:
    return {
        **(plain_model(part) or {}),
        **({} if finding.supersets is None else {"supersets": finding.supersets}),
        "promise": str(part),
        "columns": list(finding.columns),
        "required": [
            {"name": need.name, "sense": need.sense, "bound": exactly(need.bound)} for need in part.requirements
        ],
    }


def _same(certified: str, found: Fraction | float) -> bool:
    """Compare fractions exactly, and logarithms up to rounding."""
    if isinstance(found, float) and math.isfinite(found):
        try:
            return math.isclose(float(certified), found, rel_tol=1e-9, abs_tol=1e-12)
        except (TypeError, ValueError):
            return False
    return certified == exactly(found)
