"""Attacks on a class as it is: singling out, known items, homogeneity, the best guess beside what all know (`Prior`).

Nobody is right who says that a value is missing: that tells nothing about the person. People without a value stay
targets, and no guess about them counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from incrowd.attacks._expectation import expected_from_counts
from incrowd.core import Classes, Domain, Histogram, ItemSets, add_up, group
from incrowd.models import KnownItems, Measured, Ratios

# What one attack does to every class, before it is told to anybody.

Bools = npt.NDArray[np.bool_]
Unit = Literal["chance", "gain", "change", "width"]
"""What is measured on a class: how likely the best guess is right, by how much a value became likelier, how far the
distribution moved, or how wide the range of the values is."""


LOOKS = "the quasi-identifiers of a person, and that the person is in the table"
"""What every intruder knows who attacks a class."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AttackOutcome:
    """What one attack does to every class."""

    name: str
    means: str
    measured: Measured = field(repr=False)
    exposed: Bools = field(repr=False)
    right: int | Fraction
    baseline: Fraction
    column: str | None = None
    knows: str = LOOKS
    unit: Unit = "chance"
    targets: int | None = None  # everybody by default; somebody in several classes counts in each
    among: Bools | None = field(default=None, repr=False)  # the cells that are targets; all by default
    expected: float | None = None  # how many exposed classes chance alone would make
    notes: tuple[str, ...] = ()


# What is known about a sensitive column without knowing anybody's class.

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """How often each value occurs among all people.

    The baseline of a guess is the share of the attack's own targets about whom somebody is right who says the same
    value of everybody: the value that is most frequent among all targets, or of these values the one that is most
    frequent in the other table, where ``elsewhere``. Somebody in several classes is a target in each, for the baseline
    as for the attack. So a guess of the best value of every class is never worse than its baseline. That a value is
    missing is never said: it would teach nothing.
    """

    domain: Domain = field(repr=False)
    counts: Ints = field(repr=False)
    people: int
    # Whose each row is, and its code; -1 for a value that is not counted.
    rows: tuple[Ints, Ints] | None = field(default=None, repr=False)
    elsewhere: bool = False  # known from another table, such as the original
    missing: int = -1  # the code of a missing value; -1 if there is none

    @classmethod
    def of(cls, classes: Classes, column: str) -> Prior:
        """Take the whole table that the classes are of: the intruder sees it in the release."""
        cells, number, domain = classes.cells, classes.cells.cardinalities[column], classes.cells.domains[column]
        missing = missing_code(classes, column)
        if cells.person is None:
            counts = add_up(cells.sensitive[column], cells.counts, number)
            return cls(domain, counts, people_of(classes), missing=missing)
        reference = classes.reference(column)
        counts = np.zeros(number, dtype=np.int64)
        counts[reference.values[0]] = reference.counts
        rows = np.asarray(cells.person, dtype=np.int64), np.asarray(cells.sensitive[column], dtype=np.int64)
        return cls(domain, counts, people_of(classes), rows, missing=missing)

    @property
    def column(self) -> str:
        """Its name."""
        return self.domain.column

    @property
    def known(self) -> Ints:
        """People with each value that can be guessed: with a missing one nobody."""
        return np.where(np.arange(len(self.counts)) == self.missing, 0, self.counts)

    @property
    def largest(self) -> int:
        """How many people have the most frequent value."""
        return int(self.known.max(initial=0))

    def among(self, classes: Classes) -> Prior:
        """Give the same as known from elsewhere about classes of another table, whose codes are others."""
        own = classes.cells.domains[self.column]
        place = own.codes_in(self.domain)
        counts = np.where(place >= 0, self.counts[place], 0) if len(self.counts) else np.zeros(len(place), np.int64)
        missing, rows = missing_code(classes, self.column), None
        if self.rows is not None:
            back = np.full(len(self.counts), -1, dtype=np.int64)
            back[place[place >= 0]] = np.flatnonzero(place >= 0)
            rows = self.rows[0], back[self.rows[1]]
        return replace(self, domain=own, counts=counts, rows=rows, elsewhere=True, missing=missing)

    def of_categories(self, category: Ints, categories: int) -> Prior:
        """Count categories instead of values, -1 being none; nobody twice who has two values of one category."""
        if self.rows is None:
            some = category >= 0
            counts = add_up(category[some], self.counts[some], categories)
            return Prior(self.domain, counts, self.people, elsewhere=self.elsewhere)
        known = np.append(category, -1)[self.rows[1]] >= 0
        person, value = (part[known] for part in self.rows)
        found = category[value]
        pairs = group([found, person], [max(categories, 1), int(person.max(initial=0)) + 1]).first
        counts = np.bincount(found[pairs], minlength=categories).astype(np.int64)
        return Prior(self.domain, counts, self.people, elsewhere=self.elsewhere)

    def guessed_right(self, histogram: Histogram, among: npt.NDArray[np.bool_] | None = None) -> int:
        """Count the targets about whom one value, said of everybody, is right."""
        said = add_up(histogram.values[0], histogram.counts, len(self.counts) + 1)[:-1]  # the last is no category
        if among is not None:
            said = np.where(among, said, 0)
        if self.elsewhere:
            known = self.known if among is None else np.where(among, self.known, 0)
            said = said[known == known.max(initial=0)]
        return int(said.max(initial=0))


