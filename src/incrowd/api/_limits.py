"""What a promise does not protect against, in one sentence each, for people who get a released table."""

from __future__ import annotations

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

GENERAL = (
    "The promises are about somebody who knows the quasi-identifiers; who knows other columns may learn more.",
    "They hold for this table alone, not together with other tables about the same people.",
    "They bound what the table tells about one person, not what it tells about a group of people.",
    "Which records were left out follows a rule: that somebody is missing can itself tell something.",
)
"""What no promise of this family covers."""
PSEUDONYMS = "Pseudonyms stand for names: whoever has their key knows who is who, and the data stay personal data."
"""What must be said where identifiers are published as pseudonyms."""

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


def limit_of(model: Model) -> str:
    """Say what a promise does not protect against."""
    return _LIMITS.get(type(model), "See its documentation for what it does not protect against.")
