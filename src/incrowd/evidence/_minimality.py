"""Attacks that know our local recodings: minimality, downcoding, and the narrowest class that fits a person."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from incrowd.attacks import Claims, KnownPeople, Undivided, minimality_in_sample, sum_of_shares, tight_claims
from incrowd.core import DataError, LocalRecoding, PrivacyWarning, Schema, SchemaError, add_up, group
from incrowd.evidence._attack_result import CHANCES, Attack, Table, with_column
from incrowd.evidence._linkage import Joined, columns_text, join, table_of
from incrowd.evidence._subject import Subject
from incrowd.measures import Exposed
from incrowd.models import Judge, Model, NTCloseness

# The minimality attack on our own local recodings: what classes say by not being divided.


def minimality(subject: Subject, recoding: LocalRecoding, seed: int) -> Iterator[Attack]:
    """Attack every sensitive column that the promise is about; nothing where it is about sizes alone."""
    model = subject.model
    if model is None or subject.roles.entity is not None:
        return
    if any(isinstance(part, NTCloseness) for part in model.parts):
        return  # halves have no supersets
    judges = _judges_of_values(model, subject.roles, recoding)
    for name in dict.fromkeys(name for judge in judges for name in judge.columns):
        about = [judge for judge in judges if set(judge.columns) <= {name}]
        if any(judge.columns for judge in about):
            yield _minimality_attack(name, recoding, minimality_in_sample(recoding, name, about, seed))


def _judges_of_values(model: Model, schema: Schema, recoding: LocalRecoding) -> tuple[Judge, ...]:
    names = [name for name in schema.sensitive_names if name in recoding.domains]
    codes = dict(zip(recoding.domains, recoding.codes, strict=True))
    reference = {name: add_up(codes[name], recoding.counts, len(recoding.domains[name])) for name in names}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # said when it was published
            return model.bind(schema, recoding.domains, reference)
    except SchemaError:  # a saved schema may lack what the promise needs
        return ()


def _minimality_attack(name: str, recoding: LocalRecoding, found: Undivided) -> Attack:
    looked, people = len(found.sizes), int(found.sizes.sum())
    shares = found.right / np.maximum(found.sizes, 1)
    place = int(shares.argmax()) if looked else None
    whole = found.right == found.sizes
    exposed = int(found.sizes[whole].sum())
    said = (
        f"minimality: of {looked:,} groups that could be divided by size, {found.telling:,} say something about "
        f"{name!r} by not being divided, which is true of {found.true:,}."
    )
    return Attack(
        name="minimality",
        column=name,
        knows="everybody's quasi-identifiers, and that a group is divided if both halves keep the promise",
        means="everybody's value is guessed right",
        exposed=Exposed(int(whole.sum()), exposed, None, Fraction(exposed, max(people, 1))),
        targets=people,
        right=Fraction(int(found.right.sum())),
        baseline=Fraction(int(found.before.sum()), max(people, 1)),
        worst=None if place is None else Fraction(int(found.right[place]), int(found.sizes[place])),
        worst_class={} if place is None else _class_label(recoding, int(found.chosen[place])),
        distribution=((Fraction(1), exposed),),
        interval=found.interval,
        notes=(said, "minimality: guessing is the most frequent value of the group."),
        _records=partial(_exposed_records, recoding, name, found.chosen[whole]),
    )


def _exposed_records(recoding: LocalRecoding, name: str, chosen: npt.NDArray[np.int64]) -> Table:
    """Give what everybody in some classes has: labels, the value, and how many records are alike."""
    inside = np.isin(recoding.classes, chosen)
    values = recoding.codes[list(recoding.domains).index(name)][inside]
    columns, domain = [recoding.classes[inside].astype(np.int64), values], recoding.domains[name]
    alike = group(columns, [len(recoding.labels[0]), len(domain)])
    members, codes = (column[alike.first] for column in columns)
    table = {one: texts[members] for one, texts in zip(recoding.quasi, recoding.labels, strict=True)}
    table = with_column(table, name, domain.texts[codes])
    return with_column(table, "records", alike.sums(recoding.counts[inside]))


Ints = npt.NDArray[np.int64]
ADVICE = "downcoding, narrowest group: one level per column and no stars give away less of what the search knows."


@dataclass(frozen=True, slots=True, eq=False)
class LocalSubject:
    """A subject that was recoded locally, and its columns that can be compared."""

    subject: Subject
    recoding: LocalRecoding
    columns: tuple[str, ...]

    def codes(self, name: str) -> npt.NDArray[np.integer]:
        """Give the value of each entry in a column."""
        return self.recoding.codes[list(self.recoding.domains).index(name)]

    def claims(self, name: str) -> Claims:
        """Conclude from the labels of a column who must be in the classes, and look."""
        domain, ladder = self.recoding.domains[name], self.recoding.ladders[name]
        labels = self.recoding.distinct_labels[name]
        covered = self.subject.covered_by(self.recoding, name, labels[0].tolist())
        return tight_claims(labels, domain, ladder, self.subject.members, self.codes(name), covered)


def own_attacks(subject: Subject, seed: int, joined: Joined | None = None) -> Iterator[Attack]:
    """Attack with the knowledge of how a local recoding was made."""
    recoding = subject.recoding
    if not isinstance(recoding, LocalRecoding) or recoding.node is not None:  # labels are those of levels
        return
    if recoding.floor:  # nobody counted who is in which class
        return
    columns = tuple(name for name in recoding.quasi if name not in subject.averaged)
    if columns and len(recoding.labels[0]):
        local = LocalSubject(subject, recoding, columns)
        yield downcoding(local)
        yield narrowest_group(local, joined)
        yield from minimality(subject, recoding, seed)


def downcoding(local: LocalSubject) -> Attack:
    """Read labels as tight: ends of ranges, members of sets and both branches of a label must occur in the class."""
    found = [local.claims(name) for name in local.columns]
    sizes = local.subject.members.sizes
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
        knows="that labels are as narrow as their group: somebody has each end of a range and each member of a set",
        means="every hidden value of a column is known to occur",
        exposed=Exposed(int(whole.sum()), records, None, Fraction(records, max(int(sizes.sum()), 1))),
        targets=made,
        right=Fraction(right),
        baseline=Fraction(round(expected / max(made, 1), 9)).limit_denominator(10**9),
        worst=Fraction(int(pinned[worst]), max(int(hidden[worst]), 1)),
        worst_class=_class_label(local.recoding, worst),
        distribution=tuple((bound, int(sizes[mask].sum())) for bound, mask in bounds),
        notes=(
            f"downcoding: {right:,} of {made:,} conclusions from tight labels are right.",
            "downcoding: worst is the largest share of a group's hidden values that are known to occur.",
            ADVICE,
        ),
        _records=partial(_class_table, local, whole),
    )


def narrowest_group(local: LocalSubject, joined: Joined | None = None) -> Attack:
    """Look for every person in the narrowest class that fits, and compare with where the person is."""
    joined, person = _join_with_everybody(local, joined)
    sizes, walked = joined.classes.records, joined.found
    place, really = np.asarray(walked.narrowest), _published_class_numbers(local, joined)
    published, there = local.subject.members.people_found((person, walked.kind), place, really)
    size, total = sizes[place], int(published.sum())
    people = int(there[size == 1].sum())
    found = f"{int(there.sum()):,} of {total:,} people are in the narrowest group that fits them"
    return Attack(
        name="narrowest group",
        knows=f"{columns_text(len(local.columns))} of everybody, and that nobody is generalized more than needed",
        means="alone in the narrowest group that fits, and really there",
        exposed=Exposed(int((sizes == 1).sum()), people, None, Fraction(people, max(total, 1))),
        targets=total,
        right=sum_of_shares(there, size),
        baseline=sum_of_shares(published, walked.candidates) / max(total, 1),
        worst=Fraction(1, int(size[there > 0].min())) if (there > 0).any() else None,
        distribution=tuple((one, int(there[size * one.numerator <= one.denominator].sum())) for one in CHANCES),
        notes=(
            f"narrowest group: {found}.",
            "narrowest group: guessing is what linkage finds without this knowledge.",
            ADVICE,
        ),
        _records=partial(_table_of_alone, local, joined, person, really),
    )


def _table_of_alone(local: LocalSubject, joined: Joined, person: npt.NDArray[np.integer], really: Ints) -> Table:
    """Give who is alone in the narrowest class that fits, and how many people are published who look like that."""
    place = np.asarray(joined.found.narrowest).take(joined.found.kind)
    published, there = local.subject.members.people_found((person, np.arange(len(place))), place, really)
    chosen = (there > 0) & (joined.classes.records[place] == 1)
    return table_of(joined.known, chosen, published[chosen])


def _join_with_everybody(local: LocalSubject, joined: Joined | None) -> tuple[Joined, npt.NDArray[np.integer]]:
    """Join the release with the people that it is of; also give the person of every entry."""
    recoding = local.recoding
    domains = tuple(recoding.domains[name] for name in local.columns)
    codes = [local.codes(name) for name in local.columns]
    sizes = [len(domain) for domain in domains]
    by_record = joined is not None and joined.known.original and joined.classes.cells.person is None
    if joined is not None and by_record and (joined.known.on, joined.known.domains) == (local.columns, domains):
        same = joined.known.entries  # the original has nobody else
        return joined, group(codes, sizes).ids if same is None else same
    people = group(codes, sizes)
    own, counts = tuple(code[people.first] for code in codes), people.sums(recoding.counts)
    found = join(local.subject, KnownPeople(local.columns, domains, own, counts, original=True))
    records = replace(found.classes, size=found.classes.records, cells=replace(found.classes.cells, person=None))
    return replace(found, classes=records, by_record=True), people.ids


def _published_class_numbers(local: LocalSubject, joined: Joined) -> Ints:
    """Find every class of the recoding among those that are published."""
    subject, own = local.subject, []
    for name, published in zip(local.columns, joined.codes, strict=True):
        known = {text: code for code, text in enumerate(subject.census.labels(name).tolist())}
        names, which = local.recoding.distinct_labels[name]
        if any(text not in known for text in names):
            msg = f"The recoding has other labels of column {name!r} than the table has."
            raise DataError(msg, hint="give the table that the recoding was saved with; incrowd verify compares them.")
        own.append(np.concatenate([published, np.array([known[text] for text in names], dtype=np.int64)[which]]))
    ids = group(own, [int(column.max(initial=0)) + 1 for column in own]).ids
    of_class = np.full(int(ids.max(initial=0)) + 1, -1, dtype=np.int64)
    of_class[ids[: len(joined.codes[0])]] = np.arange(len(joined.codes[0]))
    return of_class[ids[len(joined.codes[0]) :]]


def _class_label(recoding: LocalRecoding, place: int) -> dict[str, str | None]:
    return {name: texts[place] for name, texts in zip(recoding.quasi, recoding.labels, strict=True)}


def _class_table(local: LocalSubject, chosen: npt.NDArray[np.bool_]) -> Table:
    pairs = zip(local.recoding.quasi, local.recoding.labels, strict=True)
    return with_column({name: texts[chosen] for name, texts in pairs}, "records", local.subject.members.sizes[chosen])
