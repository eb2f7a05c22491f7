"""The nearest weaker promise that a table can still keep, its numbers rounded to the safe side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from incrowd.models._alpha_association import AlphaAssociation
from incrowd.models._judge import Judge, Requirement
from incrowd.models._l_diversity import RecursiveDiversity, least_values
from incrowd.models._measured import TOLERANCE, Sense
from incrowd.models._model import Model

Values = Sequence[Fraction | float]


def weaker(judge: Judge, measured: Values, counts: Sequence[int]) -> str | None:
    """Weaken a promise until the whole table keeps it; ``None`` if what fails is no parameter.

    Parameters
    ----------
    judge
        What the whole table failed.
    measured
        What the whole table has, requirement by requirement.
    counts
        How often each value of the column occurs; only recursive diversity asks.
    """
    model: Any = judge.model
    if isinstance(model, RecursiveDiversity):
        return text(judge, _recursive(model, sorted(counts, reverse=True)))
    if isinstance(model, AlphaAssociation) and model.by_value is not None:
        pairs = zip(model.by_value.items(), measured, strict=True)
        return text(judge, {"alpha": tuple((name, max(bound, safe(value, "<="))) for (name, bound), value in pairs)})
    failing = [pair for pair in zip(model.requirements, measured, strict=True) if _fails(*pair)]
    numbers = {bound.name: safe(value, bound.sense) for bound, value in failing}
    return text(judge, numbers) if set(numbers) <= {field.name for field in fields(model)} else None


def weaker_by_implied(judge: Judge, measured: Fraction | float) -> str | None:
    """Weaken a promise until the whole table keeps what it implies: so many values, or so much of the table."""
    model: Any = judge.model
    name = model.requirements[0].name
    if isinstance(model, RecursiveDiversity):
        return text(judge, _recursive_of(model, int(measured)))
    if name == "l":
        return text(judge, {"l": safe(measured, ">=")})
    if name == "alpha":
        return text(judge, {"alpha": safe(1 / Fraction(measured), "<=")})
    return text(judge, {"t": safe(1 - Fraction(measured), "<=")}) if name == "t" else None


def text(judge: Judge, numbers: dict[str, Any]) -> str:
    """Write a judge's promise with other numbers."""
    about: dict[str, Any] = {"of": judge.columns} if judge.columns else {}
    model: Model = replace(judge.model, **numbers, **about)  # type: ignore[type-var]
    return str(model)


def safe(value: Fraction | float, sense: Sense) -> int | Fraction:
    """Round a measured number so that as a bound it is met: to two places, below 1 to three digits."""
    slack = Fraction(0 if isinstance(value, Fraction) else TOLERANCE / 2 * max(1.0, value))
    exact = Fraction(value)
    places = 2 if exact >= 1 or exact <= 0 else min(12, 2 - math.floor(math.log10(exact)))
    scale = 10**places
    if sense == ">=":
        rounded = Fraction(math.floor((exact + slack) * scale), scale)
    elif sense == "<=":
        rounded = Fraction(math.ceil((exact - slack) * scale), scale)
    else:
        rounded = Fraction(math.floor((exact + slack) * scale) + 1, scale)
    return rounded.numerator if rounded.denominator == 1 else rounded


def _fails(bound: Requirement, value: Fraction | float) -> bool:
    return not {">=": value >= bound.bound, "<=": value <= bound.bound, "<": value < bound.bound}[bound.sense]


def _recursive_of(model: RecursiveDiversity, values: int) -> dict[str, Any]:
    """Lower ``l`` as far as so many values ask for, and raise ``c`` only where that is not enough."""
    rank = values - (least_values(Fraction(model.c), model.l) - model.l)
    return {"l": rank} if rank >= 1 else {"l": 1, "c": safe(Fraction(1, values), "<")}


def _recursive(model: RecursiveDiversity, counts: list[int]) -> dict[str, Any]:
    """Lower ``l`` to the number of values, then raise ``c`` above what the first of them needs."""
    rank = min(model.l, len(counts))
    ratio = Fraction(counts[0], sum(counts[rank - 1 :]))
    return {"l": rank, "c": model.c if ratio < model.c else safe(ratio, "<")}
