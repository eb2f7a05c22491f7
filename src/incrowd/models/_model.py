"""What every privacy model is: a promise that a user writes, and a judge once it has met a table."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from incrowd.core import Classes, Domain, Histogram, ParameterError, Schema, SchemaError, UnknownColumnError
from incrowd.models._measured import Bools, Floats, Measured, Sense

Of = str | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound on something that is measured on every class.

    Attributes
    ----------
    name
        What is measured, as the literature calls it: ``k``, ``l``, ``t``.
    sense
        Whether the measured number must be at least, at most or below the bound.
    bound
        The bound, exactly.
    """

    name: str
    sense: Sense
    bound: Fraction

    def deficit(self, measured: Measured) -> Floats:
        """Say for every class how much is missing; 0 where nothing is."""
        with np.errstate(invalid="ignore"):
            short = (float(self.bound) - measured.floats) * (1 if self.sense == ">=" else -1)
        least = np.finfo(np.float64).tiny  # who fails misses something, be it less than a float can tell
        return np.where(measured.meets(self.sense, self.bound), 0.0, np.maximum(short, least))


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What a judge says about every class.

    Attributes
    ----------
    ok
        Whether the class keeps the promise.
    measured
        Per requirement, what was measured on each class.
    deficit
        Per requirement, how much each class misses.
    """

    ok: Bools
    measured: tuple[Measured, ...]
    deficit: tuple[Floats, ...]


class Judge(ABC):
    """A model that has met the columns of a table.

    Attributes
    ----------
    model
        The promise.
    columns
        The sensitive columns that it is about: one, or several whose combination counts; none for k-anonymity.
    persons
        Whether people are counted instead of records.
    domains
        The values of the columns; classes of other values are refused.
    """

    def __init__(self, model: Model, columns: tuple[str, ...] = ()) -> None:
        self.model = model
        self.columns = columns
        self.persons = False
        self.domains: Mapping[str, Domain] = {}

    @property
    def upward_closed(self) -> bool:
        """Whether a class that keeps the promise still does after records were added."""
        return self.model.upward_closed

    @property
    def union_closed(self) -> bool:
        """Whether the union of two classes that keep the promise keeps it.

        A person in both classes counts once in the union, so shares do not average: with persons only what is upward
        closed is union closed.
        """
        return self.model.union_closed and (self.model.upward_closed or not self.persons)

    @abstractmethod
    def measure(self, classes: Classes) -> tuple[Measured, ...]:
        """Measure every class, once per requirement of the model."""

    def judge(self, classes: Classes) -> Judgement:
        """Say for every class whether it keeps the promise, what was measured, and what is missing."""
        measured = self.measure(classes)
        required = self.model.requirements
        ok = np.ones(len(classes), dtype=bool)
        for requirement, values in zip(required, measured, strict=True):
            ok &= values.meets(requirement.sense, requirement.bound)
        deficit = tuple(requirement.deficit(values) for requirement, values in zip(required, measured, strict=True))
        return Judgement(ok, measured, deficit)

    def histogram(self, classes: Classes, *, distribution: bool = False) -> Histogram:
        """Count the values of the columns in every class.

        Parameters
        ----------
        classes
            The classes.
        distribution
            Whether the counts must add up to the size of the class. Where people have several rows they may not: then
            the promise has no meaning, and is refused.
        """
        for name, domain in self.domains.items():
            known = classes.cells.domains.get(name, domain)
            if known is not domain and known != domain:
                msg = f"The classes have other values of {name!r} than the table that {self.model} was bound to."
                raise ParameterError(msg, hint="bind the promise to the table that the classes come from.")
        histogram = classes.histogram(*self.columns)
        if distribution and classes.cells.person is not None:
            totals = np.add.reduceat(np.append(histogram.counts, 0), histogram.starts[:-1]) if len(classes) else 0
            if np.any(totals != classes.size):
                name = type(self.model).__name__
                msg = (
                    f"{name} needs one value per person and class, but some people have several in {self.columns[0]!r}."
                )
                raise SchemaError(msg, hint="use a model that counts people: k, distinct or probabilistic l, p, alpha.")
        return histogram


class Model(ABC):
    """A promise about every class. Models are frozen values: compare, hash, print and combine them with ``&``."""

    upward_closed: ClassVar[bool]
    """Whether a class that keeps the promise still does after records were added (spec section 7)."""
    union_closed: ClassVar[bool]
    """Whether the union of two classes that keep the promise keeps it."""

    @property
    @abstractmethod
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds that every class must meet."""

    @abstractmethod
    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        """Make one judge for every column, or combination of columns, that the promise is about."""

    def bind(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        """Meet a table."""
        judges = self.judges(schema, domains)
        for judge in judges:
            judge.persons = schema.entity is not None
            judge.domains = {name: domains[name] for name in judge.columns if name in domains}
        return judges

    @property
    def implied(self) -> Model | None:
        """An upward closed model that every class keeping this promise keeps too; searches prune with it."""
        return self if self.upward_closed else None

    @property
    def parts(self) -> tuple[Model, ...]:
        """The promises that this one is made of."""
        return (self,)

    def __and__(self, other: Model) -> All:
        if not isinstance(other, Model):
            return NotImplemented
        return All((*self.parts, *other.parts))


@dataclass(frozen=True)
class All(Model):
    """Several promises at once: a class must keep each of them. Written ``a & b``."""

    models: tuple[Model, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(self.models))
        if not self.models:
            msg = "All needs at least one promise."
            raise ParameterError(msg)

    @property
    def upward_closed(self) -> bool:  # type: ignore[override]
        """Whether all parts are."""
        return all(model.upward_closed for model in self.models)

    @property
    def union_closed(self) -> bool:  # type: ignore[override]
        """Whether all parts are."""
        return all(model.union_closed for model in self.models)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds of all parts."""
        return tuple(requirement for model in self.models for requirement in model.requirements)

    @property
    def implied(self) -> Model | None:
        """What the parts imply, together."""
        implied = [model.implied for model in self.models if model.implied is not None]
        return All(tuple(implied)) if implied else None

    @property
    def parts(self) -> tuple[Model, ...]:
        """The promises that this one is made of."""
        return self.models

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        """Give the judges of all parts."""
        return tuple(judge for model in self.models for judge in model.judges(schema, domains))

    def __str__(self) -> str:
        return ", ".join(map(str, self.models))


def read_of(of: Of, *, joint: bool = False) -> tuple[str, ...] | None:
    """Read the parameter ``of``: a column, several, or nothing where there is only one sensitive column."""
    if of is None:
        if joint:
            msg = "joint=True needs the columns whose combination counts."
            raise ParameterError(msg, hint='write of=["a", "b"].')
        return None
    names = (of,) if isinstance(of, str) else tuple(of)
    if not names or not all(isinstance(name, str) and name for name in names) or len(set(names)) != len(names):
        msg = "of must name one or several different columns."
        raise ParameterError(msg)
    return names


def sensitive_columns(of: tuple[str, ...] | None, schema: Schema, model: str) -> tuple[str, ...]:
    """Find the sensitive columns that a promise is about."""
    available = schema.sensitive_names
    if of is None and len(available) == 1:
        return available
    if of is None:
        found = "no sensitive column" if not available else f"{len(available)} sensitive columns"
        msg = f"{model} does not say which column it is about, and the schema has {found}."
        hint = "name sensitive columns in the schema." if not available else f"write of={available[0]!r}."
        raise SchemaError(msg, hint=hint)
    for name in of:
        if name not in available:
            raise UnknownColumnError.of(name, available, given_as=f"of in {model}")
    return of


def bracket(of: Of, *, joint: bool = False, more: Sequence[str] = (), values: Sequence[str] = ()) -> str:
    """Write what a promise is about as its text has it.

    Parameters
    ----------
    of, joint
        The columns, and whether their combination counts: then they are joined by ``+``.
    more
        Words that say how, such as the name of a distance.
    values
        The values that are meant, after a colon.
    """
    columns = ("+" if joint else ", ").join(map(quoted, of or ()))
    inner = ", ".join([*([columns] if columns else []), *more])
    listed = f": {', '.join(map(quoted, values))}" if values else ""
    return f"[{inner}{listed}]" if inner or listed else ""


def quoted(name: str) -> str:
    """Write a name so that it is read back as it is: in quotes, unless it is an ordinary word."""
    ordinary = re.fullmatch(r"\w[\w.-]*(?: [\w.-]+)*", name) and name not in KEYWORDS
    return name if ordinary else json.dumps(name, ensure_ascii=False)


KEYWORDS = frozenset({"ordered", "hierarchical", "kl", "equal", "variational"})
"""Words that say how a promise is meant, where a column may stand too."""
