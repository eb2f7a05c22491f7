"""beta-likeness and delta-disclosure: how much more frequent a value may be in a class than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Histogram
from incrowd.models._distances import Counts, distributions_for
from incrowd.models._form import OF, Form, Key, bracket
from incrowd.models._judge import Judge, Measured, Ratios, Requirement, Roots
from incrowd.models._model import ColumnModel, Of, read_of
from incrowd.models._thresholds import Number, number_text, threshold

_FLOAT = 1e-12
"""Two gains this near (relatively) are compared as fractions."""


class _GainJudge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        both = distributions_for(self, classes)
        counts, reference = both.histogram.counts, both.reference[both.histogram.values[0]]
        most = _largest_gains(counts, reference, both.histogram)
        have, expected, sizes = both.wide(counts[most], reference[most], both.sizes)
        whole = expected * sizes
        return (Ratios(np.maximum(have * both.total - whole, 0), whole),)


class _EnhancedJudge(_GainJudge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        both = distributions_for(self, classes)
        q = both.reference[both.histogram.values[0]] / both.total
        gain = np.maximum(both.histogram.counts / both.sizes[both.histogram.classes] / q - 1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.where(gain == 0, 0.0, gain / -np.log(q))
        most = np.maximum.reduceat(part, both.histogram.starts[:-1]) if len(part) else part
        return *super().measure(classes), Roots(most)


class _RatioJudge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        both = distributions_for(self, classes)
        q = both.reference[both.histogram.values[0]] / both.total
        change = np.abs(np.log(both.histogram.counts / both.sizes[both.histogram.classes] / q))
        most = np.maximum.reduceat(change, both.histogram.starts[:-1]) if len(change) else change
        lacking = np.count_nonzero(both.reference) - np.diff(both.histogram.starts)
        return Ratios.integers(lacking), Roots(most)


def _largest_gains(counts: Counts, reference: Counts, histogram: Histogram) -> npt.NDArray[np.intp]:
    """Find in every class the entry whose count is the largest part of its reference; floats only narrow it down."""
    if not len(counts):
        return np.zeros(0, dtype=np.intp)
    shares, owner, starts = counts / reference, histogram.classes, histogram.starts[:-1]
    near = np.flatnonzero(shares >= (np.maximum.reduceat(shares, starts) * (1 - _FLOAT))[owner])
    if len(near) == len(starts):
        return near
    common = np.gcd(counts[near], reference[near])
    tops, bottoms, home = counts[near] // common, reference[near] // common, owner[near]
    begins = np.searchsorted(home, np.arange(len(starts) + 1))
    first = begins[:-1]
    differs = (tops != tops[first][home]) | (bottoms != bottoms[first][home])
    most = near[first]
    for place in np.unique(home[differs]).tolist():
        entries = near[begins[place] : begins[place + 1]].tolist()
        most[place] = max(entries, key=lambda entry: Fraction(int(counts[entry]), int(reference[entry])))
    return most


@dataclass(frozen=True)
class BetaLikeness(ColumnModel):
    """No value is more frequent in a class than in the whole table by more than ``beta`` times.

    Parameters
    ----------
    beta
        The largest relative gain (p - q) / q; above 0.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    enhanced
        Bound the gain of frequent values also by -ln q, so that a value that half the table has cannot fill a class.

    Notes
    -----
    Protects rare values by what they gain, where t-closeness adds all values up. Losing a value entirely is no gain
    and is not bounded.

    References
    ----------
    J. Cao, P. Karras. *Publishing microdata with a robust privacy guarantee.* PVLDB 5(11), 2012.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.BetaLikeness(2, enhanced=True))
    'enhanced-beta<=2'
    """

    beta: Number
    of: Of = None
    enhanced: bool = False

    upward_closed = False
    union_closed = True
    refers = True
    means = "No value is much more likely in a group than in the whole table."
    limit = "Does not limit learning that a value is absent from a group."
    forms = (
        Form("beta", "<=", "beta<=1[disease]", lambda clause: BetaLikeness(clause.number, clause.of), rank=60).offer(
            "No value much likelier than before (beta-likeness)",
            "beta<=1[COLUMN]",
            "A value that becomes much likelier by knowing the group.",
            "Learning that a value does not occur in a group.",
            Key("beta", "number", "how many times likelier, less one", "1"),
            OF,
        ),
        Form(
            "enhanced-beta",
            "<=",
            "enhanced-beta<=1[disease]",
            lambda clause: BetaLikeness(clause.number, clause.of, enhanced=True),
            rank=61,
        ),
    )

    def __post_init__(self) -> None:
        self._normalize(beta=threshold(self.beta, name="beta", open_low=True), of=read_of(self.of))

    @property
    def judge(self) -> type[Judge]:
        return _EnhancedJudge if self.enhanced else _GainJudge

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        gain = Requirement("beta", "<=", Fraction(self.beta))
        return (gain, Requirement("gain over -ln q", "<=", Fraction(1))) if self.enhanced else (gain,)

    @property
    def certificate_form(self) -> dict[str, Any]:
        return {"kind": "enhanced-beta" if self.enhanced else "beta"}

    def __str__(self) -> str:
        return f"{'enhanced-' if self.enhanced else ''}beta<={number_text(self.beta)}{bracket(self.of)}"


@dataclass(frozen=True)
class DeltaDisclosure(ColumnModel):
    """Every value is about as frequent in each class as in the whole table, on a logarithmic scale.

    Parameters
    ----------
    delta
        The bound below which the absolute value of ln(p / q) must stay; above 0.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.

    Notes
    -----
    Bounds gains and losses alike. A class that lacks a value of the table fails, whatever ``delta`` is: for a column of
    many values this promise asks for very large classes.

    References
    ----------
    J. Brickell, V. Shmatikov. *The cost of privacy.* KDD 2008.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.DeltaDisclosure(1.5, of="disease"))
    'delta<1.5[disease]'
    """

    delta: Number
    of: Of = None

    upward_closed = False
    union_closed = True
    refers = True
    judge = _RatioJudge
    means = "No value is much more or much less likely in a group than in the whole table."
    limit = "Where the whole table is lopsided, groups may be too."
    forms = (
        Form("delta", "<", "delta<2[disease]", lambda clause: DeltaDisclosure(clause.number, clause.of), rank=62).offer(
            "No value much likelier or unlikelier (delta-disclosure)",
            "delta<1[COLUMN]",
            "A value that becomes much likelier or much unlikelier by knowing the group.",
            "What the whole table tells, where it is lopsided itself.",
            Key("delta", "number", "the largest change, as a logarithm", "1"),
            OF,
        ),
    )

    def __post_init__(self) -> None:
        self._normalize(delta=threshold(self.delta, name="delta", open_low=True), of=read_of(self.of))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return Requirement("lacking", "<=", Fraction(0)), Requirement("delta", "<", Fraction(self.delta))

    @property
    def certificate_form(self) -> dict[str, Any]:
        return {"kind": "delta"}

    def __str__(self) -> str:
        return f"delta<{number_text(self.delta)}{bracket(self.of)}"
