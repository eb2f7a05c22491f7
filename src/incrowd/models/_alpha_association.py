"""(alpha, k)-anonymity: no value is too frequent in a class (S1-ALPHA, S1-AK)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, ParameterError, Schema, warn
from incrowd.hierarchies import places_in
from incrowd.models._form import OF, Choice, Form, Key
from incrowd.models._judge import Judge, Requirement
from incrowd.models._l_diversity import LDiversity
from incrowd.models._measured import Measured, Ratios
from incrowd.models._model import Model, Of, bracket, quoted, read_of, sensitive_columns
from incrowd.models._numbers import Number, exact, fraction, plain

Alphas = Mapping[str, Number] | tuple[tuple[str, Number], ...]


@dataclass(frozen=True)
class AlphaAssociation(Model):
    """No sensitive value makes up more than ``alpha`` of a class.

    Parameters
    ----------
    alpha
        The largest share, above 0 and at most 1. Or one for each of several values, by their texts:
        ``{"HIV": 0.2, "flu": 0.5}``; the others are then not bounded.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    values
        The values that one ``alpha`` bounds, as texts; by default all. The empty text stands for a missing value.

    Notes
    -----
    With ``KAnonymity`` this is (alpha, k)-anonymity. It bounds how certain a guess of a bounded value can be; values
    that are not listed may fill a class. A listed value that the column does not have bounds nothing and may be
    misspelt: that is a ``PrivacyWarning``, and a note of the verdict. With all values bounded by 1 / l it is
    probabilistic l-diversity that counts missing values: shares are shares of the whole class, in which a missing value
    is a value like any other. Where people have several rows, shares are shares of people. A promise is published as it
    is written, with the values that it names, also those that no published record has.

    References
    ----------
    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang. *(alpha, k)-anonymity.* KDD 2006.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.AlphaAssociation(0.5, of="disease", values=["HIV"]))
    'alpha<=0.5[disease: HIV]'
    >>> str(ic.AlphaAssociation({"HIV": 0.2, "lung cancer": 0.5}, of="disease"))
    'alpha(HIV=0.2, lung cancer=0.5)[disease]'
    """

    alpha: Number | Alphas
    of: Of = None
    values: Sequence[str] | None = None

    upward_closed = False
    union_closed = True
    limit = "Values that are not listed may fill a group."
    forms = (
        Form(
            "alpha",
            "<=",
            "alpha<=0.5[disease: HIV]",
            lambda parts: AlphaAssociation(parts.number, parts.of, parts.values or None),
            brackets=frozenset({"columns", "values"}),
            choice=Choice(
                "A bound on guesses ((alpha, k)-anonymity)",
                "alpha<=0.5[COLUMN]",
                "Guessing a value with more certainty than alpha.",
                "Values that are not listed, where some are.",
                (Key("alpha", "number from 0 to 1", "the largest share of one value in a group", "0.5"), OF),
            ),
            rank=50,
        ),
        Form(
            "alpha",
            None,
            "alpha<=0.5[disease: HIV]",
            lambda parts: AlphaAssociation(parts.arguments, parts.of),
            rank=51,
        ),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", read_of(self.of))
        if isinstance(self.alpha, (Mapping, tuple)):
            object.__setattr__(self, "alpha", _read_alphas(self.alpha, self.values))
            return
        object.__setattr__(self, "alpha", exact(self.alpha, name="alpha", high=1, open_low=True))
        if self.values is not None:
            object.__setattr__(self, "values", _read_values(self.values))

    @property
    def by_value(self) -> dict[str, Fraction] | None:
        """The bound of every listed value, or ``None`` where one bound is for all."""
        if not isinstance(self.alpha, tuple):
            return None
        return {value: fraction(alpha, name="alpha") for value, alpha in self.alpha}

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds that every class must meet."""
        if self.by_value is None:
            return (Requirement("alpha", "<=", fraction(self.alpha, name="alpha")),)
        return tuple(Requirement(f"alpha of {quoted(value)}", "<=", bound) for value, bound in self.by_value.items())

    @property
    def implied(self) -> Model | None:
        """Where no value may have more than ``alpha``, there are 1 / ``alpha`` values or more; one may be missing."""
        if self.by_value is not None or self.values is not None:
            return None
        return LDiversity(math.ceil(1 / fraction(self.alpha, name="alpha")), self.of, missing=True)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        """Make one judge for every column, or combination of columns, that the promise is about."""
        columns = sensitive_columns(self.of, schema, "AlphaAssociation")  # type: ignore[arg-type]
        judge = _Judge if self.by_value is None else _EachValue
        return tuple(judge(self, domains[name]) for name in columns)

    def meaning(self, *, several: bool = False) -> str:  # noqa: ARG002
        """Say in one sentence what it means for a person in the table."""
        return "No group lets such a value be guessed with more certainty than the bound."

    @property
    def certificate_form(self) -> dict[str, Any]:
        """What must be measured and how, as a certificate says it."""
        if self.by_value is not None:
            return {"kind": "alpha", "each": True, "values": list(self.by_value)}
        return {"kind": "alpha", "each": False, "values": None if self.values is None else list(self.values)}

    @property
    def promises_nothing(self) -> bool:
        """Whether every table keeps it."""
        return all(bound.bound == 1 for bound in self.requirements)

    def __str__(self) -> str:
        if self.by_value is None:
            return f"alpha<={plain(fraction(self.alpha, name='alpha'))}{bracket(self.of, values=self.values or ())}"
        bounds = ", ".join(f"{_argument(value)}={plain(bound)}" for value, bound in self.by_value.items())
        return f"alpha({bounds}){bracket(self.of)}"


