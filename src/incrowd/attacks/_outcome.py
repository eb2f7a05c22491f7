"""What one attack does to every class, before it is told to anybody."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.models import Measured

Bools = npt.NDArray[np.bool_]
Unit = Literal["chance", "gain", "change", "width"]
"""What is measured on a class: how likely the best guess is right, by how much a value became likelier, how far the
distribution moved, or how wide the range of the values is."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one attack does to every class.

    Attributes
    ----------
    name
        The attack.
    column
        The sensitive column that it is about, if it is about one.
    knows
        The background knowledge, in one sentence.
    means
        What it means to be exposed, in a few words.
    measured, unit
        What was measured on every class; a narrow width is the worst one, of the others the largest.
    exposed
        Which classes are exposed.
    right
        About how many of the targets the intruder is right, on average where he guesses.
    targets
        How many people are attacked; somebody in several classes counts in each.
    baseline
        The share of the targets about whom he would be right without the release.
    among
        Which cells are targets; all of them by default.
    notes
        What a careful reader should know. Names and numbers only.
    """

    name: str
    column: str | None
    knows: str
    means: str
    measured: Measured = field(repr=False)
    exposed: Bools = field(repr=False)
    right: Fraction
    targets: int
    baseline: Fraction
    unit: Unit = "chance"
    among: Bools | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
