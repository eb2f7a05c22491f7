"""k-anonymity: every class holds at least k people, nobody is alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from incrowd.core import Classes, Domain, Schema
from incrowd.models._form import Form, Key
from incrowd.models._judge import Judge, Measured, Ratios, Requirement
from incrowd.models._model import Model
from incrowd.models._thresholds import whole_number


class _SizeJudge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        return (Ratios.integers(classes.size),)


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

    upward_closed = True
    union_closed = True
    limit = "Limits how well a person can be found, not what a group reveals about everybody in it."
    forms = (
        Form("k", ">=", "k>=5", lambda clause: KAnonymity(clause.number), rank=10, brackets=()).offer(
            "Nobody is alone (k-anonymity)",
            "k>=5",
            "Finding a person: everybody looks like at least k - 1 others.",
            "Learning what all people of a group have in common.",
            Key("k", "whole number", "the fewest people in a group", "5"),
            needs="nothing",
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.k, name="k", at_least=1)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement("k", ">=", Fraction(self.k)),)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        return (_SizeJudge(self, (), schema, domains),)

    def meaning(self, *, several: bool = False) -> str:
        if not several:
            return f"Everybody looks like at least {self.k - 1:,} others in the quasi-identifiers."
        others = "1 other" if self.k == 2 else f"{self.k - 1:,} others"
        return f"Each row looks like those of at least {others}; all rows together may single one out."

    @property
    def certificate_form(self) -> dict[str, Any]:
        return {"kind": "k"}

    @property
    def promises_nothing(self) -> bool:
        return self.k == 1

    def __str__(self) -> str:
        return f"k>={self.k}"
