"""How the file of a plan is read: separator, encoding, sheet, missing marks; as it is now and what else it could be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.core import DataError, Domain
from incrowd.engines import ending_of, header_of, is_text, sheets_of
from incrowd.plan import MISSING, Plan, Suggestion, are_typed, gaps_in
from incrowd.web._error_texts import retry_offer, sentence
from incrowd.web._refusal import Plain, refusal

READING = ("separator", "encoding", "sheet", "decimal", "thousands", "dates", "header")
"""What of a plan says how its file is read, besides what is missing."""
NONE, ISO = "none", "%Y-%m-%d"
"""How the page says that nothing stands between thousands, and that days are written as ISO 8601 has them."""
SHEETS = (".xlsx", ".xls", ".ods")  # files that have sheets
OFFERED = 12  # so many sheets are offered at once
HERE = (
    (r": dates = \S+ reads them$", ". Say so below if they are."),
    (r", say (?:decimal|thousands) = .*$", ", say so below."),
    (r"Else say encoding$", "Else choose another encoding below."),
    (r": then leave header = false out$", ". Say so below if it does."),
    (r"'([^']*)'", "\N{LEFT DOUBLE QUOTATION MARK}\\1\N{RIGHT DOUBLE QUOTATION MARK}"),
)
"""How questions about a plan's keys are put where controls stand instead."""


def reading_options(said: Mapping[str, Any]) -> Plain:
    return {key: value for key, value in said.items() if value != NONE}


def given_reading(plan: Plan, known: Mapping[str, Any]) -> list[str]:
    """Name what somebody said about how the file is read; all else was found out."""
    now = {key: getattr(plan.data, key) for key in READING}
    return [key for key, value in now.items() if key in known["said"] or value != known["reading"].get(key, value)]


def ask_for_sheet(path: Path) -> None:
    """Ask which sheet of a spreadsheet is meant, if it has several."""
    names = sheets_of(path) if ending_of(path) in SHEETS else []
    if len(names) > 1:
        told = refusal(422, DataError.code, f"The file {path.name!r} has {len(names)} sheets.", "which one is it?")
        told.plain["repairs"] = [retry_offer(f"Read the sheet {name}", {"sheet": name}) for name in names[:OFFERED]]
        raise told


def layout_of(plan: Plan, domains: Mapping[str, Domain]) -> Plain:
    """Say how a file is read, whether that was said or found out; what its kind does not have is ``None``."""
    path, data = plan.path(str(plan.data.path)), plan.data
    found: Plain = {"kind": "other", **dict.fromkeys(READING), "sheets": []}
    written = {"decimal": data.decimal or ".", "thousands": data.thousands or NONE, "dates": data.dates or ISO}
    if is_text(path):
        separator = header_of(path, data.encoding, data.separator, named=data.header).separator
        found |= {"kind": "text", "separator": separator, "encoding": data.encoding, **written, "header": data.header}
    elif ending_of(path) in SHEETS:
        found |= {"kind": "sheets", **_sheet_names(sheets_of(path), data.sheet), **written}
    return {**found, "missing": list(data.missing), "marks": marks_in(domains, data.missing, numbers=is_text(path))}


def _sheet_names(names: list[str], sheet: str | int | None) -> Plain:
    """Name the sheet that is read, also where a number was given."""
    by_name = sheet if isinstance(sheet, str) and sheet in names else None
    number = 1 if sheet is None else int(sheet) if str(sheet).isdecimal() else 0
    return {"sheet": by_name or (names[number - 1] if 1 <= number <= len(names) else None), "sheets": names}


def marks_in(domains: Mapping[str, Domain], known: Sequence[str], *, numbers: bool) -> list[Plain]:
    """Count what often stands for a missing value and is read as one that is there.

    ``numbers``: whether numbers are read from texts, of which any can be called missing.
    """
    gaps = [one for one in gaps_in(domains, are_typed) if not one.elsewhere]  # a mark counts in the whole table
    return [
        {"mark": one.mark, "count": sum(one.columns.values()), "columns": len(one.columns)}
        for one in gaps
        if one.mark not in known and (numbers or not one.number)
    ]


def open_questions(found: Suggestion) -> list[str]:
    """Give what is not sure about how a file was read, in the page's words; missing values are counted apart."""
    asked = [words for words in found.asked if MISSING not in words]
    for pattern, here in HERE:
        asked = [re.sub(pattern, here, words) for words in asked]
    return [sentence(words if words.endswith((".", "?")) else f"{words}.") for words in asked]
