"""Plans as TOML: read if that takes no reader down, the line and column of every key, and written with comments."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

Path = tuple[str | int, ...]  # the way to a value: names of tables and keys, and positions in lists

_TOKEN = re.compile(
    r"""
    (?P<text>\"\"\"(?:[^\\]|\\.)*?\"{3,5} | '''.*?'{3,5} | "(?:[^"\\\n]|\\.)*" | '[^'\n]*')
    | (?P<comment>\#[^\n]*) | (?P<line>\n) | (?P<blank>[ \t]+)
    | (?P<sign>[\[\]{}=,.]) | (?P<word>[^\s\[\]{}=,."'\#]+)
    """,
    re.VERBOSE | re.DOTALL,
)


# Reading what anybody may have written: what would take the reader down is refused before it is read.

DEEP = 40  # so deep may tables and lists stand in each other
MOST = 100_000  # so many keys and values may a plan have
LARGEST = 2**24  # bytes of a plan

_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEP}}}")
"""A key of many parts: reading it takes memory by the square of their number."""
_NESTS = (Mapping, list, tuple)
_TOO_DEEP = f"nests deeper than {DEEP} levels"
_TOO_MANY = f"holds more than {MOST:,} keys and values"
_TOO_LARGE = "holds a whole number that is too large: 64 bits are the most"


class NotToml(ValueError):  # noqa: N818 - it says what a text is
    """A text is no TOML, or none that can be a plan: what is wrong, and on which line and column if that is known."""

    def __init__(self, what: str, place: tuple[int, int] | None = None) -> None:
        super().__init__(what)
        self.what, self.place = what, place


def tables_of(text: str) -> dict[str, Any]:
    """Read the tables of a text."""
    if found := _LONG_KEY.search(text):
        raise NotToml(_TOO_DEEP, (text.count("\n", 0, found.start()) + 1, 1))
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, where = str(error).partition(" (at ")
        place = re.match(r"line (\d+), column (\d+)", where)
        lines = text.split("\n")
        end = len(lines), len(lines[-1]) + 1
        trouble = NotToml(f"is not TOML: {what}", (int(place[1]), int(place[2])) if place else end)
    except RecursionError:
        trouble = NotToml(_TOO_DEEP)
    except ValueError:  # more digits than Python reads
        trouble = NotToml(_TOO_LARGE)
    else:
        check_plain(tables)
        return tables
    raise trouble


def check_plain(plain: Any) -> None:
    """Refuse what nests too deep, without going down step by step oneself, what is endless, and numbers no TOML has."""
    level, count = [plain], 0
    for _ in range(DEEP):
        inner = [one.values() if isinstance(one, Mapping) else one for one in level if isinstance(one, _NESTS)]
        level = [value for values in inner for value in values]
        count += len(level)
        if count > MOST:
            raise NotToml(_TOO_MANY)
        if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in level):
            raise NotToml(_TOO_LARGE)
        if not level:
            return
    raise NotToml(_TOO_DEEP)


@dataclass(frozen=True, slots=True)
class Place:
    """A key and its value in the text of a file."""

    line: int  # the number of the line on which the key stands, from 1
    text: str  # that line
    # Which characters of the line are the key and the value; a value that goes on is cut at the line's end
    key: tuple[int, int]
    value: tuple[int, int]


def places_of(text: str) -> dict[Path, Place]:
    """Find every key of a text that ``tomllib`` can read; lists have a place for each item."""
    return _Scanner(text).run()


def nearest_place(places: Mapping[Path, Place], path: Path) -> tuple[Place | None, bool]:
    """Give the place of a path or of the nearest table above it, and whether it is the path's own."""
    for length in range(len(path), 0, -1):
        if path[:length] in places:
            return places[path[:length]], length == len(path)
    return None, False


class _Scanner:
    """Walks through the tokens; the text was read without errors before, so nothing is checked here."""

    def __init__(self, text: str) -> None:
        self._tokens = [found for found in _TOKEN.finditer(text) if found.lastgroup not in {"comment", "blank"}]
        self._next = 0
        self._places: dict[Path, Place] = {}
        self._lines = text.split("\n")
        self._begins = [0, *itertools.accumulate(len(line) + 1 for line in self._lines)]

    def run(self) -> dict[Path, Place]:
        table: Path = ()
        while self._next < len(self._tokens):
            if self._next_is("\n"):
                self._next += 1
            elif self._next_is("["):
                table = self._header()
            else:
                self._pair(table)
        return self._places

    def _next_is(self, *signs: str) -> bool:
        return self._next < len(self._tokens) and self._tokens[self._next][0] in signs

    def _span_from(self, start: int) -> tuple[int, int]:
        return start, self._tokens[self._next - 1].end()

    def _header(self) -> Path:
        start = self._tokens[self._next].start()
        while self._next_is("["):
            self._next += 1
        path = self._keys()
        while self._next_is("]"):
            self._next += 1
        self._note(path, self._span_from(start), self._span_from(start))
        return path

    def _keys(self) -> Path:
        """Read a key of one or more parts; a number with a point is two parts here too."""
        parts = [_key_part(self._tokens[self._next])]
        self._next += 1
        while self._next_is("."):
            parts.append(_key_part(self._tokens[self._next + 1]))
            self._next += 2
        return tuple(parts)

    def _pair(self, table: Path) -> None:
        start = self._tokens[self._next].start()
        path = table + self._keys()
        key = self._span_from(start)
        self._next += 1  # the sign =
        value = self._value(path)
        for length in range(len(table) + 1, len(path) + 1):
            self._note(path[:length], key, value)

    def _value(self, path: Path) -> tuple[int, int]:
        """Walk over a value: what is inside of a list or a table is noted, too."""
        start, is_table, count = self._tokens[self._next].start(), self._next_is("{"), 0
        if not self._next_is("[", "{"):
            while self._next < len(self._tokens) and not self._next_is("\n", ",", "]", "}"):
                self._next += 1
            return self._span_from(start)
        self._next += 1
        while not self._next_is("]", "}"):
            if self._next_is(",", "\n"):
                self._next += 1
            elif is_table:
                self._pair(path)
            else:
                item = self._value((*path, count))
                self._note((*path, count), item, item)
                count += 1
        self._next += 1
        return self._span_from(start)

    def _note(self, path: Path, key: tuple[int, int], value: tuple[int, int]) -> None:
        number = bisect_right(self._begins, key[0])
        begin, line = self._begins[number - 1], self._lines[number - 1]

        def inside(span: tuple[int, int]) -> tuple[int, int]:
            return min(span[0] - begin, len(line)), min(span[1] - begin, len(line))

        self._places.setdefault(path, Place(number, line, inside(key), inside(value)))


def _key_part(token: re.Match[str]) -> str:
    """Read a part of a key; one in quotes may have escapes."""
    if token.lastgroup == "word":
        return token[0]
    return str(tomllib.loads(f"key = {token[0]}")["key"])


# A plan as commented TOML. Reading it gives the same plan back.

HEAD = """\
# A plan for incrowd: which table, who could be recognised by what, what the release promises, and where it goes.
# Every key is explained in the documentation, under Reference, The plan.
"""

# What each section is for
SECTIONS = {
    "data": "where the table is, and how to read it; paths are relative to this file",
    "tables": "the tables of the same people: where each is, the key that names its rows, and whose keys it has",
    "columns": "every column has a role: identifier and drop (left out), quasi (could help recognise a person),\n"
    "# sensitive (nobody should learn it about a person) or insensitive (published as it is)",
    "shift": "how far dates with the role shifted are shifted: all of a person by the same days",
    "privacy": "what every group of people who look alike must keep, and how many records may be left out for it",
    "search": "how the release is searched",
    "output": "where the release goes",
    "report": "what the report says that only you know",
}


@dataclass(frozen=True, slots=True)
class Notes:
    """Comments for the sections and columns of a plan: lines above, and for each key words behind it."""

    head: Sequence[str] = ()  # lines at the beginning of the file
    # Lines under the header of a section, or above that of a column, by name
    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    keys: Mapping[tuple[str, ...], str] = field(default_factory=dict)  # words behind a key, by its path

    def toml(self, plain: Mapping[str, Any]) -> str:
        """Write the sections of a plan as TOML, with these comments."""
        lines = [HEAD.rstrip(), *_comments(self.head), f"version = {plain['version']}"]
        for name, meaning in SECTIONS.items():
            section = plain.get(name, {})
            if name in {"columns", "tables"} and (section or name == "columns"):
                lines += ["", f"# {name}: {meaning}", *_comments(self.sections.get(name, ()))]
                lines += self._named(name, section)
            elif section or name in self.sections:
                lines += ["", f"[{name}]  # {meaning}", *self._pairs((name,), section)]
                lines += _comments(self.sections.get(name, ()))
        return "\n".join([*lines, ""])

    def _named(self, kind: str, parts: Mapping[str, Any]) -> Iterator[str]:
        for name, part in parts.items():
            yield ""
            yield from _comments(self.columns.get(name, ()) if kind == "columns" else ())
            yield f"[{kind}.{_quoted_key(name)}]"
            yield from self._pairs((kind, name), part)

    def _pairs(self, path: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[str]:
        for key, value in table.items():
            note = self.keys.get((*path, key))
            yield f"{_quoted_key(key)} = {value_as_toml(value)}" + (f"  # {_one_line(note)}" if note else "")


def _comments(lines: Sequence[str]) -> list[str]:
    return [f"# {_one_line(line)}".rstrip() for line in lines]


def _one_line(text: str) -> str:
    """Keep a comment a comment, whatever stands in it."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _quoted_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text_in_quotes(name)


def value_as_toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text_in_quotes(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_quoted_key(key)} = {value_as_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_as_toml, value)) + "]"
    return value.isoformat() if isinstance(value, date) else repr(value)


def _text_in_quotes(text: str) -> str:
    """Write a text in quotes; JSON's escapes are TOML's, but for one character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
