"""The first page of a report: what a board reads before it signs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from incrowd.release import NOT_STATED, SHORT, About, detail_kept, empty_of, settings_of
from incrowd.report._data_section import promises_table
from incrowd.report._evidence_section import chances_figure
from incrowd.report._page import Section, Table
from incrowd.report._verdict_section import HEAD, Row, compared_row, group_rows, highest_row, people_in, share

if TYPE_CHECKING:
    from incrowd.evidence import Attack
    from incrowd.release import Recipe, Release
    from incrowd.report._charts import Charts

NAMED = 12
"""So many columns are named on the first page."""


def summary_section(charts: Charts) -> Section:
    """Say in plain words and few numbers what was promised, what was measured, and what it cost."""
    tables = [promises_table(charts.release), Table("Before and after", HEAD, _rows(charts))]
    return Section("summary", "In short", _words(charts), tables, [chances_figure(charts)])


def public_summary_section(release: Release) -> Section:
    """Say what is promised, with no number that the release does not show."""
    words = ["Each promise is about every group of records that look alike. It was measured on the published table."]
    return Section("promises", "What is promised", words, [promises_table(release, measured=False)])


def verdict_sentence(release: Release) -> str:
    """Say in one sentence whether the promises are kept."""
    kept = f"The released table keeps {release.recipe.promise}; this was measured on the published table itself."
    return f"{kept} See Limits for what this does not cover."


def owner_facts(release: Release, about: About) -> list[tuple[str, str]]:
    """Give what stands beside the verdict, for the owner."""
    recipe = release.recipe
    return [
        ("released file", str(about.file.get("name") or "not written")),
        ("released file (SHA-256)", str(about.file.get("sha256") or "not a file")[:SHORT]),
        ("published records", f"{recipe.published:,} of {recipe.records + recipe.dropped:,}"),
        ("groups", f"{release.verdict.classes:,}"),
        ("original file (SHA-256)", str(recipe.input.get("sha256") or "not a file")[:SHORT]),
        settings_of(release, about.plan),
        ("date", about.date),
        *([("valid until", about.answer("valid_until"))] if about.stated.get("valid_until") else []),
        ("made with", _tool(release)),
    ]


def public_facts(release: Release, about: About) -> list[tuple[str, str]]:
    """Give what stands beside the verdict, for anybody: what the certificate says too."""
    found = [
        ("file", str(about.file.get("name") or "")),
        ("file (SHA-256)", str(about.file.get("sha256") or "")[:SHORT]),
        ("date", about.date),
        ("valid until", about.answer("valid_until")),
        ("made with", _tool(release)),
    ]
    return [(name, text) for name, text in found if text and text != NOT_STATED]


def table_name(release: Release) -> str:
    """Give the name of the file that a release was made of."""
    table = None if release.basis is None else release.basis.table
    return Path(table).name if isinstance(table, (str, os.PathLike)) else "a table"


def _words(charts: Charts) -> list[str]:
    """Say the most important in three sentences."""
    recipe, after = charts.release.recipe, charts.risk_after
    whole = recipe.records + recipe.dropped
    of = "" if after.persons is None else f" of {people_in(after):,} people"
    masked = f", {recipe.masked:,} only without their quasi-identifiers" if recipe.masked else ""
    known = ", ".join(charts.release.schema.quasi_names)
    published = f"{recipe.published:,} of {whole:,} records{of} are published{masked}"
    empty = empty_of(charts.release.explanation, NAMED)
    return [
        f"{published}{_missing(recipe)} The promises assume an intruder who knows these columns: {known}.",
        *(
            f"Guesses of {name} are right in {share(guess.rate)} of cases with the release and "
            f"{share(guess.baseline)} without it; the surest guess is {share(guess.worst or 0)} certain."
            for name, guess in _guesses(charts).items()
        ),
        *([f"{empty}."] if empty else []),
    ]


def _missing(recipe: Recipe) -> str:
    """Say who is not there: those left out, and those removed before the search as something is missing in them."""
    whole, gone = recipe.records + recipe.dropped, recipe.suppressed - recipe.masked
    are = "is" if gone == 1 else "are"
    left = f"{gone:,} ({share(_part(gone, whole))}) {are} left out" if gone else "none are left out"
    if not recipe.dropped:
        return f"; {left}."
    removed = f"{recipe.dropped:,} ({share(_part(recipe.dropped, whole))}) were removed first"
    others = left if gone else "none of the others are left out"
    before = 'The removed records are not counted under "before".'
    return f". {removed}, because a quasi-identifier is missing; {others}. {before}"


def _guesses(charts: Charts) -> dict[str, Attack]:
    """Give the attacks that guess, by their column: a reader finds the same numbers there."""
    return {one.column: one for one in charts.attacks_after if one.name == "inference" and one.column is not None}


def _rows(charts: Charts) -> list[Row]:
    """Compare the numbers that a board asks for."""
    k, release = charts.promised_k, charts.release
    rows = [
        *group_rows(charts, k)[1:],
        highest_row(charts, k),
        compared_row("average chance to find a person", charts.risks, lambda one: share(one.prosecutor.average)),
    ]
    columns = release.explanation.columns
    if columns:
        left = len(columns) - len(release.explanation.empty)
        rows.append(["quasi-identifiers that still say something", f"{len(columns)}", f"{left}", "", ""])
    if (basis := release.basis) is not None:
        kept = detail_kept(basis.labels, basis.sizes, basis.problem.census.records)
        rows.append(["detail kept, average of these columns", "100%", f"{kept:.1%}", "", ""])
    return rows


def _part(part: int, whole: int) -> float:
    return part / max(whole, 1)


def _tool(release: Release) -> str:
    return f"incrowd {release.recipe.versions.get('incrowd', '')}"
