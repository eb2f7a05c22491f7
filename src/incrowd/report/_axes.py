"""``Axis``: where values stand along one side of a chart (numbers, powers, days, names), and which are named there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

TICKS = 5
"""About so many places of an axis are named."""
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Axis:
    """A side of a chart: ``at`` says where a value stands, from 0 where it begins to 1 where it ends.

    ``ticks`` are places with what is written there. Of an axis of names, ``step`` is how long one is.
    """

    title: str
    at: Callable[[Any], float]
    ticks: Sequence[tuple[float, str]] = ()
    step: float = 0.0


def number_axis(
    values: Iterable[float], title: str = "", *, zero: bool = False, share: bool = False, whole: bool = False
) -> Axis:
    """Give an axis of numbers that begins and ends at a round one; of shares as percents, or of whole numbers only."""
    low, high = _ends_of(values, zero=zero)
    if not math.isfinite(high - low):  # numbers so far apart that nothing between them can be named
        return Axis(title, lambda value: (value / 2 - low / 2) / (high / 2 - low / 2))
    step = _round_step((high - low) / TICKS, least=1 if whole else 0)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    low, high = first * step, max(last, first + 1) * step
    places = [number * step for number in range(first, max(last, first + 1) + 1)]
    return Axis(
        title,
        lambda value: (value - low) / (high - low),
        [((place - low) / (high - low), _number_text(place, step, share=share)) for place in places],
    )


def plain_axis(values: Iterable[float], *, downwards: bool = False) -> Axis:
    """Give an axis that is not drawn, from the least number to the greatest, or down from it."""
    low, high = _ends_of(values, zero=False)
    return Axis("", lambda value: (high - value if downwards else value - low) / (high - low))


def power_axis(values: Iterable[float], title: str = "") -> Axis:
    """Give an axis on which a multiple is always as long; it has 1, 2 and 5, or only powers of ten."""
    low, high = _ends_of([math.log10(value) for value in values if value > 0], zero=False)
    digits = (1, 2, 5) if high - low < TICKS / 2 else (1,)
    found = [digit * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for digit in digits]
    places = [(place, (math.log10(place) - low) / (high - low)) for place in found]
    return Axis(
        title,
        lambda value: (math.log10(value) - low) / (high - low),
        [(at, _number_text(place, place)) for place, at in places if -1e-9 <= at <= 1 + 1e-9],
    )


DAY = 86_400_000
UNITS = [("Y", 365.25 * DAY * many, many) for many in (1000, 500, 200, 100, 50, 20, 10, 5, 2, 1)]
UNITS += [("M", 30.4 * DAY * many, many) for many in (6, 3, 1)]
UNITS += [(unit, length * many, many) for unit, length in (("D", DAY), ("h", DAY / 24)) for many in (10, 5, 2, 1)]
"""Steps between named moments: their unit, how long they are in milliseconds, and how many units they have."""


def day_axis(moments: Iterable[float], title: str = "") -> Axis:
    """Give an axis of moments, as milliseconds since 1970; those at the beginning of a year, month, ... are named."""
    low, high = _ends_of(moments, zero=False)
    unit, _, many = next((one for one in reversed(UNITS) if (high - low) / one[1] <= TICKS + 1), UNITS[0])
    first, last = (np.datetime64(int(end), "ms").astype(f"M8[{unit}]").astype(int) for end in (low, high))
    shift = 1970 if unit == "Y" else 0  # so that 2000 is named, and not 1990 and 2010
    begin = -(-(int(first) + shift) // many) * many - shift
    found = np.arange(begin, int(last) + 1, many).astype(f"M8[{unit}]")
    places = [((float(one.astype("M8[ms]").astype(np.int64)) - low) / (high - low), str(one)) for one in found]
    return Axis(title, lambda value: (value - low) / (high - low), [one for one in places if 0 <= one[0] <= 1])


def name_axis(names: Sequence[str], title: str = "", *, downwards: bool = False) -> Axis:
    """Give an axis of names, each in the middle of its part; downwards where the first stands at the top."""
    step = 1 / max(len(names), 1)
    middles = {
        name: 1 - (place + 0.5) * step if downwards else (place + 0.5) * step for place, name in enumerate(names)
    }
    return Axis(title, middles.__getitem__, [(at, name) for name, at in middles.items()], step)


def _ends_of(values: Iterable[float], *, zero: bool) -> tuple[float, float]:
    """Give the least and the greatest number, never the same one."""
    known = [float(value) for value in values if math.isfinite(value)] + [0.0] * zero
    low, high = min(known, default=0.0), max(known, default=1.0)
    if low < high:
        return low, high
    return (low, low + 1) if zero or abs(low) < 1 else (low - abs(low) / 2, low + abs(low) / 2)


def _round_step(length: float, least: float = 0) -> float:
    """Give the next length that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(length, least, 1e-300)))
    return max(least, next(times * power for times in (1, 2, 5, 10) if times * power >= length * (1 - 1e-9)))


def _number_text(value: float, step: float, *, share: bool = False) -> str:
    """Write a number with as many decimals as its axis needs."""
    value, step = (100 * value, 100 * step) if share else (value, step)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    plain = f"{value:.3g}" if abs(value) >= 1e9 or decimals > 6 else f"{value:,.{decimals}f}"
    return plain.replace("-", MINUS) + "%" * share
