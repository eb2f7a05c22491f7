"""The owner's check: the original published again, and every promise compared with the certificate."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from incrowd.core import Classes, Domain, Finding, PrivacyWarning, Schema, Verdict
from incrowd.engines import Engine, Tables
from incrowd.models import All, Model, NTCloseness, exact_text
from incrowd.release._census import CensusPlan, Goal, open_with_schema
from incrowd.release._input_distance import input_distance_bound
from incrowd.release._joined_schema import fills_of
from incrowd.release._recipe import prediction_of
from incrowd.release._recoding_file import SavedRecoding
from incrowd.release._release_file import Measurement
from incrowd.release._shifted_dates import shifts_of
from incrowd.release._verdict import verdict_as_predicted
from incrowd.search import Problem

Plain = dict[str, Any]
Remark = tuple[bool | None, str]


@dataclass(frozen=True, slots=True, eq=False)
class Republication:
    """The original table, published again."""

    verdict: Verdict
    records: int
    dropped: int
    same: bool
    shifted: bool | None = None
    """Whether the shifted dates are those of the file; ``None`` without the key, or where there are none."""

    def compare(self, certificate: Plain) -> Iterator[Remark]:
        """Compare what the original table gives with what a certificate says of it."""
        yield self.same, "original: it gives the classes of the data file"
        if self.shifted is not None:
            yield self.shifted, "original: every shifted date is the true one, shifted by the days of its person"
        left_out = self.records - self.verdict.records + certificate["masked"]
        found: dict[str, int | None] = {"suppressed": left_out, "dropped": self.dropped}
        if (certificate["persons"], self.verdict.persons) != (None, None):
            found["persons"] = self.verdict.persons
        for name, number in found.items():
            fits = certificate[name] == number
            said = f"{number}" if fits else f"certified {certificate[name]}, found {number}"
            yield fits, f"original: {name}: {said}"


def republish(
    saved: SavedRecoding,
    original: Any,
    open_published: Callable[..., Engine],
    reading: Plain,
    key: bytes | None = None,
) -> Republication:
    """Publish the original table again, judge it, and compare it with the released file; with a key, its dates too."""
    schema, recoding = saved.schema, saved.recoding
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # said when the release was made
        engine = open_with_schema(original, schema, **reading)
        goal = Goal(schema, _without_paths(saved.model), at_most=recoding.levels or {}, local=recoding.levels is None)
        problem = Problem(CensusPlan.of(engine, goal).census(), schema, goal.model)
        census = problem.census
        released = open_published(fills=fills_of(recoding)) if isinstance(original, Tables) else open_published()
        extra = [name for name in (schema.entity, schema.count) if name]
        shown = [name for name in released.columns() if schema.role(name) not in {"identifier", "entity"}]
        shifts = {} if key is None else shifts_of(schema, key)
        again = engine.recode(recoding, list(dict.fromkeys([*shown, *extra])), replace=shifts)
        verdict, _ = verdict_as_predicted(again, problem, recoding, prediction_of(problem, recoding))
        domains = {name: census.domains[name] for name in census.sensitive}
    same = _class_contents(again, schema, domains) == _class_contents(released, schema, domains)
    moved = _has_dates_of(again, released, schema, domains) if shifts else None
    return Republication(verdict, census.records, census.dropped, same, moved)


def _has_dates_of(again: Engine, released: Engine, schema: Schema, domains: Mapping[str, Domain]) -> bool:
    """Say whether two tables have the same rows of groups, shifted dates and sensitive values, each as often."""
    ours, theirs = (engine.domains(schema.shifted_names) for engine in (again, released))
    if any((theirs[name].codes_in(ours[name]) < 0).any() for name in ours):
        return False
    one, other = (_row_counts(engine, schema, {**domains, **ours}) for engine in (again, released))
    return one == other


def _row_counts(engine: Engine, schema: Schema, domains: Mapping[str, Domain]) -> Counter[Any]:
    """Count the different rows: what their class is called, and the codes of their other columns."""
    classes = engine.classes(schema.quasi_names, domains, None, schema.count)
    names = list(zip(*(classes.texts(column).tolist() for column in range(len(classes.codes))), strict=True))
    codes = [classes.cells.sensitive[name].tolist() for name in domains]
    counted: Counter[Any] = Counter()
    for place, *row, count in zip(classes.members.tolist(), *codes, classes.cells.counts.tolist(), strict=True):
        counted[names[place], *row] += count
    return counted


def _without_paths(model: Model) -> Model:
    """Give a promise that looks at the whole table where the larger classes that a class was cut out of were not saved.

    A class is at least as far from the whole table as from the nearest of them: what keeps this keeps the promise.
    """
    parts = [
        replace(part, supersets="table") if isinstance(part, NTCloseness) and part.supersets == "path" else part
        for part in model.parts
    ]
    return All(tuple(parts))


def _class_contents(engine: Engine, schema: Schema, domains: Mapping[str, Domain]) -> dict[Any, Any]:
    """Give what every class of a table is called, its records, and how often it has each sensitive value."""
    classes = engine.classes(schema.quasi_names, domains, None, schema.count)
    names = list(zip(*(classes.texts(column).tolist() for column in range(len(classes.codes))), strict=True))
    values = [_value_counts(classes, column, len(names)) for column in domains]
    return dict(zip(names, zip(classes.records.tolist(), *values, strict=True), strict=True))


def _value_counts(classes: Classes, column: str, number: int) -> Sequence[Counter[int]]:
    histogram = classes.histogram(column)
    counted: list[Counter[int]] = [Counter() for _ in range(number)]
    entries = zip(histogram.classes.tolist(), histogram.values[0].tolist(), histogram.counts.tolist(), strict=True)
    for place, value, count in entries:
        counted[place][value] += count
    return counted


# The promises of a certificate beside what its file, and the original table, show.

WHOSE = "the file does not say whose row is whose"
"""Why a promise about people cannot be checked by a file that has no column of them."""
Number = Fraction | float
_SEEN_IN_ROWS = frozenset({"l", "p"})
"""Promises about which values a class has: rows show that as well as persons do."""
_SEEN_BY_PSEUDONYMS = frozenset({"k", "rows", "items"})
"""Promises about how many people there are: pseudonyms show it."""
_MEANT = ("missing", "multiset", "known", "of")
"""What is written about a promise only where it is meant."""


def compare_promises(
    certificate: dict[str, Any], found: Measurement, original: Sequence[Finding] | None = None
) -> Iterator[Remark]:
    """Compare every promise; one that is not in the certificate's text, or lacks there, differs."""
    findings, written = found.verdict.findings, certificate["promises"]
    if len(written) != len(findings):
        yield False, f"promises: certified {len(written)}, found {len(findings)}"
        return
    left_out = certificate["suppressed"] - certificate["masked"]
    known = [None] * len(findings) if original is None else original
    for entry, part, finding, again in zip(written, found.promises, findings, known, strict=True):
        one = _CertifiedPromise(entry, part, finding, left_out, certificate["persons"], again, found.whose)
        most = None if one.persons is not None else input_distance_bound(part, finding, found, left_out)
        yield from one.compare(most)


