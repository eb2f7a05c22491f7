"""What a promise about the original table gives away about the few records that are left out.

Whoever has the file, knows how many records are left out, and trusts the promise, can put values in for these records
and see whether the promise would hold. What does not fit is ruled out. Nothing is, if the promise holds whatever they
have: that is so for every mixture if it is so where all of them have one value, because the originals for which a
promise of this kind holds form a convex set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, Finding
from incrowd.models import BetaLikeness, Judge, Model, NTCloseness, TCloseness

if TYPE_CHECKING:
    from incrowd.release._release_file import Measurement

# How far classes can be from the original table, whoever was left out: a number that gives nobody away.

Number = Fraction | float


@dataclass(frozen=True, slots=True)
class FileFacts:
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
        column = own[judge.columns[0]]
        shown = FileFacts(int(classes.records.sum()), left_out, len(column))
        if not _is_shown_by_file(judge, finding, shown) and not _holds_for_any_value(judge, classes, column, left_out):
            yield " ".join(_note_on_few(judge, finding, classes, column, shown))


def _is_shown_by_file(judge: Judge, finding: Finding, shown: FileFacts) -> bool:
    """Say whether the file alone shows the bound, by what is known about distances."""
    model = judge.model
    if not isinstance(model, TCloseness | NTCloseness) or not finding.measured or finding.failing_persons is not None:
        return False
    return distance_bound(model, finding.measured[0], shown) <= model.requirements[0].bound


def _can_be_tried(judge: Judge, classes: Classes, column: Domain) -> bool:
    """Say whether values can be put in: supersets and people are not in the file."""
    return not isinstance(judge.model, NTCloseness) and classes.cells.person is None and len(column) <= MOST


def _holds_for_any_value(judge: Judge, classes: Classes, column: Domain, left_out: int) -> bool:
    """Say whether the promise is seen to hold whichever one value all records left out have."""
    if not _can_be_tried(judge, classes, column):
        return False
    if len(column) == 1:
        return _holds_for_unseen_value(judge, column, left_out)
    return all(_holds_with(judge, classes, column, (code,) * left_out) for code in range(len(column)))


def _holds_for_unseen_value(judge: Judge, column: Domain, left_out: int) -> bool:
    """Say of a file with one value whether it could be another for all records left out; no distance follows here."""
    model = judge.model
    return isinstance(model, BetaLikeness) and not model.enhanced and left_out <= model.beta * int(column.counts.sum())


def _holds_with(judge: Judge, classes: Classes, column: Domain, codes: Sequence[int]) -> bool:
    """Say whether the promise holds if the records left out have these values."""
    whole: Counts = column.counts + np.bincount(codes, minlength=len(column))
    judge.reference = {judge.columns[0]: whole}
    return bool(judge.keeps(classes).all())


def _note_on_few(judge: Judge, finding: Finding, classes: Classes, column: Domain, shown: FileFacts) -> Iterator[str]:
    many = shown.left_out > 1
    records = f"{shown.left_out} records are" if many else "1 record is"
    can = "can" if _can_be_tried(judge, classes, column) else "may be able to"
    yield (
        f"{finding.promise} compares with the original table, of which {records} left out, and the released file alone "
        f"does not show that it holds. Whoever has the file and knows that number {can} rule out values of "
        f"{column.column!r} for {'them' if many else 'it'}{_combinations_text(judge, classes, column, shown.left_out)}."
    )
    yield (
        "What helps: leave out nobody, mask these records instead of dropping them, leave out more than "
        f"{FEW}, or promise less{_enough_text(judge, finding, shown)}."
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


def _enough_text(judge: Judge, finding: Finding, shown: FileFacts) -> str:
    """Say which bound the file would show by itself."""
    model: Any = judge.model
    if not isinstance(model, TCloseness | NTCloseness) or not finding.measured or finding.failing_persons is not None:
        return ""
    most = distance_bound(model, finding.measured[0], shown)
    if math.isinf(most):
        return ""
    return f": this file would show {math.ceil(most * 100) / 100:g} or more by itself"
