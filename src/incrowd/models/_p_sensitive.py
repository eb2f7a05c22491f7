"""p-sensitivity, and its two stronger forms that know how secret a value is (S2-DEF2, S0-PA, S0-EPA)."""

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
from incrowd.models._form import MISSING, OF, Choice, Form, Key
from incrowd.models._judge import Judge, Requirement
from incrowd.models._l_diversity import DistinctJudge
from incrowd.models._measurement import Measured, Ratios
from incrowd.models._model import (
    Model,
    Of,
    bracket,
    meaning_of_values,
    missing_counts,
    read_of,
    sensitive_columns,
    with_missing,
)
from incrowd.models._thresholds import Number, number_text, threshold, whole_number

WeightOver = Literal["records", "distinct"]


@dataclass(frozen=True)
class PSensitive(Model):
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
    limit = "A value that nearly everybody in a group has may still be guessed."
    forms = (
        Form(
            "p",
            ">=",
            "p>=2[disease]",
            lambda parts: PSensitive(parts.number, parts.of, joint=parts.joint, missing=parts.missing),
            brackets=frozenset({"columns", "joint", "words"}),
            words=(MISSING,),
            choice=Choice(
                "p different values (p-sensitive)",
                "p>=2[COLUMN]",
                "A group in which everybody has the same confidential value, if everybody has one row.",
                "Guessing a value that nearly everybody in a group has. Where people have several rows, "
                "everybody may still share one of the values.",
                (Key("p", "whole number", "the fewest different values in a group", "2"), OF),
            ),
            rank=40,
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.p, name="p", at_least=1)
        object.__setattr__(self, "of", read_of(self.of, joint=self.joint))
        object.__setattr__(self, "joint", bool(self.joint) and len(self.of or ()) > 1)
        object.__setattr__(self, "missing", bool(self.missing))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds that every class must meet."""
        return (Requirement("p", ">=", Fraction(self.p)),)

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:  # noqa: ARG002
        """Make one judge for every column, or combination of columns, that the promise is about."""
        columns = sensitive_columns(self.of, schema, "PSensitive")  # type: ignore[arg-type]
        groups = [columns] if self.joint else [(name,) for name in columns]
        return tuple(DistinctJudge(self, names) for names in groups)

    def meaning(self, *, several: bool = False) -> str:
        """Say in one sentence what it means for a person in the table."""
        said = f"Every group has at least {self.p} different values."
        return meaning_of_values(said, several=several, missing=self.missing)

    @property
    def certificate_form(self) -> dict[str, Any]:
        """What must be measured and how, as a certificate says it."""
        return {"kind": "p"} | missing_counts(missing=self.missing)

    @property
    def promises_nothing(self) -> bool:
        """Whether every table keeps it."""
        return self.p == 1

    def __str__(self) -> str:
        return f"p>={self.p}{bracket(self.of, joint=self.joint, more=with_missing(missing=self.missing))}"


@dataclass(frozen=True)
class PAlphaSensitive(Model):
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
    limit = "All values of a group may mean about the same; the sum of weights grows with the group."
    forms = (
        Form(
            "p-alpha",
            None,
            "p-alpha(p=2, alpha=1)[disease]",
            lambda parts: PAlphaSensitive(of=parts.of, **parts.arguments, missing=parts.missing),
            words=(MISSING,),
            rank=41,
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self.p, name="p", at_least=1)
        object.__setattr__(self, "alpha", threshold(self.alpha, name="alpha"))
        if self.weight_over not in ("records", "distinct"):
            msg = f"weight_over must be 'records' or 'distinct', got {self.weight_over!r}."
            raise ParameterError(msg)
        object.__setattr__(self, "of", read_of(self.of))
        object.__setattr__(self, "missing", bool(self.missing))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds that every class must meet."""
        return Requirement("p", ">=", Fraction(self.p)), Requirement("alpha", ">=", Fraction(self.alpha))

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        """Make one judge for every column, or combination of columns, that the promise is about."""
        columns = sensitive_columns(self.of, schema, type(self).__name__)  # type: ignore[arg-type]
        return tuple(self._judge(name, _categories(name, schema, domains, type(self).__name__)) for name in columns)

    def _judge(self, name: str, bound: BoundCategories) -> Judge:
        return _Weighed(self, name, bound, by_category=False)

    def meaning(self, *, several: bool = False) -> str:
        """Say in one sentence what it means for a person in the table."""
        harmless = "" if several else ", with enough harmless ones among them"
        said = f"Every group has at least {self.p} different values{harmless}."
        return meaning_of_values(said, several=several, missing=self.missing)

    @property
    def certificate_form(self) -> dict[str, Any]:
        """What must be measured and how, as a certificate says it."""
        return {"kind": "p-alpha", "weight_over": self.weight_over} | missing_counts(missing=self.missing)

    @property
    def promises_nothing(self) -> bool:
        """Whether every table keeps it."""
        return self.p == 1 and self.alpha == 0

    def __str__(self) -> str:
        return f"p-alpha({self._inner()}){bracket(self.of, more=with_missing(missing=self.missing))}"

    def _inner(self) -> str:
        over = "" if self.weight_over == "records" else ', weight_over="distinct"'
        return f"p={self.p}, alpha={number_text(self.alpha)}{over}"


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
            lambda parts: EnhancedPAlphaSensitive(of=parts.of, **parts.arguments, missing=parts.missing),
            words=(MISSING,),
            choice=Choice(
                "Different kinds of secrets (enhanced (p, alpha)-sensitive)",
                "enhanced(p=2, alpha=2)[COLUMN]",
                "A group whose values are different, but all of one kind of secret.",
                "Anything that the categories do not tell apart.",
                (
                    Key("p", "whole number", "the fewest kinds of secrets in a group", "2"),
                    Key("alpha", "number", "the least weight of the harmless ones", "2"),
                    OF,
                ),
                needs="categories",
            ),
            rank=42,
        ),
    )

    def _judge(self, name: str, bound: BoundCategories) -> Judge:
        return _Weighed(self, name, bound, by_category=True)

    def meaning(self, *, several: bool = False) -> str:
        """Say in one sentence what it means for a person in the table."""
        kinds = f"values of at least {self.p} kinds of secrets, with enough harmless ones among them"
        return meaning_of_values(f"Every group has {kinds}.", several=several, missing=self.missing)

    @property
    def certificate_form(self) -> dict[str, Any]:
        """What must be measured and how, as a certificate says it."""
        return {**super().certificate_form, "kind": "enhanced"}

    def __str__(self) -> str:
        return f"enhanced({self._inner()}){bracket(self.of, more=with_missing(missing=self.missing))}"


class _Weighed(Judge):
    """Counts values or categories, and adds up weights as whole multiples of their common denominator."""

    def __init__(self, model: PAlphaSensitive, column: str, bound: BoundCategories, *, by_category: bool) -> None:
        super().__init__(model, (column,))
        self._over = model.weight_over
        self._by_category = by_category
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
        if not self._by_category:
            return np.diff(histogram.starts)
        pairs = group([histogram.classes, self._category[histogram.values[0]]], [classes, self._categories])
        return np.bincount(histogram.classes[pairs.first], minlength=classes).astype(np.int64)


def _categories(name: str, schema: Schema, domains: Mapping[str, Domain], model: str) -> BoundCategories:
    meaning = dict(schema.sensitive)[name]
    if not isinstance(meaning, Categories):
        msg = f"{model} needs to know how secret the values of {name!r} are."
        raise SchemaError(msg, hint=Hint("{}, most secret first.", Setting.sensitive(name, "categories(...)")))
    return meaning.bind(domains[name])
