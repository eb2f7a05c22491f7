"""A plan as commented TOML. Reading it gives the same plan back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

HEAD = """\
# A plan for incrowd: which table, who could be recognised by what, what the release promises, and where it goes.
# Every key is explained in the documentation, under Reference, The plan.
"""

SECTIONS = {
    "data": "where the table is, and how to read it; paths are relative to this file",
    "columns": "every column has a role: identifier and drop (left out), quasi (could help recognise a person),\n"
    "# sensitive (nobody should learn it about a person) or insensitive (published as it is)",
    "privacy": "what every group of people who look alike must keep, and how many records may be left out for it",
    "search": "how the release is searched",
    "output": "where the release goes",
    "report": "what the report says that only you know",
}
"""What each section is for."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Comments for the sections and columns of a plan: lines above, and for each key words behind it.

    Attributes
    ----------
    head
        Lines at the beginning of the file.
    sections, columns
        Lines under the header of a section, or above that of a column, by name.
    keys
        Words behind a key, by its path.
    """

    head: Sequence[str] = ()
    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    keys: Mapping[tuple[str, ...], str] = field(default_factory=dict)


def toml_of(plain: Mapping[str, Any], notes: Notes) -> str:
    """Write the sections of a plan down, with comments."""
    lines = [HEAD.rstrip(), *_comments(notes.head), f"version = {plain['version']}"]
    for name, meaning in SECTIONS.items():
        section = plain.get(name, {})
        if name == "columns":
            lines += ["", f"# columns: {meaning}", *_comments(notes.sections.get(name, ())), *_columns(section, notes)]
        elif section or name in notes.sections:
            lines += ["", f"[{name}]  # {meaning}", *_pairs((name,), section, notes)]
            lines += _comments(notes.sections.get(name, ()))
    return "\n".join([*lines, ""])


def _columns(columns: Mapping[str, Any], notes: Notes) -> Iterator[str]:
    for name, column in columns.items():
        yield ""
        yield from _comments(notes.columns.get(name, ()))
        yield f"[columns.{_key(name)}]"
        yield from _pairs(("columns", name), column, notes)


def _pairs(path: tuple[str, ...], table: Mapping[str, Any], notes: Notes) -> Iterator[str]:
    for key, value in table.items():
        note = notes.keys.get((*path, key))
        yield f"{_key(key)} = {_value(value)}" + (f"  # {_one_line(note)}" if note else "")


def _comments(lines: Sequence[str]) -> list[str]:
    return [f"# {_one_line(line)}".rstrip() for line in lines]


def _one_line(text: str) -> str:
    """Keep a comment a comment, whatever stands in it."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return value.isoformat() if isinstance(value, date) else repr(value)


def _text(text: str) -> str:
    """Write a text in quotes; JSON's escapes are TOML's, but for one character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
