"""A release in a few lines for people, and as plain facts for machines."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from incrowd.cli._assess_text import percent
from incrowd.cli._run import amount

if TYPE_CHECKING:
    from incrowd.api import Release
    from incrowd.core import Finding

PROOFS = {
    "optimal": "proven to be the best (optimal)",
    "best found": "the best that was found in time; a better one may exist",
    "heuristic": "not proven to be the best (heuristic)",
}
"""What a search proves, in plain words."""
WIDTH = 24
"""Longer names of columns are shortened, so that a line fits into a terminal."""


def lines_of(release: Release) -> list[str]:
    """Say what was published: how many, under which promises, and what became of every column."""
    from incrowd.api._explain import empty_of

    recipe = release.recipe
    share = recipe.suppressed / recipe.records if recipe.records else 0
    kept = recipe.published
    gone = "masked" if recipe.masked else "left out"
    left_out = f"{recipe.suppressed:,} {gone} ({percent(share)}, {recipe.max_suppressed_records:,} allowed)"
    looked = (
        f", {recipe.checked:,} of {recipe.nodes:,} combinations of levels (nodes) looked at" if recipe.nodes else ""
    )
    return [
        f"{kept:,} of {amount(recipe.records, 'record')} in {amount(release.verdict.classes, 'group')}; {left_out}",
        *([f"removed first, with missing values: {amount(recipe.dropped, 'record')}"] if recipe.dropped else []),
        "",
        f"{'promise':<{WIDTH}}{'required':>12}{'measured':>12}",
        *(line for finding in release.verdict.findings for line in _promise(finding)),
        "",
        f"{'column':<{WIDTH}}published",
        *(f"{shorten(part.column):<{WIDTH}}{part.published}" for part in release.explanation.columns),
        "",
        *textwrap.wrap(empty_of(release.explanation), 80, subsequent_indent="  "),
        f"loss {release.measures['loss']:.3f} (0 is the original, 1 is nothing left)",
        f"search: {PROOFS.get(recipe.proof, recipe.proof)}{looked}",
        *(f"note: {note}" for note in recipe.notes),
    ]


def facts_of(release: Release) -> dict[str, Any]:
    """Give the same as plain data."""
    recipe = release.recipe
    return {
        "schema": 1,
        "result": recipe.sample is None,
        "promise": recipe.promise,
        "holds": release.verdict.holds,
        "records": recipe.records,
        "published": recipe.published,
        "suppressed": recipe.suppressed,
        "masked": recipe.masked,
        "max_suppressed_records": recipe.max_suppressed_records,
        "dropped": recipe.dropped,
        "classes": release.verdict.classes,
        "levels": None if recipe.levels is None else dict(recipe.levels),
        "measures": dict(release.measures),
        "carry_nothing": list(release.explanation.empty),
        "proof": recipe.proof,
        "checked": recipe.checked,
        "nodes": recipe.nodes,
        "notes": list(recipe.notes),
    }


def _promise(finding: Finding) -> list[str]:
    columns = f" of {', '.join(finding.columns)}" if finding.columns else ""
    pairs = zip(finding.required, finding.measured, strict=False)
    return [
        f"{shorten(name + columns):<{WIDTH}}{sense + ' ' + _number(bound):>12}{_number(value):>12}   ok"
        for (name, sense, bound), value in pairs
    ]


def _number(value: Any) -> str:
    return f"{int(value):,}" if value == int(value) else f"{float(value):.4g}"


def shorten(name: str, width: int = WIDTH) -> str:
    """Shorten what is too long; what would disturb a terminal becomes a blank."""
    clean = "".join(sign if sign.isprintable() else " " for sign in name)
    return clean if len(clean) < width else f"{clean[: width - 4]}..."
