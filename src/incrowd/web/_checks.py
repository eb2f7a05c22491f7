"""What somebody who knows the table has to look at, the most dangerous first, and who a row is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from incrowd.api import Plan
from incrowd.web._fit import promised_about
from incrowd.web._refusal import Plain

BECOMES = {
    "identifier": "is left out, as something that names a person",
    "sensitive": "is published as it is, as something that nobody could know of anybody",
    "insensitive": "is published as it is, for everybody to know",
    "quasi": "is published vaguer, as something that others could know",
    "drop": "is left out",
}
"""What becomes of a column, by its role; in the order of what a suggestion asks."""
NAMED = 3
"""So many columns are named in one sentence; more are counted."""


def checks_of(plan: Plan, columns: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> list[Plain]:
    """List what to look at: each with the column it is about, if it is one, and the screen where it is settled.

    Parameters
    ----------
    plan
        The plan as it is now.
    columns
        What each column is, what was suggested, and whether somebody looked at it.
    about
        Who a row is about, as far as the table told when it was opened.
    """
    return [
        *_person(plan, {one["name"]: one for one in columns}, about),
        *(item for role in BECOMES for item in _of_role(plan, role, columns, about)),
    ]


def _person(plan: Plan, columns: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[Plain]:
    """Ask whether a column stands for a person: wrong either way, every group would be counted wrong."""
    found, entity = about.get("entity"), plan.data.entity
    if entity is None and about.get("perhaps") in columns:
        name, rows = about["perhaps"], f"{about['people']:,} values in {about['records']:,} rows"
        words = f"Does {_quoted(name)} stand for a person ({rows})? If so, say it: groups hold fewer people than rows."
        yield _item(name, words, "open")
    if found is None or found not in columns:
        return
    rows = f"{about['people']:,} values in {about['records']:,} rows"
    if entity is None:
        words = f"You said that every row is another person. But {_quoted(found)} repeats: {rows}."
        yield _item(found, f"{words} If it stands for people, groups hold fewer people than rows.", "open")
    elif entity == found and not columns[found]["confirmed"]:
        words = (
            f"Is {_quoted(found)} a person? People are counted by it ({rows}). If every row is another person, say so."
        )
        yield _item(found, words, "open")


def _of_role(plan: Plan, role: str, columns: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> Iterator[Plain]:
    asked = about.get("entity") if about.get("entity") == plan.data.entity else None
    asked = about.get("perhaps") if asked is None and plan.data.entity is None else asked
    for one in columns:
        if one["role"] == role and one["name"] != asked and _is_open(one):
            why = _known(one["name"], about) or (one["check"] if role == "insensitive" else one["reason"])
            yield _item(one["name"], f"{_quoted(one['name'])} {BECOMES[role]}{f': {_its(why)}' if why else ''}.")
    if role == "sensitive":
        yield from _unpromised(plan)


def _is_open(one: Mapping[str, Any]) -> bool:
    """Say whether nobody has looked at a column, or whether it singles people out though it is called harmless."""
    harmless = one["role"] == "insensitive" and one["suggested"] == "insensitive" and one["check"] != ""
    return not one["confirmed"] or harmless


def _known(name: str, about: Mapping[str, Any]) -> str:
    """Say what a column stands for, if it stands for a household or for many people of a survey."""
    if name == about.get("household"):
        rows = f"{about['households']:,} in {about['records']:,} rows"
        return f"it stands for a household ({rows}), and who knows one member may recognise the others"
    return "it looks like a survey weight, which can give people away" if name == about.get("weight") else ""


def _unpromised(plan: Plan) -> Iterator[Plain]:
    """Name the confidential columns about which nothing is promised."""
    promised = promised_about(plan.model())
    names = [name for name, one in plan.columns.items() if one.role == "sensitive" and name not in promised]
    if names:
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        listed = f"{', '.join(map(_quoted, names[:NAMED]))}{more}"
        words = f"Nothing is promised about what is confidential in {listed}: a whole group may share it."
        yield _item(None, words, "promise")


def _item(column: str | None, words: str, screen: str = "columns") -> Plain:
    return {"column": column, "words": words, "screen": screen}


def _quoted(name: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"


def _its(reason: str) -> str:
    """Let a reason go on in a sentence about a column."""
    words = reason.removesuffix(".")
    return f"its {words}" if words.startswith(("name ", "values ")) else words