def missing_code(classes: Classes, column: str) -> int:
    """Give the code of a missing value; -1 if the column has none."""
    domain = classes.cells.domains[column]
    return len(domain.values) if domain.has_null else -1


def people_of(classes: Classes) -> int:
    """Count the people of a table: persons where it says whose row is whose, else records."""
    person = classes.cells.person
    if person is None:
        return int(classes.records.sum())
    return int(np.count_nonzero(np.bincount(person))) if len(person) else 0


def chance_to_pick(people: int) -> Fraction:
    """Give the chance to pick a person from so many; there is none where nobody is."""
    return Fraction(1, people) if people else Fraction(0)


def singling_out(classes: Classes) -> AttackOutcome:
    """Pick somebody of the class: the chance is one over its size."""
    return AttackOutcome(
        name="singling out",
        means="alone in the group",
        measured=Ratios(np.ones(len(classes), dtype=np.int64), classes.size),
        exposed=classes.size == 1,
        right=len(classes),
        baseline=chance_to_pick(people_of(classes)),
    )


def known_items(classes: Classes, columns: Mapping[int, ItemSets], most: int) -> AttackOutcome:
    """Pick somebody of those who have the ``most`` items that tell most about a person; whole sets are singling out."""
    fewest = KnownItems.of(classes, columns).fewest(classes, most)
    sizes, which = np.unique(fewest, return_inverse=True)
    people = np.bincount(which, weights=classes.size, minlength=len(sizes)).astype(np.int64)
    items = "an item" if most == 1 else f"any {most:,} items"
    return AttackOutcome(
        name="known items",
        knows=f"{items} of a person's set, the other quasi-identifiers, and that the person is in the table",
        means="nobody else has these items",
        measured=Ratios(np.ones(len(classes), dtype=np.int64), fewest),
        exposed=fewest == 1,
        right=sum(map(Fraction, people.tolist(), sizes.tolist()), Fraction(0)),
        baseline=chance_to_pick(people_of(classes)),
    )


def homogeneity(classes: Classes, prior: Prior) -> AttackOutcome:
    """Say only what is certain: the value that everybody in the class has."""
    histogram = classes.guessable_values(prior.column)
    most, targets = largest(histogram), int(classes.size.sum())
    exposed = np.asarray(most == classes.size, dtype=bool)
    expected = None
    if classes.cells.person is None:  # chance deals the values of this very table
        own = Prior.of(classes, prior.column) if prior.elsewhere else prior
        expected = expected_from_counts(classes.size, own.counts)
    return AttackOutcome(
        name="homogeneity",
        column=prior.column,
        means="the value is certain",
        measured=Ratios(most, classes.size),
        exposed=exposed,
        right=int(classes.size[exposed].sum()),
        baseline=Fraction(int(0 < prior.people == prior.largest and prior.guessed_right(histogram) == targets)),
        expected=expected,
    )


def inference(classes: Classes, prior: Prior, sure: Fraction) -> AttackOutcome:
    """Guess the most frequent value of the class."""
    return likeliest("inference", "value", classes, classes.guessable_values(prior.column), prior, sure)


def likeliest(
    name: str, what: str, classes: Classes, histogram: Histogram, prior: Prior, sure: Fraction
) -> AttackOutcome:
    """Guess what is most frequent in every class."""
    most = largest(histogram)
    measured = Ratios(most, classes.size)
    return AttackOutcome(
        name=name,
        column=prior.column,
        means=f"a {what} is at least {float(100 * sure):g} % likely",
        measured=measured,
        exposed=measured.meets(">=", sure),
        right=int(most.sum()),
        baseline=Fraction(prior.guessed_right(histogram), max(int(classes.size.sum()), 1)),
    )


def has_several_certain(classes: Classes, column: str) -> bool:
    """Say whether everybody has several values in some class, as only people with several rows can."""
    histogram = classes.guessable_values(column)
    everybody = histogram.classes[histogram.counts == classes.size[histogram.classes]]
    return bool((everybody[1:] == everybody[:-1]).any())


def certain_values(classes: Classes, column: str) -> npt.NDArray[np.int64]:
    """Give for every class the code of the value that everybody there has, or -1; one of them where there are more."""
    histogram = classes.guessable_values(column)
    result = np.full(len(classes), -1, dtype=np.int64)
    everybody: Bools = histogram.counts == classes.size[histogram.classes]
    result[histogram.classes[everybody]] = histogram.values[0][everybody]
    return result


def largest(histogram: Histogram) -> npt.NDArray[np.int64]:
    """Give for every class how many have its most frequent value."""
    if not len(histogram.counts):
        return np.zeros(0, dtype=np.int64)
    return np.maximum.reduceat(histogram.counts, histogram.starts[:-1])
