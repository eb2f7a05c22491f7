"""How small a class can be at best: what every promise says about sizes alone."""

from __future__ import annotations

import math

from incrowd.models import (
    KAnonymity,
    LDiversity,
    Model,
    PAlphaSensitive,
    PSensitive,
    RecursiveDiversity,
)


def least_size(model: Model) -> int:
    """Give the number of records below which no class keeps a promise: l different values need l records."""
    return max(map(_least, model.parts))


def _least(model: Model) -> int:
    if isinstance(model, KAnonymity):
        return model.k
    if isinstance(model, LDiversity):
        return math.ceil(model.requirements[0].bound)
    if isinstance(model, RecursiveDiversity):
        return model.l
    if isinstance(model, PSensitive | PAlphaSensitive):
        return model.p
    return 1
