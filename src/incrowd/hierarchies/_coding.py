"""``top_coded``, ``bottom_coded``, ``frequent``: the few at the end of a scale, or rare values, become one group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder, ParameterError, Step
from incrowd.hierarchies._numbers import Number, decimal_text, read_count, read_number, require_numbers


def ladder_of_groups(domain: Domain, levels: Iterable[tuple[npt.NDArray[np.bool_], str]]) -> Ladder:
    """Climb by one level for every group: which values without null are in it, and its label; then to the top."""
    texts = domain.texts[: len(domain.values)].tolist()
    own = np.arange(len(texts))
    steps = [Step(np.where(inside, len(texts), own), [*texts, label]) for inside, label in levels]
    return Ladder.climb(domain, [*steps, Step.top(domain)])


@dataclass(frozen=True, slots=True, repr=False)
class Coded:
    """One end of a scale becomes one group. Built by ``top_coded`` and ``bottom_coded``."""

    end: Literal["top", "bottom"]
    bounds: tuple[Fraction, ...]

    def bind(self, domain: Domain) -> Ladder:
        line = require_numbers(domain, f"{self.end} codes")
        if self.end == "bottom":
            return ladder_of_groups(domain, [(line.below(bound), f"<{decimal_text(bound)}") for bound in self.bounds])
        return ladder_of_groups(domain, [(~line.below(bound), f">={decimal_text(bound)}") for bound in self.bounds])

    def __repr__(self) -> str:
        return f"{self.end}_coded({', '.join(map(decimal_text, self.bounds))})"


def top_coded(*bounds: Number) -> Coded:
    """Let a number and all above it become one group, ``>=90``. Smaller numbers stay as they are.

    Parameters
    ----------
    bounds
        Where the group begins, one level per bound; each lower than the one before, so that the group widens.

    Notes
    -----
    The HIPAA Safe Harbor rule asks for one category "90 or older" for ages. It protects the few at the end of the
    scale; everybody below keeps their exact number until the top level ``*``.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.top_coded(90)
    top_coded(90)
    """
    return Coded("top", _widening_bounds(bounds, "fall", -1))


def bottom_coded(*bounds: Number) -> Coded:
    """Let all numbers below a bound become one group, ``<18``. The others stay as they are.

    Parameters
    ----------
    bounds
        Where the group ends (the bound itself is outside), one level per bound; each higher than the one before.

    Notes
    -----
    It protects the few at the end of the scale; everybody above keeps their exact number until the top level ``*``.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.bottom_coded(18, 21)
    bottom_coded(18, 21)
    """
    return Coded("bottom", _widening_bounds(bounds, "rise", 1))


def _widening_bounds(bounds: tuple[Number, ...], direction: str, sign: int) -> tuple[Fraction, ...]:
    if not bounds:
        msg = "At least one bound is needed, got none."
        raise ParameterError(msg, hint="for example 90.")
    numbers = tuple(read_number("bound", bound) for bound in bounds)
    if list(numbers) != sorted(set(numbers), key=lambda number: sign * number):
        msg = f"bounds must {direction} from level to level, got {', '.join(map(decimal_text, numbers))}."
        raise ParameterError(msg, hint="each level must hold the group of the level before.")
    return numbers


@dataclass(frozen=True, slots=True, repr=False)
class Frequent:
    """Rare values become one group. Built by ``frequent``."""

    at_least: tuple[int, ...] | tuple[Fraction, ...]

    def bind(self, domain: Domain) -> Ladder:
        counts = domain.counts[: len(domain.values)]
        limits = [(limit, _smallest_count(limit, int(counts.sum()))) for limit in self.at_least]
        return ladder_of_groups(
            domain, [(counts < least, f"rare (<{_threshold_text(limit)})") for limit, least in limits]
        )

    def __repr__(self) -> str:
        return f"frequent({', '.join(decimal_text(Fraction(threshold)) for threshold in self.at_least)})"


def frequent(*at_least: Number) -> Frequent:
    """Group the values that occur too rarely: ``rare (<10)``. Frequent values stay as they are.

    Parameters
    ----------
    at_least
        How often a value must occur to stay, one level each, growing. Whole numbers from 2 on are rows; numbers
        between 0 and 1 are shares of the rows that have a value.

    Notes
    -----
    The groups come from the data: another table with the same column gets other groups, and a value that moves
    across a threshold says how its frequency changed. Missing values are not counted and stay apart.
    One rare value among frequent ones is a group of its own, so this alone hides nobody.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.frequent(0.01, 0.05)
    frequent(0.01, 0.05)
    """
    numbers = [read_number("at_least", threshold) for threshold in at_least]
    shares = all(0 < number < 1 for number in numbers)
    if not numbers or numbers != sorted(set(numbers)) or not (shares or min(numbers) >= 1):
        got = ", ".join(map(decimal_text, numbers)) or "none"
        msg = f"at_least must be growing numbers of rows, or growing shares between 0 and 1, got {got}."
        raise ParameterError(msg, hint="for example 10, 50 (rows) or 0.01, 0.05 (shares).")
    if shares:
        return Frequent(tuple(numbers))
    return Frequent(tuple(read_count("at_least", threshold, at_least=2) for threshold in at_least))


def _threshold_text(threshold: int | Fraction) -> str:
    return f"{decimal_text(threshold * 100)}%" if isinstance(threshold, Fraction) else str(threshold)


def _smallest_count(threshold: int | Fraction, rows: int) -> int:
    """Give the smallest number of rows with which a value is not rare, exactly."""
    return threshold if isinstance(threshold, int) else -(-threshold * rows // 1)


def frequent_for(domain: Domain, *shares: Number) -> Frequent | None:
    """Give those thresholds that change something and do not make everybody rare; nothing if none does."""
    counts = domain.counts[: len(domain.values)]
    rows, before, kept = int(counts.sum()), 1, list[Number]()
    for share in shares:
        rare = int((counts < _smallest_count(read_number("at_least", share), rows)).sum())
        if before < rare < len(counts):
            kept.append(share)
            before = rare
    return frequent(*kept) if kept else None
