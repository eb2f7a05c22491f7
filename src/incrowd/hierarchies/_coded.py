"""Top and bottom coding: the few at the end of a scale become one group, everybody else stays as they are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from incrowd.core import Domain, Ladder, ParameterError
from incrowd.hierarchies._lump import lump
from incrowd.hierarchies._numbers import require_numbers
from incrowd.hierarchies._parameters import Number, plain, read_number


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
