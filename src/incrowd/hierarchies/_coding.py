"""Top and bottom coding: the few at the end of a scale become one group, everybody else stays as they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder, ParameterError, Step
from incrowd.hierarchies._numbers import Number, plain, read_count, read_number, require_numbers

# Some values become one group, all others stay as they are.


def lump(domain: Domain, levels: Iterable[tuple[npt.NDArray[np.bool_], str]]) -> Ladder:
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
        """Fit the bounds to the numbers of one column."""
        line = require_numbers(domain, f"{self.end} codes")
        if self.end == "bottom":
            return lump(domain, [(line.below(bound), f"<{plain(bound)}") for bound in self.bounds])
        return lump(domain, [(~line.below(bound), f">={plain(bound)}") for bound in self.bounds])

    def __repr__(self) -> str:
        return f"{self.end}_coded({', '.join(map(plain, self.bounds))})"


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
    numbers = _read(bounds)
    _require_widening(numbers, [-number for number in numbers], "fall")
    return Coded("top", numbers)


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
    numbers = _read(bounds)
    _require_widening(numbers, list(numbers), "rise")
    return Coded("bottom", numbers)


def _read(bounds: tuple[Number, ...]) -> tuple[Fraction, ...]:
    if not bounds:
        msg = "At least one bound is needed, got none."
        raise ParameterError(msg, hint="for example 90.")
    return tuple(read_number("bound", bound) for bound in bounds)


def _require_widening(bounds: tuple[Fraction, ...], widening: list[Fraction], direction: str) -> None:
    if widening != sorted(set(widening)):
        msg = f"bounds must {direction} from level to level, got {', '.join(map(plain, bounds))}."
        raise ParameterError(msg, hint="each level must hold the group of the level before.")


# Rare values of a nominal column become one group.


@dataclass(frozen=True, slots=True, repr=False)
class Frequent:
    """Rare values become one group. Built by ``frequent``."""

    at_least: tuple[int, ...] | tuple[Fraction, ...]

    def bind(self, domain: Domain) -> Ladder:
        """Fit the thresholds to the values of one column and how often each occurs."""
        counts = domain.counts[: len(domain.values)]
        rows = int(counts.sum())
        rare = [
            (counts < _smallest_count(threshold, rows), f"rare (<{_shown(threshold)})") for threshold in self.at_least
        ]
        return lump(domain, rare)

    def __repr__(self) -> str:
        return f"frequent({', '.join(plain(Fraction(threshold)) for threshold in self.at_least)})"


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
        got = ", ".join(map(plain, numbers)) or "none"
        msg = f"at_least must be growing numbers of rows, or growing shares between 0 and 1, got {got}."
        raise ParameterError(msg, hint="for example 10, 50 (rows) or 0.01, 0.05 (shares).")
    if shares:
        return Frequent(tuple(numbers))
    return Frequent(tuple(read_count("at_least", threshold, at_least=2) for threshold in at_least))


def _shown(threshold: int | Fraction) -> str:
    return f"{plain(threshold * 100)}%" if isinstance(threshold, Fraction) else str(threshold)


def _smallest_count(threshold: int | Fraction, rows: int) -> int:
    """Give the smallest number of rows with which a value is not rare, exactly."""
    return threshold if isinstance(threshold, int) else -(-threshold * rows // 1)


def frequent_for(domain: Domain, *shares: Number) -> Frequent | None:
    """Give those thresholds that change something and do not make everybody rare; nothing if none does."""
    counts = domain.counts[: len(domain.values)]
    rows, before, kept = int(counts.sum()), 1, []
    for share in shares:
        rare = int((counts < _smallest_count(read_number("at_least", share), rows)).sum())
        if before < rare < len(counts):
            kept.append(share)
            before = rare
    return frequent(*kept) if kept else None
