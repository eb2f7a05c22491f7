"""A suggestion as people read it: how and about whom, a line per column, who stands out, and what to check."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from incrowd.api._suggest._plan import percent
from incrowd.api._suggest._questions import counted
from incrowd.api._suggest._reading import layout_in_words
from incrowd.core import Grid, printable

if TYPE_CHECKING:
    from incrowd.api._suggest._suggestion import ColumnSuggestion, Suggestion

SAID = {
    "identifier": "names a person",
    "quasi": "could help recognise",
    "sensitive": "confidential",
    "insensitive": "harmless",
    "drop": "left out",
}
"""The roles of a plan in plain words."""

WIDE, ASKED = 60, 12
"""A table with more columns is summed up; so many questions are shown, the others stand in the plan."""

LINE = 110
"""Longer questions go on in the next line."""

NAME, WHY = 30, 42
"""Longer names and reasons go on in the next line, so that each fits into a terminal."""


def lines_of(suggestion: Suggestion) -> Iterator[str]:
    """Write a suggestion for a terminal."""
    head = [*_head(suggestion)]
    yield from [*head, ""] if head else []
    yield from _columns(suggestion).lines()
    singled = [*_singled(suggestion)]
    yield from ["", *singled] if singled else []
    asked = [*_asked(suggestion)]
    if asked:
        yield ""
        yield "please check, most dangerous first:"
    for number, question in enumerate(asked[:ASKED], 1):
        yield from textwrap.wrap(f"{number:4}. {question}", LINE, subsequent_indent=" " * 6, break_long_words=False)
    if len(asked) > ASKED:
        yield f"      and {len(asked) - ASKED:,} more, which are marked in the plan"


def html_of(suggestion: Suggestion) -> str:
    """Write a suggestion for a notebook; nothing in it is read as markup."""
    asked = [*_asked(suggestion)]
    more = [f"and {len(asked) - ASKED:,} more"] if len(asked) > ASKED else []
    items = "".join(f"<li>{escape(one)}</li>" for one in [*asked[:ASKED], *more])
    check = f"<p>please check, most dangerous first:</p><ol>{items}</ol>" if asked else ""
    before = "".join(f"<p>{escape(line)}</p>" for line in _head(suggestion))
    after = "".join(f"<p>{escape(line)}</p>" for line in _singled(suggestion))
    return f"<div>{before}{_columns(suggestion).html()}{after}{check}</div>"


def _head(suggestion: Suggestion) -> Iterator[str]:
    """Say how the table was read, where it is not a plain one, and who a row is about."""
    layout = layout_in_words(suggestion.reading)
    if layout:
        yield f"read with {', '.join(layout)}"
    yield from map(printable, suggestion.rows)


def _columns(suggestion: Suggestion) -> Grid:
    """Give a row per column, the unsure ones last, where they are seen; those of a wide table are counted by role."""
    columns = suggestion.columns
    if len(columns) <= WIDE:
        rows = [_row(column) for column in sorted(columns, key=lambda one: not one.sure)]
        return Grid(("column", "proposed role", "why", "sure"), rows, (NAME, 0, WHY))
    of = {role: [column.sure for column in columns if column.role == role] for role in SAID}
    counted = [(SAID[role], len(sure), sum(sure)) for role, sure in of.items() if sure]
    return Grid(("proposed role", "columns", "sure"), counted)


def _row(column: ColumnSuggestion) -> tuple[str, str, str, str]:
    return column.name, SAID[column.role], column.reason, "high" if column.sure else "LOW"


def _singled(suggestion: Suggestion) -> Iterator[str]:
    """Say how many are one of a kind: of the records, and of the people where they have several."""
    singled = suggestion.singling_out
    if singled is None:
        return
    together, records = singled.together, suggestion.profile.records
    people = f"{together.alone:,} of {records:,} record{'' if records == 1 else 's'}"
    yield f"{people} ({percent(together.share)}) are one of a kind by what could help recognise them"
    person = suggestion.entity or suggestion.perhaps
    if together.people is not None and person is not None:
        number = suggestion.profile[person].distinct
        people = f"{together.people:,} of {number:,} {counted(suggestion)}"
        yield f"{people} are one of a kind in some of their rows, counted by {_short(person)}"
    for one in [*singled.single[:2], *singled.pairs[:3]]:
        if one.alone:
            yield f"  {percent(one.share):>8}  by {' and '.join(_short(name) for name in one.columns)} alone"


def _asked(suggestion: Suggestion) -> list[str]:
    return [printable(question) for question in suggestion.questions]


def _short(name: str, width: int = 30) -> str:
    clean = printable(name)
    return clean if len(clean) <= width else f"{clean[: width - 3]}..."
