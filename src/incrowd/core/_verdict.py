"""``Verdict`` and ``Finding``: whether a table keeps its promises, what was measured, and which classes fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from incrowd.core._display import Grid


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one promise.

    Attributes
    ----------
    promise
        The promise, as its text.
    columns
        The sensitive columns that it is about; none for k-anonymity.
    required
        Per number that the promise bounds its name, the sense of the bound, and the bound.
    measured
        Per bounded number what the worst class has, exactly where that is possible; nothing if there is no class.
    failing_classes, failing_records
        How many classes break the promise, and how many records are in them.
    failing_persons
        How many persons are in them, where the table says whose row is whose; a person counts once per class.
    reference
        Which table classes were compared with: ``"table"``, the judged one, or ``"input"``, what it was made of;
        ``None`` where the promise compares with none.
    supersets
        Which natural supersets were looked at, for (n, t)-closeness. It can be another kind than the promise asks for;
        the verdict's notes then say why.
    """

    promise: str
    columns: tuple[str, ...]
    required: tuple[tuple[str, str, Fraction], ...]
    measured: tuple[Fraction | float, ...]
    failing_classes: int
    failing_records: int
    failing_persons: int | None
    reference: str | None = None
    supersets: str | None = None

    @property
    def holds(self) -> bool:
        """Whether every class keeps the promise."""
        return self.failing_classes == 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a table keeps its promises, one finding per promise and column. Ask ``verdict.holds``.

    Attributes
    ----------
    findings
        What became of each promise.
    classes, records
        How many classes the table has, and how many records.
    persons
        How many persons it has, where it says whose row is whose.
    failing
        The classes that break some promise, for the owner of the data: per quasi-identifier the label of each, and
        their ``records`` (``records_`` where a quasi-identifier is called like that). Labels are data; they are never
        part of a message.
    notes
        What a careful reader should know: promises that promise nothing, listed values that the table does not have,
        values that look alike. Names and numbers only.
    beside
        For a release, the promises that compare classes with the original table, measured against the release itself:
        what somebody sees who has nothing else. They can break a bound that the findings keep.
    """

    findings: tuple[Finding, ...]
    classes: int
    records: int
    persons: int | None
    failing: Mapping[str, npt.NDArray[np.object_]] = field(repr=False, compare=False)
    notes: tuple[str, ...] = ()
    beside: tuple[Finding, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all promises hold."""
        return all(finding.holds for finding in self.findings)

    @property
    def vacuous(self) -> bool:
        """Whether there is no class at all: such a table keeps every promise and helps nobody."""
        return not self.classes

    def _repr_html_(self) -> str:
        """Show in a notebook what became of each promise; no label of a class."""
        rows = []
        for one in self.findings:
            verdict = "holds" if one.holds else "broken"
            bounds = [f"{name} {sense} {float(bound):g}" for name, sense, bound in one.required]
            measured = [f"{float(number):.4g}" for number in one.measured] or [""] * len(bounds)
            rows += [(one.promise, *pair, verdict) for pair in zip(bounds, measured, strict=True)]
        return Grid(("promise", "required", "measured", "verdict"), rows).html()

    def __bool__(self) -> NoReturn:
        msg = "A verdict is neither true nor false; ask verdict.holds."
        raise TypeError(msg)


def joint_verdict(verdicts: Sequence[Verdict]) -> Verdict:
    """Put the verdicts on shares of a table together: no class, and nobody, is in two of them."""
    first, *others = [verdict for verdict in verdicts if verdict.classes] or verdicts[:1]
    if not others:
        return first
    every = [first, *others]
    persons = None if first.persons is None else sum(verdict.persons or 0 for verdict in every)
    return Verdict(
        findings=_joint_findings([verdict.findings for verdict in every]),
        classes=sum(verdict.classes for verdict in every),
        records=sum(verdict.records for verdict in every),
        persons=persons,
        failing={name: np.concatenate([verdict.failing[name] for verdict in every]) for name in first.failing},
        notes=tuple(dict.fromkeys(note for verdict in every for note in verdict.notes)),
        beside=_joint_findings([verdict.beside for verdict in every]),
    )


def _joint_findings(findings: Sequence[tuple[Finding, ...]]) -> tuple[Finding, ...]:
    return tuple(_worst_finding(same) for same in zip(*findings, strict=True))


def _worst_finding(findings: Sequence[Finding]) -> Finding:
    """Give for one promise the worst of what was measured, and all that breaks it."""
    first, persons = findings[0], [finding.failing_persons for finding in findings]
    columns = zip(first.required, *(finding.measured for finding in findings), strict=True)
    return replace(
        first,
        measured=tuple(min(numbers) if sense == ">=" else max(numbers) for (_, sense, _), *numbers in columns),
        failing_classes=sum(finding.failing_classes for finding in findings),
        failing_records=sum(finding.failing_records for finding in findings),
        failing_persons=None if persons[0] is None else sum(number or 0 for number in persons),
    )
