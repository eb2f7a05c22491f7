"""Linking a release with what somebody else knows about people."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._attacks import Attack, Table
from incrowd.api._attack._joined import Joined
from incrowd.api._attack._known import Known, quasi_identifiers
from incrowd.api._attack._told import CHANCES
from incrowd.api._attack._truth import Told, rows_of, shares
from incrowd.api._check import free_name
from incrowd.attacks import Linked, Prior, below, one_of, people_of
from incrowd.core import add_up

Counts = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FOREIGN = (
    "linkage: nobody knows who of the original is in this table. Of the people who fit the same groups, as many count "
    "as found as these groups have people: right is an upper bound."
)


def linkage(joined: Joined) -> list[Attack]:
    """Say who is found, and whose sensitive values are certain."""
    found = joined.found
    return [_found(joined, found), *(_disclosed(joined, found, one) for one in joined.target.schema.sensitive_names)]


def _found(joined: Joined, found: Linked) -> Attack:
    known = joined.known
    by_size = add_up(found.candidates, joined.answered, int(found.candidates.max(initial=0)) + 1)
    sizes = np.flatnonzero(by_size[1:]) + 1
    people = by_size[sizes]
    smallest = int(sizes[0]) if len(sizes) else None
    alone = found.candidates == 1
    counted = dict(zip(sizes.tolist(), people.tolist(), strict=True))
    exposed = known.exposed(lambda: joined.who(alone), counted.get(1, 0), found.reached)
    return Attack(
        name="linkage",
        column=None,
        knows=_knows(known),
        means="one candidate in the release",
        exposed=exposed,
        targets=known.people,
        right=_right(joined, found, (people, sizes)),
        baseline=_anybody(int(people.sum()), people_of(joined.target.classes), known.people),
        unit="chance",
        worst=None if smallest is None else Fraction(1, smallest),
        worst_class={} if smallest is None else _label(joined, found, joined.first(found.candidates == smallest)),
        distribution=tuple((one, sum(many for size, many in counted.items() if one * size <= 1)) for one in CHANCES),
        unread=joined.unread,
        notes=_notes(joined),
        _records=partial(_records, joined, found, alone),
    )


def _anybody(matched: int, published: int, targets: int) -> Fraction:
    """Say how many are right who pick anybody of the release, for each target who can be there; not for others."""
    return Fraction(min(matched, published), max(targets, 1)) * one_of(published)


def _right(joined: Joined, found: Linked, counted: tuple[Counts, Counts]) -> Fraction:
    """Add up the chances of people who are in the release; of an original, as far as it is known who these are."""
    truth = joined.truth
    if truth is None or truth.published is not None:
        return shares(*counted)
    return truth.right(joined.links, found, joined.classes)


def _disclosed(joined: Joined, found: Linked, name: str) -> Attack:
    known, chosen = joined.known, found.values[name] >= 0
    prior = Prior.of(joined.target.classes, name)
    constant = prior.people == prior.largest
    told: Told | None = None
    if chosen.any() and joined.truth is not None and not joined.truth.everybody:
        theirs = joined.truth.whole.cells.domains[name].codes_in(joined.classes.cells.domains[name])
        told, exposed = joined.truth.compare(name, theirs, joined.told(name), found.telling[name])
    else:  # what all candidates have is true of everybody who is one of them
        exposed = known.exposed(lambda: joined.who(chosen), int(joined.answered[chosen].sum()), found.telling[name])
    first = None if not exposed.records else joined.first(chosen) if told is None else int(told.who[0])
    return Attack(
        name="attribute linkage",
        column=name,
        knows=_knows(known),
        means="all candidates have one value",
        exposed=exposed,
        targets=known.people,
        right=Fraction(exposed.records),
        baseline=Fraction(exposed.records if constant else 0, max(known.people, 1)),
        unit="chance",
        worst=Fraction(int(exposed.records > 0)) if len(found.candidates) else None,
        worst_class={} if first is None else _label(joined, found, first),
        distribution=((Fraction(1), exposed.records),),
        unread=joined.unread,
        notes=joined.fewer("attribute linkage"),
        _records=partial(_told_records, joined, found, told, name),
    )


def _knows(known: Known) -> str:
    whose = "everybody in the original table" if known.original else f"{known.people:,} people of an external table"
    columns = quasi_identifiers(len(known.on))
    return f"{columns} of {whose}"


def _notes(joined: Joined) -> tuple[str, ...]:
    known, truth, matched = joined.known, joined.truth, joined.matched
    notes = [f"linkage: {matched:,} of {known.people:,} {known.noun} have a candidate in the release."]
    notes += joined.missing("linkage")
    if joined.target.averaged:
        notes.append("columns that are published as averages take no part in linkage.")
    if joined.least is not None:
        notes.append(_unknown(joined.least))
    if truth is not None and truth.bounded:
        notes.append(FOREIGN)
    if not known.original:
        notes.append("linkage: whether a candidate is the person is known only if the person is in the release.")
    return tuple(notes)


def _unknown(least: int) -> str:
    promise = f"the {least:,} that the promise wants in every group" if least > 1 else "one"
    return (
        "linkage: the release does not say whose row is whose, so as many persons count as candidates as there are for "
        f"sure: {promise}. Chances are at most so high; give the original to count persons."
    )


def _label(joined: Joined, found: Linked, who: int) -> dict[str, str | None]:
    """Name a class that a person can be in."""
    place = int(found.only[found.kind[who]])
    names = [joined.target.census.labels(name) for name in joined.known.on]
    pairs = zip(joined.known.on, names, joined.codes, strict=True)
    return {name: texts[codes[place]] for name, texts, codes in pairs}


def _records(joined: Joined, found: Linked, chosen: Bools) -> Table:
    """Give who is exposed, how many candidates each has, and the values that are certain: one row for each."""
    who = np.flatnonzero(joined.who(chosen) & (joined.people > 0))
    certain = [found.certain(name) for name in joined.target.schema.sensitive_names]
    rows = np.maximum.reduce(
        [np.ones(len(who), dtype=np.int64), *(np.diff(part[0])[found.kind[who]] for part in certain)]
    )
    begins = np.append(0, np.cumsum(rows))
    source, row = below(begins, np.arange(len(who)))
    who, turn = who[source], row - begins[source]
    answers = found.kind[who]
    codes = {}
    for name, (starts, values) in zip(joined.target.schema.sensitive_names, certain, strict=True):
        place = starts[answers] + turn
        codes[name] = np.where(place < starts[answers + 1], np.append(values, -1)[np.minimum(place, len(values))], -1)
    return _table(joined, found, Told(who, who, joined.people[who]), codes)


def _told_records(joined: Joined, found: Linked, told: Told | None, name: str) -> Table:
    told = told or joined.told(name)
    return _table(joined, found, told, {name: told.codes})


def _table(joined: Joined, found: Linked, told: Told, codes: dict[str, Counts]) -> Table:
    table = rows_of(joined.known, told)
    table[free_name("candidates", table)] = found.candidates[found.kind[told.who]]
    for name, values in codes.items():
        texts = np.append(joined.classes.cells.domains[name].texts, np.array([None], dtype=object))
        table[free_name(name, table)] = texts[values]
    return table
