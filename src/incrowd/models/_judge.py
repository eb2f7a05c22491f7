"""Who judges classes: a privacy model that has met the columns of a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from incrowd.core import Classes, Domain, Histogram, ParameterError, SchemaError, SupersetMode
from incrowd.models._measurement import Bools, Floats, Measured, Sense

if TYPE_CHECKING:
    from incrowd.models._model import Model

Reference = Mapping[str, npt.NDArray[Any]]
"""Per sensitive column how often each code of its domain occurs in the table that a promise refers to."""


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
    reference
        How often each value occurs in the table that the promise refers to, where that is not the judged one.
    """

    refers: ClassVar[bool] = False
    """Whether classes are compared with a whole table."""

    def __init__(self, model: Model, columns: tuple[str, ...] = ()) -> None:
        self.model = model
        self.columns = columns
        self.persons = False
        self.domains: Mapping[str, Domain] = {}
        self.reference: Reference | None = None

    @property
    def missing(self) -> bool:
        """Whether a missing value counts as a value."""
        return self.model.missing

    @property
    def referred(self) -> str | None:
        """Which table the classes are compared with: ``"table"``, the judged one, or ``"input"``, a given one."""
        return ("table" if self.reference is None else "input") if self.refers else None

    def supersets(self, classes: Classes) -> SupersetMode | None:  # noqa: ARG002 - few models look beyond a class
        """Say which natural supersets of the classes are looked at, if any."""
        return None

    def notes(self, classes: Classes) -> tuple[str, ...]:  # noqa: ARG002 - few judges depend on the classes
        """Say what a careful reader of the verdict should know. Names and numbers only."""
        return ()

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
        pairs = zip(self.model.requirements, measured, strict=True)
        return Judgement(
            self._meets(measured), measured, tuple(requirement.deficit(values) for requirement, values in pairs)
        )

    def keeps(self, classes: Classes) -> Bools:
        """Say only which classes keep the promise, which may be faster than all of ``judge``."""
        return self._meets(self.measure(classes))

    def _meets(self, measured: tuple[Measured, ...]) -> Bools:
        pairs = zip(self.model.requirements, measured, strict=True)
        met = [values.meets(need.sense, need.bound) for need, values in pairs]
        return np.asarray(np.logical_and.reduce(met), dtype=bool)

    def check_persons(self, classes: Classes) -> None:
        """Refuse a table that some coarser classes of it would be refused for: do this before a search.

        A promise about one distribution needs one value per person and class. Coarser classes can bring two values of a
        person together if and only if the whole table does.
        """
        if classes.cells.person is not None:
            self.measure(classes.whole())

    def histogram(self, classes: Classes, *, distribution: bool = False) -> Histogram:
        """Count the values of the columns in every class; those that are known, unless missing ones count too.

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
        domains = {**classes.cells.domains, **self.domains}
        return histogram if self.missing else histogram.known([domains[name] for name in self.columns])

    def counted(self, classes: Classes, histogram: Histogram) -> npt.NDArray[np.int64]:
        """Count the people or records of every class that have a value that counts, of one column."""
        (name,) = self.columns
        if self.missing or not {**classes.cells.domains, **self.domains}[name].has_null:
            return classes.size
        return histogram.sums() if classes.cells.person is None else classes.known_persons(name)
