"""The intersection attack: two releases of the same people, and the sensitive values that both allow."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from incrowd.attacks import Disclosures, KnownPeople, Remaining, intersect, missing_code
from incrowd.core import Classes, Domain, ParameterError
from incrowd.evidence._attack_result import Attack, Table, with_column
from incrowd.evidence._linkage import Joined, columns_text, join, table_of
from incrowd.evidence._subject import Subject
from incrowd.measures import Exposed

Counts = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The values of a sensitive column in two releases: those of the first, and then what only the second has."""

    name: str
    domains: tuple[Domain, Domain] = field(repr=False)
    same: Counts = field(repr=False)  # of every code of the second release its code in the first, or -1
    codes: tuple[Counts, Counts] = field(repr=False)
    texts: npt.NDArray[np.object_] = field(repr=False)

    @classmethod
    def of(cls, joined: tuple[Joined, Joined], name: str) -> Values:
        """Compare the values of two releases."""
        one, two = (side.classes.cells.domains[name] for side in joined)
        same = two.codes_in(one)
        new = same < 0
        second = np.where(new, len(one) + np.cumsum(new) - 1, same)
        return cls(name, (one, two), same, (np.arange(len(one)), second), np.append(one.texts, two.texts[new]))

    def of_original(self, whole: Classes) -> Counts:
        """Give for every code of an original its code here, or -1."""
        domain = whole.cells.domains[self.name]
        one, two = (domain.codes_in(side) for side in self.domains)
        return np.where(one >= 0, one, np.where(two >= 0, np.append(self.codes[1], -1)[two], -1))


def intersection(one: Joined, other: Subject) -> Iterator[Attack]:
    """Look everybody up in both releases, and keep the sensitive values that both allow."""
    names = [name for name in one.subject.schema.sensitive_names if name in other.schema.sensitive_names]
    if not names:
        msg = "The two releases have no sensitive column in common."
        raise ParameterError(msg, hint="compare releases that tell the same about people.")
    joined = one, join(other, _with_shared_columns(one.known, other))
    for name in names:
        yield _intersection_attack(joined, name)


def _with_shared_columns(known: KnownPeople, other: Subject) -> KnownPeople:
    """Keep the columns that the other release can be joined on too."""
    usable = [name in other.schema.quasi_names and name not in other.averaged for name in known.on]
    if not any(usable):
        msg = "The two releases have no quasi-identifier in common that the people are known by."
        raise ParameterError(msg)

    on, domains, codes = (
        tuple(itertools.compress(known.on, usable)),
        tuple(itertools.compress(known.domains, usable)),
        tuple(itertools.compress(known.codes, usable)),
    )
    return replace(known, on=on, domains=domains, codes=codes, entries=None)


def _intersection_attack(joined: tuple[Joined, Joined], name: str) -> Attack:
    one, two = joined
    values = Values.of((one, two), name)
    histograms = one.classes.histogram(name), two.classes.histogram(name)
    found = intersect((one.links, two.links), histograms, values.same)
    known = one.known
    in_both = (found.first > 0) & (found.second > 0)
    alone = [_disclosures_of_one(side, name, codes, in_both) for side, codes in zip(joined, values.codes, strict=True)]
    told, exposed = _true_disclosures(
        one,
        values,
        _distinct_disclosures(
            [*alone, _single_values_left(found, known, missing_code(one.classes, name))], known, len(values.texts)
        ),
    )
    before = max(_true_disclosures(one, values, some)[1].records for some in alone)
    targets = known.number_of(in_both)
    unread = list(dict.fromkeys(note for side in joined for note in side.notes_on_labels("intersection")))
    fewer = list(dict.fromkeys(note for side in joined for note in side.notes_on_rows("intersection")))
    return Attack(
        name="intersection",
        column=name,
        knows=f"{columns_text(len(known.on))} of everybody, and that they are in both releases",
        means="a value is certain by both releases",
        exposed=exposed,
        targets=targets,
        right=Fraction(exposed.records),
        baseline=Fraction(before, max(targets, 1)),
        worst=Fraction(int(exposed.records > 0)) if len(known.counts) else None,
        distribution=((Fraction(1), exposed.records),),
        unread=one.unread + two.unread,
        notes=(*_intersection_notes(known, found, in_both), *unread, *fewer),
        _records=partial(_exposed_records, known, told, values),
    )


def _intersection_notes(known: KnownPeople, found: Remaining, in_both: Bools) -> Iterator[str]:
    narrowed = known.number_of(in_both & (found.both < np.minimum(found.first, found.second)))
    odd = known.number_of(in_both & (found.both == 0))
    of = f"{known.number_of(in_both):,} {known.noun}"
    yield f"intersection: for {narrowed:,} of {of} both releases leave fewer values than each alone."
    if odd:
        yield f"intersection: for {odd:,} of {of} no value fits both, so not all are in both."


def _disclosures_of_one(side: Joined, name: str, codes: Counts, chosen: Bools) -> Disclosures:
    """Say what one release alone tells some people."""
    told = side.disclosures_in(name)
    kept = chosen[told.who]
    who = told.who[kept]
    return Disclosures(who, codes[told.codes[kept]], side.known.counts[who])


def _single_values_left(found: Remaining, known: KnownPeople, missing: int) -> Disclosures:
    """Say who is left with one value by both releases, other than that it is missing."""
    who = np.flatnonzero((found.both == 1) & (found.value != missing))
    return Disclosures(who, found.value[who], known.counts[who])


def _distinct_disclosures(parts: Sequence[Disclosures], known: KnownPeople, codes: int) -> Disclosures:
    """Tell people all that is certain for any reason; nothing twice."""
    pairs = np.unique(np.concatenate([part.who * codes + part.codes for part in parts]))
    who = pairs // max(codes, 1)
    return Disclosures(who, pairs % max(codes, 1), known.counts[who])


def _true_disclosures(joined: Joined, values: Values, told: Disclosures) -> tuple[Disclosures, Exposed]:
    """Say who is told something; of an original, who has it."""
    if joined.truth is not None:
        return joined.truth.true_of(told, values.name, values.of_original(joined.truth.whole), 0)
    known = joined.known
    chosen = np.zeros(len(known.counts), dtype=bool)
    chosen[told.who] = True
    return told, known.exposed(lambda: chosen, known.number_of(chosen), 0)


def _exposed_records(known: KnownPeople, told: Disclosures, values: Values) -> Table:
    return with_column(table_of(known, told.who, told.people), values.name, values.texts[told.codes])
