"""The long jobs: make a release, compute proposals, draw the curve over k."""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incrowd.core import Domain, EngineError, Ladder
from incrowd.models import KAnonymity, Model, suppression_limit
from incrowd.plan import Plan
from incrowd.release import Basis, Predicted, Release, predicted_by
from incrowd.report import detail_kept
from incrowd.search import Inspection, LocalOutcome, Problem
from incrowd.web._decisions import decides_of, origin_of, states_of
from incrowd.web._desk import keep, plan_of
from incrowd.web._evidence import quick_charts, write_charts
from incrowd.web._history import write_json, write_text
from incrowd.web._look import share_of
from incrowd.web._refusal import Plain
from incrowd.web._rows import short
from incrowd.web._summary import chances_of, details_of, summary_of
from incrowd.web._worker import Teller

QUICK = 10
"""Seconds that the search for a proposal may take."""
PROPOSALS = 3
"""So many versions are proposed."""


def run(given: Plain, teller: Teller) -> Plain:
    """Make a release by the plan, write it into the folder of the run, and describe it."""
    began = time.monotonic()
    folder = Path(given["folder"])
    plan = plan_of(given["plan"])
    write_text(folder / "source.toml", Path(given["plan"]).read_text(encoding="utf-8"))
    release = without_report(plan).run(teller.search, write=True, folder=folder / "release")
    if release.basis is None:
        shutil.rmtree(folder / "release")
        msg = "This table is too large to be looked at here: its release can only be made part by part."
        raise EngineError(msg, hint="download the plan, and run incrowd anonymize with it.")
    keep(str(folder), plan, release)
    teller.step("describing the release")
    details = details_of(plan, release)
    details["notes"] = [*dict.fromkeys([*details["notes"], *teller.notes])]
    write_json(folder / "details.json", details)
    write_charts(folder, quick_charts(release))
    seconds = round(time.monotonic() - began, 1)
    about = {"id": given["number"], "label": given["label"], "revision": given["revision"], "seconds": seconds}
    about |= {"decides": decides_of(plan), "table": origin_of(plan, release)}
    write_json(folder / "run.json", {**about, **summary_of(plan, release), "exported": None, "written": []})
    return {"run": given["number"]}


def without_report(plan: Plan) -> Plan:
    """Let a plan write its release without reports, which take their time and come with the export."""
    return replace(plan, report=plan.report.model_copy(update={"write": False}))


@dataclass(frozen=True, slots=True)
class Proposal:
    """Another promise or limit, and what it would give."""

    name: str
    title: str
    words: str
    model: Model
    limit: int
    share: float | None


def proposals(given: Plain, teller: Teller) -> Plain:
    """Compute three versions: safer, as the plan says, and with more detail."""
    plan = plan_of(given["plan"])
    teller.part("as your plan says", 1, PROPOSALS)
    release = quick(plan).run(teller.search)
    assert release.basis is not None  # noqa: S101 - anonymize made it
    problem, others = release.basis.problem, itertools.count(2)
    found = []
    for one in _ideas(plan, problem):
        if one.name == "balanced":
            outcome = _as_it_is(release)
        else:
            teller.part(one.title.lower(), next(others), PROPOSALS)
            outcome = _searched(plan, problem, one, teller)
        promised = {"promise": [str(part) for part in one.model.parts]}
        share = None if one.share is None else repr(one.share)
        named = {"name": one.name, "title": one.title, "words": one.words, "max_suppressed": share}
        found.append({**named, **promised, **outcome})
    result: Plain = {"proposals": found, "samples": samples_of(problem), "notes": []}
    kept = {"revision": given["revision"], "states": states_of(plan, result), **result}
    write_json(Path(given["kept"]), kept)
    return result


def samples_of(problem: Problem) -> dict[str, list[str | None]]:
    """Give one value of every column on its way up the ladder: what each level looks like."""
    census = problem.census
    return {name: _sample(census.ladders[name], census.domains[name]) for name in census.quasi}


def _sample(ladder: Ladder, domain: Domain) -> list[str | None]:
    """Follow a value from the middle of the column."""
    code = (len(domain.values) - 1) // 2 if len(domain.values) else 0
    if not len(domain):
        return ["" for _ in ladder.labels]
    return short([labels[groups[code]] for labels, groups in zip(ladder.labels, ladder.groups, strict=True)])


