"""Looking around in a run: other nodes, (n, t)-closeness class by class, values and classes as a graph."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from incrowd.core import (
    Classes,
    Domain,
    IncrowdError,
    Ladder,
    ParameterError,
    PrivacyWarning,
    UncoveredValuesError,
    UnknownColumnError,
    percent_unspaced,
)
from incrowd.hierarchies import auto, draw
from incrowd.models import Association, NTCloseness, PSensitive, promise, trivial_notes
from incrowd.plan import Plan
from incrowd.release import Release, feasibility, part_of
from incrowd.report import bipartite_svg
from incrowd.search import Inspection, Problem, all_solutions, left_out_by
from incrowd.web._desk import domain_of, notation_of, plan_of, release_of, table_of
from incrowd.web._look import share_of, spread
from incrowd.web._make import samples_of, sizes_at
from incrowd.web._refusal import Plain, said_by
from incrowd.web._rows import Published, short
from incrowd.web._summary import chances_of, side_by_side
from incrowd.web._wording import worded
from incrowd.web._worker import Teller

NODES, WORK, CLASSES = 2_000, 100_000_000, 200
"""How much is looked at, and shown, at most: nodes, nodes times cells, classes."""

Levels = tuple[int, ...]


def nodes(given: Plain, teller: Teller) -> Plain:
    """Say of every node of the lattice whether it keeps the promise; of the neighbours only where there are many."""
    _, release = release_of(given["run"], teller)
    problem, levels = _problem(release), release.recipe.levels
    quasi = list(problem.census.quasi)
    heights = {name: problem.census.ladders[name].height for name in quasi}
    known = {"quasi": quasi, "heights": heights, "samples": samples_of(problem)}
    empty: Plain = {**known, "chosen": None, "nodes": [], "more": 0}
    if levels is None:
        return empty
    teller.step("looking at other versions")
    chosen = tuple(levels[name] for name in quasi)
    small = problem.nodes <= NODES and problem.nodes * len(problem.census) <= WORK
    found = _all(problem, chosen) if small else _around(problem, chosen)
    return {**empty, "chosen": dict(levels), "nodes": found, "more": problem.nodes - len(found)}


def _all(problem: Problem, chosen: Levels) -> list[Plain]:
    solutions = all_solutions(problem)
    minimal = {tuple(one.values()) for one in solutions.minimal}
    known = {tuple(row): place for place, row in enumerate(solutions.levels.tolist())}
    ranges = [range(low, high + 1) for low, high in zip(problem.lows, problem.highs, strict=True)]
    result = []
    for node in sorted(itertools.product(*ranges), key=lambda node: (sum(node), node)):
        place = known.get(node)
        state = "refused" if place is None else "minimal" if node in minimal else "acceptable"
        one: Plain = {"levels": list(node), "state": "chosen" if node == chosen else state}
        if place is not None:
            one["suppressed"], one["classes"] = int(solutions.suppressed[place]), int(solutions.classes[place])
            one["loss"] = share_of(solutions.measures["loss"][place])
        result.append(one)
    return result


def _around(problem: Problem, chosen: Levels) -> list[Plain]:
    left_out = left_out_by(problem)
    result = []
    for node in [chosen, *_neighbours(problem, chosen)]:
        suppressed = left_out(node)
        state = "acceptable" if suppressed <= problem.limit else "refused"
        result.append({"levels": list(node), "state": "chosen" if node == chosen else state, "suppressed": suppressed})
    return result


def _neighbours(problem: Problem, node: Levels) -> list[Levels]:
    steps = [(place, step) for place in range(len(node)) for step in (-1, 1)]
    found = [tuple(level + step * (at == place) for at, level in enumerate(node)) for place, step in steps]
    bounds = list(zip(problem.lows, problem.highs, strict=True))
    return [one for one in found if all(low <= level <= high for level, (low, high) in zip(one, bounds, strict=True))]


def node(given: Plain, teller: Teller) -> Plain:
    """Say what another node would publish: its cost, its risk, and some rows."""
    plan, release = release_of(given["run"], teller)
    problem, levels = _problem(release), given["levels"]
    _check_levels(problem, levels)
    inspected = Inspection(problem, levels)
    suppressed = inspected.left_out()
    sizes = sizes_at(problem, levels)
    return {
        "levels": levels,
        "state": "acceptable" if suppressed <= problem.limit and len(sizes) else "refused",
        "suppressed": suppressed,
        "share_left_out": share_of(suppressed / max(problem.census.records, 1)),
        "classes": len(sizes),
        **chances_of(sizes),
        "measures": {name: share_of(value) for name, value in inspected.costs().items()},
        "rows": side_by_side(plan, Published(inspected.recoding(), notation_of(plan))),
    }


def _check_levels(problem: Problem, levels: dict[str, int]) -> None:
    quasi = problem.census.quasi
    for name in levels:
        if name not in quasi:
            raise UnknownColumnError.of(name, quasi, given_as="level")
    for name in quasi:
        height = problem.census.ladders[name].height
        if not 0 <= levels.get(name, -1) <= height:
            msg = f"Column {name!r} needs a level from 0 to {height}."
            raise ParameterError(msg)


def nt_check(given: Plain, teller: Teller) -> Plain:
    """Say class by class whether (n, t)-closeness holds, and which superset shows it."""
    plan, release = release_of(given["run"], teller)
    column = given["column"]
    problem, classes = _with_column(plan, release, column, teller)
    model = NTCloseness(given["n"], given["t"], column, given["distance"], given["supersets"])
    (judge,) = model.bind(problem.schema, classes.cells.domains)
    found: Any = judge
    certificates = found.certificates(classes)
    held = np.array([name is not None for name in certificates.supersets])
    order = np.lexsort((-certificates.distances.floats, held))[:CLASSES]
    texts = [classes.texts(place) for place in range(len(classes.codes))]
    listed = [
        {
            "labels": short([one[number] for one in texts]),
            "records": int(classes.records[number]),
            "distance": share_of(certificates.distances.floats[number]),
            "holds": bool(held[number]),
            "certified_by": certificates.supersets[number],
        }
        for number in order.tolist()
    ]
    said = {"promise": str(model), "holds": bool(held.all()), "failing": int((~held).sum())}
    more = {
        "quasi": list(problem.census.quasi),
        "supersets": judge.supersets(classes),
        "notes": list(judge.notes(classes)),
    }
    return {**said, **more, "classes": listed, "more": max(len(classes) - len(listed), 0)}


def graph(given: Plain, teller: Teller) -> Plain:
    """Draw which class has which sensitive values."""
    plan, release = release_of(given["run"], teller)
    _, classes = _with_column(plan, release, given["column"], teller)
    association = Association.of(classes, given["column"])
    words = f"Nobody can be surer of a value than {percent_unspaced(association.largest)}, in the worst group."
    return {"svg": bipartite_svg(association), "words": words, "largest": share_of(association.largest)}


def _with_column(plan: Plan, release: Release, column: str, teller: Teller) -> tuple[Problem, Classes]:
    """Give the published classes with the counts of a sensitive column, also one that nothing was promised about."""
    if column not in release.schema.sensitive_names:
        raise UnknownColumnError.of(column, list(release.schema.sensitive_names), given_as="sensitive column")
    if column not in _problem(release).census.sensitive:
        if release.recipe.levels is None:
            msg = f"Nothing is promised about column {column!r}, so its values were not counted group by group."
            raise ParameterError(msg, hint="add a promise about it, such as l>=2, and run again.")
        promises = [*map(str, release.model.parts), str(PSensitive(1, column, missing=True))]
        wider = plan.privacy.model_copy(update={"promise": tuple(promises)})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # that p>=1 promises nothing is what it is for
            release = replace(plan, privacy=wider).run(teller.search)
    basis = release.basis
    assert basis is not None  # noqa: S101 - anonymize made it
    classes = basis.predicted.classes
    left_out = basis.predicted.left_out
    return basis.problem, part_of(classes, ~left_out) if left_out.any() else classes


def _problem(release: Release) -> Problem:
    assert release.basis is not None  # noqa: S101 - anonymize made it
    return release.basis.problem


# What a hierarchy makes of a column, and whether a promise can be kept: both before anything is searched.

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
        told |= {"promise": str(model), "notes": list(trivial_notes(model))}
        found = feasibility(table_of(plan), plan.schema(), model, share, number)
    except IncrowdError as error:
        return {**told, "problem": said_by(error)}
    obstacles = [
        {"promise": one.promise, "message": worded("IC201", one.reason, "")[0], "nearest": one.nearest}
        for one in found.obstacles
    ]
    possible = found.feasible and not found.vacuous
    return {**told, "possible": possible, "max_classes": found.max_classes, "obstacles": obstacles}
