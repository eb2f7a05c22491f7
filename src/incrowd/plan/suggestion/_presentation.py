"""A suggestion as lines, HTML, questions to answer, and the tables and comments of a plan."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from incrowd.core import Grid, percent, printable
from incrowd.models import KAnonymity, KKmAnonymity
from incrowd.plan._sections import ItemsForm, plain_of
from incrowd.plan._toml import Notes
from incrowd.plan.suggestion._missing import in_names
from incrowd.plan.suggestion._protection import NO_PROMISE
from incrowd.plan.suggestion._reading import layout_in_words

if TYPE_CHECKING:
    from incrowd.plan.suggestion._suggestion import ColumnSuggestion, Suggestion


# What somebody who knows the table has to answer: who a row is about, then what is most dangerous first.

SAID = "you said so"  # the reason of what was given

# What becomes of a column, by its role
BECOMES = {
    "identifier": "is left out, as something that names a person",
    "sensitive": "is published as it is, as something that nobody could know",
    "insensitive": "is published as it is",
    "quasi": "becomes vaguer, as something that others could know",
    "drop": "is left out",
}


def counted_unit(suggestion: Suggestion) -> str:
    """Say who is counted where a column says whose row it is."""
    household = suggestion.entity is not None and suggestion.entity == suggestion.household
    return "households" if household else "people"


def rows_of(suggestion: Suggestion) -> Iterator[str]:
    """Say who a row is about, as far as the table tells."""
    rows = f"{suggestion.profile.records:,} rows"
    if suggestion.entity is not None:
        many = suggestion.profile[suggestion.entity].distinct
        yield f"{counted_unit(suggestion)} are counted by {suggestion.entity!r} ({many:,} in {rows})"
    if suggestion.perhaps is not None:
        people = suggestion.profile[suggestion.perhaps].distinct
        told = f"{suggestion.perhaps!r} could say whose row it is ({people:,} in {rows})"
        yield f"{told}: if so, groups hold fewer people than rows"
    if suggestion.household is not None:
        many = suggestion.profile[suggestion.household].distinct
        told = f"{suggestion.household!r} stands for a household ({many:,} in {rows})"
        yield f"{told}: who knows one member may recognise the others"
    if suggestion.weight is not None:
        yield f"{suggestion.weight!r} looks like a survey weight: it is left out unless you say otherwise"


def questions_of(suggestion: Suggestion) -> Iterator[str]:
    """Give what to check, the most dangerous first."""
    # What is published as it is comes before what becomes vaguer; what is left out harms nobody.
    yield from _person_questions(suggestion)
    yield from _column_questions(suggestion, "sensitive")
    without = [column for column in suggestion.columns if column.role == "sensitive" and column.promise is None]
    for why, names in _columns_by_reason({one.name: one.check.partition("; ")[0] for one in without}):
        known = why.removeprefix(NO_PROMISE) or "values that cannot be grouped"
        secret = f"what is confidential in {in_names(names)}"
        yield f"nothing is promised about {secret}: {known}; the plan says what could be"
    yield from _column_questions(suggestion, "insensitive")
    yield from suggestion.asked
    yield from _column_questions(suggestion, "quasi")
    ladders = {one.name: one.check for one in suggestion.columns if one.role == "quasi" and one.check}
    for check, names in _columns_by_reason(ladders):
        told = check.removeprefix("please check: ").replace("; please look at the file", "")
        yield f"how {in_names(names)} {_plural_form('becomes', names)} vaguer: {told}"
    yield from _column_questions(suggestion, "identifier")
    yield from _column_questions(suggestion, "drop")


def _person_questions(suggestion: Suggestion) -> Iterator[str]:
    """Ask who a row is about: wrong either way, every group would be counted wrong."""
    said = {column.name for column in suggestion.columns if column.reason == SAID}
    if suggestion.entity is not None and suggestion.entity not in said:
        yield (
            f"is {suggestion.entity!r} a person? Groups are counted by it; if every row is another person, "
            f"take the line entity out of the plan"
        )
    if suggestion.perhaps is not None:
        yield (
            f"does {suggestion.perhaps!r} stand for a person? Then write entity = {json.dumps(suggestion.perhaps)} "
            f"below [data]: until then rows are counted, not people"
        )
    household = suggestion.household
    if household is None or household in {suggestion.entity, *said}:
        return
    if suggestion.profile[household].distinct < suggestion.profile.records:
        counted_now = "rows" if suggestion.entity is None else "people"
        yield (
            f"does {household!r} stand for a household? {counted_now.capitalize()} are counted, and groups may hold "
            f"fewer households than {counted_now}: to count households write entity = {json.dumps(household)} "
            f"below [data]"
        )


def _column_questions(suggestion: Suggestion, role: str) -> Iterator[str]:
    """Ask about the columns of a role that are not sure, those with the same reason together."""
    numbers = {suggestion.entity, suggestion.household, suggestion.weight, suggestion.perhaps}
    columns = [one for one in suggestion.columns if one.role == role and one.name not in numbers]
    if role == "insensitive":
        reasons = {one.name: one.check for one in columns if not one.sure or one.check}
    else:
        reasons = {one.name: one.reason for one in columns if not one.sure}
    if role == "quasi":  # what is published vaguer is the least dangerous: without the numbers there are fewer lines
        reasons = {name: why.partition(": ")[0] for name, why in reasons.items()}
    for why, names in _columns_by_reason(reasons):
        yield f"{in_names(names)} {_plural_form(BECOMES[role], names)}: {why}"


def _columns_by_reason(reasons: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Put columns together that have the same reason, in the order of the first."""
    for why in dict.fromkeys(reasons.values()):
        yield why, [name for name, reason in reasons.items() if reason == why]


