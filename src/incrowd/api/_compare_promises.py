"""The promises of a certificate beside what its file, and the original table, show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from incrowd.api._against_input import against_input
from incrowd.api._promised import exactly
from incrowd.api._released import Measurement
from incrowd.core import Finding
from incrowd.models import Model, NTCloseness

Told = tuple[bool | None, str]
WHOSE = "the file does not say whose row is whose"
"""Why a promise about people cannot be checked by a file that has no column of them."""
Number = Fraction | float
_SEEN_IN_ROWS = frozenset({"l", "p"})
"""Promises about which values a class has: rows show that as well as persons do."""


def compare_promises(
    certificate: dict[str, Any], found: Measurement, original: Sequence[Finding] | None = None
) -> Iterator[Told]:
    """Compare every promise; one that is not in the certificate's text, or lacks there, differs.

    Parameters
    ----------
    certificate, found
        What is certified, and what was measured on the file.
    original
        What was measured with the original table at hand, promise by promise.
    """
    findings, written = found.verdict.findings, certificate["promises"]
    if len(written) != len(findings):
        yield False, f"promises: certified {len(written)}, found {len(findings)}"
        return
    left_out = certificate["suppressed"] - certificate["masked"]
    known = [None] * len(findings) if original is None else original
    for entry, part, finding, again in zip(written, found.promises, findings, known, strict=True):
        one = _One(entry, part, finding, left_out, certificate["persons"], again)
        most = None if one.persons is not None else against_input(part, finding, found, left_out)
        yield from one.compare(most)


@dataclass(frozen=True, slots=True)
class _One:
    """A promise as it is certified, and what was measured for it.

    Attributes
    ----------
    entry, part
        What the certificate says of it, and the promise.
    finding
        What the file shows.
    left_out
        How many records are not in the file.
    persons
        How many people the file is said to be about; ``None`` where records are counted.
    again
        What was measured with the original table at hand, if it was.
    """

    entry: dict[str, Any]
    part: Model
    finding: Finding
    left_out: int
    persons: int | None
    again: Finding | None

    @property
    def name(self) -> str:
        return f"{self.part} {'+'.join(self.finding.columns)}".strip()

    @property
    def kind(self) -> str:
        return str((self.part.certificate_form or {}).get("kind"))

    def compare(self, most: Number | None) -> Iterator[Told]:
        """Compare it; ``most`` bounds the distance to the original table, whoever was left out."""
        if not self._is_meant():
            yield False, f"{self.name}: what is written about it is not what it means"
        elif self.persons is not None and self.kind not in _SEEN_IN_ROWS:
            yield from self._people(self.persons)
        else:
            yield from self._records(most)

    def _is_meant(self) -> bool:
        expected = {
            **(self.part.certificate_form or {}),
            **({} if self.finding.supersets is None else {"supersets": self.finding.supersets}),
            "promise": str(self.part),
            "columns": list(self.finding.columns),
            "required": [
                {"name": need.name, "sense": need.sense, "bound": exactly(need.bound)}
                for need in self.part.requirements
            ],
        }
        return all(self.entry.get(key) == expected.get(key) for key in {*expected, "missing"})

    def _people(self, persons: int) -> Iterator[Told]:
        """Compare a promise that counts people with the rows, which show less: not whose row is whose."""
        certified, bound = self.entry["measured"], self.finding.required[0][2]
        refers = self.part.refers
        unseen = certified is None, self.entry["owner_only"] is not None
        sound = unseen == (refers, refers and self.left_out > 0) and "input_at_most" not in self.entry
        sound = sound and self.entry["holds_here"] is (None if refers else True)
        if not sound or (certified is not None and len(certified) != len(self.finding.measured)):
            yield False, f"{self.name}: what is written about it is not what it means"
        elif self.kind == "k" and not bound <= _whole(certified[0]) <= min(self.finding.measured[0], persons):
            yield False, f"{self.name}: {certified[0]} people certified, {self.finding.measured[0]} records found"
        elif self.again is not None:
            same = refers or all(map(_same, certified, self.again.measured))
            yield from self._with_original(same=same)
        elif self.kind == "k":
            said = f"{certified[0]} people certified, {self.finding.measured[0]} records found"
            yield None, f"{self.name}: {said}; {WHOSE}"
        else:
            yield None, f"{self.name}: it counts people, and {WHOSE}"

    def _records(self, most: Number | None) -> Iterator[Told]:
        certified, finding = self.entry["measured"] or [], self.finding
        fits = len(certified) == len(finding.measured) and all(map(_same, certified, finding.measured))
        if not fits or self.entry["holds_here"] is not finding.holds:
            yield False, f"{self.name}: certified {', '.join(certified)}; found {_told(finding)}"
        elif not self._bounds(most):
            yield False, f"{self.name}: how far the original table can be is not what follows from the file"
        elif self._unseen(most) == (self.entry["owner_only"] is None):
            yield False, f"{self.name}: what only its owner can show is not what is written"
        elif not self._unseen(most):
            yield True, f"{self.name}: {_told(finding)}"
            if most is not None and self.left_out:
                yield True, f"{self.name}: at most {float(most):.6g} from the original table, whoever was left out"
        elif self.again is None:
            more = "larger groups that only its owner knows"
            more = "the original table, which only its owner has" if self.left_out else more
            yield None, f"{self.name}: {_told(finding)} in this file alone; the promise is about {more}"
        else:
            yield from self._with_original(same=True)
        if not finding.holds and not self._unseen(most):
            yield False, f"{self.name}: the promise does not hold"

    def _with_original(self, *, same: bool) -> Iterator[Told]:
        again = self.again
        assert again is not None  # noqa: S101 - who has none does not ask
        if isinstance(self.part, NTCloseness) and not again.holds and again.supersets != self.part.supersets:
            yield None, f"{self.name}: how its classes were cut out of larger ones was not saved"
        else:
            yield same and again.holds, f"{self.name}: {_told(again)}, with the original table"

    def _bounds(self, most: Number | None) -> bool:
        """Say whether the bound on how far the original table can be is as it follows from the file."""
        written = self.entry.get("input_at_most")
        if most is None or written is None:
            return most is None and written is None
        return _same(written, min(most, self.finding.required[0][2]))

    def _unseen(self, most: Number | None) -> bool:
        """Say whether a promise is about more than the file: the original table, or supersets that it does not have."""
        if most is not None:
            more = bool(self.left_out) or (
                isinstance(self.part, NTCloseness) and self.part.supersets != self.finding.supersets
            )
            return more and most > self.finding.required[0][2]
        return self.persons is None and bool(self.left_out) and self.part.refers


def _told(finding: Finding) -> str:
    pairs = zip(finding.required, finding.measured, strict=False)
    return ", ".join(f"{what} {float(number):.6g}" for (what, *_), number in pairs)


def _whole(text: str) -> int:
    """Read how many people are certified; less than any promise asks for where that is no number."""
    return int(text) if text.isascii() and text.isdigit() and text == str(int(text)) else -1


def _same(certified: str, found: Number) -> bool:
    """Compare fractions exactly, and logarithms up to rounding."""
    if isinstance(found, float) and math.isfinite(found):
        try:
            near = math.isclose(float(certified), found, rel_tol=1e-9, abs_tol=1e-12)
        except ValueError:
            return False
        return near and repr(float(certified)) == certified
    return certified == exactly(found)
