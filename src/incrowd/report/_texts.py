"""Texts of other people in a page: what cannot be drawn, or would turn the words around it, is replaced."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

_UNSHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters: no XML file may hold them
    "\u202a-\u202e\u2066-\u2069"  # they turn the direction of what follows
    "\ud800-\udfff\ufffe\uffff]"  # no characters at all
)


def shown(text: str) -> str:
    """Give a text that can stand in a page and in a picture.

    Parameters
    ----------
    text
        A text, perhaps a name or a value of somebody's table.
    """
    return _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


def shown_everywhere(plain: Any) -> Any:
    """Do the same to all texts of plain data; what is marked up already stays."""
    match plain:
        case Markup():
            return plain
        case str():
            return shown(plain)
        case dict():
            return {name: shown_everywhere(value) for name, value in plain.items()}
        case list() | tuple():
            return [shown_everywhere(value) for value in plain]
    return plain
