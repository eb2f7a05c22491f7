"""Values that look alike in print but are not equal: a Cyrillic letter among Latin ones, a blank too many."""

from __future__ import annotations

import unicodedata
from collections import defaultdict

from incrowd.core._domain import Domain

# Letters that common fonts draw like a Latin one (Unicode Technical Standard 39 lists these and many rarer ones).
_CYRILLIC = "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁһ"
_CYRILLIC_AS_LATIN = "ABESIJKMHOPCTYXaesijopcyxdh"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲ"
_GREEK_AS_LATIN = "ABEZHIKMNOPTYXoc"
_AS_LATIN = str.maketrans(_CYRILLIC + _GREEK, _CYRILLIC_AS_LATIN + _GREEK_AS_LATIN)


def look_alikes(domain: Domain) -> tuple[tuple[int, ...], ...]:
    """Find the codes whose texts look alike, group by group. Empty for anything but text."""
    if domain.kind != "text":
        return ()
    groups: dict[str, list[int]] = defaultdict(list)
    for code, text in enumerate(domain.values.tolist()):
        groups[_skeleton(text)].append(code)
    return tuple(tuple(codes) for codes in groups.values() if len(codes) > 1)


def _skeleton(text: str) -> str:
    """Give what is left of a text when one only looks at it."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    normal = unicodedata.normalize("NFKC", text)
    visible = "".join(sign for sign in normal if unicodedata.category(sign) not in {"Cf", "Cc"} or sign.isspace())
    return " ".join(visible.translate(_AS_LATIN).split())
