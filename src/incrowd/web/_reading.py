"""How the file of a plan is read: each part as it is now, what else it could be, and what may be a mark of missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.api import Plan
from incrowd.core import DataError, Domain
from incrowd.engines import ending_of, is_text, look_at, sheets_of
from incrowd.web._refusal import Plain, refusal
from incrowd.web._wording import again

READING = ("separator", "encoding", "sheet", "decimal", "thousands", "dates", "header")
"""What of a plan says how its file is read, besides what is missing."""
NONE, ISO = "none", "%Y-%m-%d"
"""How the page says that nothing stands between thousands, and that days are written as ISO 8601 has them."""
SHEETS = (".xlsx", ".xls", ".ods")
"""Files that have sheets."""
OFFERED = 12
"""So many sheets are offered at once."""
MARKS = ("NA", "N/A", "n/a", "NULL", "null", "?", "NaN", "nan", "None", "#N/A")
"""What often means that a value is missing."""


def reading_said(said: Mapping[str, Any]) -> Plain:
    """Give what was said on the page as the library takes it.

    Parameters
    ----------
    said
        What was said, by the names of the plan.
    """
    return {key: value for key, value in said.items() if value is not None and value not in (NONE, ISO)}


def said_of(plan: Plan, known: Mapping[str, Any]) -> list[str]:
    """Name what somebody said about how the file is read; all else was found out.

    Parameters
    ----------
    plan
        The plan as it is now.
    known
        What was ``said`` when the file was opened, and what the plan said then about ``reading``.
    """
    now = {key: getattr(plan.data, key) for key in READING}
    return [key for key, value in now.items() if key in known["said"] or value != known["reading"].get(key, value)]


def ask_for_sheet(path: Path) -> None:
    """Ask which sheet of a spreadsheet is meant, if it has several.

    Parameters
    ----------
    path
        A table of any kind.
    """
    names = sheets_of(path) if ending_of(path) in SHEETS else []
    if len(names) > 1:
        told = refusal(422, DataError.code, f"The file {path.name!r} has {len(names)} sheets.", "which one is it?")
        told.said["repairs"] = [again(f"Read the sheet {name}", {"sheet": name}) for name in names[:OFFERED]]
        raise told


def layout_of(plan: Plan, domains: Iterable[Domain]) -> Plain:
    """Say how a file is read, whether that was said or found out; what its kind does not have is ``None``.

    Parameters
    ----------
    plan
        The plan.
    domains
        The values of its columns.
    """
    path, data = plan.path(str(plan.data.path)), plan.data
    found: Plain = {"kind": "other", **dict.fromkeys(READING), "sheets": []}
    written = {"decimal": data.decimal or ".", "thousands": data.thousands or NONE, "dates": data.dates or ISO}
    if is_text(path):
        separator = look_at(path, data.encoding, data.separator, named=data.header).separator
        found |= {"kind": "text", "separator": separator, "encoding": data.encoding, **written, "header": data.header}
    elif ending_of(path) in SHEETS:
        found |= {"kind": "sheets", **_sheets(sheets_of(path), data.sheet), **written}
    return {**found, "missing": list(data.missing), "marks": marks_in(domains, data.missing)}


def _sheets(names: list[str], sheet: str | int | None) -> Plain:
    """Name the sheet that is read, also where a number was given."""
    by_name = sheet if isinstance(sheet, str) and sheet in names else None
    number = 1 if sheet is None else int(sheet) if str(sheet).isdecimal() else 0
    return {"sheet": by_name or (names[number - 1] if 1 <= number <= len(names) else None), "sheets": names}


def marks_in(domains: Iterable[Domain], known: Sequence[str]) -> list[Plain]:
    """Count what often stands for a missing value and is read as one that is there.

    Parameters
    ----------
    domains
        The values of the columns.
    known
        What counts as missing already.
    """
    counts: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    for domain in (one for one in domains if one.kind == "text"):
        texts = domain.texts[: len(domain.values)]
        for code in np.flatnonzero(np.isin(texts.astype(str), [mark for mark in MARKS if mark not in known])):
            counts[str(texts[code])] += int(domain.counts[code])
            columns[str(texts[code])] += 1
    return [{"mark": mark, "count": count, "columns": columns[mark]} for mark, count in counts.most_common()]
