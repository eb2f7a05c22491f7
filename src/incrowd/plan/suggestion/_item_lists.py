"""Columns of lists, such as all diagnoses of a person: which sign stands between items, and what becomes of these."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from incrowd.core import DataError, Domain, ItemSets, add_up
from incrowd.engines import Engine, open_table
from incrowd.hierarchies import Items, items
from incrowd.plan.suggestion._ladders import known_codes

SURE, DOUBTFUL = "|;", ",/+ "
"""Signs between items, and others that also stand in names and sentences: there items must be codes."""
LISTED, REPEATED = 0.1, 3
"""So large a share of the values has several items, and an item occurs so often on average, in a column of lists."""
LONGEST = 40
"""No item has more characters."""
_CODE = re.compile(r"[A-Za-z]{1,3}[0-9][0-9A-Za-z.]{0,9}")
LISTS = "lists of items, of which somebody may know some"
BY_TREE = 'items are published as they are or not at all: better is a tree, of = { tree = "FILE.csv" }'


SEPARATOR = "|"
"""What stands between the items of lists that are read as texts."""


def open_with_lists(table: Any, missing: Sequence[str], reading: Mapping[str, Any]) -> tuple[Engine, Mapping[str, str]]:
    """Open a table; its columns of lists are read as texts, where their items can be."""
    engine = open_table(table, missing_values=missing, **reading)
    lists = {name: SEPARATOR for name, kind in engine.columns().items() if kind is None}
    with suppress(DataError):
        return (open_table(table, missing_values=missing, **reading, lists=lists) if lists else engine), lists
    return engine, {}


def items_in(domain: Domain, about: str | None = None) -> Items | None:
    """Say how the values of a column are sets of items, if they are."""
    if domain.kind != "text":
        return None
    found = (_items_between(domain, separator, about) for separator in (*SURE, *DOUBTFUL))
    return next(filter(None, found), None)


def _items_between(domain: Domain, separator: str, about: str | None) -> Items | None:
    """Take values apart at a sign, and see whether items come of it that occur again and again."""
    texts = domain.texts[: len(domain.values)].tolist()
    if sum(separator in text for text in texts) < max(LISTED * len(texts), 2):
        return None
    sets = ItemSets.of(texts, separator)
    several = sets.sizes > 1
    pairs, counts = len(sets.items), domain.counts[: len(texts)]
    if not several.any() or several.mean() < LISTED or pairs < REPEATED * len(sets.names):
        return None
    if not all(len(name.strip("*")) > 0 and len(name) <= LONGEST for name in sets.names):
        return None
    if separator in DOUBTFUL and not all(map(_CODE.fullmatch, sets.names)):
        return None
    names = np.array(sets.names, dtype=object)
    single = Domain(domain.column, "text", names, add_up(sets.items, counts[sets.owner], len(names)))
    return items(known_codes(single, about), separator=separator)
