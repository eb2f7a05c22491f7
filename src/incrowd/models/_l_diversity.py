"""l-diversity, distinct, probabilistic, entropy and recursive: a class holds several sensitive values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from incrowd.core import Classes, Histogram, ParameterError
from incrowd.models._form import MISSING, OF, Form, Key
from incrowd.models._judge import TOLERANCE, Judge, Measured, Ratios, Requirement, Roots
from incrowd.models._model import DiversityModel, Model, Of, read_of
from incrowd.models._thresholds import Number, number_text, threshold, whole_number

Diversity = Literal["distinct", "probabilistic", "entropy"]


class DistinctJudge(Judge):
    """Counts the values of every class."""

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        return (Ratios.integers(np.diff(self.histogram(classes).starts)),)


class _ProbabilisticJudge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        histogram = self.histogram(classes)
        return (Ratios(self.counted_sizes(classes, histogram), np.maximum(histogram.largest(), 1)),)


class _EntropyJudge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        histogram = self.histogram(classes, distribution=True)
        terms = histogram.counts * np.log(histogram.counts)
        sums = np.bincount(histogram.classes, weights=terms, minlength=len(classes))
        sizes = histogram.sums()
        some = np.maximum(sizes, 1)
        values = np.where(sizes > 0, np.exp(np.log(some) - sums / some), 0.0)
        return (Roots(values, lambda index: _entropy_l(histogram, index)),)


class _RecursiveJudge(Judge):
    model: RecursiveDiversity

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        histogram = self.histogram(classes, distribution=True)
        order = np.lexsort((-histogram.counts, histogram.classes))
        rank = np.arange(len(order)) - histogram.starts[histogram.classes]
        late = rank >= self.model.l - 1
        counts = np.where(late, histogram.counts[order], 0)
        return Ratios.integers(np.diff(histogram.starts)), Ratios(histogram.largest(), histogram.sums(counts))


def _entropy_l(histogram: Histogram, index: int) -> float:
    """Give the effective number of values of one class, added up without rounding on the way."""
    counts = histogram.counts[histogram.starts[index] : histogram.starts[index + 1]].tolist()
    size = sum(counts)
    if not size:
        return 0.0
    return math.exp(math.log(size) - math.fsum(count * math.log(count) for count in counts) / size)


_JUDGES: dict[Diversity, type[Judge]] = {
    "distinct": DistinctJudge,
    "probabilistic": _ProbabilisticJudge,
    "entropy": _EntropyJudge,
}


@dataclass(frozen=True)
class LDiversity(DiversityModel):
    """Each class holds at least ``l`` different sensitive values, counted in one of three ways.

    Parameters
    ----------
    l
        How many; 1 or more. A whole number for ``"distinct"``, any number for the others.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    kind
        ``"distinct"`` counts the values. ``"probabilistic"``: no value has more than one in ``l`` of the class.
        ``"entropy"``: the class's entropy is at least that of ``l`` equally frequent values.
    joint
        Count the combinations of several columns instead of each column; only for ``"distinct"``.
    missing
        Whether a missing value counts as a value too. That nothing is known is no diversity, so it does not unless you
        ask for it, as where missing means "none".

    Notes
    -----
    Protects against a class that gives the value away. Distinct diversity does not bound how certain a guess is: a
    class of 99 times one value and once another is 2-diverse. Where people have several rows, everybody in a class may
    have one and the same value beside others: only a bound on its share (``AlphaAssociation``) rules that out.
    None of the three knows that two values can mean the same
    (``EnhancedPAlphaSensitive`` does), nor what is rare in the whole table (``TCloseness`` does). Only
    known values count, and shares are shares of the records whose value is known; a class without any fails.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam. *l-diversity.* ACM TKDD 1(1), 2007.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.LDiversity(2.5, of="disease", kind="entropy"))
    'entropy-l>=2.5[disease]'
    """

    l: Number  # noqa: E741 - what the literature calls it
    of: Of = None
    kind: Diversity = "distinct"
    joint: bool = False
    missing: bool = field(default=False, kw_only=True)

    union_closed = True
    limit = "Ignores that two values can mean the same, and what is rare in the whole table."
    forms = (
        Form(
            "l",
            ">=",
            "l>=3[disease]",
            lambda clause: LDiversity(clause.number, clause.of, joint=clause.joint, missing=clause.has_word),
            rank=20,
            words=(MISSING,),
            brackets=("columns", "joint", "words"),
        ).offer(
            "Different values in every group (l-diversity)",
            "l>=3[COLUMN]",
            "A group in which everybody has the same confidential value, if everybody has one row.",
            "Guessing a value that nearly everybody in a group has, or values that mean the same. Where "
            "people have several rows, everybody may still share one of the values.",
            Key("l", "whole number", "the fewest different values in a group", "3"),
            OF,
        ),
        Form(
            "entropy-l",
            ">=",
            "entropy-l>=2.5[disease]",
            lambda clause: LDiversity(clause.number, clause.of, "entropy", missing=clause.has_word),
            rank=21,
            words=(MISSING,),
        ).offer(
            "Evenly mixed values (entropy l-diversity)",
            "entropy-l>=2[COLUMN]",
            "Guessing a value because a group is lopsided.",
            "Values that mean the same, and what is rare in the whole table.",
            Key("l", "number", "as if this many values were equally likely", "2"),
            OF,
        ),
        Form(
            "probabilistic-l",
            ">=",
            "probabilistic-l>=2.5[disease]",
            lambda clause: LDiversity(clause.number, clause.of, "probabilistic", missing=clause.has_word),
            rank=22,
            words=(MISSING,),
        ).offer(
            "No value too likely",
            "probabilistic-l>=3[COLUMN]",
            "Guessing any value with a chance above one in l.",
            "Values that mean the same, and what is rare in the whole table.",
            Key("l", "number", "the best guess is right at most once in l", "3"),
            OF,
        ),
    )

    def __post_init__(self) -> None:
        if self.kind not in _JUDGES:
            msg = f"kind must be 'distinct', 'probabilistic' or 'entropy', got {self.kind!r}."
            raise ParameterError(msg)
        if self.kind == "distinct":
            whole_number(self.l, name="l", at_least=1)
        elif self.joint:
            msg = f"joint=True counts combinations of values; it goes with kind='distinct', got {self.kind!r}."
            raise ParameterError(msg)
        self._normalize(l=threshold(self.l, name="l", low=1), of=read_of(self.of, joint=self.joint))
        self._normalize(joint=bool(self.joint) and len(self.of or ()) > 1, missing=bool(self.missing))

    @property
    def upward_closed(self) -> bool:
        """Only counting values survives added records."""
        return self.kind == "distinct"

    @property
    def judge(self) -> type[Judge]:
        return _JUDGES[self.kind]

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement("l", ">=", Fraction(self.l)),)

    @property
    def implied(self) -> Model:
        """Whichever way it is counted, there are at least so many values."""
        if self.kind == "distinct":
            return self
        slack = 1 - Fraction(2 * TOLERANCE) if self.kind == "entropy" else 1  # what rounding lets pass must pass here
        return LDiversity(math.ceil(Fraction(self.l) * slack), self.of, missing=self.missing)

    def meaning(self, *, several: bool = False) -> str:
        if self.kind != "distinct":
            said = f"No group lets a value be guessed much better than one of {float(self.l):g} equally likely ones."
        else:
            none = "" if several else ", so no group shares a single value"
            said = f"Every group has at least {self.l} different values{none}."
        return self._meaning(said, several=several)

    @property
    def certificate_form(self) -> dict[str, Any]:
        return self._certified("l" if self.kind == "distinct" else f"{self.kind}-l")

    @property
    def promises_nothing(self) -> bool:
        return self.l == 1

    def __str__(self) -> str:
        prefix = "" if self.kind == "distinct" else f"{self.kind}-"
        return f"{prefix}l>={number_text(self.l)}{self._about()}"


@dataclass(frozen=True)
class RecursiveDiversity(DiversityModel):
    """The most frequent value of a class is less frequent than ``c`` times all but the ``l - 1`` most frequent ones.

    Parameters
    ----------
    c
        How dominant the first value may be; above 0. The bound is strict.
    l
        From which rank on values are added up; 1 or more.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    missing
        Whether a missing value counts as a value too. That nothing is known is no diversity, so it does not unless you
        ask for it, as where missing means "none".

    Notes
    -----
    Protects against excluding values one by one: whoever rules out ``l - 2`` values still faces a choice. A class with
    fewer than ``l`` known values fails. Measured is the ratio, and it holds for every ``c`` above it.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam. *l-diversity.* ACM TKDD 1(1), 2007.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.RecursiveDiversity(2, 3, of="disease"))
    'recursive(c=2, l=3)[disease]'
    """

    c: Number
    l: int  # noqa: E741 - what the literature calls it
    of: Of = None
    missing: bool = field(default=False, kw_only=True)

    upward_closed = False
    union_closed = True
    judge = _RecursiveJudge
    limit = "Ignores that two values can mean the same, and what is rare in the whole table."
    forms = (
        Form(
            "recursive",
            None,
            "recursive(c=2, l=3)[disease]",
            lambda clause: RecursiveDiversity(of=clause.of, **clause.arguments, missing=clause.has_word),
            rank=23,
            words=(MISSING,),
        ),
    )

    def __post_init__(self) -> None:
        self._normalize(c=threshold(self.c, name="c", open_low=True))
        whole_number(self.l, name="l", at_least=1)
        self._normalize(of=read_of(self.of), missing=bool(self.missing))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return Requirement("l", ">=", Fraction(self.l)), Requirement("c", "<", Fraction(self.c))

    @property
    def implied(self) -> Model:
        """None of the values that are added up is more frequent than the first, so more than 1 / ``c`` of them are."""
        return LDiversity(least_values(Fraction(self.c), self.l), self.of, missing=self.missing)

    def meaning(self, *, several: bool = False) -> str:
        return self._meaning("The most frequent value of a group is outweighed by its rarer ones.", several=False)

    @property
    def certificate_form(self) -> dict[str, Any]:
        return self._certified("recursive", l=self.l)

    @property
    def promises_nothing(self) -> bool:
        return Fraction(self.c) > 1 and self.l == 1

    def __str__(self) -> str:
        return f"recursive(c={number_text(self.c)}, l={self.l}){self._about()}"


def least_values(c: Fraction, rank: int) -> int:
    """Give the number of values that recursive diversity needs: r_1 < c (r_l + ... + r_m) <= c (m - l + 1) r_1."""
    return min(rank + math.floor(1 / c), 2**63 - 1)
