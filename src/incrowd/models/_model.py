"""``Model``: what every privacy model is, and several of them together (``All``); which columns a promise is about."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from incrowd.core import UNTRUE, Domain, Hint, ParameterError, Schema, SchemaError, Setting, UnknownColumnError
from incrowd.models._form import FORMS, MISSING, Form, bracket
from incrowd.models._judge import Judge, Reference, Requirement

Of = str | Sequence[str] | None


class Model(ABC):
    """A promise about every class. Models are frozen values: compare, hash, print and combine them with ``&``."""

    missing: bool = True
    """Whether a missing sensitive value counts as a value; models of diversity count it only if asked to."""
    refers: ClassVar[bool] = False
    """Whether classes are compared with a whole table."""
    by_person: ClassVar[bool] = False
    """Whether it is about all rows of a person together: who breaks it is left out with all of them."""
    by_items: ClassVar[bool] = False
    """Whether a class is judged by what others hold too: who is left out leaves less to those that stay."""
    forms: ClassVar[tuple[Form, ...]] = ()
    """How it is written, and offered to people."""
    means: ClassVar[str] = "See its documentation."
    """What it means for a person in the table, in one sentence, where ``meaning`` does not say more."""
    limit: ClassVar[str] = "See its documentation for what it does not protect against."
    """What it does not protect against, in one sentence for people who get a released table."""

    def __init_subclass__(cls) -> None:
        for form in cls.__dict__.get("forms", ()):
            FORMS[form.name, form.sense, form.told_by] = form

    def _normalize(self, **fields: object) -> None:
        """Give fields of the frozen value their one form, while it is made."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    @abstractmethod
    def upward_closed(self) -> bool:
        """Whether a class that keeps the promise still does after records were added (spec section 7)."""

    @property
    @abstractmethod
    def union_closed(self) -> bool:
        """Whether the union of two classes that keep the promise keeps it."""

    @property
    def judged_apart(self) -> bool:
        """Whether what a class is judged by does not depend on what other classes are called."""
        return True

    @property
    @abstractmethod
    def requirements(self) -> tuple[Requirement, ...]:
        """The bounds that every class must meet."""

    @abstractmethod
    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        """Make one judge for every column, or combination of columns, that the promise is about."""

    def bind(
        self, schema: Schema, domains: Mapping[str, Domain], reference: Reference | None = None
    ) -> tuple[Judge, ...]:
        """Meet a table.

        Parameters
        ----------
        schema
            The role of every column.
        domains
            The values of every column that the promise is about.
        reference
            Per sensitive column how often each code of its domain occurs in the table that classes are compared with
            (N-REF): the whole input, where records were removed since. By default the judged table itself.
        """
        judges = self.judges(schema, domains)
        for judge in judges:
            if judge.refers and reference is not None:
                judge.reference = {name: _counts(name, reference, domains[name]) for name in judge.columns}
        return judges

    def meaning(self, *, several: bool = False) -> str:
        """Say in one sentence what it means for a person in the table.

        Where people have ``several`` rows it counts them group by group, and somebody may have several of its values.
        """
        return self.means

    @property
    def certificate_form(self) -> dict[str, Any] | None:
        """What must be measured and how, as a certificate says it; ``None`` if certificates do not know it."""
        return None

    def in_file(self, columns: int) -> Model:
        """Give what a released file of so many quasi-identifiers shows of it by itself."""
        return self

    @property
    def promises_nothing(self) -> bool:
        """Whether every table keeps it."""
        return False

    def trivial_notes(self) -> list[str]:
        """Give a note for every part of the promise that promises nothing.

        Examples
        --------
        >>> from incrowd.models import promise
        >>> promise("k>=1, l>=3[disease]").trivial_notes()
        ['k>=1 promises nothing: every table keeps it.']
        """
        note = f"{self} promises nothing: every table{self._condition()} keeps it."
        return [note] if self.promises_nothing else []

    def _condition(self) -> str:
        """Say which tables keep it for nothing, if not all."""
        return "" if self.missing else " without missing values"

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


class ColumnModel(Model):
    """A promise about sensitive columns: about each of them, or about their combination where it is joint."""

    of: Of
    joint: bool = False

    @property
    @abstractmethod
    def judge(self) -> type[Judge]:
        """What judges one column or combination."""

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        columns = sensitive_columns(self.of, schema, type(self).__name__)
        groups = [columns] if self.joint else [(name,) for name in columns]
        return tuple(self.judge(self, group, schema, domains) for group in groups)


