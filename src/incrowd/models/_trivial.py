"""Promises that every table keeps."""

from __future__ import annotations

from incrowd.models._model import Model
from incrowd.models._nt_closeness import NTCloseness


def trivial(model: Model) -> list[str]:
    """Give a note for every part of a promise that promises nothing.

    Examples
    --------
    >>> from incrowd.models import promise, trivial
    >>> trivial(promise("k>=1, l>=3[disease]"))
    ['k>=1 promises nothing: every table keeps it.']
    """
    empty = [part for part in model.parts if part.promises_nothing]
    return [f"{part} promises nothing: every table{_large(part)} keeps it." for part in empty]


def _large(model: Model) -> str:
    """Say which tables keep a promise for nothing, if not all."""
    if not model.missing:
        return " without missing values"
    return f" of {model.n} or more" if isinstance(model, NTCloseness) and model.n > 1 else ""
