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


def _kind(kind: str, title: str, values: str, example: Any, *keys: Plain) -> Plain:
    return {"kind": kind, "title": title, "for": values.split(), "example": example, "keys": list(keys)}


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
_COUNTRIES = (
    "AU Australia, AT Austria, BE Belgium, BR Brazil, CA Canada, CN China, CZ Czechia, DK Denmark, FI Finland, "
    "FR France, DE Germany, IN India, IT Italy, JP Japan, MX Mexico, NL Netherlands, NO Norway, PL Poland, "
    "PT Portugal, ES Spain, SE Sweden, CH Switzerland, GB United Kingdom, US United States"
)
POSTCODES = dict(country.split(" ", 1) for country in _COUNTRIES.split(", "))
"""The countries whose postcodes are known, by their names."""

TIMES = "date datetime instant"
KINDS: Sequence[Plain] = (
    _kind("auto", "Automatic", "number text date boolean", "auto"),
    _kind(
        "intervals",
        "Ranges of numbers",
        "number",
        {"intervals": ["5", "10", "20"], "top": "90"},
        _key("intervals", "numbers", "the width of the ranges at each level, each a multiple of the one before"),
        _key("start", "number", "where a range begins", "0"),
        _key("bottom", "number", "all numbers below become one group"),
        _key("top", "number", "all numbers from here on become one group"),
    ),
    _kind(
        "mask",
        "Hide characters of a code",
        "text number",
        {"mask": "right", "keep": 1},
        _key("mask", "one of a list", "the side from which characters are hidden", "right", SIDES),
        _key("keep", "whole number", "this many characters are never hidden one by one", "0"),
        _key("char", "text", "the sign for a hidden character", "*"),
    ),
    _kind(
        "dates",
        "Longer and longer periods",
        f"{TIMES} text",
        {"dates": ["month", "quarter", "year", "decade"]},
        _key("dates", "list of day, week, month, quarter, year, decade, century", "the period of each level"),
        _key("format", "text", "how dates are written in a text, such as %d.%m.%Y"),
        _key("newest", "whole number", "years of two digits are of the hundred years up to this one", "2068"),
    ),
    _kind(
        "tree",
        "A tree of your own, or one from a file",
        "text number boolean",
        {"tree": {"Europe": ["France", "Spain"], "Asia": ["Japan"]}},
        _key("tree", "tables or the name of a file", "groups of groups, with lists of values at the bottom"),
    ),
    _kind(
        "classification",
        "A published classification",
        "text number",
        {"classification": "countries"},
        _key("classification", "one of a list", "what the codes or names of the column are", None, CLASSIFICATIONS),
        _key("others", "text", "a label for all values that it does not know, such as other"),
    ),
    _kind(
        "postcodes",
        "Postcodes by the areas of their country",
        "text number",
        {"postcodes": "DE"},
        _key("postcodes", "one of a list", "the country whose postcodes they are", None, POSTCODES),
    ),
    _kind(
        "ordered",
        "Neighbours in an order",
        "text number date",
        {"ordered": ["low", "middle", "high"], "levels": [2]},
        _key("ordered", "list of values, or true", "the values in their order; true takes the column's own"),
        _key("levels", "list", "how many neighbours form a group at each level, or named groups"),
    ),
    _kind(
        "top_coded",
        "All large numbers as one group",
        "number",
        {"top_coded": ["90"]},
        _key("top_coded", "numbers", "from here on numbers become one group, one bound per level"),
    ),
    _kind(
        "bottom_coded",
        "All small numbers as one group",
        "number",
        {"bottom_coded": ["18"]},
        _key("bottom_coded", "numbers", "below this numbers become one group, one bound per level"),
    ),
    _kind(
        "frequent",
        "Rare values as one group",
        "text number boolean",
        {"frequent": ["0.01", "0.05"]},
        _key("frequent", "numbers", "values rarer than this become one group: a number of rows, or a share below 1"),
    ),
    _kind(
        "quantiles",
        "Ranges with about as many rows each",
        f"number {TIMES}",
        {"quantiles": [8, 4, 2]},
        _key(
            "quantiles", "whole numbers", "how many ranges each level has, such as 8, 4, 2: each divides the one before"
        ),
    ),
    _kind(
        "items",
        "Lists of items, such as E11|I10",
        "text",
        {"items": "|"},
        _key("items", "text", "the sign that stands between items; a tree of the items is said in the plan's file"),
    ),
    _kind("flat", "All or nothing", "number text date boolean", "flat"),
)
"""How the values of a column can become vaguer."""

_SEARCHES = (
    ("levels-and-cells", "Levels and cells", "One level per column, and * in single cells; close to the best."),
    ("optimal", "The best version", "One level per column and no stars in single cells; proven to be the best."),
    ("cheapest-first", "More detail", "Each group at levels of its own; nothing is proven."),
    ("mondrian", "Cut numbers in halves", "Each group its own ranges; good for many numbers."),
    ("top-down", "From vague to exact", "Becomes more exact while the promise holds."),
    ("datafly", "Quick", "Raises the column with most values first; fast, not the best."),
    ("incognito", "All minimal choices", "Finds all that cannot be made finer."),
    ("samarati", "The lowest choices", "Finds those with the fewest steps up."),
)
SEARCHES: Sequence[Plain] = [{"name": name, "title": title, "words": words} for name, title, words in _SEARCHES]
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
