"""(alpha, k)-anonymity: no value is too frequent in a class (S1-ALPHA, S1-AK)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.core import Classes, Domain, ParameterError, PrivacyWarning, Schema
from incrowd.models._measured import Measured, Ratios
from incrowd.models._model import Judge, Model, Of, Requirement, bracket, read_of, sensitive_columns
from incrowd.models._numbers import Number, exact, fraction, plain


@dataclass(frozen=True)
class AlphaAssociation(Model):
    """No sensitive value makes up more than ``alpha`` of a class.

    Parameters
    ----------
    alpha
        The largest share, above 0 and at most 1.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    values
        The values that are bounded, as texts; by default all. Several models with ``&`` give every value its own bound.

    Notes
    -----
    With ``KAnonymity`` this is (alpha, k)-anonymity. It bounds how certain a guess of a bounded value can be; values
    that are not listed may fill a class. With all values bounded by 1 / l it is probabilistic l-diversity.

    References
    ----------
    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang. *(alpha, k)-anonymity.* KDD 2006.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.AlphaAssociation(0.5, of="disease", values=["HIV"]))
    'alpha<=0.5[disease: HIV]'
    """

    alpha: Number
    of: Of = None
    values: Sequence[str] | None = None

    upward_closed = False
    union_closed = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", exact(self.alpha, name="alpha", high=1, open_low=True))
        object.__setattr__(self, "of", read_of(self.of))
        if self.values is not None:
            values = () if isinstance(self.values, str) else tuple(self.values)
            if not values or not all(isinstance(value, str) for value in values):
                msg = "values must be a list of texts."
                raise ParameterError(msg, hint='write values=["HIV"], also for a single value.')
            object.__setattr__(self, "values", values)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds that every class must meet."""
        return (Requirement("alpha", "<=", fraction(self.alpha, name="alpha")),)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        """Make one judge for every column, or combination of columns, that the promise is about."""
        columns = sensitive_columns(self.of, schema, "AlphaAssociation")  # type: ignore[arg-type]
        return tuple(_Judge(self, domains[name]) for name in columns)

    def __str__(self) -> str:
        return f"alpha<={plain(fraction(self.alpha, name='alpha'))}{bracket(self.of, values=self.values or ())}"


class _Judge(Judge):
    def __init__(self, model: AlphaAssociation, domain: Domain) -> None:
        super().__init__(model, (domain.column,))
        self._bounded = np.ones(len(domain), dtype=bool)
        if model.values is not None:
            self._bounded = _listed(model.values, domain)

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        histogram = self.histogram(classes)
        counts = np.where(self._bounded[histogram.values[0]], histogram.counts, 0)
        largest = np.maximum.reduceat(counts, histogram.starts[:-1]) if len(counts) else counts
        return (Ratios(largest, classes.size),)


def _listed(values: Sequence[str], domain: Domain) -> Any:
    """Find the listed values; one that the column does not have may be misspelt, and then nothing is bounded."""
    missing = len(set(values) - set(domain.texts.tolist()))
    if missing:
        msg = f"AlphaAssociation lists {missing} of {len(values)} values that column {domain.column!r} does not have."
        warnings.warn(msg, PrivacyWarning, stacklevel=5)
    return np.array([text in set(values) for text in domain.texts.tolist()], dtype=bool)
