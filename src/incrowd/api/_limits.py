"""What no promise of a release protects against, in one sentence each, for people who get a released table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incrowd.api._release import Release

GENERAL = (
    "The promises cover intruders who know the quasi-identifiers; those who know other columns may learn more.",
    "They hold for this table alone, not together with other tables about the same people.",
    "They limit what the table tells about one person, not what it tells about a group of people.",
)
"""What no promise of this family covers."""
LEFT_OUT = "Records are left out by a rule: that somebody is missing can itself reveal something."
"""What must be said where records were left out or masked."""
PSEUDONYMS = "Pseudonyms stand for names: whoever has their key knows who is who, and the data stay personal data."
"""What must be said where identifiers are published as pseudonyms."""
SEVERAL = (
    "The promises count people group by group. Whoever knows several rows of a person may find that person, or learn "
    "about them, more easily than the promises say of one row."
)
"""What must be said where people have several rows."""
ROWS = (
    "Rows were counted, and several may belong to one person: groups may hold fewer people than rows, and the promises "
    "speak of rows."
)
"""What must be said where identifiers repeat and nobody said whose row is whose."""
LOCAL = (
    "A local recoding labels each group as precisely as it can. Whoever knows the method can sometimes tell more than "
    "the labels say: which finer groups were too small (downcoding, minimality)."
)
"""What must be said where groups are called by labels of their own."""
HARMLESS = "Columns that were called insensitive are published as they are; the promises say nothing about them."
"""What must be said where columns are published that no promise is about."""


def limits_of(release: Release) -> list[str]:
    """Say what the promises of a release do not cover, whatever they are; nothing that the release does not show."""
    schema, recipe = release.schema, release.recipe
    return [
        *GENERAL,
        *([LEFT_OUT] if recipe.suppressed or recipe.dropped else []),
        *([PSEUDONYMS] if recipe.pseudonymised else []),
        *([ROWS] if recipe.repeated else []),
        *([SEVERAL] if schema.entity is not None else []),
        *([HARMLESS] if schema.insensitive else []),
        *([LOCAL] if release.recoding.levels is None else []),
    ]
