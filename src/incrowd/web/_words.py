"""What hierarchies, promises and presets are called in plain words, and what each stops and does not stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from incrowd.evidence import preset
from incrowd.models import KAnonymity, LDiversity
from incrowd.plan import Plan

Plain = dict[str, Any]


def _key(
    key: str, type_: str, meaning: str, default: str | None = None, choices: Mapping[str, str] | None = None
) -> Plain:
    listed = [{"value": value, "title": title} for value, title in (choices or {}).items()]
    return {"key": key, "type": type_, "meaning": meaning, "default": default, "choices": listed}


SIDES = {"right": "from the right", "left": "from the left"}
CLASSIFICATIONS = {
    "countries": "Countries: subregion, continent",
    "icd-10": "Diseases (ICD-10): category, block, chapter",
    "atc": "Medicines (ATC): chemical to anatomical group",
    "isco-08": "Jobs (ISCO-08): minor to major group",
    "nace-2": "Branches of trade (NACE 2): group, division, section",
    "nuts": "Regions of Europe (NUTS): up to the country",
    "isced": "Education (ISCED): level, then low, medium or high",
}
"""What the published classifications are about."""
POSTCODES = {
    "AU": "Australia",
    "AT": "Austria",
    "BE": "Belgium",
    "BR": "Brazil",
    "CA": "Canada",
    "CN": "China",
    "CZ": "Czechia",
    "DK": "Denmark",
    "FI": "Finland",
    "FR": "France",
    "DE": "Germany",
    "IN": "India",
    "IT": "Italy",
    "JP": "Japan",
    "MX": "Mexico",
    "NL": "Netherlands",
    "NO": "Norway",
    "PL": "Poland",
    "PT": "Portugal",
    "ES": "Spain",
    "SE": "Sweden",
    "CH": "Switzerland",
    "GB": "United Kingdom",
    "US": "United States",
}
"""The countries whose postcodes are known, by their names."""


KINDS: Sequence[Plain] = (
    {
        "kind": "auto",
        "title": "Automatic",
        "for": ["number", "text", "date", "boolean"],
        "example": "auto",
        "keys": [],
    },
    {
        "kind": "intervals",
        "title": "Ranges of numbers",
        "for": ["number"],
        "example": {"intervals": ["5", "10", "20"], "top": "90"},
        "keys": [
            _key("intervals", "numbers", "the width of the ranges at each level, each a multiple of the one before"),
            _key("start", "number", "where a range begins", "0"),
            _key("bottom", "number", "all numbers below become one group"),
            _key("top", "number", "all numbers from here on become one group"),
        ],
    },
    {
        "kind": "mask",
        "title": "Hide characters of a code",
        "for": ["text", "number"],
        "example": {"mask": "right", "keep": 1},
        "keys": [
            _key("mask", "one of a list", "the side from which characters are hidden", "right", SIDES),
            _key("keep", "whole number", "this many characters are never hidden one by one", "0"),
            _key("char", "text", "the sign for a hidden character", "*"),
        ],
    },
    {
        "kind": "dates",
        "title": "Longer and longer periods",
        "for": ["date", "datetime", "instant", "text"],
        "example": {"dates": ["month", "quarter", "year", "decade"]},
        "keys": [
            _key("dates", "list of day, week, month, quarter, year, decade, century", "the period of each level"),
            _key("format", "text", "how dates are written in a text, such as %d.%m.%Y"),
            _key("newest", "whole number", "years of two digits are of the hundred years up to this one", "2068"),
        ],
    },
    {
        "kind": "tree",
        "title": "A tree of your own, or one from a file",
        "for": ["text", "number", "boolean"],
        "example": {"tree": {"Europe": ["France", "Spain"], "Asia": ["Japan"]}},
        "keys": [_key("tree", "tables or the name of a file", "groups of groups, with lists of values at the bottom")],
    },
    {
        "kind": "classification",
        "title": "A published classification",
        "for": ["text", "number"],
        "example": {"classification": "countries"},
        "keys": [
            _key("classification", "one of a list", "what the codes or names of the column are", None, CLASSIFICATIONS),
            _key("others", "text", "a label for all values that it does not know, such as other"),
        ],
    },
    {
        "kind": "postcodes",
        "title": "Postcodes by the areas of their country",
        "for": ["text", "number"],
        "example": {"postcodes": "DE"},
        "keys": [_key("postcodes", "one of a list", "the country whose postcodes they are", None, POSTCODES)],
    },
    {
        "kind": "ordered",
        "title": "Neighbours in an order",
        "for": ["text", "number", "date"],
        "example": {"ordered": ["low", "middle", "high"], "levels": [2]},
        "keys": [
            _key("ordered", "list of values, or true", "the values in their order; true takes the column's own"),
            _key("levels", "list", "how many neighbours form a group at each level, or named groups"),
        ],
    },
    {
        "kind": "top_coded",
        "title": "All large numbers as one group",
        "for": ["number"],
        "example": {"top_coded": ["90"]},
        "keys": [_key("top_coded", "numbers", "from here on numbers become one group, one bound per level")],
    },
    {
        "kind": "bottom_coded",
        "title": "All small numbers as one group",
        "for": ["number"],
        "example": {"bottom_coded": ["18"]},
        "keys": [_key("bottom_coded", "numbers", "below this numbers become one group, one bound per level")],
    },
    {
        "kind": "frequent",
        "title": "Rare values as one group",
        "for": ["text", "number", "boolean"],
        "example": {"frequent": ["0.01", "0.05"]},
        "keys": [
            _key("frequent", "numbers", "values rarer than this become one group: a number of rows, or a share below 1")
        ],
    },
    {
        "kind": "quantiles",
        "title": "Ranges with about as many rows each",
        "for": ["number", "date", "datetime", "instant"],
        "example": {"quantiles": [8, 4, 2]},
        "keys": [
            _key(
                "quantiles",
                "whole numbers",
                "how many ranges each level has, such as 8, 4, 2: each divides the one before",
            )
        ],
    },
    {
        "kind": "flat",
        "title": "All or nothing",
        "for": ["number", "text", "date", "boolean"],
        "example": "flat",
        "keys": [],
    },
)
"""How the values of a column can become vaguer."""

SEARCHES: Sequence[Plain] = (
    {"name": "optimal", "title": "The best version", "words": "One level per column; proven to be the best."},
    {"name": "cheapest-first", "title": "More detail", "words": "Each group at levels of its own; nothing is proven."},
    {
        "name": "mondrian",
        "title": "Cut numbers in halves",
        "words": "Each group its own ranges; good for many numbers.",
    },
    {"name": "top-down", "title": "From vague to exact", "words": "Becomes more exact while the promise holds."},
    {"name": "datafly", "title": "Quick", "words": "Raises the column with most values first; fast, not the best."},
    {"name": "incognito", "title": "All minimal choices", "words": "Finds all that cannot be made finer."},
    {"name": "samarati", "title": "The lowest choices", "words": "Finds those with the fewest steps up."},
)
"""How a release can be searched; a plan can name others."""


def presets_for(plan: Plan | None) -> list[Plain]:
    """Give what is usual, with the sensitive columns of a plan put in."""
    columns = [] if plan is None else [name for name, one in plan.columns.items() if one.role == "sensitive"]
    different = [str(LDiversity(3, of=name)) for name in columns]
    usual = [
        ("public", "Everybody (public release)", 20, "A chance of at most 5 % to find a person."),
        ("contract", "Named researchers under contract", 12, "A chance strictly below 0.09; 11 would be 0.0909."),
        ("inside", "Inside your organisation", 5, "A chance of at most 20 % to find a person."),
    ]
    found = [_preset(name, title, words, "", [str(KAnonymity(k)), *different]) for name, title, k, words in usual]
    ema, harbor = preset("ema-0.09"), preset("hipaa-safe-harbor")
    rule = ema.rules["highest chance"]
    return [
        *found,
        _preset(ema.name, "EMA and Health Canada: 0.09", rule, ema.source, [str(KAnonymity(12)), *different]),
        _preset(harbor.name, "HIPAA safe harbor", "A checklist of 18 kinds of identifiers.", harbor.source, []),
    ]


def _preset(name: str, title: str, words: str, source: str, promise: list[str]) -> Plain:
    told = {"name": name, "title": title, "words": words, "source": source}
    return {**told, "promise": promise, "max_suppressed": "0.05" if promise else None}
