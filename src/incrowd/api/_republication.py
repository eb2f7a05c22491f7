"""The original table, published again by the owner's recoding: what a promise about it, or about its people, is."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incrowd.algorithms import Problem
from incrowd.api._anonymize import census_for
from incrowd.api._census import open_with
from incrowd.api._check import verdict_of
from incrowd.api._checked_again import as_predicted
from incrowd.api._floor import Bounds
from incrowd.api._predicted import Predicted, predicted_by
from incrowd.api._recoding_files import SavedRecoding
from incrowd.api._released import open_released
from incrowd.core import Classes, Domain, FullDomainRecoding, PrivacyWarning, Verdict
from incrowd.engines import Engine, Wording
from incrowd.models import All, Model, NTCloseness

Plain = dict[str, Any]
Told = tuple[bool | None, str]


@dataclass(frozen=True, slots=True, eq=False)
class Republication:
    """The original table, published again.

    Attributes
    ----------
    verdict
        Whether the promises hold, measured against the original table, and with its people where rows are theirs.
    records, dropped
        How many records the original table has, and how many were removed first because something is missing.
    same
        Whether it gives the classes of the released file, with their sensitive values.
    """

    verdict: Verdict
    records: int
    dropped: int
    same: bool

    def compare(self, certificate: Plain) -> Iterator[Told]:
        """Compare what the original table gives with what a certificate says of it."""
        yield self.same, "original: it gives the classes of the data file"
        left_out = self.records - self.verdict.records + certificate["masked"]
        found: dict[str, int | None] = {"suppressed": left_out, "dropped": self.dropped}
        if (certificate["persons"], self.verdict.persons) != (None, None):
            found["persons"] = self.verdict.persons
        for name, number in found.items():
            fits = certificate[name] == number
            said = f"{number}" if fits else f"certified {certificate[name]}, found {number}"
            yield fits, f"original: {name}: {said}"


def republish(
    saved: SavedRecoding, original: Any, data: Path, reading: Plain, wording: Wording | None = None
) -> Republication:
    """Publish the original table again, judge it, and compare it with the released file.

    Parameters
    ----------
    saved
        The owner's recoding, with roles and promise.
    original, reading
        The table that the release was made of, and how to read it.
    data, wording
        The released file, and how it is written.
    """
    schema, recoding, memory = saved.schema, saved.recoding, reading.get("memory")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # said when the release was made
        engine = open_with(original, schema, **reading)
        levels = recoding.levels if isinstance(recoding, FullDomainRecoding) else None
        bounds = Bounds({}, levels or {}, {}, limit=lambda records: records, local=levels is None)
        model = _without_paths(saved.model)
        problem = Problem(census_for(engine, schema, model, bounds, memory), schema, model)
        predicted = predicted_by(problem, recoding)
        released = open_released(data, wording, memory=memory)
        extra = [name for name in (schema.entity, schema.count) if name]
        shown = [name for name in released.columns() if schema.role(name) not in {"identifier", "entity"}]
        again = engine.recode(recoding, list(dict.fromkeys([*shown, *extra])))
        verdict = _verdict(again, problem, predicted, saved)
        domains = {name: problem.census.domains[name] for name in problem.census.sensitive}
    same = _shown(again, saved, domains) == _shown(released, saved, domains)
    return Republication(verdict, problem.census.records, problem.census.dropped, same)


def _without_paths(model: Model) -> Model:
    """Give a promise that looks at the whole table where the larger classes that a class was cut out of were not saved.

    A class is at least as far from the whole table as from the nearest of them: what keeps this keeps the promise.
    """
    parts = [
        replace(part, supersets="table") if isinstance(part, NTCloseness) and part.supersets == "path" else part
        for part in model.parts
    ]
    return All(tuple(parts))


def _verdict(engine: Engine, problem: Problem, predicted: Predicted, saved: SavedRecoding) -> Verdict:
    """Judge the table as it was judged before it was published."""
    published = as_predicted(engine, problem, saved.recoding, predicted)
    judges, quasi = problem.judges(), saved.recoding.quasi
    if any(isinstance(judge.model, NTCloseness) for judge in judges):
        return verdict_of(judges, predicted.classes, quasi, among=~predicted.left_out)
    return verdict_of(judges, published, quasi)


def _shown(engine: Engine, saved: SavedRecoding, domains: dict[str, Domain]) -> dict[Any, Any]:
    """Give what every class of a table is called, its records, and how often it has each sensitive value."""
    classes = engine.classes(saved.schema.quasi_names, domains, None, saved.schema.count)
    names = list(zip(*(classes.texts(column).tolist() for column in range(len(classes.codes))), strict=True))
    values = [_values(classes, column, len(names)) for column in domains]
    return dict(zip(names, zip(classes.records.tolist(), *values, strict=True), strict=True))


def _values(classes: Classes, column: str, number: int) -> Sequence[Counter[int]]:
    histogram = classes.histogram(column)
    counted: list[Counter[int]] = [Counter() for _ in range(number)]
    for place, value, count in zip(
        histogram.classes.tolist(), histogram.values[0].tolist(), histogram.counts.tolist(), strict=True
    ):
        counted[place][value] += count
    return counted
