"""Tables of facts, and names as they are looked up in them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib import resources

_WORDS = re.compile(r"[^\W_]+")


@cache
def facts(name: str) -> tuple[tuple[str, ...], ...]:
    """Read the lines of a table of facts, once; those that begin with ``#`` say where it comes from."""
    text = resources.files("incrowd.hierarchies").joinpath("_facts", name).read_text(encoding="utf-8")
    return tuple(tuple(line.split(";")) for line in text.splitlines() if line and not line.startswith("#"))


def plain_name(text: str) -> str:
    """Write a name in small letters, without accents and signs, one blank between words."""
    letters = unicodedata.normalize("NFKD", text.replace("&", " and ")).casefold()
    return " ".join(_WORDS.findall("".join(sign for sign in letters if not unicodedata.combining(sign))))
