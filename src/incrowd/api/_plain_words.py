"""What promises mean, in one sentence each, for people who have never heard of them."""

from __future__ import annotations

from dataclasses import replace

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

GLOSSARY = (
    ("quasi-identifier", "a column that somebody else may know about a person, such as age or postcode"),
    ("sensitive column", "a column whose value nobody should learn about a person"),
    ("group, class", "all records that look the same in every quasi-identifier"),
    ("generalize", "publish a vaguer value: a range instead of a number, a region instead of a town"),
    ("level", "how vague a column is published; 0 is the value itself"),
    ("left out, suppressed", "not published, because the record would stand out"),
    ("prosecutor", "somebody who looks for a person and knows that the person is in the table"),
    ("journalist", "somebody who looks for any person, and does not know who is in the table"),
    ("marketer", "somebody who links as many records as possible to people"),
    ("baseline", "how often an intruder would be right without the release"),
    ("loss", "the detail that was given up: 0 is the original, 1 is nothing left"),
    ("one of a kind", "alone in a group: nobody else looks the same in the quasi-identifiers"),
    ("k", "the smallest number of people in a group; 1/k is the highest chance to pick the right one"),
    ("l", "how many different values of a sensitive column every group has; entropy l gives rare ones less weight"),
    ("t", "how far the values of a group may differ from the whole table: 0 is the same, 1 as different as can be"),
    ("skew", "how much more frequent a value is in a group than in the whole table"),
    ("population", "everybody from whom the people in the table were drawn, such as the inhabitants of a city"),
    ("pseudonym", "a made-up name for a person; whoever has the key knows who it is"),
    ("SHA-256", "a fingerprint computed from a file; any other file has another one"),
    ("singling out, linkability, inference", "finding a record, linking records of a person, guessing a value (WP216)"),
)
"""Words of a report, for readers who do not know them."""


def meaning_of(model: Model, *, several: bool = False) -> str:  # noqa: C901, PLR0911 - one answer per promise
    """Say what a promise means for a person in the table.

    Parameters
    ----------
    model
        The promise.
    several
        Whether people have several rows: then it counts them group by group, and somebody in a group may have several
        of its values.
    """
    if isinstance(model, _DIVERSE) and model.missing:
        return f"{meaning_of(replace(model, missing=False), several=several)} A missing value counts as one."
    if several and type(model) in _SEVERAL:
        return _of_several(model)
    match model:
        case KAnonymity(k):
            return f"Everybody looks like at least {k - 1:,} others in the quasi-identifiers."
        case LDiversity(l, kind="distinct"):
            return f"Every group has at least {l} different values, so no group shares a single value."
        case LDiversity(l):
            return f"No group lets a value be guessed much better than one of {float(l):g} equally likely ones."
        case RecursiveDiversity():
            return "The most frequent value of a group is outweighed by its rarer ones."
        case PSensitive(p):
            return f"Every group has at least {p} different values."
        case EnhancedPAlphaSensitive(p):
            return f"Every group has values of at least {p} kinds of secrets, with enough harmless ones among them."
        case PAlphaSensitive(p):
            return f"Every group has at least {p} different values, with enough harmless ones among them."
        case AlphaAssociation():
            return "No group lets such a value be guessed with more certainty than the bound."
        case TCloseness() | NTCloseness() | BetaLikeness() | DeltaDisclosure():
            return _DISTRIBUTION[type(model)]
    return "See its documentation."


def _of_several(model: Model) -> str:
    """Say what holds where people have several rows: values of a group can all be of the same person."""
    match model:
        case KAnonymity(k):
            others = "1 other" if k == 2 else f"{k - 1:,} others"
            return f"Each row looks like those of at least {others}; all rows together may single one out."
        case LDiversity(l, kind="distinct"):
            return f"Every group has at least {l} different values. {_ALL_OF_THEM}"
        case PSensitive(p) | PAlphaSensitive(p):
            return f"Every group has at least {p} different values. {_ALL_OF_THEM}"
    return f"{meaning_of(model)} {_ALL_OF_THEM}"


_SEVERAL = {KAnonymity, LDiversity, PSensitive, PAlphaSensitive, EnhancedPAlphaSensitive}
"""Promises that mean less where people have several rows: they count what one person may have alone."""
_DIVERSE = (LDiversity, RecursiveDiversity, PSensitive, PAlphaSensitive)
"""Promises that count missing values only if asked to."""
_ALL_OF_THEM = "A person with several rows may have all of them, so a value can still be certain."
_DISTRIBUTION: dict[type[Model], str] = {
    TCloseness: "The values in a group are distributed nearly as in the whole table.",
    NTCloseness: "The values in a group are distributed nearly as in a large region around it.",
    BetaLikeness: "No value is much more likely in a group than in the whole table.",
    DeltaDisclosure: "No value is much more or much less likely in a group than in the whole table.",
}
