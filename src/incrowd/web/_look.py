"""Looking at the table of a plan: columns, rows, values, who stands out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.core import Census, CensusRequest, Domain, SchemaError, group
from incrowd.datasets import hospital
from incrowd.engines import open_table
from incrowd.evidence import ColumnProfile
from incrowd.plan import Suggestion, people_alone, suggest
from incrowd.release import census_within_memory
from incrowd.web._desk import domain_of, plan_of, refuse_huge, suggestion_of, table_of
from incrowd.web._reading import ask_for_sheet, asked_about, layout_of
from incrowd.web._refusal import Plain
from incrowd.web._rows import first_rows, short
from incrowd.web._worker import Teller

BARS, EXAMPLES, VALUES, ROWS = 12, 5, 500, 100
"""How much is shown at most: bars, examples, values, rows."""
FEWER = "call fewer columns ones that could help recognise somebody."


def suggest_plan(given: Plain, teller: Teller) -> Plain:
    """Look at a file, suggest a plan, and give its text with the reasons."""
    teller.step("looking at the columns")
    path, reading = Path(given["path"]), given["reading"]
    refuse_huge(path)
    if reading.get("sheet") is None:
        ask_for_sheet(path)
    missing = given.get("missing") or [""]
    entity = given.get("entity")
    found = suggest(path, entity=entity, missing_values=missing, **reading)
    if found.singling_out is None:  # a plan needs a column that could help recognise somebody
        known = [one.name for one in found.profile.columns if one.kind is not None]
        name = next((name for name in known if name != entity), None)
        if name is None:
            msg = "The table has no column that could help recognise a person."
            raise SchemaError(msg)
        found = suggest(path, roles={name: "quasi"}, entity=entity, missing_values=missing, **reading)
    columns = [
        {"name": one.name, "role": one.role, "reason": one.reason, "sure": one.sure, "check": one.check}
        | {"kind": found.profile[one.name].kind}
        for one in found.columns
    ]
    kept, drafted = _with_roles(found, given.get("kept") or {})
    if given.get("one_each"):
        drafted = drafted.with_roles(entity=None)
    drafted.write(Path(given["draft"]), given["data"])
    return {"suggested": columns, "confirmed": kept, "about": {**_about(found), "reading": asked_about(found)}}


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


def _about(found: Suggestion) -> Plain:
    """Say who a row is about, in names and numbers."""
    people, households = (
        None if name is None else found.profile[name].distinct for name in (found.entity, found.household)
    )
    named = {"entity": found.entity, "household": found.household, "weight": found.weight, "perhaps": found.perhaps}
    people = people if found.perhaps is None else found.profile[found.perhaps].distinct
    return {"records": found.profile.records, **named, "people": people, "households": households}


def example(given: Plain, teller: Teller) -> Plain:
    """Write the made-up hospital table."""
    teller.step("making up patients")
    path = Path(given["path"])
    open_table(hospital(given["rows"])).write(path)
    return {"name": path.name, "size": path.stat().st_size}


def profile(given: Plain, teller: Teller) -> Plain:
    """Give the columns of the table in numbers."""
    del teller
    plan = plan_of(given["plan"])
    found = suggestion_of(plan)
    layout = layout_of(plan, found.profile.domains)
    columns = [_column(one, found.profile.domains.get(one.name)) for one in found.profile.columns]
    return {"records": found.profile.records, "layout": layout, "columns": columns}


def rows(given: Plain, teller: Teller) -> Plain:
    """Give the first rows."""
    del teller
    plan = plan_of(given["plan"])
    names, found = first_rows(plan, min(given["limit"], ROWS))
    return {"columns": names, "rows": [short(row) for row in found]}


def values(given: Plain, teller: Teller) -> Plain:
    """Give the values of a column, the most frequent first."""
    del teller
    domain = domain_of(plan_of(given["plan"]), given["column"])
    order = np.argsort(-domain.counts, kind="stable")[:VALUES]
    texts = short(domain.texts[order].tolist())
    listed = [{"value": text, "count": int(domain.counts[code])} for text, code in zip(texts, order, strict=True)]
    more = max(len(domain) - VALUES, 0)
    named = {"column": domain.column, "kind": domain.kind, "distinct": len(domain.values)}
    return {**named, "values": listed, "more": more}


def singling_out(given: Plain, teller: Teller) -> Plain:
    """Say how many people are one of a kind, by all quasi-identifiers, without each, and by few of them."""
    teller.step("counting who is one of a kind")
    plan = plan_of(given["plan"])
    names = [name for name, one in plan.columns.items() if one.role == "quasi"]
    request = CensusRequest(tuple(names), entity=plan.data.entity)
    census = census_within_memory(table_of(plan), request, hint=FEWER)
    together = _alone(census, names)
    without = [{"column": name, **_alone(census, [one for one in names if one != name])} for name in names]
    widest = sorted(names, key=lambda name: -len(census.domains[name]))[:8]
    single = [_alone(census, [name]) for name in names]
    pairs = [_alone(census, [one, two]) for place, one in enumerate(widest) for two in widest[place + 1 :]]
    return {
        "records": census.records,
        "together": together,
        "without": sorted(without, key=lambda one: one["alone"]),
        "single": sorted(single, key=lambda one: -one["alone"]),
        "pairs": sorted(pairs, key=lambda one: -one["alone"])[:5],
    }


def _alone(census: Census, names: Sequence[str]) -> Plain:
    """Count who is one of a kind by some columns: people, where a column says whose row it is, else rows."""
    places = [census.quasi.index(name) for name in names]
    people, alone = census.persons, 0
    if len(census) and names and people is not None:
        alone = people_alone(census, names) or 0
    elif len(census) and names:
        codes = [census.codes[place] for place in places]
        sizes = group(codes, [len(census.domains[name]) for name in names]).sums(census.counts)
        alone = int(np.count_nonzero(sizes == 1))
    number = census.records if people is None else people
    return {"columns": list(names), "alone": alone, "share": share_of(Fraction(alone, max(number, 1)))}


def share_of(number: Any) -> str:
    """Write a share as text."""
    return f"{float(number):.6g}"


def _column(one: ColumnProfile, domain: Domain | None) -> Plain:
    return {
        "name": one.name,
        "kind": one.kind,
        "missing": one.missing,
        "distinct": one.distinct,
        "alone": one.alone,
        "share_alone": share_of(one.share_alone),
        "histogram": [] if domain is None else bars_of(domain),
        "examples": [] if domain is None else _examples(domain),
    }


def _examples(domain: Domain) -> list[str | None]:
    return short([domain.texts[code] for code in spread(len(domain.values), EXAMPLES)])


def spread(number: int, wanted: int) -> list[int]:
    """Pick some places of a list, from its beginning to its end."""
    picked: list[int] = np.unique(np.linspace(0, number - 1, wanted).astype(int)).tolist() if number else []
    return picked


def bars_of(domain: Domain) -> list[Plain]:
    """Draw a column with a few bars: numbers and dates by their size, others by how often they occur."""
    counts = domain.counts[: len(domain.values)]
    if len(counts) > BARS and domain.kind in {"number", "date", "datetime", "instant"}:
        return _by_size(domain, counts)
    order = np.argsort(-counts, kind="stable")
    first = order if len(order) <= BARS else order[: BARS - 1]
    bars: list[Plain] = [
        {"label": label, "count": int(counts[code])}
        for label, code in zip(short(domain.texts[first].tolist()), first, strict=True)
    ]
    rest = int(counts.sum()) - sum(one["count"] for one in bars)
    return [*bars, {"label": f"{len(order) - len(first):,} more", "count": rest}] if rest else bars


def _by_size(domain: Domain, counts: Any) -> list[Plain]:
    numbers = domain.values.astype(np.float64 if domain.kind == "number" else np.int64).astype(np.float64)
    width = float(numbers[-1] - numbers[0]) or 1.0
    place = np.minimum(((numbers - numbers[0]) / width * BARS).astype(int), BARS - 1)
    sums = np.bincount(place, weights=counts, minlength=BARS)
    texts = domain.texts
    bars = []
    for bar in range(BARS):
        inside = np.flatnonzero(place == bar)
        label = f"{texts[inside[0]]} \N{EN DASH} {texts[inside[-1]]}" if len(inside) else ""
        bars.append({"label": label, "count": int(sums[bar])})
    return bars