def _plural_form(becomes: str, names: Sequence[str]) -> str:
    first, _, rest = becomes.partition(" ")
    several = {"is": "are", "becomes": "become"}[first]
    return becomes if len(names) == 1 else f"{several} {rest}".rstrip().replace("something that names", "what names")


CHECK = "please check"
CROWD = 5  # groups of at least so many people, unless the table has fewer
# What a plan says about how its table is read
READ = ("separator", "encoding", "decimal", "thousands", "dates", "header", "sheet", "missing")
FOUND = "found out from the file"
SEARCH = (
    'every column at one level, and * in the few cells without which a record would stand out. "optimal" publishes no',
    'stars and loses more; "cheapest-first" loses least, but its values overlap, and whoever knows the method can undo',
    "some of it. incrowd alternatives shows them side by side.",
)
SEARCH_SETS = (
    "every column at one level: other searches have no labels for sets of items. The promise is about whoever knows",
    "any 2 items of a person's set and all else; k>=5 alone would ask for whole sets that are equal, which is rare.",
)

PRIVACY = (
    "k is the smallest group of people who look alike: often 20 for a release to everybody, 12 for researchers",
    "under contract (a chance strictly below 0.09; 11 would be 0.0909), 5 inside the house. l is how many different",
    "sensitive values a group has, t how far its numbers may lie from those of all. max_suppressed is the share of",
    "the records that may be left out: 0.05 is a suggestion. Without this line nobody may be (0), as in Python.",
)


def tables_for(suggestion: Suggestion, data: str) -> dict[str, Any]:
    extra = {"entity": suggestion.entity, "count": suggestion.count}
    reading = {name: value for name, value in layout_of(suggestion).items() if name in READ and value != "utf-8"}
    return {
        "version": 1,
        "data": {"path": data, **reading, **{key: name for key, name in extra.items() if name is not None}},
        "columns": {
            one.name: {"role": one.role, **({} if one.hierarchy is None else {"hierarchy": plain_of(one.hierarchy)})}
            for one in suggestion.columns
        },
        "privacy": {"promise": [*promises_of(suggestion)], "max_suppressed": 0.05},
        "search": {"algorithm": "optimal" if _has_sets(suggestion) else "levels-and-cells"},
        "output": {"folder": "out"},
    }


def layout_of(suggestion: Suggestion) -> dict[str, Any]:
    """Say how the table is read and, where somebody said so, what counts as missing."""
    missing = [*suggestion.missing]
    return {**suggestion.reading, **({} if missing == [""] else {"missing": missing})}


def promises_of(suggestion: Suggestion) -> Iterator[str]:
    """Promise what the table can keep: no group is larger than the table, none has more values than the column."""
    people = suggestion.profile.records if suggestion.people is None else suggestion.people
    crowd = min(CROWD, people) if people > 1 else CROWD
    yield str(KKmAnonymity(crowd, 2) if _has_sets(suggestion) else KAnonymity(crowd))
    for column in suggestion.columns:
        if column.promise is not None:
            yield column.promise


def _has_sets(suggestion: Suggestion) -> bool:
    """Say whether some quasi-identifier holds sets of items: whole sets that are equal are rare."""
    return any(isinstance(column.hierarchy, ItemsForm) for column in suggestion.columns)


