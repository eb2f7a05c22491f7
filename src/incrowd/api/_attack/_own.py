"""What the knowledge of our own algorithms gives away, measured on our own local recodings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._attacks import Attack, Table
from incrowd.api._attack._joined import Joined, join
from incrowd.api._attack._known import Known, quasi_identifiers
from incrowd.api._attack._target import Target
from incrowd.api._attack._told import CHANCES
from incrowd.api._attack._truth import shares
from incrowd.api._attack._undivided import minimality
from incrowd.api._check import free_name
from incrowd.api._exposed import Exposed
from incrowd.attacks import Claims, Members, tight_claims
from incrowd.core import DataError, Domain, LocalRecoding, group

Ints = npt.NDArray[np.int64]
ADVICE = "one level per column, such as Optimal(), gives away less of what its algorithm knows."


@dataclass(frozen=True, slots=True, eq=False)
class Owned:
    """A local recoding: who of the original is in which class.

    Attributes
    ----------
    target, recoding
        What is attacked, and how it was made.
    columns
        The quasi-identifiers whose labels can be read: not those that are averaged.
    """

    target: Target
    recoding: LocalRecoding
    columns: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, target: Target) -> Owned | None:
        """Take what is known about a target; nothing unless it was recoded locally."""
        recoding = target.recoding
        if not isinstance(recoding, LocalRecoding) or recoding.floor:  # nobody counted who is in which class
            return None
        columns = tuple(name for name in recoding.quasi if name not in target.averaged)
        return cls(target, recoding, columns) if columns and len(recoding.labels[0]) else None

    @property
    def members(self) -> Members:
        """Who is in which class."""
        return self.target.members

    def codes(self, name: str) -> npt.NDArray[np.integer]:
        """Give the value of each entry in a column."""
        return self.recoding.codes[list(self.recoding.domains).index(name)]

    def claims(self, name: str) -> Claims:
        """Conclude from the labels of a column who must be in the classes, and look."""
        domain, ladder = self.recoding.domains[name], self.recoding.ladders[name]
        numbered = self.target.numbered[name]
        covered = self.target.readings(name, numbered[0].tolist())
        return tight_claims(numbered, domain, ladder, self.members, self.codes(name), covered)


def own_attacks(target: Target, seed: int, joined: Joined | None = None) -> Iterator[Attack]:
    """Attack with the knowledge of how a local recoding was made.

    Parameters
    ----------
    target
        What is attacked.
    seed
        Where chance begins.
    joined
        The release joined with everybody of the original, if that was done already.
    """
    owned = Owned.of(target)
    if owned is not None:
        yield downcoding(owned)
        yield narrowest_group(owned, joined)
        yield from minimality(target, owned.recoding, seed)


def downcoding(owned: Owned) -> Attack:
    """Read labels as tight: ends of ranges, members of sets and both branches of a label must occur in the class."""
    found = [owned.claims(name) for name in owned.columns]
    sizes = owned.members.sizes
    made, right = (int(sum(getattr(one, part).sum() for one in found)) for part in ("made", "right"))
    expected = float(sum(one.expected.sum() for one in found))
    pinned = np.sum([np.minimum(one.pinned, sizes) * one.hides for one in found], axis=0)
    hidden = np.sum([sizes * one.hides for one in found], axis=0)
    whole = np.logical_or.reduce([one.hides & (one.pinned >= sizes) for one in found])
    shares = pinned / np.maximum(hidden, 1)
    worst = int(shares.argmax())
    records = int(sizes[whole].sum())
    bounds = zip(CHANCES, ((shares >= float(bound) - 1e-12) & (hidden > 0) for bound in CHANCES), strict=True)
    return Attack(
        name="downcoding",
        column=None,
        knows="that labels are as narrow as their group: somebody has each end of a range and each member of a set",
        means="every hidden value of a column is known to occur",
        exposed=Exposed(int(whole.sum()), records, None, Fraction(records, max(int(sizes.sum()), 1))),
        targets=made,
        right=Fraction(right),
        baseline=Fraction(round(expected / max(made, 1), 9)).limit_denominator(10**9),
        unit="chance",
        worst=Fraction(int(pinned[worst]), max(int(hidden[worst]), 1)),
        worst_class=_label(owned, worst),
        distribution=tuple((bound, int(sizes[mask].sum())) for bound, mask in bounds),
        notes=(
            f"downcoding: {right:,} of {made:,} conclusions from tight labels are right; {ADVICE}",
            "downcoding: worst is the largest share of hidden values of a group that are known to occur there.",
        ),
        _records=partial(_classes, owned, whole),
    )


def narrowest_group(owned: Owned, joined: Joined | None = None) -> Attack:
    """Look for every person in the narrowest class that fits, and compare with where the person is."""
    joined, person = _everybody(owned, joined)
    sizes, walked = joined.classes.records, joined.found
    place, really = np.asarray(walked.narrowest), _published_as(owned, joined)
    published, there = owned.members.found((person, walked.kind), place, really)
    size, total = sizes[place], int(published.sum())
    people = int(there[size == 1].sum())
    found = f"{int(there.sum()):,} of {total:,} people are in the narrowest group that fits them"
    return Attack(
        name="narrowest group",
        column=None,
        knows=f"{quasi_identifiers(len(owned.columns))} of everybody, and that nobody is generalized more than needed",
        means="alone in the narrowest group that fits, and really there",
        exposed=Exposed(int((sizes == 1).sum()), people, None, Fraction(people, max(total, 1))),
        targets=total,
        right=shares(there, size),
        baseline=shares(published, walked.candidates) / max(total, 1),
        unit="chance",
        worst=Fraction(1, int(size[there > 0].min())) if (there > 0).any() else None,
        worst_class={},
        distribution=tuple((one, int(there[size * one.numerator <= one.denominator].sum())) for one in CHANCES),
        notes=(
            f"narrowest group: {found}; {ADVICE}",
            "narrowest group: guessing is what linkage finds without this knowledge.",
        ),
        _records=partial(_alone, owned, joined, person, really),
    )


def _alone(owned: Owned, joined: Joined, person: npt.NDArray[np.integer], really: Ints) -> Table:
    """Give who is alone in the narrowest class that fits, and how many people are published who look like that."""
    place = np.asarray(joined.found.narrowest).take(joined.found.kind)
    published, there = owned.members.found((person, np.arange(len(place))), place, really)
    return replace(joined.known, counts=published).table((there > 0) & (joined.classes.records[place] == 1))


def _everybody(owned: Owned, joined: Joined | None) -> tuple[Joined, npt.NDArray[np.integer]]:
    """Join the release with the people that it is of; also give the person of every entry."""
    recoding = owned.recoding
    domains = tuple(recoding.domains[name] for name in owned.columns)
    same = joined is not None and _same(joined, owned.columns, domains)  # the original has nobody else
    if same and joined is not None and joined.known.entries is not None:
        return joined, joined.known.entries
    codes = [owned.codes(name) for name in owned.columns]
    people = group(codes, [len(domain) for domain in domains])
    if same and joined is not None:
        return joined, people.ids
    known = tuple(code[people.first] for code in codes)
    found = join(owned.target, Known(owned.columns, domains, known, people.sums(recoding.counts), original=True))
    records = replace(found.classes, size=found.classes.records, cells=replace(found.classes.cells, person=None))
    return replace(found, classes=records, by_record=True), people.ids


def _same(joined: Joined, columns: tuple[str, ...], domains: tuple[Domain, ...]) -> bool:
    """Say whether a join is with the people of a recoding, record by record."""
    known = joined.known
    counted = joined.classes.cells.person is None
    return known.original and counted and known.on == columns and known.domains == domains


def _published_as(owned: Owned, joined: Joined) -> Ints:
    """Find every class of the recoding among those that are published."""
    target, own = owned.target, []
    for name, published in zip(owned.columns, joined.codes, strict=True):
        known = {text: code for code, text in enumerate(target.census.labels(name).tolist())}
        names, which = target.numbered[name]
        if any(text not in known for text in names):
            msg = f"The recoding has other labels of column {name!r} than the table has."
            raise DataError(msg, hint="give the table that the recoding was saved with; incrowd verify compares them.")
        own.append(np.concatenate([published, np.array([known[text] for text in names], dtype=np.int64)[which]]))
    ids = group(own, [int(column.max(initial=0)) + 1 for column in own]).ids
    of_class = np.full(int(ids.max(initial=0)) + 1, -1, dtype=np.int64)
    of_class[ids[: len(joined.codes[0])]] = np.arange(len(joined.codes[0]))
    return of_class[ids[len(joined.codes[0]) :]]


def _label(owned: Owned, place: int) -> dict[str, str | None]:
    return {name: texts[place] for name, texts in zip(owned.recoding.quasi, owned.recoding.labels, strict=True)}


def _classes(owned: Owned, chosen: npt.NDArray[np.bool_]) -> Table:
    table = {name: texts[chosen] for name, texts in zip(owned.recoding.quasi, owned.recoding.labels, strict=True)}
    return {**table, free_name("records", table): owned.members.sizes[chosen]}
