"""k-anonymity: nobody is alone (S0-KANON, S2-DEF1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from incrowd.core import Classes, Domain, Schema
from incrowd.models._measured import Measured, Ratios
from incrowd.models._model import Judge, Model, Requirement
from incrowd.models._numbers import whole


@dataclass(frozen=True)
class KAnonymity(Model):
    """Each record looks like at least ``k - 1`` others on the quasi-identifiers.

    Parameters
    ----------
    k
        The least number of people in a class; 1 or more. 1 promises nothing, 5 is common, 12 keeps the chance to find a
        person under 0.09.

    Notes
    -----
    Protects against singling a record out: who knows the quasi-identifiers of a person finds at least ``k`` candidates.
    Says nothing about what the class reveals: five people with one diagnosis are 5-anonymous, and everybody knows the
    diagnosis. Add a model of diversity for that.

    References
    ----------
    P. Samarati, L. Sweeney. *Protecting privacy when disclosing information.* SRI-CSL-98-04, 1998.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.KAnonymity(5))
    'k>=5'
    """

    k: int

    upward_closed: ClassVar[bool] = True
    union_closed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole(self.k, name="k", at_least=1)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds that every class must meet."""
        return (Requirement("k", ">=", Fraction(self.k)),)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:  # noqa: ARG002 - needs no column
        """Make one judge for every column, or combination of columns, that the promise is about."""
        return (_Judge(self),)

    def __str__(self) -> str:
        return f"k>={self.k}"


class _Judge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        return (Ratios.whole(classes.size),)
