"""Promises that every table keeps."""

from __future__ import annotations

from incrowd.models._alpha_association import AlphaAssociation
from incrowd.models._k_anonymity import KAnonymity
from incrowd.models._l_diversity import LDiversity, RecursiveDiversity
from incrowd.models._model import Model
from incrowd.models._nt_closeness import NTCloseness
from incrowd.models._p_sensitive import PAlphaSensitive, PSensitive
from incrowd.models._t_closeness import TCloseness


def trivial(model: Model) -> list[str]:
    """Give a note for every part of a promise that promises nothing.

    Examples
    --------
    >>> from incrowd.models import promise, trivial
    >>> trivial(promise("k>=1, l>=3[disease]"))
    ['k>=1 promises nothing: every table keeps it.']
    """
    return [
        f"{part} promises nothing: every table{_large(part)} keeps it." for part in model.parts if _is_trivial(part)
    ]


def _large(model: Model) -> str:
    """Say which tables keep a promise for nothing, if not all."""
    if not model.missing:
        return " without missing values"
    return f" of {model.n} or more" if isinstance(model, NTCloseness) and model.n > 1 else ""


def _is_trivial(model: Model) -> bool:
    match model:
        case KAnonymity(k=1) | LDiversity(l=1) | PSensitive(p=1) | PAlphaSensitive(p=1, alpha=0):
            return True
        case RecursiveDiversity(c=c, l=1):
            return c > 1
        case AlphaAssociation():
            return all(bound.bound == 1 for bound in model.requirements)
        case NTCloseness(n=1):
            return True
        case TCloseness(t=1, distance=distance) | NTCloseness(t=1, distance=distance):
            return distance != "kl"
        case _:
            return False