def quick(plan: Plan) -> Plan:
    """Let a search end soon, unless the plan says how long it may take; not every search takes a limit."""
    if plan.search.seconds is not None or not hasattr(plan.algorithm(), "seconds"):
        return plan
    return replace(plan, search=plan.search.model_copy(update={"seconds": QUICK}))


def _ideas(plan: Plan, problem: Problem) -> Iterator[Proposal]:
    share = plan.privacy.max_suppressed
    records = problem.census.records
    k = max((part.k for part in problem.model.parts if isinstance(part, KAnonymity)), default=1)
    larger = max(2 * k, 2)
    yield Proposal(
        "safer", "Safer", f"groups of at least {larger}", _with_k(problem.model, larger), problem.limit, share
    )
    words = f"groups of at least {k}" if k > 1 else "what you promised"
    yield Proposal("balanced", "Balanced", words, problem.model, problem.limit, share)
    more = min(max(2 * (problem.limit / max(records, 1)), 0.1), 1.0)
    written = float(f"{more:.2g}")
    words = f"the same promise, at most {100 * written:g} % left out"
    yield Proposal("detail", "More detail", words, problem.model, suppression_limit(records, written), written)


def _with_k(model: Model, k: int) -> Model:
    parts = [part for part in model.parts if not isinstance(part, KAnonymity)]
    result: Model = KAnonymity(k)
    for part in parts:
        result &= part
    return result


def _searched(plan: Plan, problem: Problem, one: Proposal, teller: Teller) -> Plain:
    asked = replace(problem, model=one.model, limit=one.limit)
    outcome = quick(plan).algorithm().search(asked, teller.search)
    if isinstance(outcome, LocalOutcome):
        kept = detail_kept(outcome.labels, outcome.sizes, problem.census.records)
        return _described(asked, kept, outcome.suppressed, outcome.sizes, None)
    if outcome.best is None or outcome.best.classes == 0:
        return {"possible": False, "levels": None}
    predicted = predicted_by(asked, Inspection(asked, outcome.best.levels).recoding())
    return _described(
        asked, _detail_kept_by(asked, predicted), outcome.best.suppressed, _sizes(predicted), dict(outcome.best.levels)
    )


def _as_it_is(release: Release) -> Plain:
    basis = release.basis
    assert basis is not None  # noqa: S101 - anonymize made it
    levels = None if release.recipe.levels is None else dict(release.recipe.levels)
    kept = detail_kept(basis.labels, basis.sizes, basis.problem.census.records)
    return _described(basis.problem, kept, release.recipe.suppressed, _sizes(basis.predicted), levels)


def _described(problem: Problem, kept: float, suppressed: int, sizes: Any, levels: dict[str, int] | None) -> Plain:
    share = suppressed / max(problem.census.records, 1)
    numbers = {"suppressed": suppressed, "share_left_out": share_of(share), "kept": share_of(kept)}
    return {"possible": True, "levels": levels, **numbers, "classes": len(sizes), **chances_of(sizes)}


def sizes_at(problem: Problem, levels: Any) -> Any:
    """Give the sizes of the classes that a node publishes."""
    return _sizes(predicted_by(problem, Inspection(problem, levels).recoding()))


def _sizes(predicted: Predicted) -> Any:
    return predicted.classes.size[~predicted.left_out]


def _detail_kept_by(problem: Problem, predicted: Predicted) -> float:
    """Give the detail that a node keeps, on average over the columns."""
    basis = Basis(None, {}, problem, predicted)
    return detail_kept(basis.labels, basis.sizes, problem.census.records)


def frontier(given: Plain, teller: Teller) -> Plain:
    """Find for every strength of a promise what it costs."""
    teller.step("drawing the curve")
    plan = plan_of(given["plan"])
    curve = plan.frontier(given["by"], given["of"], teller.walk)
    points = [
        {
            "value": value,
            "loss": None if node is None else share_of(node.score),
            "kept": None if node is None else share_of(1 - node.score),
            "suppressed": None if node is None else node.suppressed,
            "classes": None if node is None else node.classes,
            "levels": None if node is None else dict(node.levels),
        }
        for value, node in zip(curve.values, curve.nodes, strict=True)
    ]
    about = {"of": curve.of, "measure": curve.measure, "beside": curve.beside}
    return {**about, "points": points, "notes": list(curve.notes)}
