"""Work on the table of a plan: columns, rows, values, who stands out, what ladders and promises make of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from incrowd.core import Domain, IncrowdError, Ladder, SchemaError, UncoveredValuesError
from incrowd.datasets import hospital
from incrowd.engines import open_table
from incrowd.evidence import (
    Alone,
    ColumnProfile,
    Rung,
    bars_of,
    examples_of,
    frequent_values,
    one_of_a_kind,
    rungs_of,
    spread_over,
    way_up,
)
from incrowd.hierarchies import auto, draw
from incrowd.models import promise
from incrowd.plan import Plan, Suggestion, suggest
from incrowd.release import feasibility
from incrowd.web._error_texts import page_words
from incrowd.web._plans import read_plan
from incrowd.web._progress import Teller
from incrowd.web._reading import ask_for_sheet, layout_of, open_questions
from incrowd.web._refusal import Plain, plain_error
from incrowd.web._worker_cache import (
    domain_of,
    first_rows_of,
    share_of,
    short,
    suggestion_of,
    table_of,
)

EXAMPLES, VALUES, ROWS = 5, 500, 100  # how much of a column and of a table is shown at most
FEWER = "call fewer columns ones that could help recognise somebody."


def suggest_plan(given: Plain, teller: Teller) -> Plain:
    """Look at a file, suggest a plan, and give its text with the reasons."""
    teller.step("looking at the columns")
    path, entity, reading = Path(given["path"]), given.get("entity"), given["reading"]
    if reading.get("sheet") is None:
        ask_for_sheet(path)
    how = {"entity": entity, "missing_values": given.get("missing") or [""], **reading}
    found = suggest(path, **how)
    if found.singling_out is None:  # a plan needs a column that could help recognise somebody
        known = [one.name for one in found.profile.columns if one.kind is not None]
        name = next((name for name in known if name != entity), None)
        if name is None:
            msg = "The table has no column that could help recognise a person."
            raise SchemaError(msg)
        found = suggest(path, roles={name: "quasi"}, **how)
    columns = [
        {"name": one.name, "role": one.role, "reason": one.reason, "sure": one.sure, "check": one.check}
        | {"kind": found.profile[one.name].kind}
        for one in found.columns
    ]
    kept, drafted = _with_roles(found, given.get("kept") or {})
    if given.get("one_each"):
        drafted = drafted.with_roles(entity=None)
    drafted.write(Path(given["draft"]), given["data"])
    return {
        "suggested": columns,
        "confirmed": kept,
        "about": {**_people_details(found), "reading": open_questions(found)},
    }


def _with_roles(found: Suggestion, known: Plain) -> tuple[list[str], Suggestion]:
    """Give columns the roles that somebody confirmed, where they have the kind that they had then; and name these."""
    kinds = {one.name: one.kind for one in found.profile.columns if one.name != found.entity}
    kept = {name: one["role"] for name, one in known.items() if name in kinds and one["kind"] == kinds[name]}
    suggested = {one.name: one.role for one in found.columns}
    said: dict[str, Any] = {}
    for name, role in kept.items():
        if role != suggested[name]:
            said.setdefault("identifiers" if role == "identifier" else role, []).append(name)
    drafted = found.with_roles(**said) if said else found
    fits = any(one.role == "quasi" for one in drafted.columns)  # else there is no plan
    return (list(kept), drafted) if fits else ([], found)


def _people_details(found: Suggestion) -> Plain:
    """Say who a row is about, in names and numbers."""
    people, households = (
        None if name is None else found.profile[name].distinct
        for name in (found.perhaps or found.entity, found.household)
    )
    named = {"entity": found.entity, "household": found.household, "weight": found.weight, "perhaps": found.perhaps}
    return {"records": found.profile.records, **named, "people": people, "households": households}


def example(given: Plain, teller: Teller) -> Plain:
    teller.step("making up patients")
    path = Path(given["path"])
    open_table(hospital(given["rows"])).write(path)
    return {"name": path.name, "size": path.stat().st_size}


def profile(given: Plain, _: Teller) -> Plain:
    plan = read_plan(given["plan"])
    found = suggestion_of(plan).profile
    columns = [_column_answer(one, found.domains.get(one.name)) for one in found.columns]
    return {"records": found.records, "layout": layout_of(plan, found.domains), "columns": columns}


def _column_answer(one: ColumnProfile, domain: Domain | None) -> Plain:
    return {
        "name": one.name,
        "kind": one.kind,
        "missing": one.missing,
        "distinct": one.distinct,
        "alone": one.alone,
        "share_alone": share_of(one.share_alone),
        "histogram": [
            {"label": f"{bar.rest:,} more" if bar.rest else short([bar.label])[0], "count": bar.records}
            for bar in ([] if domain is None else bars_of(domain))
        ],
        "examples": [] if domain is None else short(examples_of(domain, EXAMPLES)),
    }


def rows(given: Plain, _: Teller) -> Plain:
    names, found = first_rows_of(read_plan(given["plan"]), min(given["limit"], ROWS))
    return {"columns": names, "rows": [short(row) for row in found]}


def values(given: Plain, _: Teller) -> Plain:
    domain = domain_of(read_plan(given["plan"]), given["column"])
    listed = [{"value": short([text])[0], "count": count} for text, count in frequent_values(domain, VALUES)]
    named = {"column": domain.column, "kind": domain.kind, "distinct": len(domain.values)}
    return {**named, "values": listed, "more": max(len(domain) - VALUES, 0)}


def singling_out(given: Plain, teller: Teller) -> Plain:
    """Say how many people are one of a kind, by all quasi-identifiers, without each, and by few of them."""
    teller.step("counting who is one of a kind")
    plan = read_plan(given["plan"])
    schema = plan.schema()
    found = one_of_a_kind(table_of(plan), schema, hint=FEWER)
    without = [
        {"column": next(name for name in schema.quasi_names if name not in one.columns), **_alone_details(one)}
        for one in found.without
    ]
    few = {
        "single": [_alone_details(one) for one in found.single],
        "pairs": [_alone_details(one) for one in found.pairs],
    }
    return {"records": found.records, "together": _alone_details(found.together), "without": without, **few}


def _alone_details(one: Alone) -> Plain:
    return {"columns": list(one.columns), "alone": one.alone, "share": share_of(one.share)}


# What a ladder makes of a column, and whether a promise can be kept: both before anything is searched.

LABELS, LINES, LADDERS, UNCOVERED, EDITED = 50, 200, 6, 50, 500
"""How much is shown at most: labels of a level, lines of a drawing, examples, values that are not covered, and those
that are edited one by one."""


def preview(given: Plain, _: Teller) -> Plain:
    """Say what a hierarchy makes of a column; what is wrong with it is part of the answer."""
    before = read_plan(given["plan"])
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
        return {**told, "uncovered": {"count": len(error.values), "values": texts}, "problem": plain_error(error)}
    except IncrowdError as error:
        return {**told, "problem": plain_error(error)}
    number = len(domain.values)
    return {
        **told,
        "height": ladder.height,
        "levels": [_level_answer(level, rung) for level, rung in enumerate(rungs_of(ladder, domain))],
        "examples": [short(way_up(ladder, code)) for code in spread_over(number, LADDERS)],
        "rows": _edited_rows(ladder, number),
        "drawing": "\n".join(draw(ladder, max_children=4).split("\n")[:LINES]),
    }


def _edited_rows(ladder: Ladder, number: int) -> list[list[str]]:
    """Give every value with its label at each level below the top; nothing where that would have to be cut."""
    if number > EDITED:
        return []
    below = ladder.height if len(ladder.labels[-1]) == 1 else ladder.height + 1
    rows = [[str(text) for text in way_up(ladder, code)[:below]] for code in range(number)]
    return rows if all(short(row) == row for row in rows) else []


def _level_answer(level: int, rung: Rung) -> Plain:
    texts = short(rung.labels[:LABELS].tolist())
    shown = [
        {"label": text, "records": int(records), "values": int(values)}
        for text, records, values in zip(texts, rung.records, rung.values, strict=False)
    ]
    groups = len(rung.labels)
    more = max(groups - LABELS, 0)
    return {"level": level, "groups": groups, "smallest": rung.smallest, "labels": shown, "more": more}


def feasible(given: Plain, _: Teller) -> Plain:
    """Say whether any release can keep a promise; one that cannot be read is part of the answer."""
    plan = read_plan(given["plan"])
    told: Plain = {"possible": False, "promise": "", "max_classes": 0, "obstacles": [], "notes": [], "problem": None}
    share, number = plan.privacy.max_suppressed or 0, plan.privacy.max_suppressed_records
    if given["max_suppressed"] is not None:
        share, number = given["max_suppressed"], None
    try:
        model = plan.model() if given["promise"] is None else promise(", ".join(given["promise"]))
        told |= {"promise": str(model), "notes": list(model.trivial_notes())}
        found = feasibility(table_of(plan), plan.schema(), model, share, number)
    except IncrowdError as error:
        return {**told, "problem": plain_error(error)}
    obstacles = [
        {"promise": one.promise, "message": page_words("IC201", one.reason, "")[0], "nearest": one.nearest}
        for one in found.obstacles
    ]
    possible = found.feasible and not found.vacuous
    return {**told, "possible": possible, "max_classes": found.max_classes, "obstacles": obstacles}