@dataclass(frozen=True, slots=True)
class _CertifiedPromise:
    """A promise as it is certified, and what was measured for it."""

    entry: dict[str, Any]
    part: Model
    finding: Finding
    left_out: int
    persons: int | None
    again: Finding | None
    whose: str | None

    @property
    def name(self) -> str:
        return f"{self.part} {'+'.join(self.finding.columns)}".strip()

    @property
    def kind(self) -> str:
        return str((self.part.certificate_form or {}).get("kind"))

    def compare(self, most: Number | None) -> Iterator[Remark]:
        """Compare it; ``most`` bounds the distance to the original table, whoever was left out."""
        if not self._is_meant():
            yield False, f"{self.name}: what is written about it is not what it means"
        elif self.persons is not None and not self._is_seen:
            yield from self._compare_people(self.persons)
        else:
            yield from self._compare_records(most)

    @property
    def _is_seen(self) -> bool:
        """Whether the file shows what counts people."""
        return self.kind in _SEEN_IN_ROWS or (self.whose is not None and self.kind in _SEEN_BY_PSEUDONYMS)

    def _is_meant(self) -> bool:
        expected = {
            **(self.part.certificate_form or {}),
            **({} if self.finding.supersets is None else {"supersets": self.finding.supersets}),
            "promise": str(self.part),
            "columns": list(self.finding.columns),
            "required": [
                {"name": need.name, "sense": need.sense, "bound": exact_text(need.bound)}
                for need in self.part.requirements
            ],
        }
        return all(self.entry.get(key) == expected.get(key) for key in {*expected, *_MEANT})

    def _compare_people(self, persons: int) -> Iterator[Remark]:
        """Compare a promise that counts people with the rows, which show less: not whose row is whose."""
        certified, bound = self.entry["measured"], self.part.requirements[0].bound
        counted, records = self.kind in _SEEN_BY_PSEUDONYMS, self.finding.measured[0]
        found = f"{records} records found"
        if self.entry.get("known"):  # of few columns: groups put together are larger than each
            records, found = persons, f"{persons} people in all"
        refers = self.part.refers
        unseen = certified is None, self.entry["owner_only"] is not None
        sound = unseen == (refers, refers and self.left_out > 0) and "input_at_most" not in self.entry
        sound = sound and self.entry["holds_here"] is (None if refers else True)
        if not sound or (certified is not None and len(certified) != len(self.finding.measured)):
            yield False, f"{self.name}: what is written about it is not what it means"
        elif counted and not bound <= _certified_people(certified[0]) <= min(records, persons):
            yield False, f"{self.name}: {certified[0]} people certified, {found}"
        elif self.again is not None:
            same = refers or all(map(_is_same_number, certified, self.again.measured))
            yield from self._with_original(self.again, same=same)
        elif counted:
            yield None, f"{self.name}: {certified[0]} people certified, {found}; {WHOSE}"
        else:
            yield None, f"{self.name}: it counts people, and {WHOSE}"

    def _compare_records(self, most: Number | None) -> Iterator[Remark]:
        certified, finding = self.entry["measured"] or [], self.finding
        fits = len(certified) == len(finding.measured) and all(map(_is_same_number, certified, finding.measured))
        if not fits or self.entry["holds_here"] is not finding.holds:
            yield False, f"{self.name}: certified {', '.join(certified)}; found {_measured_text(finding)}"
        elif not self._is_bounded_right(most):
            yield False, f"{self.name}: how far the original table can be is not what follows from the file"
        elif self._is_about_more(most) == (self.entry["owner_only"] is None):
            yield False, f"{self.name}: what only its owner can show is not what is written"
        elif not self._is_about_more(most):
            yield True, f"{self.name}: {_measured_text(finding)}"
            if most is not None and self.left_out:
                yield True, f"{self.name}: at most {float(most):.6g} from the original table, whoever was left out"
        elif self.again is None:
            more = "larger groups that only its owner knows"
            more = "the original table, which only its owner has" if self.left_out else more
            yield None, f"{self.name}: {_measured_text(finding)} in this file alone; the promise is about {more}"
        else:
            yield from self._with_original(self.again, same=True)
        if not finding.holds and not self._is_about_more(most):
            yield False, f"{self.name}: the promise does not hold"

    def _with_original(self, again: Finding, *, same: bool) -> Iterator[Remark]:
        if isinstance(self.part, NTCloseness) and not again.holds and again.supersets != self.part.supersets:
            yield None, f"{self.name}: how its classes were cut out of larger ones was not saved"
        else:
            yield same and again.holds, f"{self.name}: {_measured_text(again)}, with the original table"

    def _is_bounded_right(self, most: Number | None) -> bool:
        """Say whether the bound on how far the original table can be is as it follows from the file."""
        written = self.entry.get("input_at_most")
        if most is None or written is None:
            return most is None and written is None
        return _is_same_number(written, min(most, self.finding.required[0][2]))

    def _is_about_more(self, most: Number | None) -> bool:
        """Say whether a promise is about more than the file: the original table, or supersets that it does not have."""
        if most is not None:
            more = bool(self.left_out) or (
                isinstance(self.part, NTCloseness) and self.part.supersets != self.finding.supersets
            )
            return more and most > self.finding.required[0][2]
        return self.persons is None and bool(self.left_out) and self.part.refers


def _measured_text(finding: Finding) -> str:
    pairs = zip(finding.required, finding.measured, strict=False)
    return ", ".join(f"{what} {float(number):.6g}" for (what, *_), number in pairs)


def _certified_people(text: str) -> int:
    """Read how many people are certified; less than any promise asks for where that is no number."""
    return int(text) if text.isascii() and text.isdigit() and text == str(int(text)) else -1


def _is_same_number(certified: str, found: Number) -> bool:
    """Compare fractions exactly, and logarithms up to rounding."""
    if isinstance(found, float) and math.isfinite(found):
        try:
            near = math.isclose(float(certified), found, rel_tol=1e-9, abs_tol=1e-12)
        except ValueError:
            return False
        return near and repr(float(certified)) == certified
    return certified == exact_text(found)
