"""What a promise does not protect against, in one sentence each, for people who get a released table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incrowd.models import (
    AlphaAssociation,
    BetaLikeness,
    DeltaDisclosure,
    EnhancedPAlphaSensitive,
    KAnonymity,
    LDiversity,
    Model,
    NTCloseness,
    PAlphaSensitive,
    PSensitive,
    RecursiveDiversity,
    TCloseness,
)

if TYPE_CHECKING:
    from incrowd.api._release import Release

GENERAL = (
    "The promises are about somebody who knows the quasi-identifiers; who knows other columns may learn more.",
    "They hold for this table alone, not together with other tables about the same people.",
    "They bound what the table tells about one person, not what it tells about a group of people.",
)
"""What no promise of this family covers."""
LEFT_OUT = "Which records were left out follows a rule: that somebody is missing can itself tell something."
"""What must be said where records were left out or masked."""
PSEUDONYMS = "Pseudonyms stand for names: whoever has their key knows who is who, and the data stay personal data."
"""What must be said where identifiers are published as pseudonyms."""
SEVERAL = (
    "The promises count people group by group. Whoever knows several rows of a person may find that person, or learn "
    "about them, more easily than the promises say of one row."
)
"""What must be said where people have several rows."""
LOCAL = (
    "A local recoding calls each group as precisely as it can. Whoever knows the method can sometimes tell more than "
    "the labels say: which finer groups were too small (downcoding, minimality)."
)
"""What must be said where groups are called by labels of their own."""
HARMLESS = "Columns that were called insensitive are published as they are; the promises say nothing about them."
"""What must be said where columns are published that no promise is about."""

_LIMITS: dict[type[Model], str] = {
    KAnonymity: "Bounds how well a person is found, not what a class tells about all of its people.",
    LDiversity: "Does not know that two values can mean the same, nor what is rare in the whole table.",
    RecursiveDiversity: "Does not know that two values can mean the same, nor what is rare in the whole table.",
    PSensitive: "A value that nearly everybody in a class has may still be guessed.",
    PAlphaSensitive: "All values of a class may mean about the same; the sum of weights grows with the class.",
    EnhancedPAlphaSensitive: "What counts as similar was decided by whoever wrote the categories.",
    AlphaAssociation: "Values that are not listed may fill a class.",
    TCloseness: "Where the whole table is lopsided, classes may be too.",
    NTCloseness: "What a large group around a person has in common is not protected.",
    BetaLikeness: "That a value does not occur in a class is not bounded.",
    DeltaDisclosure: "Where the whole table is lopsided, classes may be too.",
}


def limits_of(release: Release) -> list[str]:
    """Say what the promises of a release do not cover, whatever they are; nothing that the release does not show."""
    schema, recipe = release.schema, release.recipe
    return [
        *GENERAL,
        *([LEFT_OUT] if recipe.suppressed or recipe.dropped else []),
        *([PSEUDONYMS] if recipe.pseudonymised else []),
        *([SEVERAL] if schema.entity is not None else []),
        *([HARMLESS] if schema.insensitive else []),
        *([LOCAL] if release.recoding.levels is None else []),
    ]


def limit_of(model: Model) -> str:
    """Say what a promise does not protect against."""
    return _LIMITS.get(type(model), "See its documentation for what it does not protect against.")
