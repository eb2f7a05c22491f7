"""Work on versions of a table: made by the plan, described, proposed by other promises or nodes."""

from __future__ import annotations

import datetime as dt
import shutil
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from incrowd.core import EngineError, Finding, Recoding, unbroken_percent
from incrowd.evidence import (
    Alternative,
    RangeError,
    Where,
    ask,
    association_of,
    closeness_by_class,
    compare,
    samples_of,
)
from incrowd.plan import Plan
from incrowd.release import (
    Release,
    Version,
    basis_of,
    inspect_node,
    lattice_of,
    published_rows,
    version_of,
)
from incrowd.report import bipartite_svg
from incrowd.web._decisions import decision_digest, origin_of, states_of
from incrowd.web._evidence import quick_charts, write_charts
from incrowd.web._history import write_json, write_text
from incrowd.web._plans import read_plan
from incrowd.web._progress import Teller
from incrowd.web._refusal import Plain, plain_error, refusal
from incrowd.web._worker_cache import first_rows_of, keep, notation_of, release_of, share_of, short, table_of

QUICK = 10  # seconds that a search may take that is only compared
TITLES = {"best node": "One level per column"}
SIDE_BY_SIDE, CLASSES = 20, 200  # how much is shown at most: rows before and after, classes


def run(given: Plain, teller: Teller) -> Plain:
    """Make a release by the plan, write it into the folder of the run, and describe it."""
    began = time.monotonic()
    folder = Path(given["folder"])
    plan = read_plan(given["plan"])
    write_text(folder / "source.toml", Path(given["plan"]).read_text(encoding="utf-8"))
    quiet = replace(plan, report=plan.report.model_copy(update={"write": False}))  # reports come with the export
    release = quiet.run(teller.search, write=True, folder=folder / "release")
    if release.basis is None:
        shutil.rmtree(folder / "release")
        msg = "This table is too large to be looked at here: its release can only be made part by part."
        raise EngineError(msg, hint="download the plan, and run incrowd anonymize with it.")
    keep(str(folder), plan, release)
    teller.step("describing the release")
    details = _details(plan, release)
    details["notes"] = [*dict.fromkeys([*details["notes"], *teller.notes])]
    write_json(folder / "details.json", details)
    write_charts(folder, quick_charts(release))
    seconds = round(time.monotonic() - began, 1)
    about = {"id": given["number"], "label": given["label"], "revision": given["revision"], "seconds": seconds}
    about |= {"decides": decision_digest(plan), "table": origin_of(plan, release)}
    write_json(folder / "run.json", {**about, **_version_summary(plan, release), "exported": None, "written": []})
    return {"run": given["number"]}


def _version_summary(plan: Plan, release: Release) -> Plain:
    recipe, version, limit = release.recipe, version_of(release), plan.privacy.max_suppressed
    return {
        "made": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "promise": recipe.promise,
        "algorithm": recipe.algorithm,
        "max_suppressed": None if limit is None else repr(limit),
        "max_suppressed_records": recipe.max_suppressed_records,
        "records": recipe.records,
        "published": recipe.published,
        "suppressed": recipe.suppressed,
        "share_left_out": share_of(version.share_left_out),
        "classes": release.verdict.classes,
        "loss": share_of(release.measures["loss"]),
        "kept": share_of(version.kept),
        "carry_nothing": list(release.explanation.empty),
        "carry_little": list(release.explanation.scarce),
        "shortfalls": [*map(str, release.explanation.shortfalls)],
        "proof": recipe.proof,
        "levels": None if release.recoding.node is None else dict(release.recoding.node),
        "dialect": None if recipe.wording is None else recipe.wording.plain,
        **_smallest_class_and_chance(version),
    }


def _smallest_class_and_chance(version: Version) -> Plain:
    """Say how large the smallest class is, and how likely somebody is found."""
    return {"smallest": version.smallest, "highest": share_of(version.highest), "average": share_of(version.average)}


