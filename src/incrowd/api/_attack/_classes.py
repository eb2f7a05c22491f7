"""All attacks on classes as they are: what each sensitive column calls for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._attacks import Attack, Table
from incrowd.api._attack._told import CHANCES, told, with_expected
from incrowd.api._exposed import Exposed
from incrowd.attacks import (
    Intruder,
    Likeness,
    Line,
    Outcome,
    Prior,
    category_inference,
    change_of_belief,
    expected_from_counts,
    homogeneity,
    inference,
    listed_exclusions,
    missing_code,
    narrow_range,
    one_of,
    people_of,
    similarity,
    singling_out,
    skewness,
    unlikely_exclusions,
    worst_exclusions,
)
from incrowd.core import Census, Classes, Domain, HierarchyError, ParameterError, Schema, UnknownColumnError
from incrowd.hierarchies import Categories, Ordered, Tree
from incrowd.measures import same_classes

SEVERAL = "people have several values there, whose shares do not add up to a distribution."


@dataclass(frozen=True, slots=True, eq=False)
class ClassAttacks:
    """The attacks on one table.

    Attributes
    ----------
    census, classes, schema
        The table, its classes, and the roles of its columns.
    intruder
        What the intruder knows.
    original
        The original table, whose distribution is then what is known without the release.
    """

    census: Census
    classes: Classes
    schema: Schema
    intruder: Intruder
    original: Classes | None = None

    def run(self, notes: list[str]) -> Iterator[Attack]:
        """Make all attacks; what cannot be made is noted."""
        quasi = self.schema.quasi_names
        for given in (self.intruder.values, self.intruder.public, self.intruder.categories):
            for name in given:
                if name not in self.schema.sensitive_names:
                    raise UnknownColumnError.of(name, self.schema.sensitive_names, given_as="known to the intruder")
        self._check_level(notes)
        yield told(singling_out(self.classes), self.classes, quasi)
        if self.classes.cells.person is not None:
            yield several_rows(self.census, self.classes)
        for name in self.schema.sensitive_names:
            prior = self._prior(name)
            for outcome in self._column(prior, notes):
                attack = told(outcome, self.classes, quasi)
                yield with_expected(attack, self._expected(name)) if outcome.name == "homogeneity" else attack

    def _check_level(self, notes: list[str]) -> None:
        """Refuse a level that no taxonomy has, and say where a lower one is taken."""
        level, highest = self.intruder.level, {name: _levels(meaning) for name, meaning in self.schema.sensitive}
        lower = {name: levels for name, levels in highest.items() if 0 < levels < level}
        most = max(highest.values(), default=0)
        if lower and most < level:
            msg = f"level is {level}, and no taxonomy of a sensitive column has more than {most} below its top."
            raise ParameterError(msg, hint=f"take a level from 1 to {most}.")
        notes += [f"similarity of column {one!r} is judged at level {top}, its highest." for one, top in lower.items()]

    def _column(self, prior: Prior, notes: list[str]) -> Iterator[Outcome]:
        classes, intruder = self.classes, self.intruder
        yield homogeneity(classes, prior)
        yield inference(classes, prior, intruder.sure)
        yield self._background(prior)
        yield from self._similar(prior, notes)
        line = Line.of(classes.cells.domains[prior.column])
        ranges = None if line is None else Likeness.of_ranges(line, prior.counts)
        yield skewness(classes, prior, intruder.gain, ranges)
        change = change_of_belief(classes, prior)
        if change is None:
            notes.append(f"change of belief about column {prior.column!r} was not measured: {SEVERAL}")
        else:
            yield change

    def _background(self, prior: Prior) -> Outcome:
        intruder, name = self.intruder, prior.column
        if name in intruder.values:
            return listed_exclusions(self.classes, prior, intruder.values[name])
        if name in intruder.public:
            return unlikely_exclusions(self.classes, prior, intruder.public[name], intruder.excluded)
        return worst_exclusions(self.classes, prior, intruder.excluded)

    def _similar(self, prior: Prior, notes: list[str]) -> Iterator[Outcome]:
        """Use what is known about the values: categories, a taxonomy, an order, or that they are numbers."""
        name, intruder = prior.column, self.intruder
        meaning, domain = dict(self.schema.sensitive)[name], self.classes.cells.domains[name]
        try:
            likeness = _likeness(meaning, domain, intruder.level)
            if likeness is not None:
                yield similarity(self.classes, prior, likeness, intruder.categories.get(name, ()))
                yield category_inference(self.classes, prior, likeness, intruder.sure)
            elif (line := _line(meaning, domain)) is not None:
                yield narrow_range(self.classes, prior, intruder.narrow, line)
            else:
                notes.append(
                    f"similarity of column {name!r} was not attacked: not all its values are numbers or dates, and it "
                    "has no categories."
                )
        except HierarchyError as refusal:
            notes.append(f"similarity of column {name!r} was not attacked: {refusal.message}")

    def _prior(self, name: str) -> Prior:
        """Take what is known without the release: the original's distribution, or else the release's own."""
        if self.original is None:
            return Prior.of(self.classes, name)
        known = Prior.of(self.original, name)
        place = self.classes.cells.domains[name].codes_in(self.original.cells.domains[name])
        counts = np.where(place >= 0, known.counts[place], 0) if len(known.counts) else np.zeros(len(place), np.int64)
        missing = missing_code(self.classes, name)
        if known.rows is None:
            return Prior(name, counts, known.people, elsewhere=True, missing=missing)
        back = np.full(len(known.counts), -1, dtype=np.int64)
        back[place[place >= 0]] = np.flatnonzero(place >= 0)
        rows = known.rows[0], back[known.rows[1]]
        return Prior(name, counts, known.people, rows, elsewhere=True, missing=missing)

    def _expected(self, name: str) -> float | None:
        """Count the homogeneous classes that chance alone would make of this very table."""
        if self.classes.cells.person is not None:
            return None
        return expected_from_counts(self.classes.size, Prior.of(self.classes, name).counts)


def several_rows(census: Census, classes: Classes) -> Attack:
    """Look for people who are the only ones in just those classes."""
    person = np.asarray(classes.cells.person)
    people, together = same_classes(classes.members, person)
    alone = people[together == 1]
    chosen = np.isin(person, alone)
    total = max(people_of(classes), 1)
    records = int(classes.cells.counts[chosen].sum(dtype=np.int64))
    return Attack(
        name="several rows",
        column=None,
        knows="the quasi-identifiers of all rows of a person, and that the person is in the table",
        means="the only person in just those groups",
        exposed=Exposed(len(np.unique(classes.members[chosen])), records, len(alone), Fraction(len(alone), total)),
        targets=len(people),
        right=Fraction(_sets(together)),
        baseline=one_of(people_of(classes)),
        unit="chance",
        worst=None if not len(people) else Fraction(1, int(together.min())),
        worst_class={},
        distribution=tuple(
            (chance, int((together * chance.numerator <= chance.denominator).sum())) for chance in CHANCES
        ),
        notes=("Promises that count people do not cover somebody who knows several rows of a person.",),
        _records=partial(_people_in, census, classes, chosen),
    )


def _sets(together: npt.NDArray[np.int64]) -> int:
    """Count the different sets of classes: everybody stands for one over those who have the same."""
    sizes, counts = np.unique(together, return_counts=True)
    return int((counts // sizes).sum())


def _people_in(census: Census, classes: Classes, chosen: Any) -> Table:
    """Give the classes of people who are alone in theirs: one line per person and class."""
    person = classes.cells.person
    entity = list(census.domains)[-1]  # after quasi-identifiers and sensitive columns
    pairs = np.unique(np.stack([np.asarray(person)[chosen], classes.members[chosen]], axis=1), axis=0)
    labels = {name: classes.texts(column)[pairs[:, 1]] for column, name in enumerate(census.quasi)}
    return {entity: census.domains[entity].texts[pairs[:, 0]], **labels}


def _likeness(meaning: Any, domain: Any, level: int) -> Likeness | None:
    if isinstance(meaning, Categories):
        return Likeness.of_categories(meaning.bind(domain))
    if isinstance(meaning, Tree):
        return Likeness.of_taxonomy(meaning.bind(domain), level)
    if isinstance(meaning, Ordered) and (meaning.runs or (meaning.groups is not None and meaning.groups.height > 1)):
        return Likeness.of_taxonomy(meaning.bind(domain), level)
    return None


def _levels(meaning: Any) -> int:
    """Count the levels of a taxonomy between its values and its top."""
    if isinstance(meaning, Ordered):
        return len(meaning.runs) if meaning.groups is None else meaning.groups.height - 1
    return meaning.height - 1 if isinstance(meaning, Tree) else 0


def _line(meaning: Any, domain: Domain) -> Line | None:
    ranks = meaning.ranks(domain) if isinstance(meaning, Ordered) and meaning.values is not None else None
    return Line.of(domain, ranks)
