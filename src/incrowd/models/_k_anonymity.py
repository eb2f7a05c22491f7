"""k-anonymity: nobody is alone (S0-KANON, S2-DEF1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from incrowd.core import Classes, Domain, Schema
from incrowd.models._form import Choice, Form, Key
from incrowd.models._judge import Judge, Requirement
from incrowd.models._measurement import Measured, Ratios
from incrowd.models._model import Model
from incrowd.models._thresholds import whole_number


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
    limit: ClassVar[str] = "Limits how well a person can be found, not what a group reveals about everybody in it."
    forms: ClassVar[tuple[Form, ...]] = (
        Form(
            "k",
            ">=",
            "k>=5",
            lambda parts: KAnonymity(parts.number),
            brackets=frozenset(),
            choice=Choice(
                "Nobody is alone (k-anonymity)",
                "k>=5",
                "Finding a person: everybody looks like at least k - 1 others.",
                "Learning what all people of a group have in common.",
                (Key("k", "whole number", "the fewest people in a group", "5"),),
                needs="nothing",
            ),
            rank=10,
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.k, name="k", at_least=1)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds that every class must meet."""
        return (Requirement("k", ">=", Fraction(self.k)),)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:  # noqa: ARG002 - needs no column
        """Make one judge for every column, or combination of columns, that the promise is about."""
        return (_Judge(self),)

    def meaning(self, *, several: bool = False) -> str:
        """Say in one sentence what it means for a person in the table."""
        if not several:
            return f"Everybody looks like at least {self.k - 1:,} others in the quasi-identifiers."
        others = "1 other" if self.k == 2 else f"{self.k - 1:,} others"
        return f"Each row looks like those of at least {others}; all rows together may single one out."

    @property
    def certificate_form(self) -> dict[str, Any]:
        """What must be measured and how, as a certificate says it."""
        return {"kind": "k"}

    @property
    def promises_nothing(self) -> bool:
        """Whether every table keeps it."""
        return self.k == 1

    def __str__(self) -> str:
        return f"k>={self.k}"


class _Judge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        return (Ratios.integers(classes.size),)
