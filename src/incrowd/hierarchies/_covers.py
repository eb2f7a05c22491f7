"""What a label covers (spec S-COVER): linking joins by it, never by equality of texts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, Ladder, ParameterError
from incrowd.hierarchies._labels import EVERYTHING, Between, Masked, Moments, Period, Reading, read_label
from incrowd.hierarchies._numbers import numbers_of
from incrowd.hierarchies._periods import moments_of, number_of_period

Bools = npt.NDArray[np.bool_]


def covered(label: str | None, domain: Domain, ladder: Ladder | None = None) -> Bools:
    """Say which values of a column a published label can stand for.

    Parameters
    ----------
    label
        A published text: ``*``, a value, a label of the ladder, a mask of the same length (``476**``), a bound
        (``<18``, ``>=90``), a range (``20-29``, ``20..29``, ``[20-29]``, ``[20, 30)``) or a period
        (``2024-Q1``, ``2020s``). The empty text is read as ``*``; ``None`` is a missing value that was published.
    domain
        The column's values.
    ladder
        The hierarchy that the label comes from, if it is known. Where it has the label, it decides alone.

    Returns
    -------
    One boolean per code of the domain, null last. ``*`` covers null too, and ``None`` covers nothing else; no other
    label covers null unless the ladder says so.

    Notes
    -----
    A label that follows no pattern covers only itself; ``kind_of_label`` tells. Text counts as a number or a moment
    where it reads as one, so a label such as ``10-19`` covers both the number 12 and the text ``12``.
    """
    if label is None:
        return np.arange(len(domain)) >= len(domain.values)
    known = None if ladder is None or label == TOP else _in_ladder(label, domain, ladder)
    if known is not None:
        return known
    if label in EVERYTHING:
        return np.ones(len(domain), dtype=bool)
    result = np.asarray(domain.texts == label, dtype=bool)
    reading = read_label(label)
    if reading is not None:
        result[: len(domain.values)] |= _read_as(reading, domain)
    return result


def covers(label: str | None, text: str | None) -> bool:
    """Say whether a published label can stand for a value, given as text; ``None`` is a missing value.

    Examples
    --------
    >>> from incrowd.hierarchies import covers
    >>> covers("[20, 25)", "24"), covers("[20, 25)", "25"), covers("476**", "47605"), covers("*", None)
    (True, False, True, True)
    """
    return bool(covered(label, Domain.of("", [text]))[0])


def _in_ladder(label: str, domain: Domain, ladder: Ladder) -> Bools | None:
    if len(ladder.groups[0]) != len(domain):
        msg = f"The ladder is of {len(ladder.groups[0])} values and the domain of {len(domain)}."
        raise ParameterError(msg, hint="give the ladder that was bound to this domain.")
    for group, labels in zip(ladder.groups, ladder.labels, strict=True):
        number = np.flatnonzero(labels == label)
        if len(number):
            return np.asarray(group == number[0], dtype=bool)
    return None


def _read_as(reading: Reading, domain: Domain) -> Bools:
    if isinstance(reading, Masked):
        texts = domain.texts[: len(domain.values)]
        return np.array([reading.pattern.fullmatch(text) is not None for text in texts], dtype=bool)
    if isinstance(reading, Between):
        return _between(reading, domain)
    found = moments_of(domain)
    if found is None:
        return np.zeros(len(domain.values), dtype=bool)
    moments, readable = found
    return readable & _during(reading, moments)


def _between(reading: Between, domain: Domain) -> Bools:
    found = numbers_of(domain)
    if found is None:
        return np.zeros(len(domain.values), dtype=bool)
    line, result = found
    if reading.low is not None:
        result = result & ~(line.below(reading.low) if reading.holds_low else line.up_to(reading.low))
    if reading.high is not None:
        result = result & (line.up_to(reading.high) if reading.holds_high else line.below(reading.high))
    return result


def _during(reading: Period | Moments, moments: npt.NDArray[np.datetime64]) -> Bools:
    if isinstance(reading, Period):
        return np.asarray(number_of_period(moments, reading.unit) == reading.number, dtype=bool)
    return np.asarray((moments >= reading.first) & (moments <= reading.last), dtype=bool)
