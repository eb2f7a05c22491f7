"""What a hierarchy makes of a column, and whether a promise can be kept: both before anything is searched."""

from __future__ import annotations

import numpy as np

from incrowd.api import Plan, feasibility
from incrowd.core import Domain, IncrowdError, Ladder, UncoveredValuesError
from incrowd.hierarchies import auto, draw
from incrowd.models import promise, trivial
from incrowd.web._desk import domain_of, plan_of, table_of
from incrowd.web._look import spread
from incrowd.web._refusal import Plain, said_by
from incrowd.web._rows import short
from incrowd.web._wording import worded
from incrowd.web._worker import Teller

LABELS, LINES, LADDERS, UNCOVERED, ROWS = 50, 200, 6, 50, 500
"""How much is shown at most: labels of a level, lines of a drawing, examples, values that are not covered, rows."""


def preview(given: Plain, teller: Teller) -> Plain:
    """Say what a hierarchy makes of a column; what is wrong with it is part of the answer."""
    del teller
    before = plan_of(given["plan"])
    domain = domain_of(before, given["column"])
    form = given["tables"]["columns"].get(given["column"], {}).get("hierarchy")
    empty: Plain = {"height": 0, "levels": [], "examples": [], "drawing": "", "uncovered": {"count": 0, "values": []}}
    empty |= {"distinct": len(domain.values), "rows": []}
    told = {"column": given["column"], "hierarchy": form, **empty, "problem": None}
    try:
        plan = Plan.of(given["tables"], folder=before.folder)
        hierarchy = dict(plan.schema().quasi).get(given["column"]) or auto()
        ladder = hierarchy.bind(domain)
    except UncoveredValuesError as error:
        texts = short([None if value is None else str(value) for value in error.values[:UNCOVERED]])
        return {**told, "uncovered": {"count": len(error.values), "values": texts}, "problem": said_by(error)}
    except IncrowdError as error:
        return {**told, "problem": said_by(error)}
    return {**told, **_shown(ladder, domain)}


def _shown(ladder: Ladder, domain: Domain) -> Plain:
    codes = spread(len(domain.values), LADDERS)
    return {
        "height": ladder.height,
        "levels": [_level(ladder, domain, level) for level in range(ladder.height + 1)],
        "examples": [
            short([labels[groups[code]] for labels, groups in zip(ladder.labels, ladder.groups, strict=True)])
            for code in codes
        ],
        "rows": _rows(ladder, domain),
        "drawing": "\n".join(draw(ladder, max_children=4).split("\n")[:LINES]),
    }


def _rows(ladder: Ladder, domain: Domain) -> list[list[str]]:
    """Give every value with its label at each level below the top; nothing where that would have to be cut."""
    number = len(domain.values)
    if number > ROWS:
        return []
    below = ladder.height if len(ladder.labels[-1]) == 1 else ladder.height + 1
    levels = list(zip(ladder.labels, ladder.groups, strict=True))[:below]
    rows = [[str(labels[groups[code]]) for labels, groups in levels] for code in range(number)]
    return rows if all(short(row) == row for row in rows) else []


def _level(ladder: Ladder, domain: Domain, level: int) -> Plain:
    labels, groups = ladder.labels[level], ladder.groups[level]
    records = np.bincount(groups, weights=domain.counts, minlength=len(labels)).astype(int)
    covered = np.bincount(groups, minlength=len(labels))
    shown = [
        {"label": text, "records": int(records[place]), "values": int(covered[place])}
        for place, text in enumerate(short(labels[:LABELS].tolist()))
    ]
    smallest = int(records.min()) if len(records) else 0
    more = max(len(labels) - LABELS, 0)
    return {"level": level, "groups": len(labels), "smallest": smallest, "labels": shown, "more": more}


def feasible(given: Plain, teller: Teller) -> Plain:
    """Say whether any release can keep a promise; one that cannot be read is part of the answer."""
    del teller
    plan = plan_of(given["plan"])
    told: Plain = {"possible": False, "promise": "", "max_classes": 0, "obstacles": [], "notes": [], "problem": None}
    share, number = plan.privacy.max_suppressed or 0, plan.privacy.max_suppressed_records
    if given["max_suppressed"] is not None:
        share, number = given["max_suppressed"], None
    try:
        model = plan.model() if given["promise"] is None else promise(", ".join(given["promise"]))
        told |= {"promise": str(model), "notes": list(trivial(model))}
        found = feasibility(table_of(plan), plan.schema(), model, share, number)
    except IncrowdError as error:
        return {**told, "problem": said_by(error)}
    obstacles = [
        {"promise": one.promise, "message": worded("IC201", one.reason, "")[0], "nearest": one.nearest}
        for one in found.obstacles
    ]
    possible = found.feasible and not found.vacuous
    return {**told, "possible": possible, "max_classes": found.max_classes, "obstacles": obstacles}
