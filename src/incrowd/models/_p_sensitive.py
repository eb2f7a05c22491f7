"""p-sensitivity, and its two stronger forms that know how secret a value is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, Hint, Histogram, ParameterError, Schema, SchemaError, Setting, group
from incrowd.hierarchies import BoundCategories, Categories
from incrowd.models._form import MISSING, OF, Form, Key
from incrowd.models._judge import Judge, Measured, Ratios, Requirement
from incrowd.models._l_diversity import DistinctJudge
from incrowd.models._model import DiversityModel, Of, read_of
from incrowd.models._thresholds import Number, number_text, threshold, whole_number

WeightOver = Literal["records", "distinct"]


class _WeightJudge(Judge):
    """Counts values or categories, and adds up weights as whole multiples of their common denominator."""

    model: PAlphaSensitive

    def __init__(
        self, model: PAlphaSensitive, columns: tuple[str, ...], schema: Schema, domains: Mapping[str, Domain]
    ) -> None:
        super().__init__(model, columns, schema, domains)
        bound = _bound_categories(columns[0], schema, domains, type(model).__name__)
        self._over = model.weight_over
        self._category = bound.category
        self._scale = math.lcm(*(weight.denominator for weight in bound.weights))
        units = np.array([int(weight * self._scale) for weight in bound.weights], dtype=np.int64)
        self._units = units[bound.category]
        self._categories = len(bound.names)

    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        histogram = self.histogram(classes, distribution=self._over == "records")
        units = self._units[histogram.values[0]]
        if int(units.max(initial=0)) * int(classes.size.max(initial=0)) >= 2**63:
            units = units.astype(object)  # Python's integers, where 64 bits are too few
        added = units * histogram.counts if self._over == "records" else units
        weight = Ratios(histogram.sums(added), np.full(len(classes), self._scale, dtype=np.int64))
        return Ratios.integers(self._kinds(histogram, len(classes))), weight

    def _kinds(self, histogram: Histogram, classes: int) -> npt.NDArray[np.int64]:
        if not isinstance(self.model, EnhancedPAlphaSensitive):
            return np.diff(histogram.starts)
        pairs = group([histogram.classes, self._category[histogram.values[0]]], [classes, self._categories])
        return np.bincount(histogram.classes[pairs.first], minlength=classes).astype(np.int64)


def _bound_categories(name: str, schema: Schema, domains: Mapping[str, Domain], model: str) -> BoundCategories:
    meaning = dict(schema.sensitive)[name]
    if not isinstance(meaning, Categories):
        msg = f"{model} needs to know how secret the values of {name!r} are."
        raise SchemaError(msg, hint=Hint("{}, most secret first.", Setting.sensitive(name, "categories(...)")))
    return meaning.bind(domains[name])


@dataclass(frozen=True)
class PSensitive(DiversityModel):
    """Each class holds at least ``p`` different values of every sensitive column.

    Parameters
    ----------
    p
        How many; 1 or more.
    of
        The sensitive column, or a list of them: each separately. May be left out if there is only one.
    joint
        Count the combinations of several columns instead of each column.
    missing
        Whether a missing value counts as a value too. That nothing is known is no diversity, so it does not unless you
        ask for it, as where missing means "none".

    Notes
    -----
    The same as distinct l-diversity, under the name of the literature on p-sensitive k-anonymity; combine it with
    ``KAnonymity``. Protects against a class that gives the value away, not against a value that nearly everybody in the
    class has, nor against values that mean the same. Where people have several rows, everybody in a class may have one
    and the same value beside others: add ``AlphaAssociation`` there.

    References
    ----------
    T. M. Truta, B. Vinay. *Privacy protection: p-sensitive k-anonymity property.* ICDE Workshops, 2006.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.PSensitive(2))
    'p>=2'
    """

    p: int
    of: Of = None
    joint: bool = False
    missing: bool = field(default=False, kw_only=True)

    upward_closed = True
    union_closed = True
    judge = DistinctJudge
    limit = "A value that nearly everybody in a group has may still be guessed."
    forms = (
        Form(
            "p",
            ">=",
            "p>=2[disease]",
            lambda clause: PSensitive(clause.number, clause.of, joint=clause.joint, missing=clause.has_word),
            rank=40,
            words=(MISSING,),
            brackets=("columns", "joint", "words"),
        ).offer(
            "p different values (p-sensitive)",
            "p>=2[COLUMN]",
            "A group in which everybody has the same confidential value, if everybody has one row.",
            "Guessing a value that nearly everybody in a group has. Where people have several rows, "
            "everybody may still share one of the values.",
            Key("p", "whole number", "the fewest different values in a group", "2"),
            OF,
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.p, name="p", at_least=1)
        self._normalize(of=read_of(self.of, joint=self.joint), missing=bool(self.missing))
        self._normalize(joint=bool(self.joint) and len(self.of or ()) > 1)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement("p", ">=", Fraction(self.p)),)

    def meaning(self, *, several: bool = False) -> str:
        return self._meaning(f"Every group has at least {self.p} different values.", several=several)

    @property
    def certificate_form(self) -> dict[str, Any]:
        return self._certified("p")

    @property
    def promises_nothing(self) -> bool:
        return self.p == 1

    def __str__(self) -> str:
        return f"p>={self.p}{self._about()}"


@dataclass(frozen=True)
class PAlphaSensitive(DiversityModel):
    """Each class holds at least ``p`` different values, and their weights add up to at least ``alpha``.

    Parameters
    ----------
    p
        How many different values; 1 or more.
    alpha
        The least total weight; 0 or more. A value of the most secret category weighs 0, one of the least secret 1.
    of
        The sensitive column, which must have ``categories(...)`` in the schema, or a list of them.
    weight_over
        ``"records"``: every record adds the weight of its value. ``"distinct"``: every value adds its weight once.
    missing
        Whether a missing value counts, with the category of the empty text. That nothing is known is no diversity, so
        it counts and weighs nothing unless you ask for it.

    Notes
    -----
    Forces enough harmless values into a class that also holds secret ones. Larger ``alpha`` is stricter. The sum grows
    with the class, so it is an absolute promise and no share: a hundred times HIV and one flu weigh 1. All values may
    still lie in one category: ``EnhancedPAlphaSensitive`` rules that out. Where people have several rows, everybody in
    a class may have one and the same value beside others: add ``AlphaAssociation`` there.

    References
    ----------
    X. Sun, H. Wang, J. Li, T. M. Truta. *Enhanced p-sensitive k-anonymity models for privacy preserving data
    publishing.* Transactions on Data Privacy 1(2), 2008.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.PAlphaSensitive(2, 1, of="disease"))
    'p-alpha(p=2, alpha=1)[disease]'
    """

    p: int
    alpha: Number
    of: Of = None
    weight_over: WeightOver = "records"
    missing: bool = field(default=False, kw_only=True)

    upward_closed = True
    union_closed = True
    judge = _WeightJudge
    limit = "All values of a group may mean about the same; the sum of weights grows with the group."
    forms = (
        Form(
            "p-alpha",
            None,
            "p-alpha(p=2, alpha=1)[disease]",
            lambda clause: PAlphaSensitive(of=clause.of, **clause.arguments, missing=clause.has_word),
            rank=41,
            words=(MISSING,),
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.p, name="p", at_least=1)
        self._normalize(alpha=threshold(self.alpha, name="alpha"))
        if self.weight_over not in ("records", "distinct"):
            msg = f"weight_over must be 'records' or 'distinct', got {self.weight_over!r}."
            raise ParameterError(msg)
        self._normalize(of=read_of(self.of), missing=bool(self.missing))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return Requirement("p", ">=", Fraction(self.p)), Requirement("alpha", ">=", Fraction(self.alpha))

    def meaning(self, *, several: bool = False) -> str:
        harmless = "" if several else ", with enough harmless ones among them"
        return self._meaning(f"Every group has at least {self.p} different values{harmless}.", several=several)

    @property
    def certificate_form(self) -> dict[str, Any]:
        return self._certified("p-alpha", weight_over=self.weight_over)

    @property
    def promises_nothing(self) -> bool:
        return self.p == 1 and self.alpha == 0

    def __str__(self) -> str:
        over = "" if self.weight_over == "records" else ', weight_over="distinct"'
        return f"{self.forms[0].name}(p={self.p}, alpha={number_text(self.alpha)}{over}){self._about()}"


@dataclass(frozen=True)
class EnhancedPAlphaSensitive(PAlphaSensitive):
    """Each class holds at least ``p`` different *categories*, and the weights add up to at least ``alpha``.

    Parameters
    ----------
    p
        How many different categories; 1 or more.
    alpha
        The least total weight; 0 or more. A value of the most secret category weighs 0, one of the least secret 1.
    of
        The sensitive column, which must have ``categories(...)`` in the schema, or a list of them.
    weight_over
        ``"records"``: every record adds the weight of its value. ``"distinct"``: every value adds its weight once.
    missing
        Whether a missing value counts, with the category of the empty text. That nothing is known is no diversity, so
        it counts and weighs nothing unless you ask for it.

    Notes
    -----
    With ``p`` of 2 or more no class lies in one category, so the similarity attack finds nothing. What counts as
    similar is decided by whoever wrote the categories. It implies ``PAlphaSensitive`` with the same numbers. Where
    people have several rows, everybody in a class may have a value of one category beside others: add
    ``AlphaAssociation`` there.

    References
    ----------
    X. Sun, H. Wang, J. Li, T. M. Truta. *Enhanced p-sensitive k-anonymity models for privacy preserving data
    publishing.* Transactions on Data Privacy 1(2), 2008.

    Examples
    --------
    >>> import incrowd as ic
    >>> str(ic.EnhancedPAlphaSensitive(2, 2))
    'enhanced(p=2, alpha=2)'
    """

    limit = "What counts as similar was decided by whoever wrote the categories."
    forms = (
        Form(
            "enhanced",
            None,
            "enhanced(p=2, alpha=2)[disease]",
            lambda clause: EnhancedPAlphaSensitive(of=clause.of, **clause.arguments, missing=clause.has_word),
            rank=42,
            words=(MISSING,),
        ).offer(
            "Different kinds of secrets (enhanced (p, alpha)-sensitive)",
            "enhanced(p=2, alpha=2)[COLUMN]",
            "A group whose values are different, but all of one kind of secret.",
            "Anything that the categories do not tell apart.",
            Key("p", "whole number", "the fewest kinds of secrets in a group", "2"),
            Key("alpha", "number", "the least weight of the harmless ones", "2"),
            OF,
            needs="categories",
        ),
    )

    def meaning(self, *, several: bool = False) -> str:
        kinds = f"values of at least {self.p} kinds of secrets, with enough harmless ones among them"
        return self._meaning(f"Every group has {kinds}.", several=several)

    @property
    def certificate_form(self) -> dict[str, Any]:
        return {**super().certificate_form, "kind": "enhanced"}
