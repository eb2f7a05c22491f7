"""Ways in which others write labels, read as ours (spec S-COVER): ``90+``, ``2022-03``, ``476xx``, long dashes.

They are read only to say what a label covers. Whether labels can overlap is decided without them, with more care.
"""

from __future__ import annotations

import re

from incrowd.core import TOP
from incrowd.hierarchies._labels import EVERYTHING, LabelKind, Masked, Period, Reading, members_of, read_label
from incrowd.hierarchies._numbers import NUMBER

_PLUS = re.compile(rf"({NUMBER})\s*\+")
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_SIGNS = str.maketrans({"\u2264": "<=", "\u2265": ">=", "\u2013": "-", "\u2014": "-", "\u2212": "-"})
_HIDDEN = re.compile(r"(?=[^xX]*[0-9])([^xX]*)(x+|X+)")


def kind_of_label(label: str) -> LabelKind | None:
    """Say how a label can be read; ``None`` for one that covers only itself unless a hierarchy knows it.

    Parameters
    ----------
    label
        A published text, ours or somebody else's.

    Examples
    --------
    >>> from incrowd.hierarchies import kind_of_label
    >>> kind_of_label("[20, 25)"), kind_of_label("476**"), kind_of_label("2024-Q1"), kind_of_label("Europe")
    ('range', 'mask', 'period', None)
    """
    if label in EVERYTHING:
        return "everything"
    if members_of(label) is not None:
        return "set"
    reading = read_any(label)
    return None if reading is None else reading.kind


def read_any(label: str) -> Reading | None:
    """Read a label other than ``*``, ours or as others write it; nothing if it follows no pattern.

    Parameters
    ----------
    label
        A published text.
    """
    found = read_label(label)
    if found is not None:
        return found
    month = _MONTH.fullmatch(label)
    if month is not None:
        return Period("month", int(month[1]) * 12 + int(month[2]) - 1)
    plus = _PLUS.fullmatch(label)
    ours = label.translate(_SIGNS) if plus is None else f">={plus[1]}"
    return None if ours == label else read_label(ours)


def read_hidden(label: str) -> Masked | None:
    """Read a mask with the letter x instead of stars; only who knows the column's values can tell if it is one.

    Parameters
    ----------
    label
        A published text: something with a digit, then letters x to the end.
    """
    found = _HIDDEN.fullmatch(label)
    return None if found is None else Masked(found[1] + TOP * len(found[2]))