class _Judge(Judge):
    def __init__(self, model: AlphaAssociation, domain: Domain) -> None:
        super().__init__(model, (domain.column,))
        self._bounded = np.ones(len(domain), dtype=bool)
        self._notes: tuple[str, ...] = ()
        if model.values is not None:
            places, self._notes = _places(model.values, domain)
            self._bounded = places >= 0

    def notes(self, classes: Classes) -> tuple[str, ...]:  # noqa: ARG002 - it is about the whole column
        return self._notes

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        histogram = self.histogram(classes)
        counts = np.where(self._bounded[histogram.values[0]], histogram.counts, 0)
        largest = np.maximum.reduceat(counts, histogram.starts[:-1]) if len(counts) else counts
        return (Ratios(largest, classes.size),)


class _EachValue(Judge):
    def __init__(self, model: AlphaAssociation, domain: Domain) -> None:
        super().__init__(model, (domain.column,))
        self._values = len(model.by_value or ())
        self._places, self._notes = _places(list(model.by_value or ()), domain)

    def notes(self, classes: Classes) -> tuple[str, ...]:  # noqa: ARG002 - it is about the whole column
        return self._notes

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        histogram = self.histogram(classes)
        listed = self._places[histogram.values[0]]
        measured = []
        for place in range(self._values):
            entries = np.flatnonzero(listed == place)
            counts = np.zeros(len(classes), dtype=np.int64)
            np.add.at(counts, histogram.classes[entries], histogram.counts[entries])
            measured.append(Ratios(counts, classes.size))
        return tuple(measured)


def _argument(value: str) -> str:
    """Write a value before an equals sign; a word that means something there stands in quotes."""
    return f'"{value}"' if value == "weight_over" else quoted(value)


def _read_values(values: Sequence[str]) -> tuple[str, ...]:
    listed = () if isinstance(values, str) else tuple(values)
    if not listed or not all(isinstance(value, str) for value in listed):
        msg = "values must be a list of texts."
        raise ParameterError(msg, hint='write values=["HIV"], also for a single value.')
    return tuple(sorted(set(listed)))


def _read_alphas(alphas: Alphas, values: Sequence[str] | None) -> tuple[tuple[str, int | Fraction], ...]:
    """Sort the bounds by value, so that equal promises are equal."""
    hint = 'write AlphaAssociation({"HIV": 0.2, "flu": 0.5}).'
    if values is not None:
        msg = "values goes with one alpha for all of them; here every value has its own."
        raise ParameterError(msg, hint=hint)
    pairs = list(alphas.items() if isinstance(alphas, Mapping) else alphas)
    if not pairs or not all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
        msg = "alpha must be a number, or a dict from the text of a value to a number."
        raise ParameterError(msg, hint=hint)
    if len({value for value, _ in pairs}) != len(pairs):
        msg = "alpha bounds one value twice."
        raise ParameterError(msg, hint=hint)
    return tuple(sorted((value, exact(alpha, name="alpha", high=1, open_low=True)) for value, alpha in pairs))


def _places(values: Sequence[str], domain: Domain) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Find the listed values, code by code; one that the column lacks may be misspelt, and then nothing is bounded."""
    places = places_in(values, domain)
    missing = len(values) - len(set(places[places >= 0].tolist()))
    if not missing:
        return places, ()
    msg = f"AlphaAssociation lists {missing} of {len(values)} values that column {domain.column!r} does not have."
    warn(msg)
    return places, (msg,)
