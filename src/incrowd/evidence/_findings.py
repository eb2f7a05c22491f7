"""From what an attack did to every class to what is told about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks import Outcome, people_of
from incrowd.core import Classes, add_up
from incrowd.evidence._attacks import Attack, Table
from incrowd.measures import Exposed
from incrowd.models import Measured, Ratios, worst
from incrowd.release import free_name

Floats = npt.NDArray[np.float64]

CHANCES = tuple(Fraction(chance) for chance in ("1/20", "9/100", "1/10", "1/5", "1/3", "1/2", "3/4", "9/10", "1"))
GAINS = tuple(map(Fraction, (1, 2, 5, 10, 20, 50, 100)))
"""From which numbers on people are counted."""


def told(outcome: Outcome, classes: Classes, quasi: Sequence[str]) -> Attack:
    """Count who is exposed, and find the worst class."""
    narrow = outcome.unit == "width"
    floats = outcome.measured.floats
    place = None if not len(classes) else int(floats.argmin() if narrow else floats.argmax())
    whole = outcome.among is None
    return Attack(
        name=outcome.name,
        column=outcome.column,
        knows=outcome.knows,
        means=outcome.means,
        exposed=Exposed.of(classes, outcome.exposed) if whole else exposed_cells(classes, cells_of(outcome, classes)),
        targets=outcome.targets,
        right=outcome.right,
        baseline=outcome.baseline,
        unit=outcome.unit,
        worst=worst(outcome.measured, ">=" if narrow else "<="),
        worst_class={} if place is None else label_of(classes, quasi, place),
        distribution=_distribution(outcome, floats, classes),
        notes=outcome.notes,
        _records=partial(_records, outcome, classes, quasi),
    )


def with_expected(attack: Attack, expected: float | None) -> Attack:
    """Add how many exposed classes chance alone would make."""
    return replace(attack, expected=expected)


def cells_of(outcome: Outcome, classes: Classes) -> npt.NDArray[np.bool_]:
    """Say which cells an attack exposes: those of exposed classes, as far as they are targets."""
    chosen = outcome.exposed[classes.members] if len(classes) else np.zeros(0, dtype=bool)
    return chosen if outcome.among is None else chosen & outcome.among


def exposed_cells(classes: Classes, chosen: npt.NDArray[np.bool_]) -> Exposed:
    """Count who is in some cells."""
    records = int(classes.cells.counts[chosen].sum(dtype=np.int64))
    hit = int(np.count_nonzero(np.bincount(classes.members[chosen]))) if chosen.any() else 0
    person, total = classes.cells.person, people_of(classes)
    persons = None if person is None else len(np.unique(person[chosen]))
    return Exposed(hit, records, persons, Fraction(records if persons is None else persons, max(total, 1)))


def label_of(classes: Classes, quasi: Sequence[str], place: int) -> dict[str, str | None]:
    """Give what one class is called."""
    alone = replace(classes, codes=tuple(column[place : place + 1] for column in classes.codes))
    return {name: alone.texts(column)[0] for column, name in enumerate(quasi)}


def records_of(classes: Classes, quasi: Sequence[str], chosen: npt.NDArray[np.bool_]) -> Table:
    """Give some cells as a table: labels, sensitive values, and how many records are alike."""
    members = classes.members[chosen]
    table: dict[str, Any] = {name: classes.texts(column)[members] for column, name in enumerate(quasi)}
    for name, codes in classes.cells.sensitive.items():
        table[free_name(name, table)] = classes.cells.domains[name].texts[codes[chosen]]
    table[free_name("records", table)] = classes.cells.counts[chosen].astype(np.int64)
    return table


def _records(outcome: Outcome, classes: Classes, quasi: Sequence[str]) -> Table:
    return records_of(classes, quasi, cells_of(outcome, classes))


def _distribution(outcome: Outcome, floats: Floats, classes: Classes) -> tuple[tuple[Fraction, int], ...]:
    """Count the people of classes that are at least so bad, for every bound at once where floats can tell."""
    bounds = GAINS if outcome.unit == "gain" else CHANCES
    narrow, limits = outcome.unit == "width", np.array([float(bound) for bound in bounds])
    if outcome.unit == "change":
        limits -= 1e-12  # exact comparison of many sums would take long, and decides nothing here
    elif not _floats_decide(outcome.measured, bounds):
        sense: Any = "<=" if narrow else ">="
        return tuple((bound, int(classes.size[outcome.measured.meets(sense, bound)].sum())) for bound in bounds)
    place = np.searchsorted(limits, floats, side="left" if narrow else "right")
    people = add_up(place, classes.size, len(bounds) + 1)
    sums = np.cumsum(people)[:-1] if narrow else np.cumsum(people[::-1])[::-1][1:]
    return tuple(zip(bounds, sums.tolist(), strict=True))


def _floats_decide(measured: Measured, bounds: Sequence[Fraction]) -> bool:
    """Say whether ratios are in the right order with the bounds when they are divided.

    Different ratios a/b and p/q differ by 1/(bq) at least, relatively to p/q by 1/(bp); rounding is finer than that.
    """
    if not isinstance(measured, Ratios) or object in {measured.numerators.dtype, measured.denominators.dtype}:
        return False
    largest = [int(side.max(initial=0)) for side in (measured.numerators, measured.denominators)]
    return largest[0] < 2**53 and largest[1] * max(bound.numerator for bound in bounds) < 2**50
