"""The section of a report that says what the promises do not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incrowd.api._kept import open_release
from incrowd.api._limits import limits_of
from incrowd.api._report._data import judged
from incrowd.core import Hierarchy
from incrowd.hierarchies import Tree, is_from_data, places_in
from incrowd.models import AlphaAssociation
from incrowd.report import Section

if TYPE_CHECKING:
    from incrowd.api._release import Release


def limits(release: Release, *, public: bool = False) -> Section:
    """Say what the promises do not cover; the owner is also told what the published files hint at.

    Parameters
    ----------
    release
        The release.
    public
        Whether anybody may read it.
    """
    each = list(dict.fromkeys(f"{part}: {part.limit}" for part in release.model.parts))
    hints = [] if public else [*_labels_from_data(release), *_values_named(release), *release.verdict.notes]
    return Section("limits", "Limits of this statement", [*each, *limits_of(release), *hints])


def _labels_from_data(release: Release) -> list[str]:
    """Warn of labels that were formed with the records that are left out."""
    levels = release.recoding.levels
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
    for part, finding in judged(release):
        values = list(part.by_value or part.values or ()) if isinstance(part, AlphaAssociation) else []
        unseen = _unseen(release, finding.columns[0], values) if values else 0
        if unseen:
            told.append(
                f"{finding.promise}: of the values that it names, {unseen} {'is' if unseen == 1 else 'are'} in no "
                "published record. A promise is published with its values: name only what anybody may read there."
            )
    return told


def _unseen(release: Release, column: str, values: list[str]) -> int:
    """Count values that are in no published record."""
    places = places_in(values, open_release(release).domains([column])[column])
    return len(values) - len(set(places[places >= 0].tolist()))
