"""Part ``verdicts``: what ``check`` says of random tables and promises, against the definitions."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Sequence
from dataclasses import replace

import incrowd as ic
from fuzz.definitions import STAR, Number, Promise, classes_of, findings
from fuzz.failures import MismatchError, expect
from fuzz.tables import Case, random_case, random_promise
from incrowd.core import Finding

PROMISES = 4
"""So many promises are asked of a table."""


def run(rolls: random.Random) -> int:
    """Ask a random table for random promises; give how many verdicts were compared."""
    case = starred(rolls, random_case(rolls))
    asked = [random_promise(rolls, case) for _ in range(PROMISES)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ic.PrivacyWarning)
        return sum(compare(case, promise) for promise in asked)


def starred(rolls: random.Random, case: Case) -> Case:
    """Star some cells of some tables, as a released one has it."""
    share = rolls.choice([0, 0, 0.2, 0.5])
    rows = tuple({**row, **{name: STAR for name in case.quasi if rolls.random() < share}} for row in case.rows)
    return replace(case, rows=rows, world=replace(case.world, reference=rows))


def compare(case: Case, promise: Promise) -> int:
    """Hold one verdict of the product against the definitions."""
    groups = classes_of(case.rows, case.quasi)
    slow = findings(promise, groups, case.world)
    where = f"{promise.text} of {list(case.rows)}"
    try:
        verdict = ic.check([dict(row) for row in case.rows], case.schema, promise.text)
    except ic.IncrowdError as error:
        msg = f"check refused {where}: {error}"
        raise MismatchError(msg) from None
    expect(len(verdict.findings) == 1, f"one promise has one finding: {where}")
    (found,) = verdict.findings
    expect(verdict.classes == len(groups), f"{verdict.classes} classes, not {len(groups)}: {where}")
    _compare_failing(case, found, [one.holds for one in slow], [case.world.size(group) for group in groups], where)
    for number, measured in enumerate(found.measured):
        sense = found.required[number][1]
        worst = (min if sense == ">=" else max)(one.measured[number] for one in slow)
        expect(_same(measured, worst), f"measured {measured}, by definition {worst}: {where}")
    return 1


def _compare_failing(
    case: Case, found: Finding, holds: Sequence[bool | None], sizes: Sequence[int], where: str
) -> None:
    """Compare which classes fail, where the definitions can say it of all."""
    if None in holds:
        return
    failing = [size for size, fine in zip(sizes, holds, strict=True) if not fine]
    expect(found.holds == (not failing), f"holds is {found.holds}: {where}")
    expect(found.failing_classes == len(failing), f"{found.failing_classes} classes fail, not {len(failing)}: {where}")
    people = found.failing_records if case.world.entity is None else found.failing_persons
    expect(people == sum(failing), f"{people} records fail, not {sum(failing)}: {where}")


def _same(one: Number, other: Number) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return one == other
