"""k-anonymity: every class holds at least k people, nobody is alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Classes, Domain, ParameterError, Schema, SchemaError, add_up, group
from incrowd.models._form import CANDIDATES, Form, Key, bracket
from incrowd.models._judge import Judge, Measured, Ratios, Requirement
from incrowd.models._model import Model
from incrowd.models._thresholds import whole_number

Counts = npt.NDArray[np.int64]


class _SizeJudge(Judge):
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        return (Ratios.integers(classes.size),)


class _CandidateJudge(Judge):
    """Counts who fits, where classes know what they are called; else their records, which are never more."""

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        if not classes.codes or (classes.labels is None and classes.standing is None):
            return (Ratios.integers(classes.size),)
        stars = [(classes.names(at) == TOP)[codes] for at, codes in enumerate(classes.codes)]
        return (Ratios.integers(np.minimum(*fitting_records(classes.codes, stars, classes.size))),)


def fitting_records(
    codes: Sequence[npt.NDArray[Any]], stars: Sequence[npt.NDArray[np.bool_]], sizes: npt.NDArray[Any]
) -> tuple[Counts, Counts]:
    """Count for every class the records that cover it, and those that lie inside of it; itself among both.

    One class covers another if every column is starred in it or equal in both, so that whoever has the other's values
    fits it, whatever is under its stars.
    """
    covering, inside = np.zeros(len(sizes), dtype=np.int64), np.zeros(len(sizes), dtype=np.int64)
    kinds = group([column.astype(np.uint8) for column in stars], [2] * len(stars))
    for kind, first in enumerate(kinds.first):
        shown = [at for at, column in enumerate(stars) if not column[first]]
        rows = np.flatnonzero(~np.logical_or.reduce([stars[at] for at in shown] or [np.zeros(len(sizes), dtype=bool)]))
        columns = [codes[at][rows] for at in shown] or [np.zeros(len(rows), dtype=np.int64)]
        alike = group(columns, [int(column.max()) + 1 for column in columns])
        own = kinds.ids[rows] == kind
        covering[rows] += add_up(alike.ids[own], sizes[rows[own]], len(alike))[alike.ids]
        inside[rows[own]] = alike.sums(sizes[rows])[alike.ids[own]]
    return covering, inside


@dataclass(frozen=True)
class KAnonymity(Model):
    """Each record looks like at least ``k - 1`` others on the quasi-identifiers.

    Parameters
    ----------
    k
        The least number of people in a class; 1 or more. 1 promises nothing, 5 is common, 12 keeps the chance to find a
        person under 0.09.
    candidates
        Read ``*`` as what fits every value, instead of as a value of its own: whoever is in the release fits ``k`` of
        its records or more, and every record fits ``k`` of these people or more.

    Notes
    -----
    Protects against singling a record out: who knows the quasi-identifiers of a person finds at least ``k`` candidates.
    Says nothing about what the class reveals: five people with one diagnosis are 5-anonymous, and everybody knows the
    diagnosis. Add a model of diversity for that.

    With ``candidates`` it is (k, k)-anonymity, in the form that a released table shows by itself: at least ``k``
    records cover every record, having its values or stars, and at least ``k`` lie inside of it. That is weaker, and
    saves stars. The candidates need not look alike: who knows that nothing is starred without need takes the one with
    the fewest stars, and who knows everybody in the table can rule candidates out. Refused where people have several
    rows.

    References
    ----------
    P. Samarati, L. Sweeney. *Protecting privacy when disclosing information.* SRI-CSL-98-04, 1998.
    A. Gionis, A. Mazza, T. Tassa. *k-Anonymization revisited.* ICDE, 2008.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.KAnonymity(5)), str(ic.KAnonymity(5, candidates=True))
    ('k>=5', 'k>=5[candidates]')
    """

    k: int
    candidates: bool = False

    upward_closed = True
    union_closed = True
    forms = (
        Form(
            "k",
            ">=",
            "k>=5",
            lambda clause: KAnonymity(clause.number, candidates=clause.has_word),
            rank=10,
            words=(CANDIDATES,),
            brackets=("words",),
        ).offer(
            "Nobody is alone (k-anonymity)",
            "k>=5",
            "Finding a person: everybody looks like at least k - 1 others.",
            "Learning what all people of a group have in common.",
            Key("k", "whole number", "the fewest people in a group", "5"),
            Key("stars", "a value or candidates", "a value of its own, or what fits all: that is weaker", "a value"),
            needs="nothing",
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.k, name="k", at_least=1)
        if not isinstance(self.candidates, bool):
            msg = f"candidates must be true or false, got {self.candidates!r}."
            raise ParameterError(msg)

    @property
    def limit(self) -> str:  # type: ignore[override]
        """What it does not protect against."""
        if not self.candidates:
            return "Limits how well a person can be found, not what a group reveals about everybody in it."
        return (
            "Limits how many records a person fits, not how likely each is: the one with the fewest stars often is the "
            "right one, and whoever knows everybody in the table can rule others out."
        )

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement(CANDIDATES if self.candidates else "k", ">=", Fraction(self.k)),)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        if self.candidates and schema.entity is not None:
            msg = f"{self} counts records, and people of this table have several ({schema.entity!r})."
            raise SchemaError(msg, hint=f"promise k>={self.k}, which counts people.")
        return ((_CandidateJudge if self.candidates else _SizeJudge)(self, (), schema, domains),)

    def meaning(self, *, several: bool = False) -> str:
        if self.candidates:
            return f"Everybody fits at least {self.k:,} records, and every record fits at least {self.k:,} people."
        if not several:
            return f"Everybody looks like at least {self.k - 1:,} others in the quasi-identifiers."
        others = "1 other" if self.k == 2 else f"{self.k - 1:,} others"
        return f"Each row looks like those of at least {others}; all rows together may single one out."

    @property
    def certificate_form(self) -> dict[str, Any]:
        return {"kind": CANDIDATES if self.candidates else "k"}

    @property
    def judged_apart(self) -> bool:
        return not self.candidates

    @property
    def promises_nothing(self) -> bool:
        return self.k == 1

    def __str__(self) -> str:
        return f"k>={self.k}" + bracket((), *[CANDIDATES] * self.candidates)
