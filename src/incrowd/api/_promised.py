"""A promise as plain data that a program without incrowd can measure again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from incrowd.core import SupersetMode
from incrowd.models import (
    AlphaAssociation,
    BetaLikeness,
    DeltaDisclosure,
    EnhancedPAlphaSensitive,
    KAnonymity,
    LDiversity,
    Model,
    NTCloseness,
    PAlphaSensitive,
    PSensitive,
    RecursiveDiversity,
    TCloseness,
)

Plain = dict[str, Any]

_BUILD: dict[type[Model], Callable[[Any], Plain]] = {
    KAnonymity: lambda _: {"kind": "k"},
    LDiversity: lambda m: {"kind": "l" if m.kind == "distinct" else f"{m.kind}-l"},
    RecursiveDiversity: lambda m: {"kind": "recursive", "l": m.l},
    TCloseness: lambda m: {"kind": "t", "distance": m.distance},
    NTCloseness: lambda m: {"kind": "nt", "n": m.n, "distance": m.distance},
    PSensitive: lambda _: {"kind": "p"},
    PAlphaSensitive: lambda m: {"kind": "p-alpha", "weight_over": m.weight_over},
    EnhancedPAlphaSensitive: lambda m: {"kind": "enhanced", "weight_over": m.weight_over},
    AlphaAssociation: lambda m: {"kind": "alpha", **_values(m)},
    BetaLikeness: lambda m: {"kind": "enhanced-beta" if m.enhanced else "beta"},
    DeltaDisclosure: lambda _: {"kind": "delta"},
}
DIVERSE = (LDiversity, RecursiveDiversity, PSensitive, PAlphaSensitive)
"""Promises that count missing values only if asked to, and then say so."""
KINDS_THAT_REFER = frozenset({"t", "nt", "beta", "enhanced-beta", "delta"})
"""Promises that compare classes with a whole table."""

MOST_COLUMNS = 8
"""With so many quasi-identifiers the classes on fewer columns are looked at: 256 ways to group a file."""


def plain_model(model: Model) -> Plain | None:
    """Write what must be measured, and how; nothing for a model that a certificate does not know."""
    build = _BUILD.get(type(model))
    if build is None:
        return None
    return build(model) | ({"missing": True} if isinstance(model, DIVERSE) and model.missing else {})


def shown_by_a_file(part: Model, columns: int) -> Model:
    """Give a promise with the natural supersets that a released file shows by itself.

    Parameters
    ----------
    part
        One promise.
    columns
        How many quasi-identifiers the file has.

    Notes
    -----
    Classes on fewer columns are classes of the lattice too, so a distance to the nearest of them is at least the
    promised one. With many columns there are too many of them, and the whole table, which is always one of them, takes
    their place. The parts that a class was cut out of are not in the file.
    """
    if not isinstance(part, NTCloseness):
        return part
    shown: dict[str, SupersetMode] = {"lattice": "drop" if columns <= MOST_COLUMNS else "table", "path": "table"}
    return replace(part, supersets=shown.get(part.supersets, part.supersets))


def exactly(number: Fraction | float) -> str:
    """Write a number so that nothing is lost: a fraction, or all digits of a float."""
    if isinstance(number, float):
        return "inf" if math.isinf(number) else repr(number)
    return str(number)


def _values(model: AlphaAssociation) -> Plain:
    if model.by_value is not None:
        return {"each": True, "values": list(model.by_value)}
    return {"each": False, "values": None if model.values is None else list(model.values)}
