"""Attacking a release before somebody else does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

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
from incrowd.core import (
    Census,
    Classes,
    Domain,
    HierarchyError,
    Hint,
    ParameterError,
    Schema,
    Setting,
    UnknownColumnError,
)
from incrowd.evidence._attacks import Attack, Attacks, Table
from incrowd.evidence._findings import CHANCES, told, with_expected
from incrowd.evidence._intersection import intersection
from incrowd.evidence._linkage import join, linkage
from incrowd.evidence._minimality import own_attacks
from incrowd.evidence._people import On, known_from, known_from_original
from incrowd.evidence._subject import subject_of
from incrowd.hierarchies import Categories, Ordered, Tree
from incrowd.measures import Exposed, same_classes
from incrowd.models import check_column, read_list
from incrowd.release import Reading, Release

# All attacks on classes as they are: what each sensitive column calls for.

SEVERAL = "people have several values there, whose shares do not add up to a distribution."


@dataclass(frozen=True, slots=True, eq=False)
class ClassAttacks:
    """The attacks on one table."""

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


ROWS = (
    "the release does not say whose row is whose, so records are counted in attacks on a group; give the original to "
    "count persons."
)


def attack(  # noqa: PLR0913 - an intruder may have many things, all but the first optional
    table: Any,
    schema: Schema | None = None,
    *,
    original: Any = None,
    external: Any = None,
    on: On | None = None,
    who: str | None = None,
    other: Any = None,
    intruder: Intruder | None = None,
    **reading: Unpack[Reading],
) -> Attacks:
    """Simulate what intruders learn from a release, and compare it with what they would know without it.

    Parameters
    ----------
    table
        A ``Release``, the folder or ``release.json`` of a saved one, or any table together with its schema.
    schema
        The roles of the columns. A release brings its own.
    original
        The table that the release was made of. Its distribution is then what is known without the release, everybody
        in it is looked up in the release, and what the algorithm gives away is measured.
    external
        A table about people whom the intruder knows, to be joined with the release.
    on
        The columns to join on: names that both tables have, or a dict from the release's name to the external one. By
        default all quasi-identifiers that the external table has too.
    who
        The column of the external table that says who somebody is; shown only in ``exposed_records``.
    other
        Another release of the same people, given as ``table`` is: what follows from both together. Needs ``original``
        or ``external``, whose people are looked up in both.
    intruder
        What else is known, and what counts as found out.
    reading
        How to read files, as in ``census``.

    Notes
    -----
    Every attack states its background knowledge. ``rate`` is the share of people about whom the intruder is right,
    ``baseline`` what it would be without the release, ``advantage`` the difference. All people are attacked, so nothing
    is left to chance, except where an ``interval`` says that it was sampled.

    The candidates of a linkage are persons where it is known whose row is whose, each of them once; else records. A
    release of people with several rows does not say it: without ``original``, as many candidates count as there are
    persons for sure, so chances are upper bounds. About people of the original who are not in the release nobody is
    right, except by a value that they have; where it is unknown who these are, as in a table from elsewhere, of those
    who fit the same classes as many are taken to be there as these have people.

    Examples
    --------
    >>> import incrowd as ic
    >>> table = [{"age": "30s", "disease": "flu"}, {"age": "30s", "disease": "flu"}, {"age": "40s", "disease": "hiv"}]
    >>> found = ic.attack(table, ic.Schema(quasi=["age"], sensitive=["disease"]))
    >>> found.get("homogeneity").exposed.records, found.get("inference").baseline, found.get("singling out").rate
    (3, Fraction(2, 3), Fraction(2, 3))
    """
    _check(original, external, other, alone=on is None and who is None)
    _check_intruder(intruder)
    if who is not None:
        check_column(who, "who")
    pairs = _columns(on)
    subject = subject_of(table, schema, reading)
    before, whole = (None, None) if original is None else subject.original(original, reading)
    subject = subject if original is None else subject.with_persons(original, reading)
    known = None if external is None else known_from(external, subject, pairs, who, reading)
    if known is None and before is not None and whole is not None and len(subject.averaged) < len(subject.schema.quasi):
        known = known_from_original(subject, before, whole)
    intruder = intruder or Intruder()
    notes = [ROWS] if subject.hides_persons else []
    entries = list(ClassAttacks(subject.census, subject.classes, subject.schema, intruder, whole).run(notes))
    joined = None if known is None else join(subject, known, whole)
    entries += [] if joined is None else linkage(joined)
    entries += own_attacks(subject, intruder.seed, joined)
    if other is not None and joined is not None:
        second = subject_of(other, None if isinstance(other, Release) else schema, reading)
        second = second if original is None else second.with_persons_if_its(original, reading)
        entries += intersection(joined, second)
    return Attacks(
        records=subject.census.records,
        persons=subject.census.persons,
        classes=len(subject.classes),
        entries=tuple(entries),
        notes=tuple(notes),
    )


def _check(original: Any, external: Any, other: Any, *, alone: bool) -> None:
    """Refuse what cannot be used."""
    if external is None and not alone:
        msg = "on and who say how to read an external table, and none was given."
        raise ParameterError(msg, hint="give external=..., or leave them out.")
    if other is not None and original is None and external is None:
        msg = "Two releases are compared person by person, and it was not said who they are."
        raise ParameterError(msg, hint=Hint("{}.", Setting("original", words="give original=..., or external=...")))


def _check_intruder(intruder: object) -> None:
    if intruder is not None and not isinstance(intruder, Intruder):
        msg = f"intruder must be an Intruder, got {type(intruder).__name__}."
        raise ParameterError(msg, hint="write intruder=Intruder(excluded=2), or leave it out.")


def _columns(on: On | None) -> dict[str, str] | None:
    """Read which columns are joined with which."""
    if on is None:
        return None
    hint = Hint("write on=['age', 'zip'], or {on}.", on={"age": "Age"})
    pairs = list(on.items()) if isinstance(on, Mapping) else [(name, name) for name in read_list(on, "on", hint)]
    for name in (name for pair in pairs for name in pair):
        check_column(name, "Every part of on")
    return dict(pairs)
