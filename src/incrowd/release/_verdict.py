"""Checking whether a table keeps a promise."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from incrowd.core import (
    Census,
    Classes,
    Domain,
    Finding,
    HierarchyError,
    Hint,
    Ladder,
    Schema,
    Setting,
    Verdict,
    look_alikes,
)
from incrowd.hierarchies import flat
from incrowd.models import Judge, Judgement, Model, NTCloseness, worst


def verdict_of(
    judges: Sequence[Judge], classes: Classes, quasi: Sequence[str], among: Any = None, notes: Sequence[str] = ()
) -> Verdict:
    """Judge classes that have been counted already."""
    among = np.ones(len(classes), dtype=bool) if among is None else among
    judgements = [judge.judge(classes) for judge in judges]
    failing = among & ~np.logical_and.reduce([judgement.ok for judgement in judgements])
    labels = {name: classes.texts(column)[failing] for column, name in enumerate(quasi)}
    return Verdict(
        findings=tuple(_finding(*pair, classes, among) for pair in zip(judges, judgements, strict=True)),
        classes=int(among.sum()),
        records=int(classes.records[among].sum()),
        persons=_persons(classes, among),
        failing={**labels, free_name("records", labels): classes.records[failing]},
        notes=tuple(dict.fromkeys([*notes, *(note for judge in judges for note in judge.notes(classes))])),
    )


def free_name(name: str, taken: Container[str]) -> str:
    """Give a column's name that no other column has, by underscores at its end."""
    return free_name(f"{name}_", taken) if name in taken else name


def notes_on_look_alikes(judges: Sequence[Judge], census: Census) -> list[str]:
    """Name the columns with values that look alike in print: they count as different."""
    promised = [name for judge in judges for name in judge.columns]
    alike = {name: sum(map(len, look_alikes(census.domains[name]))) for name in (*census.quasi, *promised)}
    return [
        f"Column {name!r} has {count} values that look alike in print; they count as different."
        for name, count in alike.items()
        if count
    ]


def climbs(model: Model) -> bool:
    """Say whether a promise looks at coarser levels of the hierarchies."""
    return any(isinstance(part, NTCloseness) and part.supersets == "lattice" for part in model.parts)


def ladders_of(schema: Schema, domains: Mapping[str, Domain]) -> dict[str, Ladder]:
    """Fit the hierarchies that were given; a column without one has nothing above its values but ``*``."""
    given = {name: hierarchy for name, hierarchy in schema.quasi if hierarchy is not None}
    if not given:
        return {}
    try:
        return Schema(given).bind(domains, default=flat()).ladders
    except HierarchyError as error:
        either = Setting("supersets", ("drop", "path"), "supersets='drop' or 'path'")
        error.hint = Hint("for a released table use {}. For an original one: ", either) + error.hint
        raise


def _finding(judge: Judge, judgement: Judgement, classes: Classes, among: Any) -> Finding:
    bad = among & ~judgement.ok
    requirements = judge.model.requirements
    pairs = zip(requirements, judgement.measured, strict=True)
    numbers = [worst(values, bound.sense, among) for bound, values in pairs]
    return Finding(
        promise=str(judge.model),
        columns=judge.columns,
        required=tuple((bound.name, bound.sense, bound.bound) for bound in requirements),
        measured=tuple(number for number in numbers if number is not None),
        failing_classes=int(bad.sum()),
        failing_records=int(classes.records[bad].sum()),
        failing_persons=None if classes.cells.person is None else int(classes.size[bad].sum()),
        reference=judge.referred,
        supersets=judge.supersets(classes),
    )


def _persons(classes: Classes, among: Any) -> int | None:
    """Count the people in classes, where the table says whose row is whose."""
    if classes.cells.person is None:
        return None
    return len(np.unique(classes.cells.person[among[classes.members]]))
