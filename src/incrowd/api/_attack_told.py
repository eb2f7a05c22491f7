"""From what an attack did to every class to what is told about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.api._attacks import Attack, Table
from incrowd.api._check import free_name
from incrowd.api._exposed import Exposed
from incrowd.api._worst import worst
from incrowd.attacks import Outcome, people_of
from incrowd.core import Classes

CHANCES = tuple(Fraction(chance) for chance in ("1/20", "9/100", "1/10", "1/5", "1/3", "1/2", "3/4", "9/10", "1"))
GAINS = tuple(map(Fraction, (1, 2, 5, 10, 20, 50, 100)))
"""From which numbers on people are counted."""


def told(outcome: Outcome, classes: Classes, quasi: Sequence[str]) -> Attack:
    """Count who is exposed, and find the worst class."""
    narrow = outcome.unit == "width"
    floats = outcome.measured.floats
    place = None if not len(classes) else int(floats.argmin() if narrow else floats.argmax())
    chosen = outcome.exposed[classes.members] if len(classes) else np.zeros(0, dtype=bool)
    chosen = chosen if outcome.among is None else chosen & outcome.among
    return Attack(
        name=outcome.name,
        column=outcome.column,
        knows=outcome.knows,
        means=outcome.means,
        exposed=exposed_cells(classes, chosen),
        targets=outcome.targets,
        right=outcome.right,
        baseline=outcome.baseline,
        unit=outcome.unit,
        worst=worst(outcome.measured, ">=" if narrow else "<="),
        worst_class={} if place is None else label_of(classes, quasi, place),
        distribution=_distribution(outcome, classes),
        notes=outcome.notes,
        _records=partial(records_of, classes, quasi, chosen),
    )


def with_expected(attack: Attack, expected: float | None) -> Attack:
    """Add how many exposed classes chance alone would make."""
    return replace(attack, expected=expected)


def exposed_cells(classes: Classes, chosen: npt.NDArray[np.bool_]) -> Exposed:
    """Count who is in some cells."""
    records = int(classes.cells.counts[chosen].sum(dtype=np.int64))
    hit = int(np.count_nonzero(np.bincount(classes.members[chosen]))) if chosen.any() else 0
    person, total = classes.cells.person, people_of(classes)
    persons = None if person is None else len(np.unique(person[chosen]))
    return Exposed(hit, records, persons, Fraction(records if persons is None else persons, max(total, 1)))


def label_of(classes: Classes, quasi: Sequence[str], place: int) -> dict[str, str | None]:
    """Give what one class is called."""
    return {name: classes.texts(column)[place] for column, name in enumerate(quasi)}


def records_of(classes: Classes, quasi: Sequence[str], chosen: npt.NDArray[np.bool_]) -> Table:
    """Give some cells as a table: labels, sensitive values, and how many records are alike."""
    members = classes.members[chosen]
    table: dict[str, Any] = {name: classes.texts(column)[members] for column, name in enumerate(quasi)}
    for name, codes in classes.cells.sensitive.items():
        table[free_name(name, table)] = classes.cells.domains[name].texts[codes[chosen]]
    table[free_name("records", table)] = classes.cells.counts[chosen].astype(np.int64)
    return table


def _distribution(outcome: Outcome, classes: Classes) -> tuple[tuple[Fraction, int], ...]:
    bounds = GAINS if outcome.unit == "gain" else CHANCES
    if outcome.unit == "change":
        floats = outcome.measured.floats  # exact comparison of many sums would take long, and decides nothing here
        masks = [floats >= float(bound) - 1e-12 for bound in bounds]
    else:
        sense: Any = "<=" if outcome.unit == "width" else ">="
        masks = [outcome.measured.meets(sense, bound) for bound in bounds]
    return tuple((bound, int(classes.size[mask].sum())) for bound, mask in zip(bounds, masks, strict=True))
