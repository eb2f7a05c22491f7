"""Looking around in a run: other nodes, (n, t)-closeness class by class, values and classes as a graph."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from incrowd.algorithms import Inspected, Problem, all_solutions, left_out_by
from incrowd.api import Plan, Release
from incrowd.api._masked import part_of
from incrowd.api._shares import percent_unspaced
from incrowd.core import Classes, ParameterError, PrivacyWarning, UnknownColumnError
from incrowd.models import Association, NTCloseness, PSensitive
from incrowd.report import bipartite_svg
from incrowd.web._desk import notation_of, release_of
from incrowd.web._look import share_of
from incrowd.web._make import samples_of, sizes_at
from incrowd.web._refusal import Plain
from incrowd.web._rows import Published, short
from incrowd.web._summary import chances_of, side_by_side
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
    inspected = Inspected(problem, levels)
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
