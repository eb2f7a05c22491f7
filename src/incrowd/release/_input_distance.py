"""What a promise about the original table gives away about the few records left out: the bound, and a warning.

Whoever has the file, knows how many records are left out, and trusts the promise, can put values in for these records
and see whether the promise would hold. What does not fit is ruled out. Nothing is, if the promise holds whatever they
have: that is so for every mixture if it is so where all of them have one value, because the originals for which a
promise of this kind holds form a convex set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, Finding
from incrowd.models import BetaLikeness, Judge, Model, NTCloseness, TCloseness

if TYPE_CHECKING:
    from incrowd.release._release_file import Measurement

# How far classes can be from the original table, whoever was left out: a number that gives nobody away.

Number = Fraction | float


class FileFacts(NamedTuple):
    """What a released file shows about how it was made, without its values."""

    records: int
    left_out: int
    values: int


def input_distance_bound(model: Model, finding: Finding, found: Measurement, left_out: int) -> Number | None:
    """Bound the distance to the original table by what a file shows; nothing for promises that know no distance."""
    if not isinstance(model, TCloseness | NTCloseness) or not finding.measured:
        return None
    values = found.values[finding.columns[0]]
    return distance_bound(model, finding.measured[0], FileFacts(int(found.sizes.sum()), left_out, values))


def distance_bound(model: TCloseness | NTCloseness, measured: Number, shown: FileFacts) -> Number:
    """Bound the distance of every class to the original table. The bound can be larger than the promised one.

    A table with ``N`` records to which ``s`` are added is the mixture ``N Q + s R`` over ``N + s``. A distance up to 1
    that is convex is then at most ``(N D + s) / (N + s)``, whatever the ``s`` records hold, and the divergence grows by
    at most ``ln((N + s) / N)``. A natural superset of (n, t)-closeness has at least ``n`` records in the file. Every
    added record can bring a value that lies between two others: see ``_stretched_distance``. Nothing here depends on
    the records left out, except on how many they are.
    """
    around = model.n if isinstance(model, NTCloseness) else shown.records
    added = shown.left_out
    if not added or math.isinf(measured):
        return measured
    if model.distance == "kl":
        return measured + math.log1p(added / around)
    distance = Fraction(measured)
    if model.distance == "ordered":
        distance = _stretched_distance(distance, shown.values - 1, added)
    return (around * distance + added) / (around + added)


def _stretched_distance(distance: Fraction, steps: int, added: int) -> Fraction:
    """Bound a distance along an order into which so many values are put where they separate most.

    What moves ``d`` of ``m`` steps then moves at most ``d + s`` of ``m + s``. What moves at all is at most all of it,
    and at most as much as the distance would have it move one step each.
    """
    moving = min(Fraction(1), steps * distance)
    return (steps * distance + added * moving) / (steps + added)


Counts = npt.NDArray[np.int64]

FEW = 10
"""So many records left out are few: about each of them a bound can tell something."""

MOST = 500
"""So many combinations of values are tried."""


def notes_on_few(
    judges: Sequence[Judge], found: Sequence[Finding], classes: Classes, own: Mapping[str, Domain], left_out: int
) -> Iterator[str]:
    """Warn of promises that tell something about the records left out."""
    if not 0 < left_out <= FEW:
        return
    for judge, finding in zip(judges, found, strict=True):
        column, model, most = own[judge.columns[0]], judge.model, None
        if isinstance(model, TCloseness | NTCloseness) and finding.measured and finding.failing_persons is None:
            facts = FileFacts(int(classes.records.sum()), left_out, len(column))
            most = distance_bound(model, finding.measured[0], facts)
        is_shown = most is not None and most <= model.requirements[0].bound
        if not is_shown and not _holds_for_any_value(judge, classes, column, left_out):
            yield _note_on_few(judge, finding.promise, classes, column, left_out, most)


def _can_be_tried(judge: Judge, classes: Classes, column: Domain) -> bool:
    """Say whether values can be put in: supersets and people are not in the file."""
    return not isinstance(judge.model, NTCloseness) and classes.cells.person is None and len(column) <= MOST


def _holds_for_any_value(judge: Judge, classes: Classes, column: Domain, left_out: int) -> bool:
    """Say whether the promise is seen to hold whichever one value all records left out have."""
    if not _can_be_tried(judge, classes, column):
        return False
    if len(column) == 1:  # it could be another for all of them; no distance follows here
        model, most = judge.model, int(column.counts.sum())
        return isinstance(model, BetaLikeness) and not model.enhanced and left_out <= model.beta * most
    return all(_holds_with(judge, classes, column, (code,) * left_out) for code in range(len(column)))


def _holds_with(judge: Judge, classes: Classes, column: Domain, codes: Sequence[int]) -> bool:
    """Say whether the promise holds if the records left out have these values."""
    whole: Counts = column.counts + np.bincount(codes, minlength=len(column))
    judge.reference = {judge.columns[0]: whole}
    return bool(judge.keeps(classes).all())


def _note_on_few(judge: Judge, text: str, classes: Classes, column: Domain, left_out: int, most: Number | None) -> str:
    """Say what can be told about them, and what helps; ``most`` is the bound that the file would show by itself."""
    records, them = (f"{left_out} records are", "them") if left_out > 1 else ("1 record is", "it")
    can = "can" if _can_be_tried(judge, classes, column) else "may be able to"
    less = ""
    if most is not None and not math.isinf(most):
        less = f": this file would show {math.ceil(most * 100) / 100:g} or more by itself"
    return (
        f"{text} compares with the original table, of which {records} left out, and the released file alone does not "
        f"show that it holds. Whoever has the file and knows that number {can} rule out values of {column.column!r} "
        f"for {them}{_combinations_text(judge, classes, column, left_out)}. What helps: leave out nobody, mask these "
        f"records instead of dropping them, leave out more than {FEW}, or promise less{less}."
    )


def _combinations_text(judge: Judge, classes: Classes, column: Domain, left_out: int) -> str:
    """Try all combinations of values, if they are not too many."""
    number = math.comb(len(column) + left_out - 1, left_out)
    if not _can_be_tried(judge, classes, column) or not 1 < number <= MOST:
        return ""
    combinations = combinations_with_replacement(range(len(column)), left_out)
    left = sum(_holds_with(judge, classes, column, codes) for codes in combinations)
    none = "none fits, so that some value left out is not among them"
    fitting = {0: none, 1: "only 1 fits"}.get(left, f"{left:,} fit")
    return f": of {number:,} combinations of its published values {fitting}"
