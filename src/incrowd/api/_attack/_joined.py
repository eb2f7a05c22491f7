"""A release joined with people whom somebody knows: who can be in which class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._known import Known
from incrowd.api._attack._target import Target
from incrowd.api._attack._truth import Told, Truth
from incrowd.attacks import (
    Crowd,
    Linked,
    Links,
    Matching,
    below,
    certain_values,
    has_several_certain,
    link,
    link_persons,
    people_of,
    widths_of,
)
from incrowd.core import Classes, LocalRecoding, add_up, group
from incrowd.models import KAnonymity

Ints = npt.NDArray[np.integer]
Counts = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

INCOMPLETE = (
    "if they are vague, people and candidates are missing. The hierarchy of the column would tell; flat() says that it "
    "is exact."
)
SEVERAL = (
    "of people with several rows only those values are told that all rows of a group share. More may be certain; give "
    "the original to know."
)
PIECE = 1 << 16
"""So many people are looked at together."""


@dataclass(frozen=True, eq=False)
class Joined:
    """A release, regrouped by the columns that somebody knows, and who can be in which class.

    Candidates are persons where the table says whose row is whose, and nobody is one twice. Where people have several
    rows and the table does not say whose, candidates are as many persons as there are for sure: as many as the promise
    wants in every class, or one. Else they are records, and everywhere if it is asked for ``by_record``.
    """

    target: Target
    known: Known
    classes: Classes
    codes: tuple[Ints, ...]
    covered: tuple[list[npt.NDArray[np.intp]], ...]
    links: Links
    truth: Truth | None = None
    by_record: bool = False

    @cached_property
    def unread(self) -> int:
        """How many records have a label of which nobody can tell whom it stands for."""
        pairs = zip(self._unread_labels.values(), self.codes, strict=True)
        hit = np.logical_or.reduce([labels[codes] for labels, codes in pairs])
        return int(self.classes.records[hit].sum())

    @cached_property
    def _unread_labels(self) -> dict[str, Bools]:
        pairs = zip(self.known.on, self.known.domains, strict=True)
        return {name: self.target.unread(name, domain) for name, domain in pairs}

    @cached_property
    def found(self) -> Linked:
        """What the classes that can be a person's say; walked once for all attacks that ask."""
        names = self.target.schema.sensitive_names
        if self._is_crowd:
            return link_persons(self.links, Crowd.of(self.classes, names))
        certain = {name: certain_values(self.classes, name) for name in names}
        own = self.known.original and isinstance(self.target.recoding, LocalRecoding)  # for the narrowest group
        least, size = self.least, self.classes.size
        sizes = size if least is None else np.minimum(size, least)
        found = link(self.links, sizes, certain, widths_of(self.codes, self.covered) if own else None)
        if least is None:
            return found
        candidates = np.minimum(found.candidates, least)
        return replace(found, candidates=candidates, reached=len(np.unique(found.only[candidates == 1])))

    @property
    def _is_crowd(self) -> bool:
        """Whether adding up classes would count a person twice, or miss a value that all have beside another."""
        person = self.classes.cells.person
        if person is None:
            return False
        overlap = any(matching.most > 1 for matching in self.links.matchings)
        if overlap and int(self.classes.size.sum()) > people_of(self.classes):
            return True
        return any(has_several_certain(self.classes, name) for name in self.target.schema.sensitive_names)

    @cached_property
    def least(self) -> int | None:
        """How many persons every class has for sure, where records of the same person cannot be told; else nothing."""
        if not self.target.hides_persons or self.by_record:
            return None
        model = self.target.model
        promised = [part.k for part in model.parts if isinstance(part, KAnonymity)] if model is not None else []
        least = max(promised, default=1)
        return least if int(self.classes.records.min(initial=least)) >= least else 1

    @cached_property
    def people(self) -> Counts:
        """How many people are alike who can be found: without those of whom it is known that they are left out."""
        published = None if self.truth is None else self.truth.published
        return self.known.counts if published is None else published

    @cached_property
    def answered(self) -> Counts:
        """How many people have each answer."""
        return add_up(self.found.kind, self.people, len(self.found.candidates))

    def told(self, name: str) -> Told:
        """Say who is told which values of a column, those that all candidates have."""
        starts, codes = self.found.certain(name)
        who = np.flatnonzero((np.diff(starts) > 0).take(self.found.kind))
        source, entry = below(starts, self.found.kind[who])
        who = who[source]
        return Told(who, codes[entry], self.people[who])

    def fewer(self, attack: str) -> tuple[str, ...]:
        """Say that values may be missing, where nobody can say whose row is whose."""
        return (f"{attack}: {SEVERAL}",) if self.target.hides_persons else ()

    def missing(self, attack: str) -> Iterator[str]:
        """Say which labels could not be read, without their texts."""
        for name, labels in self._unread_labels.items():
            if labels.any():
                many = f"{int(labels.sum()):,} of {len(labels):,} labels of column {name!r}"
                yield f"{attack}: {many} are no values of these people and cannot be read; each stands for itself."
        if self.unread:
            total = int(self.classes.records.sum())
            yield f"{attack}: {self.unread:,} of {total:,} records have such labels: {INCOMPLETE}"

    def who(self, chosen: Bools) -> Bools:
        """Say which people have one of some answers."""
        return chosen.take(self.found.kind)

    def first(self, chosen: Bools) -> int:
        """Give the first person who has one of some answers; there is one."""
        kind = self.found.kind
        starts = (start for start in range(0, len(kind), PIECE) if chosen[kind[start : start + PIECE]].any())
        start = next(starts)
        return start + int(chosen[kind[start : start + PIECE]].argmax())

    @cached_property
    def matched(self) -> int:
        """How many people have a candidate."""
        some = self.found.candidates > 0
        if self.people is self.known.counts:
            return int(self.answered[some].sum())
        return int(self.known.counts[self.who(some)].sum())


def join(target: Target, known: Known, whole: Classes | None = None) -> Joined:
    """Match labels with values, and prepare the walk from people to classes.

    Parameters
    ----------
    target
        What is attacked.
    known
        The people.
    whole
        The original, where they are its people.
    """
    quasi = target.schema.quasi_names
    places = [quasi.index(name) for name in known.on]
    classes = target.classes
    codes = tuple(classes.codes[place] for place in places)
    labels = [target.census.labels(name) for name in known.on]
    if len(places) < len(quasi):
        regions = group(codes, [len(names) for names in labels])
        classes = classes.merge(regions.ids, len(regions))
        codes = tuple(column[regions.first] for column in codes)
    covered = tuple(target.reached(name, domain) for name, domain in zip(known.on, known.domains, strict=True))
    pairs = zip(covered, known.domains, strict=True)
    matchings = [Matching.of(reached, len(domain)) for reached, domain in pairs]
    truth = Truth(target, known, whole) if known.original and whole is not None else None
    return Joined(target, known, classes, codes, covered, Links(codes, known.codes, matchings), truth)
