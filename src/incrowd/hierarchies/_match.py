"""Find the values of a domain in a list of names, by the text that is published for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Kind, UncoveredValuesError, canonical_text

Ints = npt.NDArray[np.int64]


def match(domain: Domain, positions: Mapping[str, int], *, what: str) -> Ints:
    """Give for every value (without null) the position of its text; refuse a domain that has others.

    A number or a date is found however it is written: ``39.0`` and ``39`` are one, in a file and in a list of names.
    """
    found = _positions(domain, positions)
    if (found < 0).any():
        raise uncovered(domain, found < 0, f"are not covered by {what}")
    return found


def places_in(texts: Sequence[str], domain: Domain) -> Ints:
    """Give for every code of a column the place of its value in a list, as categories find it; -1 where it is none.

    Parameters
    ----------
    texts
        Values as texts, all different. The empty text stands for a missing value too.
    domain
        The column's values.
    """
    positions = {text: place for place, text in enumerate(texts)}
    found = _positions(domain, positions)
    return np.append(found, positions.get("", -1)) if domain.has_null else found


def uncovered(domain: Domain, missing: npt.NDArray[np.bool_], why: str, first: str = "") -> UncoveredValuesError:
    """Say how many values are not covered; the values themselves travel as data, never in the message."""
    count = int(missing.sum())
    values = domain.texts[: len(missing)][missing]
    msg = f"Column {domain.column!r} has {count:,} of {len(domain.values):,} values that {why}."
    hint = f"{first}the error carries them in .values; the command line prints them with --show-values."
    return UncoveredValuesError(msg, column=domain.column, values=values, hint=hint)


def text_of(value: Any) -> str | None:
    """Write a value as a table's text; nothing for what cannot be a value."""
    if isinstance(value, str):
        return value
    try:
        domain = Domain.of("", [value.item() if isinstance(value, np.generic) else value])
    except (ValueError, TypeError):
        return None
    return None if domain.has_null else str(domain.texts[0])


def _by_value(positions: Mapping[str, int], kind: Kind) -> dict[str, int]:
    """Give the positions of names that are values, by the text of the value; of two names for one value none."""
    known: dict[str, set[int]] = {}
    for name, place in positions.items():
        text = canonical_text(kind, name)
        if text is not None:
            known.setdefault(text, set()).add(place)
    return {text: places.pop() for text, places in known.items() if len(places) == 1}


def _positions(domain: Domain, positions: Mapping[str, int]) -> Ints:
    found = _find(domain.texts[: len(domain.values)].tolist(), positions)
    if (found < 0).any() and domain.kind != "text":
        texts = replace(domain, spelling=None).texts[: len(domain.values)].tolist()
        found = np.where(found < 0, _find(texts, _by_value(positions, domain.kind)), found)
    return found


def _find(texts: list[str], positions: Mapping[str, int]) -> Ints:
    return np.fromiter((positions.get(text, -1) for text in texts), dtype=np.int64, count=len(texts))