def notes_for(suggestion: Suggestion) -> Notes:
    columns = {column.name: [*_column_comment(column, suggestion)] for column in suggestion.columns}
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
        "columns": [*_singling_out_lines(suggestion)],
        "privacy": PRIVACY,
        "search": SEARCH_SETS if _has_sets(suggestion) else SEARCH,
    }
    return Notes(head, {name: lines for name, lines in sections.items() if lines}, columns, keys)


def _column_comment(column: ColumnSuggestion, suggestion: Suggestion) -> Iterator[str]:
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


def _singling_out_lines(suggestion: Suggestion) -> Iterator[str]:
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


# A suggestion as people read it: how and about whom, a line per column, who stands out, and what to check.

# The roles of a plan in plain words
SAID_OF_ROLES = {
    "identifier": "names a person",
    "quasi": "could help recognise",
    "sensitive": "confidential",
    "insensitive": "harmless",
    "drop": "left out",
}

# A table with more columns is summed up; so many questions are shown, the others stand in the plan
WIDE, ASKED = 60, 12
LINE = 110  # longer questions go on in the next line
NAME, WHY = 30, 42  # longer names and reasons go on in the next line, so that each fits into a terminal


def lines_of(suggestion: Suggestion) -> Iterator[str]:
    head = [*_head_lines(suggestion)]
    yield from [*head, ""] if head else []
    yield from _column_lines(suggestion).lines()
    singled = [*_singled_lines(suggestion)]
    yield from ["", *singled] if singled else []
    asked = [*map(printable, suggestion.questions)]
    yield from ["", "please check, most dangerous first:"] if asked else []
    for number, question in enumerate(asked[:ASKED], 1):
        yield from textwrap.wrap(f"{number:4}. {question}", LINE, subsequent_indent=" " * 6, break_long_words=False)
    if len(asked) > ASKED:
        yield f"      and {len(asked) - ASKED:,} more, which are marked in the plan"


def html_of(suggestion: Suggestion) -> str:
    """Write a suggestion for a notebook; nothing in it is read as markup."""
    asked = [*map(printable, suggestion.questions)]
    more = [f"and {len(asked) - ASKED:,} more"] if len(asked) > ASKED else []
    items = "".join(f"<li>{escape(one)}</li>" for one in [*asked[:ASKED], *more])
    check = f"<p>please check, most dangerous first:</p><ol>{items}</ol>" if asked else ""
    before = "".join(f"<p>{escape(line)}</p>" for line in _head_lines(suggestion))
    after = "".join(f"<p>{escape(line)}</p>" for line in _singled_lines(suggestion))
    return f"<div>{before}{_column_lines(suggestion).html()}{after}{check}</div>"


def _head_lines(suggestion: Suggestion) -> Iterator[str]:
    """Say how the table was read, where it is not a plain one, and who a row is about."""
    layout = layout_in_words(suggestion.reading)
    if layout:
        yield f"read with {', '.join(layout)}"
    yield from map(printable, suggestion.rows)


def _column_lines(suggestion: Suggestion) -> Grid:
    """Give a row per column, the unsure ones last, where they are seen; those of a wide table are counted by role."""
    columns = suggestion.columns
    if len(columns) <= WIDE:
        rows = [
            (one.name, SAID_OF_ROLES[one.role], one.reason, "high" if one.sure else "LOW")
            for one in sorted(columns, key=lambda one: not one.sure)
        ]
        return Grid(("column", "proposed role", "why", "sure"), rows, (NAME, 0, WHY))
    of = {role: [column.sure for column in columns if column.role == role] for role in SAID_OF_ROLES}
    counted = [(SAID_OF_ROLES[role], len(sure), sum(sure)) for role, sure in of.items() if sure]
    return Grid(("proposed role", "columns", "sure"), counted)


def _singled_lines(suggestion: Suggestion) -> Iterator[str]:
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
        people = f"{together.people:,} of {number:,} {counted_unit(suggestion)}"
        yield f"{people} are one of a kind in some of their rows, counted by {_short_name(person)}"
    for one in [*singled.single[:2], *singled.pairs[:3]]:
        if one.alone:
            yield f"  {percent(one.share):>8}  by {' and '.join(_short_name(name) for name in one.columns)} alone"


def _short_name(name: str, width: int = 30) -> str:
    clean = printable(name)
    return clean if len(clean) <= width else f"{clean[: width - 3]}..."
