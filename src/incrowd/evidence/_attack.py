"""``attack``: which attacks a release is put through, by what the intruder has; linkage, classes, own algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from incrowd.attacks import Intruder
from incrowd.core import Hint, ParameterError, Schema, Setting
from incrowd.evidence._attack_result import Attacks
from incrowd.evidence._class_attacks import class_attacks
from incrowd.evidence._editions import editions
from incrowd.evidence._intersection import intersection
from incrowd.evidence._linkage import On, join, linkage, people_of_external, people_of_original
from incrowd.evidence._minimality import own_attacks
from incrowd.evidence._subject import Subject
from incrowd.models import check_column, read_list
from incrowd.release import Reading, Release

ROWS = (
    "the release does not say whose row is whose, so records are counted in attacks on a group; give the original to "
    "count persons."
)
USUAL = Intruder()


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
        or ``external``, whose people are looked up in both, unless both releases tie the rows of a person together by
        pseudonyms.
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
    _check_arguments(external, intruder, alone=on is None and who is None)
    if who is not None:
        check_column(who, "who")
    pairs = _column_pairs(on)
    subject = published = Subject.of(table, schema, reading)
    second = None if other is None else Subject.of(other, None if isinstance(other, Release) else schema, reading)
    if original is None and external is None and second is not None:
        _expect_names(published, second)
    before, whole = (None, None) if original is None else subject.original(original, reading)
    subject = subject if original is None else subject.with_persons(original, reading)
    known = None if external is None else people_of_external(external, subject, pairs, who, reading)
    if known is None and before is not None and whole is not None and len(subject.averaged) < len(before.quasi):
        known = people_of_original(subject, before, whole)
    intruder = intruder or USUAL
    notes = [ROWS] if subject.hides_persons else []
    entries = list(class_attacks(subject, intruder, whole, notes))
    joined = None if known is None else join(subject, known, whole)
    entries += [] if joined is None else linkage(joined)
    entries += own_attacks(subject, intruder.seed, joined)
    if second is not None:
        entries += editions(published, second)
    if second is not None and joined is not None:
        second = second if original is None else second.with_persons_if_its(original, reading)
        entries += intersection(joined, second)
    census = subject.census
    return Attacks(census.records, census.persons, len(subject.classes), tuple(entries), tuple(notes))


def _expect_names(one: Subject, other: Subject) -> None:
    """Refuse to compare two releases if nothing says which of their rows are of the same people."""
    if not (one.names_persons and other.names_persons):
        msg = "Two releases are compared person by person, and it was not said who they are."
        raise ParameterError(msg, hint=Hint("{}.", Setting("original", words="give original=..., or external=...")))


def _check_arguments(external: Any, intruder: object, *, alone: bool) -> None:
    """Refuse what cannot be used."""
    if external is None and not alone:
        msg = "on and who say how to read an external table, and none was given."
        raise ParameterError(msg, hint="give external=..., or leave them out.")
    if intruder is not None and not isinstance(intruder, Intruder):
        msg = f"intruder must be an Intruder, got {type(intruder).__name__}."
        raise ParameterError(msg, hint="write intruder=Intruder(excluded=2), or leave it out.")


def _column_pairs(on: On | None) -> dict[str, str] | None:
    """Read which columns are joined with which."""
    if on is None:
        return None
    hint = Hint("write on=['age', 'zip'], or {on}.", on={"age": "Age"})
    pairs = list(on.items()) if isinstance(on, Mapping) else [(name, name) for name in read_list(on, "on", hint)]
    for name in (name for pair in pairs for name in pair):
        check_column(name, "Every part of on")
    return dict(pairs)
