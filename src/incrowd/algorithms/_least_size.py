"""How small a class can be at best: what every promise says about sizes alone."""

from __future__ import annotations

import math

from incrowd.models import KAnonymity, LDiversity, Model, PAlphaSensitive, PSensitive


def least_size(model: Model) -> int:
    """Give the number of records below which no class keeps a promise: l different values need l records."""
    return max(map(_least, model.parts))


def _least(model: Model) -> int:
    implied = model.implied
    if isinstance(implied, KAnonymity):
        return implied.k
    if isinstance(implied, LDiversity):
        return math.ceil(implied.l)
    if isinstance(implied, PSensitive | PAlphaSensitive):
        return implied.p
    return 1