class DiversityModel(ColumnModel):
    """A promise of several values in every class, of which a missing one counts only where somebody asked for it."""

    def _about(self) -> str:
        """Write what it is about, as its text has it."""
        return bracket(self.of, *([MISSING] if self.missing else []), joint=self.joint)

    def _certified(self, kind: str, **how: Any) -> dict[str, Any]:
        """Give what a certificate says; where missing values count, that too."""
        return {"kind": kind, **how} | ({MISSING: True} if self.missing else {})

    def _meaning(self, said: str, *, several: bool) -> str:
        """Add to what it means what several rows and missing values change."""
        alone = " A person with several rows may have all of them, so a value can still be certain." if several else ""
        return said + alone + (" A missing value counts as one." if self.missing else "")


@dataclass(frozen=True)
class All(Model):
    """Several promises at once: a class must keep each of them. Written ``a & b``."""

    models: tuple[Model, ...]

    def __post_init__(self) -> None:
        self._normalize(models=tuple(self.models))
        if not self.models:
            msg = "All needs at least one promise."
            raise ParameterError(msg)

    @property
    def upward_closed(self) -> bool:
        return all(model.upward_closed for model in self.models)

    @property
    def union_closed(self) -> bool:
        return all(model.union_closed for model in self.models)

    @property
    def judged_apart(self) -> bool:
        return all(model.judged_apart for model in self.models)

    @property
    def by_person(self) -> bool:  # type: ignore[override]
        return any(model.by_person for model in self.models)

    @property
    def by_items(self) -> bool:  # type: ignore[override]
        return any(model.by_items for model in self.models)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return tuple(requirement for model in self.models for requirement in model.requirements)

    @property
    def implied(self) -> Model | None:
        implied = [model.implied for model in self.models if model.implied is not None]
        return All(tuple(implied)) if implied else None

    @property
    def parts(self) -> tuple[Model, ...]:
        return self.models

    def trivial_notes(self) -> list[str]:
        return [note for model in self.models for note in model.trivial_notes()]

    def judges(self, schema: Schema, domains: Mapping[str, Domain]) -> tuple[Judge, ...]:
        return tuple(judge for model in self.models for judge in model.judges(schema, domains))

    def __str__(self) -> str:
        return ", ".join(map(str, self.models))


def _counts(name: str, reference: Reference, domain: Domain) -> npt.NDArray[np.int64]:
    if name not in reference or len(reference[name]) != len(domain):
        msg = f"The reference must give a count for each of the {len(domain)} values of {name!r}."
        raise ParameterError(msg)
    return np.asarray(reference[name], dtype=np.int64)


def read_of(of: Of, *, joint: bool = False) -> tuple[str, ...] | None:
    """Read the parameter ``of``: a column, several, or nothing where there is only one sensitive column."""
    if of is None:
        if joint:
            msg = "joint=True needs the columns whose combination counts."
            raise ParameterError(msg, hint='write of=["a", "b"].')
        return None
    if isinstance(of, (set, frozenset)):
        msg = "of must be a list where it names several columns: a set has no order, and so no one text."
        raise ParameterError(msg, hint='write of=["a", "b"].')
    names = (of,) if isinstance(of, str) else tuple(of)
    if not names or not all(isinstance(name, str) and name for name in names) or len(set(names)) != len(names):
        msg = "of must name one or several different columns."
        raise ParameterError(msg)
    return names


def sensitive_columns(of: Of, schema: Schema, model: str) -> tuple[str, ...]:
    """Find the sensitive columns that a promise is about."""
    names, available = read_of(of), schema.sensitive_names
    if names is None and len(available) == 1:
        return available
    if names is None:
        found = "no sensitive column" if not available else f"{len(available)} sensitive columns"
        msg = f"{model} does not say which column it is about, and the schema has {found}."
        if not available:
            raise SchemaError(msg, hint="name sensitive columns in the schema.")
        raise SchemaError(msg, hint=Hint("{}.", Setting("of", available[0], f"write of={available[0]!r}")))
    for name in names:
        if name in schema.shifted_names:
            msg = f"{model} is about {name!r}, whose dates are shifted."
            raise SchemaError(msg, hint=UNTRUE)
        if name not in available:
            raise UnknownColumnError.of(name, available, given_as=f"the column of {model}")
    return names
