"""The editions attack: two releases with the same pseudonyms, and who is alone by the rows of both."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from incrowd.attacks import chance_to_pick
from incrowd.core import Classes
from incrowd.evidence._attack_result import CHANCES, Attack, Table
from incrowd.evidence._subject import Subject
from incrowd.measures import Exposed, same_classes

Codes = npt.NDArray[np.int64]
Texts = npt.NDArray[np.object_]


def editions(one: Subject, other: Subject) -> Iterator[Attack]:
    """Look for people who are alone by their classes of both releases, if pseudonyms tie these together."""
    if one.names_persons and other.names_persons:
        yield _editions_attack(one, other)


def _editions_attack(one: Subject, other: Subject) -> Attack:
    sides = [_pairs_of(side) for side in (one, other)]
    names, person = np.unique(np.concatenate([texts for texts, _ in sides]).astype(str), return_inverse=True)
    edition = np.repeat([0, 1], [len(texts) for texts, _ in sides])
    members = np.concatenate([sides[0][1], sides[1][1] + len(one.classes)])
    people, together = same_classes(members, person)
    alone = people[together == 1]
    in_both = np.intersect1d(person[edition == 0], person[edition == 1])
    before = max(_alone_in(members[edition == number], person[edition == number]) for number in (0, 1))
    chosen = np.isin(person, alone)
    records = sum(
        int(side.classes.cells.counts[chosen[edition == number]].sum(dtype=np.int64))
        for number, side in enumerate((one, other))
    )
    sizes, counts = np.unique(together, return_counts=True)
    total = max(len(people), 1)
    notes = [f"editions: {len(in_both):,} of {len(people):,} people are in both releases under the same pseudonym."]
    if not len(in_both):
        notes.append("editions: the keys of the pseudonyms differ, or nobody is in both: nothing ties them together.")
    return Attack(
        name="editions",
        knows="the quasi-identifiers of all rows of a person in both releases, whose pseudonyms tie them together",
        means="the only person in just those groups of both",
        exposed=Exposed(len(np.unique(members[chosen])), records, len(alone), Fraction(len(alone), total)),
        targets=len(people),
        right=Fraction(int((counts // sizes).sum())),  # everybody stands for one over those who have the same groups
        baseline=Fraction(before, total) if before else chance_to_pick(len(people)),
        worst=None if not len(people) else Fraction(1, int(together.min())),
        distribution=tuple((one, int((together * one.numerator <= one.denominator).sum())) for one in CHANCES),
        notes=tuple(notes),
        _records=partial(_people_in, (one, other), names[person[chosen]], members[chosen]),
    )


def _pairs_of(side: Subject) -> tuple[Texts, Codes]:
    """Give for every published cell the pseudonym of its person, and its class."""
    census, classes = side.census, side.classes
    entity = list(census.domains)[-1]  # after quasi-identifiers and sensitive columns
    return census.domains[entity].texts[np.asarray(classes.cells.person)], classes.members.astype(np.int64)


def _alone_in(members: Codes, person: Codes) -> int:
    """Count the groups of people whom one release alone tells apart: of each the guess is right once."""
    _, together = same_classes(members, person)
    sizes, counts = np.unique(together, return_counts=True)
    return int((counts // sizes).sum())


def _people_in(sides: tuple[Subject, Subject], names: Texts, members: Codes) -> Table:
    """Give the groups of people who are alone by theirs: one line per person, release and group."""
    pairs = np.unique(np.stack([np.unique(names, return_inverse=True)[1], members], axis=1), axis=0)
    known, first = np.unique(names), len(sides[0].classes)
    edition = (pairs[:, 1] >= first).astype(int)
    table: Table = {"pseudonym": known[pairs[:, 0]].astype(object), "release": np.array([1, 2])[edition]}
    columns = dict.fromkeys(name for side in sides for name in side.census.quasi)
    for name in columns:
        texts = np.full(len(pairs), None, dtype=object)
        for number, side in enumerate(sides):
            if name in side.census.quasi:
                here = edition == number
                own = _class_texts(side.classes, side.census.quasi.index(name))
                texts[here] = own[pairs[here, 1] - first * number]
        table[name] = texts
    return table


def _class_texts(classes: Classes, column: int) -> Texts:
    return np.asarray(classes.texts(column), dtype=object)
