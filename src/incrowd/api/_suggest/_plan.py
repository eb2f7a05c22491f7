"""From a suggestion to a plan with comments. No value of the table stands in either."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from incrowd.api._plan._sections import WRITTEN, plain_of
from incrowd.api._plan._text import Notes
from incrowd.api._suggest._questions import rows_of
from incrowd.models import KAnonymity

if TYPE_CHECKING:
    from incrowd.api._suggest._suggestion import ColumnSuggestion, Suggestion

CHECK = "please check"
CROWD = 5
"""Groups of at least so many people, unless the table has fewer."""

READ = ("separator", "encoding", "decimal", "thousands", "dates", "header", "sheet", "missing")
"""What a plan says about how its table is read."""
FOUND = "found out from the file"

MANY = 12
"""From more quasi-identifiers than that on a search may take very long."""
LOCAL_NOTE = (
    'algorithm = "cheapest-first" would keep more detail, each group at levels of its own; whoever knows the method '
    "could then undo some of it"
)
MANY_NOTE = "with so many columns a proof may take hours: the best release that is found in a minute is taken"

PRIVACY = (
    "k is the smallest group of people who look alike: often 20 for a release to everybody, 12 for researchers",
    "under contract (a chance strictly below 0.09; 11 would be 0.0909), 5 inside the house. l is how many different",
    "sensitive values a group has, t how far its numbers may lie from those of all. max_suppressed is the share of",
    "the records that may be left out: 0.05 is a suggestion. Without this line nobody may be (0), as in Python.",
)


def tables_for(suggestion: Suggestion, data: str) -> dict[str, Any]:
    """Give the sections of the plan."""
    extra = {"entity": suggestion.entity, "count": suggestion.count}
    reading = {name: value for name, value in layout_of(suggestion).items() if name in READ and value != "utf-8"}
    return {
        "version": 1,
        "data": {"path": data, **reading, **{key: name for key, name in extra.items() if name is not None}},
        "columns": {column.name: _column(column) for column in suggestion.columns},
        "privacy": {"promise": [*promises_of(suggestion)], "max_suppressed": 0.05},
        "search": {"algorithm": "optimal", **_search(suggestion)},
        "output": {"folder": "out"},
    }


def layout_of(suggestion: Suggestion) -> dict[str, Any]:
    """Say how the table is read and, where somebody said so, what counts as missing."""
    missing = [*suggestion.missing]
    return {**suggestion.reading, **({} if missing == [""] else {"missing": missing})}


def _search(suggestion: Suggestion) -> dict[str, Any]:
    """Say what is made small; how long it may take only where that could be long."""
    return {key: value for key, value in WRITTEN.items() if key != "seconds" or _is_wide(suggestion)}


def _is_wide(suggestion: Suggestion) -> bool:
    return sum(column.role == "quasi" for column in suggestion.columns) > MANY


def _column(column: ColumnSuggestion) -> dict[str, Any]:
    if column.hierarchy is None:
        return {"role": column.role}
    form = column.hierarchy
    return {"role": column.role, "hierarchy": form if isinstance(form, str) else plain_of(form)}


def promises_of(suggestion: Suggestion) -> Iterator[str]:
    """Promise what the table can keep: no group is larger than the table, none has more values than the column."""
    people = suggestion.profile.records if suggestion.people is None else suggestion.people
    yield str(KAnonymity(min(CROWD, people) if people > 1 else CROWD))
    for column in suggestion.columns:
        if column.promise is not None:
            yield column.promise


def notes_for(suggestion: Suggestion) -> Notes:
    """Give the reasons as comments."""
    columns = {column.name: [*_why(column, suggestion)] for column in suggestion.columns}
    keys: dict[tuple[str, ...], str] = {("data", name): FOUND for name in suggestion.found}
    for column in suggestion.columns:
        if not column.sure:
            keys["columns", column.name, "role"] = CHECK
        if column.check and column.role != "sensitive":
            place = "hierarchy" if column.hierarchy is not None else "role"
            unsure = f"{CHECK}; " if place == "role" and not column.sure else ""
            keys["columns", column.name, place] = f"{unsure}{column.check}"
    head = [
        f"Suggested by incrowd init. Look at every line with '{CHECK}': you know the table, and who could know what."
    ]
    sections = {
        "data": [f"{CHECK}: {line}" for line in (*rows_of(suggestion), *suggestion.asked)],
        "columns": [*_singled(suggestion)],
        "privacy": PRIVACY,
        "search": (
            MANY_NOTE if _is_wide(suggestion) else "seconds = 60 would take the best that is found in a minute",
            LOCAL_NOTE,
        ),
    }
    return Notes(head, {name: lines for name, lines in sections.items() if lines}, columns, keys)


def _why(column: ColumnSuggestion, suggestion: Suggestion) -> Iterator[str]:
    found = suggestion.profile[column.name]
    if found.kind is None:
        yield column.reason
        return
    values = f"{found.kind}, {found.distinct:,} value{'' if found.distinct == 1 else 's'}"
    missing = f", {percent(found.share_missing)} missing" if found.missing else ""
    alone = f", {percent(found.share_alone)} occur once" if found.alone else ""
    yield f"{values if values in column.reason else f'{column.reason}; {values}'}{missing}{alone}"
    if column.role == "sensitive":
        yield from column.check.split("; ") if column.check else ()
        if found.kind == "text" and found.distinct > 2:
            yield 'to say which values are alike, most secret first: categories = "file.csv"'


def _singled(suggestion: Suggestion) -> Iterator[str]:
    found = suggestion.singling_out
    if found is None:
        return
    count = len(found.together.columns)
    columns = "the column" if count == 1 else f"the {count} columns"
    yield f"{percent(found.together.share)} of the records are one of a kind by {columns} called quasi here"
    if found.together.people is not None and suggestion.people:
        share = Fraction(found.together.people, suggestion.people)
        yield f"{percent(share)} of the people, counted by person, share these values with nobody"
    for one in found.pairs[:3] if found.pairs else found.single[:1]:
        if one.alone:
            yield f"{percent(one.share)} by {' and '.join(map(repr, one.columns))} alone"


def percent(share: Fraction) -> str:
    """Write a share as people do; nothing that is not nothing is called so."""
    text = f"{float(share * 100):.1f} %"
    return "< 0.1 %" if share and text == "0.0 %" else text
