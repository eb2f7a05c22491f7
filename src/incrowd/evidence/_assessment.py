"""``Assessment`` and ``ColumnAssessment``: what ``assess`` measured on a table, no promise asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy.typing as npt

from incrowd.core import Census, Classes, ParameterError, Schema, SupersetMode, UnknownColumnError, Verdict
from incrowd.measures import ClassSizes, Exposed, plain_number, unique_without
from incrowd.models import (
    Association,
    Distance,
    MeasuredNumber as Number,
    Model,
    NTCloseness,
    nt_curve,
    promise,
)
from incrowd.release import free_name, ladders_of, looks_at_levels, notes_on_look_alikes, verdict_of


@dataclass(frozen=True, slots=True)
class ColumnAssessment:
    """What the classes tell about one sensitive column. Each number is that of the worst class.

    Attributes
    ----------
    column
        The column's name.
    values
        How many different values the table has; a missing one is none.
    distinct_l
        The least number of different values in a class; also called ``p``.
    probabilistic_l
        1 over the largest share that a value has among the known ones of a class; 0 where none is known.
    alpha
        The largest share that a value has in a class, in which a missing one is a value too.
    entropy_l
        The lowest effective number of values in a class.
    recursive
        For each ``l`` from 2 to ``distinct_l``, at most to 5, the ratio that ``c`` must exceed.
    t
        For each distance that the column can carry, the largest one from a class to the whole table.
    beta, enhanced_beta
        The largest gain of a value; the enhanced one is infinite where no bound would let the table pass.
    delta
        The largest change of a value's share on a logarithmic scale; infinite where a class lacks a value.
    p_alpha, enhanced
        With categories: the least number of values (of categories) in a class, and the least total weight.
    homogeneous, similar
        Classes in which some value is everybody's, and with categories those in which some category is. Where people
        have several rows, such a class can hold other values too.
    not_measured
        What could not be measured, and why.
    """

    column: str
    values: int
    distinct_l: int | None
    probabilistic_l: Fraction | None
    alpha: Fraction | None
    entropy_l: float | None
    recursive: Mapping[int, Number] | None
    t: Mapping[str, Number]
    beta: Fraction | None
    enhanced_beta: Number | None
    delta: float | None
    p_alpha: tuple[int, Fraction] | None
    enhanced: tuple[int, Fraction] | None
    homogeneous: Exposed
    similar: Exposed | None
    not_measured: Mapping[str, str]

    @property
    def p(self) -> int | None:
        """The least number of different values in a class, under the name of p-sensitivity."""
        return self.distinct_l

    @property
    def certain(self) -> Fraction:
        """The share of people whose value is certain, because all in their class have it."""
        return self.homogeneous.share

    def to_dict(self) -> dict[str, Any]:
        """Give plain data that can be written as JSON."""
        return {
            "values": self.values,
            "distinct_l": self.distinct_l,
            "p": self.p,
            "probabilistic_l": plain_number(self.probabilistic_l),
            "entropy_l": plain_number(self.entropy_l),
            "recursive": None if self.recursive is None else _plain_numbers(self.recursive),
            "alpha": plain_number(self.alpha),
            "t": _plain_numbers(self.t),
            "beta": plain_number(self.beta),
            "enhanced_beta": plain_number(self.enhanced_beta),
            "delta": plain_number(self.delta),
            "p_alpha": _plain_pair(self.p_alpha),
            "enhanced": _plain_pair(self.enhanced),
            "homogeneous": self.homogeneous.to_dict(),
            "similar": None if self.similar is None else self.similar.to_dict(),
            "not_measured": dict(self.not_measured),
        }


def _plain_numbers(numbers: Mapping[Any, Number]) -> dict[str, Any]:
    return {str(key): plain_number(value) for key, value in numbers.items()}


def _plain_pair(pair: tuple[int, Fraction] | None) -> dict[str, Any] | None:
    return None if pair is None else {"p": pair[0], "alpha": plain_number(pair[1])}


@dataclass(frozen=True, eq=False, repr=False)
class Assessment:
    """Everything that can be measured on a table. Made by ``assess``; no promise is asked.

    Attributes
    ----------
    records, persons
        How many records the table has, and how many persons where it says whose row is whose.
    dropped
        Records that were left out because a quasi-identifier is missing, where the schema asks for that.
    classes
        How many classes there are: groups of records that look alike on all quasi-identifiers.
    k
        The size of the smallest class; nothing if there is no class.
    compatible_k
        The same in the reading where a suppressed cell matches anything, if it was asked for. Never a promise.
    class_sizes
        How many classes have which size.
    one_of_a_kind
        Classes of one: people who can be singled out.
    columns
        What the classes tell about each sensitive column.
    notes
        What a careful reader should know. Names and numbers only.

    Notes
    -----
    An assessment is about this table alone. It keeps the census, which is as confidential as the table; ``to_dict``
    gives the numbers without it.
    """

    records: int
    persons: int | None
    dropped: int
    classes: int
    k: int | None
    compatible_k: int | None
    class_sizes: ClassSizes
    one_of_a_kind: Exposed
    columns: Mapping[str, ColumnAssessment]
    notes: tuple[str, ...]
    _schema: Schema = field(kw_only=True)
    _census: Census = field(kw_only=True)
    _grouped: Classes = field(kw_only=True)
    _associations: dict[str, Association] = field(default_factory=dict, init=False)

    @property
    def counted(self) -> bool:
        """Whether a row of the table can stand for several records."""
        return self._schema.count is not None

    @property
    def highest_chance(self) -> Fraction:
        """The chance to pick the right record of the person who is easiest to find."""
        return Fraction(1, self.k) if self.k else Fraction(0)

    @property
    def average_chance(self) -> Fraction:
        """The chance to find a person, averaged over people (not over classes): classes per record."""
        return Fraction(self.classes, max(int(self._grouped.size.sum()), 1))

    def below(self, k: int) -> Exposed:
        """Give the classes smaller than ``k``, and who is in them."""
        return Exposed.of(self._grouped, self._grouped.size < k)

    def check(self, model: Model | str) -> Verdict:
        """Say whether the table keeps a promise, as the function ``check`` does, without reading it again."""
        model = promise(model)
        census = self._census_with_ladders if looks_at_levels(model) else self._census
        judges = model.bind(self._schema, census.domains)
        notes = [*model.trivial_notes(), *notes_on_look_alikes(judges, census)]
        return verdict_of(judges, self._classes_of(census), census.quasi, notes=notes)

    def certificates(self, model: NTCloseness | str) -> dict[str, npt.NDArray[Any]]:
        """Give for each class the superset that certifies (n, t)-closeness, for the owner of the data.

        Parameters
        ----------
        model
            ``NTCloseness`` about one column, or its text: ``"nt(n=1000, t=0.1)[disease]"``.

        Returns
        -------
        Columns of one table: per quasi-identifier the label of each class, its number of ``records``, the name of the
        nearest ``superset`` that is large enough (``itself`` for a large class, ``None`` where none is near enough) and
        the ``distance`` to it, infinite where there is none. A name that a quasi-identifier has too ends in ``_``.
        """
        read = promise(model)
        if not isinstance(read, NTCloseness):
            msg = f"Only (n, t)-closeness has certificates, got {read}."
            raise ParameterError(msg, hint="for example nt(n=1000, t=0.1)[disease].")
        if read.of is not None and len(read.of) > 1:
            msg = f"Certificates are about one sensitive column, and the promise names {len(read.of)}."
            raise ParameterError(msg, hint="ask for each column by itself.")
        census = self._census_with_ladders if looks_at_levels(read) else self._census
        column = self._sensitive(None if read.of is None else read.of[0])
        judge: Any = replace(read, of=column).bind(self._schema, census.domains)[0]
        classes = self._classes_of(census)
        found = judge.certificates(classes)
        labels = {name: classes.texts(place) for place, name in enumerate(census.quasi)}
        more = {"records": classes.records, "superset": found.supersets, "distance": found.distances.floats}
        return {**labels, **{free_name(name, labels): values for name, values in more.items()}}

    def association(self, column: str | None = None) -> Association:
        """Give the largest share of every single value: the alpha vector. It holds values of the table.

        The sensitive column may be left out if there is only one.
        """
        name = self._sensitive(column)
        if name not in self._associations:
            self._associations[name] = Association.of(self._grouped, name)
        return self._associations[name]

    def nt_curve(
        self,
        column: str | None = None,
        ns: Sequence[int] | None = None,
        *,
        supersets: SupersetMode = "drop",
        distance: Distance = "equal",
    ) -> dict[int, Number]:
        """Give for each ``n`` the smallest ``t`` with which the table is (n, t)-close.

        Parameters
        ----------
        column
            The sensitive column; may be left out if there is only one.
        ns
            The values of ``n``; by default 1, 2, 5, 10 and so on, up to all people.
        supersets, distance
            As in ``NTCloseness``.
        """
        model = NTCloseness(1, 1, self._sensitive(column), distance, supersets)
        census = self._census_with_ladders if looks_at_levels(model) else self._census
        judge: Any = model.bind(self._schema, census.domains)[0]
        sizes = _round_numbers(int(self._grouped.size.sum())) if ns is None else list(ns)
        return dict(zip(sizes, nt_curve(self._classes_of(census), judge, sizes), strict=True))

    @cached_property
    def unique_without(self) -> Mapping[str, int]:
        """For each quasi-identifier, how many people would still be one of a kind if it were dropped."""
        names = self._schema.quasi_names
        cardinalities = [len(self._census.domains[name]) for name in names]
        return {name: unique_without(self._grouped, cardinalities, number) for number, name in enumerate(names)}

    def to_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Give plain data that can be written as JSON; ``values`` adds the largest share of each sensitive value.

        A number that is no count is a dict: ``value`` as a float (nothing if infinite) and ``exact`` as text where the
        number is rational or infinite.
        """
        columns = {name: column.to_dict() for name, column in self.columns.items()}
        for name, column in columns.items():
            column["spread"] = plain_number(self.association(name).spread)
            if values:
                column["alphas"] = [
                    [value, plain_number(share)] for value, share in self.association(name).alphas.items()
                ]
        sizes = self.class_sizes
        rows = zip(sizes.size.tolist(), sizes.classes.tolist(), sizes.records.tolist(), strict=True)
        return {
            "schema": 1,
            "quasi": list(self._schema.quasi_names),
            "records": self.records,
            "persons": self.persons,
            "dropped": self.dropped,
            "classes": self.classes,
            "k": self.k,
            "compatible_k": self.compatible_k,
            "chance": {"highest": plain_number(self.highest_chance), "average": plain_number(self.average_chance)},
            "one_of_a_kind": self.one_of_a_kind.to_dict(),
            "unique_without": dict(self.unique_without),
            "class_sizes": [{"size": size, "classes": count, "records": records} for size, count, records in rows],
            "columns": columns,
            "notes": list(self.notes),
        }

    @cached_property
    def _census_with_ladders(self) -> Census:
        """The census with the hierarchies of the schema, for promises that look at coarser levels."""
        ladders = ladders_of(self._schema, self._census.domains)
        return replace(self._census, ladders=ladders) if ladders else self._census

    def _classes_of(self, census: Census) -> Classes:
        return self._grouped if census is self._census else census.classes()

    def _sensitive(self, column: str | None) -> str:
        names = list(self.columns)
        if column is None and len(names) == 1:
            return names[0]
        if column is None:
            msg = f"There are {len(names)} sensitive columns, so one must be named."
            raise ParameterError(msg)
        if column not in names:
            raise UnknownColumnError.of(column, names, given_as="sensitive")
        return column

    def __repr__(self) -> str:
        persons = "" if self.persons is None else f"{self.persons:,} persons, "
        sensitive = f"{len(self.columns)} sensitive column{'' if len(self.columns) == 1 else 's'}"
        return f"Assessment({self.records:,} records, {persons}{self.classes:,} classes, k={self.k}, {sensitive})"


def _round_numbers(most: int) -> list[int]:
    """Give 1, 2, 5, 10 and so on below a number, and the number itself."""
    powers = (10**power for power in range(len(str(most))))
    return [
        *(step for power in powers for step in (power, 2 * power, 5 * power) if step < most),
        *([most] if most else []),
    ]