def _details(plan: Plan, release: Release) -> Plain:
    """Say why a release is as it is, and show some of its rows beside the original ones."""
    table = release.table
    facts = {what: one for what, one, _ in compare(release, release).rows}
    return {
        "explain": release.explain(),
        "columns": [{"column": one.column, "published": one.published} for one in release.columns.values()],
        "findings": [_finding_answer(one) for one in release.verdict.findings],
        "notes": [*dict.fromkeys([*release.verdict.notes, *release.recipe.notes])],
        "measures": {name: share_of(value) for name, value in release.measures.items()},
        "facts": [[what, _fact_text(value)] for what, value in facts.items()],
        "rows": _side_by_side(plan, release.recoding),
        "format": table.name.removeprefix("data.") if isinstance(table, Path) else None,
    }


def _fact_text(value: Any) -> str | None:
    return share_of(value) if value is None or isinstance(value, float) else str(value)


def _finding_answer(one: Finding) -> Plain:
    return {
        "promise": one.promise,
        "columns": list(one.columns),
        "required": [f"{name} {sense} {float(bound):g}" for name, sense, bound in one.required],
        "measured": [share_of(value) for value in one.measured],
        "holds": one.holds,
    }


def _side_by_side(plan: Plan, recoding: Recoding) -> Plain:
    """Show some rows before and after; those that are left out are empty."""
    names, before = first_rows_of(plan, SIDE_BY_SIDE)
    roles = {name: one.role for name, one in plan.columns.items()}
    places = [place for place, name in enumerate(names) if roles.get(name) in {"quasi", "sensitive", "insensitive"}]

    def cut(rows: Iterable[Any]) -> list[Any]:
        return [None if row is None else short([row[place] for place in places]) for row in rows]

    after = published_rows(recoding, names, before, notation_of(plan))
    return {"columns": [names[place] for place in places], "before": cut(before), "after": cut(after)}


# Other versions, before one is made: what several searches would publish, and what every strength of a promise costs.


def alternatives(given: Plain, teller: Teller) -> Plain:
    """Put several searches side by side."""
    plan = read_plan(given["plan"])
    seconds = QUICK if plan.search.seconds is None else None
    found = plan.alternatives(teller.search, seconds=seconds, begin=teller.part, table=table_of(plan))
    if found.recommended is None and (error := found.entries[0].error) is not None:
        raise error
    told = [_alternative_details(one) for one in found]
    chosen = None if found.recommended is None else found.recommended.name
    about = {"recommended": chosen, "because": found.because, "planned": found.planned}
    result: Plain = {"alternatives": told, **about, "important": list(found.important), "notes": list(found.notes)}
    states = states_of(plan, [one["algorithm"] for one in told])
    write_json(Path(given["kept"]), {"revision": given["revision"], "states": states, **result})
    return result


def _alternative_details(one: Alternative) -> Plain:
    told: Plain = {"name": one.name, "title": TITLES.get(one.name, one.name.capitalize()), "words": one.wanted_by}
    told |= {"algorithm": one.plan, "possible": one.version is not None}
    told |= {"problem": None if one.error is None else plain_error(one.error)}
    if one.version is None:
        return told
    version, rates = one.version, {name: one.attack(name) for name in ("linkage", "narrowest group")}
    found = {name: None if attack is None else share_of(attack.rate) for name, attack in rates.items()}
    linkage = rates["linkage"]
    return {
        **told,
        "levels": None if version.levels is None else dict(version.levels),
        "suppressed": version.suppressed,
        "share_left_out": share_of(version.share_left_out),
        "kept": share_of(version.kept),
        "weighted": share_of(one.kept),
        "starred": one.starred,
        "carry_nothing": list(one.carry_nothing),
        "carry_little": list(one.carry_little),
        "columns": [
            {"column": left.column, "published": left.published, "status": left.status} for left in one.columns
        ],
        "classes": version.classes,
        **_smallest_class_and_chance(version),
        "linkage": found["linkage"],
        "guessing": None if linkage is None else share_of(linkage.baseline),
        "narrowest": found["narrowest group"],
        "seconds": share_of(one.seconds),
    }


def _row_samples(release: Release) -> Plain:
    return {name: short(texts) for name, texts in samples_of(release).items()}


