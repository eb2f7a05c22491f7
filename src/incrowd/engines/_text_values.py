"""What the distinct texts of a column mean: Arrow says so where it is certain, and all other texts are read one by one.

A text means a number or a moment only if the way back gives the text again (``incrowd.core`` has the rules). Where
there are many texts, a test of the whole column at once can often tell that every one of them would survive. It never
tells that one would not: then the texts are asked one by one, as if there were no such test.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.core import Domain, Kind
from incrowd.engines._arrow import nulls_in, objects_of, of_numbers, of_texts, to_numpy
from incrowd.engines._frame import Column

_MANY = 200
"""From so many texts on it pays to test them together."""
_WHOLE = r"-?(?:0|[1-9][0-9]*)"
_DECIMAL = rf"^{_WHOLE}(?:\.(?:0|[0-9]*[1-9]))?\z"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.(?:[0-9]{3}|[0-9]{6}))?)?)?\z"
_MINUS_ZERO = of_texts(["-0"])[0]  # for a text of Python Arrow would import pandas
_FIRST_DAY = np.datetime64("0001-01-01")

Found = tuple[Kind, Any]
"""A kind, and the values of all texts."""


def column_of(name: str, texts: pa.Array, counts: Any, numbers: Any = None) -> Column:
    """Find out what the texts of a column mean, of which those that occur count."""
    missing = nulls_in(texts)
    nulls = int(counts[missing].sum())
    there = counts > 0
    there[missing] = False
    if not there.all():
        places = np.flatnonzero(there)
        texts, counts = texts.take(of_numbers(places)), counts[places]
        numbers = None if numbers is None else numbers[places]
    many = len(texts) >= _MANY
    found: Found | None = ("number", numbers) if many and numbers is not None else _certain(texts) if many else None
    if found is None:
        return _one_by_one(name, texts, counts, nulls)
    kind, values = found
    if not _ascend(values):
        order = np.argsort(values, kind="stable")
        texts, values, counts = texts.take(of_numbers(order)), values[order], counts[order]
        if not _ascend(values):  # two texts of one value
            return _one_by_one(name, texts, counts, nulls)
    domain = Domain.build(name, kind, values, counts, nulls)
    spelling = objects_of(texts) if values.dtype.kind in "fM" else None  # as a domain of texts that are read one by one
    return Column(replace(domain, spelling=spelling), texts)


def _one_by_one(name: str, texts: pa.Array, counts: Any, nulls: int) -> Column:
    order = pc.array_sort_indices(texts)  # by code point, as bytes are: it is faster here than by comparing objects
    texts, counts = texts.take(order), counts[to_numpy(order)]
    domain = Domain.of_texts(name, texts.to_pylist(), counts, nulls)
    return Column(domain, texts if domain.kind == "text" else of_texts(domain.texts[: len(domain.values)].tolist()))


def _certain(texts: pa.Array) -> Found | None:
    """Read all texts at once; ``None`` if it is not certain that each would survive."""
    for read in (_integers, _decimals, _days, _moments, _fixed):
        try:
            found = None if read(texts[:1]) is None else read(texts)  # the first tells most: Arrow fails slowly
        except pa.ArrowInvalid:  # some are nothing of the kind
            continue
        if found is not None:
            return found
    return None


def _integers(texts: pa.Array) -> Found | None:
    numbers = texts.cast(pa.int64())
    return ("number", to_numpy(numbers)) if numbers.cast(texts.type).equals(texts) else None


def _decimals(texts: pa.Array) -> Found | None:
    """Read numbers without an exponent, of so few digits that a float has them all, or that a float is written as."""
    if not _all_match(texts, _DECIMAL) or pc.any(pc.equal(texts, _MINUS_ZERO)).as_py():
        return None
    numbers = texts.cast(pa.float64())
    long = of_numbers(np.flatnonzero(to_numpy(pc.binary_length(texts)) > sys.float_info.dig))
    if len(long) and not numbers.take(long).cast(texts.type).equals(texts.take(long)):
        return None
    return "number", to_numpy(numbers)


def _fixed(texts: pa.Array) -> Found | None:
    """Read numbers that all have equally many decimals, and so few digits that they are written as they were."""
    decimals = len(texts[0].as_py().rpartition(".")[2])
    few = pc.max(pc.binary_length(texts)).as_py() <= sys.float_info.dig + 1  # the point is no digit
    if not decimals or not few or not _all_match(texts, rf"^{_WHOLE}\.[0-9]{{{decimals}}}\z"):
        return None
    return "number", to_numpy(texts.cast(pa.float64()))


def _days(texts: pa.Array) -> Found | None:
    days = texts.cast(pa.date32())
    values = to_numpy(days.view(pa.int32())).astype("datetime64[D]")
    return ("date", values) if days.cast(texts.type).equals(texts) and values.min() >= _FIRST_DAY else None


def _moments(texts: pa.Array) -> Found | None:
    if not _all_match(texts, _MOMENT):
        return None
    values = to_numpy(texts.cast(pa.timestamp("us")).view(pa.int64())).astype("datetime64[us]")
    return ("datetime", values) if values.min() >= _FIRST_DAY else None


def _all_match(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _ascend(values: Any) -> bool:
    return bool((values[1:] > values[:-1]).all())
