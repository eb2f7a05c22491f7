"""Part ``releases``: what searches publish of random tables, against the definitions and against all nodes."""

from __future__ import annotations

import csv
import math
import random
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import incrowd as ic
from fuzz.definitions import STAR, Promise, Row, World, classes_of, holds
from fuzz.failures import MismatchError, expect
from fuzz.searches import acceptable, heights, loss, minimal
from fuzz.tables import CLOSED, UPWARD, Case, random_case, random_promise
from release.verified import script_here

ANY: dict[str, Callable[[], Any]] = {"cheapest": ic.CheapestFirst, "levels": ic.LevelsAndCells, "mondrian": ic.Mondrian}
K_ONLY: dict[str, Callable[[], Any]] = {"datafly": ic.Datafly, "argus": ic.MuArgus}
NODES: dict[str, Callable[[], Any]] = {"optimal": ic.Optimal, "incognito": ic.Incognito, "samarati": ic.Samarati}
VERIFIED = 0.25
"""The share of the releases that is written and verified too."""
CODES = {0: "holds", 1: "does not hold", 2: "refused", 4: "could not be checked"}


def run(rolls: random.Random) -> int:
    """Publish a random table in several ways; give how many verdicts were compared."""
    case = random_case(rolls, missing=False, most=rolls.choice([6, 14, 30]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ic.PrivacyWarning)
        promises = [random_promise(rolls, case, CLOSED) for _ in range(rolls.choice([1, 1, 2]))]
        promises += [Promise("k", (rolls.choice([1, 2, 2, 3, 5]) * Fraction(1),))] * (rolls.random() < 0.5)
        limit = rolls.choice([0, 0, 1, len(case.rows) // 2])
        done = _search_nodes(rolls, case, promises, limit)
        return done + _search_locally(rolls, case, promises, limit)


def _search_nodes(rolls: random.Random, case: Case, promises: Sequence[Promise], limit: int) -> int:
    """Hold searches over nodes against all nodes."""
    found = acceptable(case, promises, limit)
    if found is None:
        return 0
    upward = all(promise.kind in UPWARD for promise in promises) or not limit
    name = rolls.choice(list(NODES) if upward else ["optimal"])
    published = [node for node in found if node.kept]
    release = released(case, promises, limit, NODES[name](), name)
    where = _where(case, promises, limit, name)
    if release is None:
        expect(not published, f"nothing was found, and {len(published)} nodes keep the promise: {where}")
        return 1
    told = release.recipe.levels or {}
    levels = tuple(told[column] for column in case.quasi)
    chosen = next((node for node in found if node.levels == levels), None)
    expect(chosen is not None, f"the node {levels} does not keep the promise: {where}")
    assert chosen is not None
    if name == "samarati":
        least = min(sum(node.levels) for node in published)
        expect(sum(levels) == least, f"height {sum(levels)}, and {least} is enough: {where}")
    else:
        lowest = minimal(published)
        candidates = [node for node in published if name == "optimal" or node.levels in lowest]
        best = min(loss(case, node) for node in candidates)
        lost = loss(case, chosen)
        expect(lost <= best + 1e-9, f"loss {lost}, and {best} can be had: {where}")
        expect(math.isclose(lost, release.measures["loss"], abs_tol=1e-9), f"loss {lost} by definition: {where}")
    done = 1 + _audit(rolls, case, promises, limit, release, where)
    if rolls.random() < 0.3:
        every = ic.solutions(_table(case), case.schema, model=_text(promises), max_suppressed_records=limit)
        lowest = {tuple(node[column] for column in case.quasi) for node in every.minimal}
        expect(lowest == minimal(found), f"minimal nodes {lowest}, by definition {minimal(found)}: {where}")
        done += 1
    return done


def _search_locally(rolls: random.Random, case: Case, promises: Sequence[Promise], limit: int) -> int:
    """Audit a local recoding, and ask for a reason where there is none."""
    searches = dict(ANY)
    if case.world.count is not None:
        del searches["mondrian"]  # it shares records out
    if case.world.entity is not None and any(promise.kind not in UPWARD for promise in promises):
        return 0  # shares of people do not add up, and these searches say so
    if all(promise.kind == "k" for promise in promises) and case.world.entity is case.world.count is None:
        searches |= K_ONLY
    if case.world.count is None and all(promise.kind in UPWARD for promise in promises):
        searches["top-down"] = ic.TopDown
    name = rolls.choice(list(searches))
    release = released(case, promises, limit, searches[name](), name)
    where = _where(case, promises, limit, name)
    if release is None:
        whole = [{**row, **dict.fromkeys(case.quasi, STAR)} for row in case.rows]
        able = holds(promises, classes_of(whole, case.quasi), case.world)
        expect(not able, f"nothing was found, and the whole table as one class keeps the promise: {where}")
        return 1
    return 1 + _audit(rolls, case, promises, limit, release, where)


def released(case: Case, promises: Sequence[Promise], limit: int, search: Any, name: str) -> ic.Release | None:
    """Publish a table; nothing where there is no safe release."""
    how: dict[str, Any] = {"model": _text(promises), "max_suppressed_records": limit, "algorithm": search}
    try:
        return ic.anonymize(_table(case), case.schema, **how)
    except ic.NoSafeRelease:
        return None
    except ic.IncrowdError as error:
        msg = f"refused ({error}): {_where(case, promises, limit, name)}"
        raise MismatchError(msg) from None


def _audit(
    rolls: random.Random, case: Case, promises: Sequence[Promise], limit: int, release: ic.Release, where: str
) -> int:
    """Hold a released table against the promise and the original, row by row."""
    rows = list(release.table)
    before = {row["id"]: row for row in case.rows}
    original = [before[row["id"]] for row in rows]
    expect(len({row["id"] for row in rows}) == len(rows), f"a record is published twice: {where}")
    gone = case.world.records(case.rows) - case.world.records(original)
    expect(gone <= limit, f"{gone} records are left out: {where}")
    expect(release.recipe.suppressed == gone, f"{release.recipe.suppressed} are said to be left out: {where}")
    as_they_are = [*case.flavours, *([] if case.world.count is None else [case.world.count])]
    for row, own in zip(rows, original, strict=True):
        labels = all(_covers(case, name, row[name], own[name]) for name in case.quasi)
        same = all(row[name] == own[name] for name in as_they_are)
        expect(labels, f"a label does not cover its value: {where}")
        expect(same, f"a value that is published as it is was changed: {where}")
    people = [{**own, **{name: row[name] for name in case.quasi}} for row, own in zip(rows, original, strict=True)]
    kept = holds(promises, classes_of(people, case.quasi), case.world)
    expect(kept is not False, f"the release breaks its promise: {where}")
    expect(release.verdict.holds, f"the release says that it breaks its promise: {where}")
    if case.world.entity is None and rolls.random() < VERIFIED:
        return 1 + _verify(case, promises, release, where)
    return 1


def _covers(case: Case, name: str, label: Any, value: Any) -> bool:
    """Say whether a published label stands for a value: it, a group that it is in, a star, or a set that has it."""
    if label == STAR or label in case.paths[name][value]:
        return True
    members = label[1:-1].split(", ") if label[:1] == "{" else []
    return any(member in case.paths[name][value] for member in members)


def _verify(case: Case, promises: Sequence[Promise], release: ic.Release, where: str) -> int:
    """Write a release; the library and the script must say of the file what the definitions say."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "out"
        release.save(folder, format="csv")
        library, script = ic.verify(folder).outcome, CODES[script_here(folder)[0]]
        rows = rows_of(folder / "public/data.csv", case)
    expected = expected_outcomes(promises, case, rows)
    expect(library == script, f"verify says {library}, verify.py {script}: {where}")
    expect(library in expected, f"verify says {library}, and not one of {expected}: {where}")
    return 2


def rows_of(path: Path, case: Case) -> list[Row]:
    """Read a released file as anybody would."""
    with path.open(encoding="utf-8", newline="") as file:
        rows: list[Row] = list(csv.DictReader(file))
    count = case.world.count
    return rows if count is None else [{**row, count: int(row[count])} for row in rows]


COMPARED = ("t", "beta", "enhanced-beta", "delta")
"""Promises that compare classes with the original table, which a file does not show."""


def expected_outcomes(promises: Sequence[Promise], case: Case, rows: Sequence[Row]) -> set[str]:
    """Say what can be said of an untouched file: it holds; where it compares with the original, perhaps unchecked."""
    whole = len(rows) == len(case.rows)
    world = World(rows, case.quasi, case.world.meanings, case.world.count)
    seen = [promise for promise in promises if promise.kind not in COMPARED or whole]
    if holds(seen, classes_of(rows, case.quasi), world) is False:
        return {"does not hold"}
    return {"holds"} if len(seen) == len(promises) else {"holds", "could not be checked"}


def _table(case: Case) -> list[dict[str, Any]]:
    return [dict(row) for row in case.rows]


def _text(promises: Sequence[Promise]) -> str:
    return ", ".join(dict.fromkeys(promise.text for promise in promises))


def _where(case: Case, promises: Sequence[Promise], limit: int, name: str) -> str:
    trees = {column: dict(paths) for column, paths in case.paths.items()}
    rows = Counter(str(dict(row)) for row in case.rows)
    return f"{name}, {_text(promises)}, limit {limit}, heights {heights(case)}, trees {trees}, rows {list(rows)}"
