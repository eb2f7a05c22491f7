"""Report sections on what was changed, how it was searched, how to do it again, and limits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from incrowd.core import Hierarchy, Ladder, share_text
from incrowd.hierarchies import Tree, is_from_data, places_in
from incrowd.models import AlphaAssociation
from incrowd.release import SHORT, About, Release, limits_of, open_release, settings_of
from incrowd.report import _chart_rows as rows
from incrowd.report._data_section import judged_promises
from incrowd.report._page import Figure, Section, Table, figure_of

if TYPE_CHECKING:
    from incrowd.report._charts import Charts


FEW = 8
"""So many groups of people who are left out are shown, those hit hardest."""
PROOFS = {
    "optimal": "no other choice of levels is better (optimal)",
    "best found": "nothing: it is the best found before the search stopped",
    "heuristic": "nothing: a better one may exist (heuristic)",
    "all minimal nodes": "all minimal combinations of levels were found",
}
"""What searches prove, in words."""


def changes_section(charts: Charts) -> Section:
    """Say how far columns were raised, and who was left out."""
    recipe = charts.release.recipe
    what = "masked" if recipe.masked else "left out"
    gone, of = f"{recipe.suppressed:,}", f"{'the other ' if recipe.dropped else ''}{recipe.records:,}"
    are = "is" if recipe.suppressed == 1 else "are"
    words = [f"{gone} of {of} records {are} {what} ({_share_line(recipe.suppressed, recipe.records)})."]
    if recipe.dropped:
        whole = recipe.dropped + recipe.records
        first = f"{recipe.dropped:,} of {whole:,} records were removed first"
        words.insert(0, f"{first}, because a quasi-identifier is missing.")
    cells, all_cells = rows.changed_cells(charts.basis, recipe.masked)
    words.append(f"{cells:,} of {all_cells:,} published cells of quasi-identifiers are vaguer than they were.")
    removed = sorted(
        rows.left_out_rows(charts.basis, charts.release.recoding), key=lambda row: -Fraction(row[3], max(row[2], 1))
    )
    table = [[name, group, f"{there:,}", f"{out:,}", _share_line(out, there)] for name, group, there, out in removed]
    head = ["column", "group", "records", what, "share"]
    tables = [Table(f"Who was {what}: is one group hit harder than another?", head, table, most=FEW)] if removed else []
    figure = figure_of("ladders", charts.ladders())
    return Section("changed", "What was changed", words, tables, [figure], annex=True)


def method_section(charts: Charts) -> Section:
    """Say how the release was searched, and show where it stands among others."""
    recipe = charts.release.recipe
    table = [
        ["search", search_text(recipe.search)],
        ["what it proves", PROOFS.get(recipe.proof, recipe.proof)],
        ["how much better it could be", _gap_text(charts.release)],
    ]
    if recipe.nodes:
        table.append(["combinations of levels checked", f"{recipe.checked:,} of {recipe.nodes:,}"])
    table.append(["randomness", "dates are shifted by a secret key" if recipe.shifted else "none"])
    if charts.basis.seconds is not None:
        table.append(["seconds from the table to the checked release", f"{charts.basis.seconds:,.1f}"])
    if charts.basis.peak is not None:
        table.append(["peak memory until then", f"{charts.basis.peak / 1e9:,.2f} GB"])
    notes = [f"Note: {note}" for note in recipe.notes]
    tables = [Table("Search", ["what", "value"], table)]
    return Section("method", "How it was searched", notes, tables, _lattice_and_trees(charts), annex=True)


def reproduction_section(release: Release, about: About) -> Section:
    """Say what is needed to make the release again."""
    recipe = release.recipe
    table = [
        ["records that may be left out", f"{recipe.max_suppressed_records:,}"],
        ["order of rows", recipe.order],
        ["original (SHA-256)", str(recipe.input.get("sha256") or f"{recipe.input['rows']:,} rows, not a file")],
        ["release (SHA-256)", str(about.file.get("sha256") or "not a file")],
        list(settings_of(release, about.plan)),
        ["made with", f"incrowd {recipe.versions.get('incrowd', '')}; recipe.json lists what it runs on"],
        *([f"hierarchy of {name} (SHA-256)", _hash_of(one)] for name, one in release.recoding.ladders.items()),
    ]
    same = "plan, table, key of the shift" if recipe.shifted else "plan, table"
    words = [f"The same {same} and software give the same release, whatever the order of the rows."]
    if about.plan is not None:
        words.append("The command is: incrowd anonymize plan.toml. The plan is printed below.")
    tables = [Table("Recipe", ["what", "value"], table)]
    return Section("reproduce", "How to make it again", words, tables, code=about.plan or "", annex=True)


def search_text(search: Mapping[str, Any]) -> str:
    """Name a search as a plan does, with what it was told: ``optimal (measure loss)``."""
    told = [f"{name} {_setting_text(value)}" for name, value in search["settings"].items() if value not in ([], {})]
    return f"{search['name']} ({', '.join(told)})" if told else str(search["name"])


def _setting_text(value: Any) -> str:
    """Write a setting: ``age 0.1 and sex 0`` for columns, ``region with town`` for columns that go together."""
    if isinstance(value, Mapping):
        return " and ".join(f"{name} {_setting_text(inner)}" for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        deep = any(isinstance(inner, (list, tuple)) for inner in value)
        return (" and " if deep else " with ").join(map(_setting_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _gap_text(release: Release) -> str:
    recipe = release.recipe
    if recipe.proof == "optimal":
        return "not at all"
    if recipe.nodes and recipe.lower_bound > 0:
        return f"nothing of this kind scores below {recipe.lower_bound:.4g}"
    return recipe.gap or "not known"


def _lattice_and_trees(charts: Charts) -> list[Figure]:
    """Show where the release stands among others, and the hierarchies that are small enough."""
    drawn = [("lattice", charts.lattice(), ""), ("rectangles", charts.rectangles(), "")]
    drawn += [("tree", charts.tree(name), name) for name in charts.basis.problem.census.quasi]
    return [figure_of(name, one, extra=True, column=column) for name, one, column in drawn if one is not None]


def _hash_of(ladder: Ladder) -> str:
    """Give the beginning of the SHA-256 of what a hierarchy does to the values of this table."""
    levels = [[labels.tolist(), groups.tolist()] for labels, groups in zip(ladder.labels, ladder.groups, strict=True)]
    return hashlib.sha256(json.dumps(levels).encode()).hexdigest()[:SHORT]


def _share_line(part: int, whole: int) -> str:
    return share_text(part, whole) if whole else ""


# The section of a report that says what the promises do not cover.


def limits_section(release: Release, *, public: bool = False) -> Section:
    """Say what the promises do not cover; the owner is also told what the published files hint at."""
    each = list(dict.fromkeys(f"{part}: {part.limit}" for part in release.model.parts))
    hints = [] if public else [*_labels_from_data(release), *_values_named(release), *release.verdict.notes]
    return Section("limits", "Limits of this statement", [*each, *limits_of(release), *hints])


def _labels_from_data(release: Release) -> list[str]:
    """Warn of labels that were formed with the records that are left out."""
    levels = release.recipe.levels
    names = [
        name
        for name, hierarchy in release.schema.quasi
        if _is_formed_here(hierarchy) and (levels is None or levels[name] > 0)
    ]
    if not names or not release.recipe.suppressed:
        return []
    what = "masked" if release.recipe.masked else "left out"
    msg = (
        f"The groups of {', '.join(names)} were formed from the whole table, with the records that are {what}: their "
        "labels can hint at values of these people. Hierarchies that are fixed beforehand cannot."
    )
    return [msg]


def _is_formed_here(hierarchy: Hierarchy | None) -> bool:
    """Say whether groups come from the table, now or when a tree was made of it."""
    return is_from_data(hierarchy) or (isinstance(hierarchy, Tree) and hierarchy.from_data)


def _values_named(release: Release) -> list[str]:
    """Warn of values that a promise names and no published record has."""
    told = []
    for part, finding in judged_promises(release):
        values = list(part.by_value or part.values or ()) if isinstance(part, AlphaAssociation) else []
        unseen = _count_unseen(release, finding.columns[0], values) if values else 0
        if unseen:
            told.append(
                f"{finding.promise}: of the values that it names, {unseen} {'is' if unseen == 1 else 'are'} in no "
                "published record. A promise is published with its values: name only what anybody may read there."
            )
    return told


def _count_unseen(release: Release, column: str, values: list[str]) -> int:
    """Count values that are in no published record."""
    places = places_in(values, open_release(release).domains([column])[column])
    return len(values) - len(set(places[places >= 0].tolist()))
