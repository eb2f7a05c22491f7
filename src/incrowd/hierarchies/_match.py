"""Find the values of a domain in a list of names, by the text that is published for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, UncoveredValuesError

Ints = npt.NDArray[np.int64]


def match(domain: Domain, positions: Mapping[str, int], *, what: str) -> Ints:
    """Give for every value (without null) the position of its text; refuse a domain that has others.

    A file that writes ``39.0`` still finds the name ``39``: both are how the number may be written.
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


def uncovered(domain: Domain, missing: npt.NDArray[np.bool_], why: str) -> UncoveredValuesError:
    """Say how many values are not covered; the values themselves travel as data, never in the message."""
    count = int(missing.sum())
    values = domain.texts[: len(missing)][missing]
    msg = f"Column {domain.column!r} has {count:,} of {len(domain.values):,} values that {why}."
    hint = "the error carries them in .values; the command line prints them with --show-values."
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


def _plainest(domain: Domain) -> list[str]:
    """Write the values without what a text file or a float adds to them: ``39`` for ``39.0``."""
    texts = replace(domain, spelling=None).texts[: len(domain.values)].tolist()
    return [text.removesuffix(".0") for text in texts] if domain.kind == "number" else texts


def _positions(domain: Domain, positions: Mapping[str, int]) -> Ints:
    found = _find(domain.texts[: len(domain.values)].tolist(), positions)
    if (found < 0).any() and domain.kind != "text":
        found = np.where(found < 0, _find(_plainest(domain), positions), found)
    return found


def _find(texts: list[str], positions: Mapping[str, int]) -> Ints:
    return np.fromiter((positions.get(text, -1) for text in texts), dtype=np.int64, count=len(texts))