def frontier(given: Plain, teller: Teller) -> Plain:
    """Find for every strength of a promise what it costs."""
    teller.step("drawing the curve")
    curve = read_plan(given["plan"]).frontier(given["by"], given["of"], teller.walk)
    empty = dict.fromkeys(("loss", "kept", "suppressed", "classes", "levels"))
    points = [
        {"value": value}
        | (
            empty
            if node is None
            else {
                "loss": share_of(node.score),
                "kept": share_of(node.kept),
                "suppressed": node.suppressed,
                "classes": node.classes,
                "levels": dict(node.levels),
            }
        )
        for value, node in zip(curve.values, curve.nodes, strict=True)
    ]
    about = {"of": curve.of, "measure": curve.measure, "beside": curve.beside}
    return {**about, "points": points, "notes": list(curve.notes)}


# Looking around in a version: other nodes, (n, t)-closeness class by class, values and classes as a graph, questions.


def nodes(given: Plain, teller: Teller) -> Plain:
    """Say of every node of the lattice whether it keeps the promise; of the neighbours only where there are many."""
    _, release = release_of(given["run"], teller)
    problem, levels = basis_of(release).problem, release.recoding.node
    quasi = list(problem.census.quasi)
    heights = {name: problem.census.ladders[name].height for name in quasi}
    known = {"quasi": quasi, "heights": heights, "samples": _row_samples(release)}
    if levels is None:
        return {**known, "chosen": None, "nodes": [], "more": 0}
    teller.step("looking at other versions")
    found = [
        {key: share_of(value) if key == "loss" else value for key, value in one._asdict().items() if value is not None}
        for one in lattice_of(release)
    ]
    return {**known, "chosen": dict(levels), "nodes": found, "more": problem.nodes - len(found)}


def node(given: Plain, teller: Teller) -> Plain:
    """Say what another node would publish: its cost, its risk, and some rows."""
    plan, release = release_of(given["run"], teller)
    found = inspect_node(release, given["levels"])
    version = found.version
    return {
        "levels": given["levels"],
        "state": "acceptable" if found.acceptable else "refused",
        "suppressed": version.suppressed,
        "share_left_out": share_of(version.share_left_out),
        "classes": version.classes,
        **_smallest_class_and_chance(version),
        "measures": {name: share_of(value) for name, value in found.measures.items()},
        "rows": _side_by_side(plan, found.recoding),
    }


def nt_check(given: Plain, teller: Teller) -> Plain:
    """Say class by class whether (n, t)-closeness holds, and which superset shows it."""
    _, release = release_of(given["run"], teller)
    how = {key: given[key] for key in ("column", "n", "t", "distance", "supersets")}
    found = closeness_by_class(release, **how, most=CLASSES)
    classes = [
        {
            "labels": short(one.labels),
            "records": one.records,
            "distance": share_of(one.distance),
            "holds": one.certified_by is not None,
            "certified_by": one.certified_by,
        }
        for one in found.classes
    ]
    told = {"promise": found.promise, "holds": not found.failing, "failing": found.failing}
    more = {"quasi": list(found.quasi), "supersets": found.supersets, "notes": list(found.notes)}
    return {**told, **more, "classes": classes, "more": found.more}


def graph(given: Plain, teller: Teller) -> Plain:
    _, release = release_of(given["run"], teller)
    association = association_of(release, given["column"])
    words = f"Nobody can be surer of a value than {unbroken_percent(association.largest)}, in the worst group."
    return {"svg": bipartite_svg(association), "words": words, "largest": share_of(association.largest)}


def question(given: Plain, teller: Teller) -> Plain:
    """Answer a question from the table and from the release, as somebody would who has no more than that."""
    _, release = release_of(given["run"], teller)
    teller.step("asking the table and the version")
    try:
        found = ask(release, given["ask"], given["column"], [Where(**one) for one in given["where"]])
    except RangeError as error:
        where = f"where.{error.condition}.{error.end}"
        raise refusal(422, error.code, error.message, error.hint, where) from error
    written = share_of if given["ask"] == "model" else _number_text
    said = ("before", found.before), ("after", found.after), ("shown", found.shown)
    answered = {name: None if one is None else written(one) for name, one in said}
    return {**answered, "off": share_of(found.relative_error), "guessed": share_of(found.guessed)}


def _number_text(number: float) -> str | None:
    return f"{number:.10g}" if number.is_integer() else share_of(number)
