"""A release in numbers and words, as the page lists it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from incrowd.core import Finding
from incrowd.evidence import compare
from incrowd.plan import Plan
from incrowd.release import Release
from incrowd.report import detail_kept
from incrowd.web._desk import notation_of
from incrowd.web._look import share_of
from incrowd.web._refusal import Plain
from incrowd.web._rows import Published, Row, first_rows, short

SIDE_BY_SIDE = 20
"""So many rows are shown before and after."""


def summary_of(plan: Plan, release: Release) -> Plain:
    """Give the numbers of a release."""
    recipe, loss, basis = release.recipe, release.measures["loss"], release.basis
    assert basis is not None  # noqa: S101 - anonymize made it
    limit = plan.privacy.max_suppressed
    return {
        "made": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "promise": recipe.promise,
        "algorithm": recipe.algorithm,
        "max_suppressed": None if limit is None else repr(limit),
        "max_suppressed_records": recipe.max_suppressed_records,
        "records": recipe.records,
        "published": recipe.published,
        "suppressed": recipe.suppressed,
        "share_left_out": share_of(recipe.suppressed / max(recipe.records, 1)),
        "classes": release.verdict.classes,
        "loss": share_of(loss),
        "kept": share_of(detail_kept(basis.labels, basis.sizes, recipe.records)),
        "carry_nothing": list(release.explanation.empty),
        "proof": recipe.proof,
        "levels": recipe.levels,
        "dialect": None if recipe.wording is None else recipe.wording.plain,
        **_chances(release),
    }


def _chances(release: Release) -> Plain:
    basis = release.basis
    assert basis is not None  # noqa: S101 - anonymize made it
    return chances_of(basis.predicted.classes.size[~basis.predicted.left_out])


def chances_of(sizes: Any) -> Plain:
    """Say how large the smallest class is, and how likely somebody is found."""
    if not len(sizes):
        return {"smallest": 0, "highest": None, "average": None}
    smallest = int(sizes.min())
    return {
        "smallest": smallest,
        "highest": share_of(1 / max(smallest, 1)),
        "average": share_of(len(sizes) / max(int(sizes.sum()), 1)),
    }


def details_of(plan: Plan, release: Release) -> Plain:
    """Say why a release is as it is, and show some of its rows beside the original ones."""
    return {
        "explain": release.explain(),
        "columns": [{"column": one.column, "published": one.published} for one in release.explanation.columns],
        "findings": [_finding(one) for one in release.verdict.findings],
        "notes": [*dict.fromkeys([*release.verdict.notes, *release.recipe.notes])],
        "measures": {name: share_of(value) for name, value in release.measures.items()},
        "facts": [[what, _said(one)] for what, one, _ in compare(release, release).rows],
        "rows": side_by_side(plan, Published(release.recoding, notation_of(plan))),
        "format": _format(release),
    }


def side_by_side(plan: Plan, published: Published) -> Plain:
    """Show some rows before and after; those that are left out are empty."""
    names, before = first_rows(plan, SIDE_BY_SIDE)
    roles = {name: one.role for name, one in plan.columns.items()}
    shown = [name for name in names if roles.get(name) in {"quasi", "sensitive", "insensitive"}]
    places = [names.index(name) for name in shown]

    def cut(row: Row | None) -> Row | None:
        return None if row is None else short([row[place] for place in places])

    after = published.rows(names, before)
    return {"columns": shown, "before": [cut(row) for row in before], "after": [cut(row) for row in after]}


def _finding(one: Finding) -> Plain:
    required = [f"{name} {sense} {float(bound):g}" for name, sense, bound in one.required]
    measured = [share_of(value) for value in one.measured]
    return {
        "promise": one.promise,
        "columns": list(one.columns),
        "required": required,
        "measured": measured,
        "holds": one.holds,
    }


def _said(value: Any) -> str | None:
    return None if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _format(release: Release) -> str | None:
    return release.table.name.removeprefix("data.") if isinstance(release.table, Path) else None
