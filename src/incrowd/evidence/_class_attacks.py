"""All attacks on published classes, column by column: which ones fit a column, who is exposed, the worst class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.attacks import (
    AttackOutcome,
    Intruder,
    Likeness,
    Prior,
    ValueLine,
    category_inference,
    chance_to_pick,
    change_of_belief,
    homogeneity,
    inference,
    known_items,
    listed_exclusions,
    narrow_range,
    people_of,
    similarity,
    singling_out,
    skewness,
    unlikely_exclusions,
    worst_exclusions,
)
from incrowd.core import Census, Classes, HierarchyError, ItemSets, ParameterError, Schema, UnknownColumnError, add_up
from incrowd.evidence._attack_result import CHANCES, Attack, Table, with_column
from incrowd.evidence._subject import Subject
from incrowd.hierarchies import Categories, Ordered, Tree
from incrowd.measures import Exposed, same_classes
from incrowd.models import KnownItems, Measured, Ratios, item_sets_of, separators_of

Bools = npt.NDArray[np.bool_]

GAINS = tuple(map(Fraction, (1, 2, 5, 10, 20, 50, 100)))
"""From which gains on people are counted."""
SEVERAL = "people have several values there, whose shares do not add up to a distribution."


def class_attacks(subject: Subject, intruder: Intruder, original: Classes | None, notes: list[str]) -> Iterator[Attack]:
    """Make all attacks; what cannot be made is noted."""
    classes, schema = subject.classes, subject.schema
    for given in (intruder.values, intruder.public, intruder.categories):
        for name in given:
            if name not in schema.sensitive_names:
                raise UnknownColumnError.of(name, schema.sensitive_names, given_as="known to the intruder")
    _check_level(schema, intruder.level, notes)
    yield attack_of(singling_out(classes), classes, schema.quasi_names)
    if sets := item_sets_of(schema, classes):
        yield _known_items(classes, sets, intruder.items, schema)
    if classes.cells.person is not None:
        yield _several_rows(subject.census, classes)
    for name, meaning in schema.sensitive:
        prior = Prior.of(classes, name) if original is None else Prior.of(original, name).among(classes)
        for outcome in _column_attacks(classes, prior, meaning, intruder, notes):
            yield attack_of(outcome, classes, schema.quasi_names)


def _check_level(schema: Schema, level: int, notes: list[str]) -> None:
    """Refuse a level that no taxonomy has, and say where a lower one is taken."""
    highest = {name: _taxonomy_height(meaning) for name, meaning in schema.sensitive}
    lower = {name: levels for name, levels in highest.items() if 0 < levels < level}
    most = max(highest.values(), default=0)
    if lower and most < level:
        msg = f"level is {level}, and no taxonomy of a sensitive column has more than {most} below its top."
        raise ParameterError(msg, hint=f"take a level from 1 to {most}.")
    notes += [f"similarity of column {one!r} is judged at level {top}, its highest." for one, top in lower.items()]


def _taxonomy_height(meaning: Any) -> int:
    """Count the levels of a taxonomy between its values and its top."""
    if isinstance(meaning, Ordered):
        return len(meaning.runs) if meaning.groups is None else meaning.groups.height - 1
    return meaning.height - 1 if isinstance(meaning, Tree) else 0


def _column_attacks(
    classes: Classes, prior: Prior, meaning: Any, intruder: Intruder, notes: list[str]
) -> Iterator[AttackOutcome]:
    """Attack one sensitive column."""
    name = prior.column
    yield homogeneity(classes, prior)
    yield inference(classes, prior, intruder.sure)
    if name in intruder.values:
        yield listed_exclusions(classes, prior, intruder.values[name])
    elif name in intruder.public:
        yield unlikely_exclusions(classes, prior, intruder.public[name], intruder.excluded)
    else:
        yield worst_exclusions(classes, prior, intruder.excluded)
    try:
        yield from _similarity_attacks(classes, prior, meaning, intruder)
    except HierarchyError as refusal:
        notes.append(f"similarity of column {name!r} was not attacked: {refusal.message}")
    line = ValueLine.of(classes.cells.domains[name])
    yield skewness(classes, prior, intruder.gain, None if line is None else Likeness.of_ranges(line, prior.counts))
    change = change_of_belief(classes, prior)
    if change is None:
        notes.append(f"change of belief about column {name!r} was not measured: {SEVERAL}")
    else:
        yield change


def _similarity_attacks(classes: Classes, prior: Prior, meaning: Any, intruder: Intruder) -> Iterator[AttackOutcome]:
    """Use what is known about the values: categories, a taxonomy, an order, or that they are numbers."""
    name, domain = prior.column, classes.cells.domains[prior.column]
    is_ordered = isinstance(meaning, Ordered)
    has_groups = is_ordered and (meaning.runs or (meaning.groups is not None and meaning.groups.height > 1))
    likeness = None
    if isinstance(meaning, Categories):
        likeness = Likeness.of_categories(meaning.bind(domain))
    elif isinstance(meaning, Tree) or has_groups:
        likeness = Likeness.of_taxonomy(meaning.bind(domain), intruder.level)
    if likeness is not None:
        yield similarity(classes, prior, likeness, intruder.categories.get(name, ()))
        yield category_inference(classes, prior, likeness, intruder.sure)
        return
    line = ValueLine.of(domain, meaning.ranks(domain) if is_ordered and meaning.values is not None else None)
    if line is None:
        msg = "not all its values are numbers or dates, and it has no categories."
        raise HierarchyError(msg)
    yield narrow_range(classes, prior, intruder.narrow, line)


def _known_items(classes: Classes, sets: Mapping[int, ItemSets], items: int, schema: Schema) -> Attack:
    """Look for people whom some items of their sets single out, among those who are like them otherwise."""
    found = attack_of(known_items(classes, sets, items), classes, schema.quasi_names)
    return replace(found, _records=partial(_rare_items, classes, sets, items, schema))


def _rare_items(classes: Classes, sets: Mapping[int, ItemSets], items: int, schema: Schema) -> Table:
    """Give the items that one person alone has, with what is known of that person besides."""
    columns, separators = [*sets], separators_of(schema)
    ends = np.cumsum([len(sets[at].names) for at in columns])
    names = [name for at in columns for name in sets[at].names]
    found = KnownItems.of(classes, sets).rare(classes, items, 2)
    owner = np.concatenate([np.zeros(0, dtype=np.int64), *(classes_of_sets for classes_of_sets, *_ in found)])
    table: Table = {}
    for at, name in enumerate(schema.quasi_names):
        if at not in sets:
            table[name] = classes.texts(at)[owner]
            continue
        place = columns.index(at)
        texts = [
            separators[name].join(names[item] for item in row if np.searchsorted(ends, item, "right") == place) or None
            for _, listed, _ in found
            for row in listed.tolist()
        ]
        table[name] = np.array([*texts, None], dtype=object)[:-1]
    people = [number for *_, counted in found for number in counted.tolist()]
    return with_column(table, "people", np.array(people, dtype=np.int64))


def _several_rows(census: Census, classes: Classes) -> Attack:
    """Look for people who are the only ones in just those classes."""
    person = np.asarray(classes.cells.person)
    people, together = same_classes(classes.members, person)
    alone, total = people[together == 1], people_of(classes)
    chosen = np.isin(person, alone)
    records = int(classes.cells.counts[chosen].sum(dtype=np.int64))
    share = Fraction(len(alone), max(total, 1))
    sizes, counts = np.unique(together, return_counts=True)
    return Attack(
        name="several rows",
        knows="the quasi-identifiers of all rows of a person, and that the person is in the table",
        means="the only person in just those groups",
        exposed=Exposed(len(np.unique(classes.members[chosen])), records, len(alone), share),
        targets=len(people),
        right=Fraction(int((counts // sizes).sum())),  # everybody stands for one over those who have the same classes
        baseline=chance_to_pick(total),
        worst=None if not len(people) else Fraction(1, int(together.min())),
        distribution=tuple((one, int((together * one.numerator <= one.denominator).sum())) for one in CHANCES),
        notes=("Promises that count people do not cover somebody who knows several rows of a person.",),
        _records=partial(_people_in, census, classes, chosen),
    )


def _people_in(census: Census, classes: Classes, chosen: Bools) -> Table:
    """Give the classes of people who are alone in theirs: one line per person and class."""
    entity = list(census.domains)[-1]  # after quasi-identifiers and sensitive columns
    pairs = np.stack([np.asarray(classes.cells.person)[chosen], classes.members[chosen]], axis=1)
    person, members = np.unique(pairs, axis=0).T
    labels = {name: classes.texts(column)[members] for column, name in enumerate(census.quasi)}
    return {entity: census.domains[entity].texts[person], **labels}


# From what an attack did to every class to what is told about it.


def attack_of(outcome: AttackOutcome, classes: Classes, quasi: Sequence[str]) -> Attack:
    """Count who is exposed, and find the worst class."""
    narrow, floats = outcome.unit == "width", outcome.measured.floats
    worst_class: dict[str, str | None] = {}
    if len(classes):
        place = int(floats.argmin() if narrow else floats.argmax())
        alone = replace(classes, codes=tuple(column[place : place + 1] for column in classes.codes))
        worst_class = {name: alone.texts(column)[0] for column, name in enumerate(quasi)}
    return Attack(
        name=outcome.name,
        column=outcome.column,
        knows=outcome.knows,
        means=outcome.means,
        exposed=_count_exposed(outcome, classes),
        targets=int(classes.size.sum()) if outcome.targets is None else outcome.targets,
        right=Fraction(outcome.right),
        baseline=outcome.baseline,
        unit=outcome.unit,
        worst=outcome.measured.worst(">=" if narrow else "<="),
        worst_class=worst_class,
        distribution=_people_by_badness(outcome, classes),
        expected=outcome.expected,
        notes=outcome.notes,
        _records=partial(_exposed_cells, outcome, classes, quasi),
    )


def _count_exposed(outcome: AttackOutcome, classes: Classes) -> Exposed:
    if outcome.among is None:
        return Exposed.of(classes, outcome.exposed)
    chosen = _cells_of(outcome, classes)
    records = int(classes.cells.counts[chosen].sum(dtype=np.int64))
    hit = int(np.count_nonzero(np.bincount(classes.members[chosen]))) if chosen.any() else 0
    persons = None if classes.cells.person is None else len(np.unique(classes.cells.person[chosen]))
    return Exposed(hit, records, persons, Fraction(records if persons is None else persons, max(people_of(classes), 1)))


def _cells_of(outcome: AttackOutcome, classes: Classes) -> Bools:
    """Say which cells an attack exposes: those of exposed classes, as far as they are targets."""
    chosen = outcome.exposed[classes.members] if len(classes) else np.zeros(0, dtype=bool)
    return chosen if outcome.among is None else chosen & outcome.among


def _exposed_cells(outcome: AttackOutcome, classes: Classes, quasi: Sequence[str]) -> Table:
    """Give who is exposed as a table: labels, sensitive values, and how many records are alike."""
    chosen = _cells_of(outcome, classes)
    members = classes.members[chosen]
    table: Table = {name: classes.texts(column)[members] for column, name in enumerate(quasi)}
    for name, codes in classes.cells.sensitive.items():
        table = with_column(table, name, classes.cells.domains[name].texts[codes[chosen]])
    return with_column(table, "records", classes.cells.counts[chosen].astype(np.int64))


def _people_by_badness(outcome: AttackOutcome, classes: Classes) -> tuple[tuple[Fraction, int], ...]:
    """Count the people of classes that are at least so bad, for every bound at once where floats can tell."""
    bounds = GAINS if outcome.unit == "gain" else CHANCES
    narrow, limits = outcome.unit == "width", np.array([float(bound) for bound in bounds])
    if outcome.unit == "change":
        limits -= 1e-12  # exact comparison of many sums would take long, and decides nothing here
    elif not _floats_decide(outcome.measured, bounds):
        sense: Any = "<=" if narrow else ">="
        return tuple((bound, int(classes.size[outcome.measured.meets(sense, bound)].sum())) for bound in bounds)
    place = np.searchsorted(limits, outcome.measured.floats, side="left" if narrow else "right")
    people = add_up(place, classes.size, len(bounds) + 1)
    sums = np.cumsum(people)[:-1] if narrow else np.cumsum(people[::-1])[::-1][1:]
    return tuple(zip(bounds, sums.tolist(), strict=True))


def _floats_decide(measured: Measured, bounds: Sequence[Fraction]) -> bool:
    """Say whether ratios are in the right order with the bounds when they are divided.

    Different ratios a/b and p/q differ by 1/(bq) at least, relatively to p/q by 1/(bp); rounding is finer than that.
    """
    if not isinstance(measured, Ratios) or object in {measured.numerators.dtype, measured.denominators.dtype}:
        return False
    largest = [int(side.max(initial=0)) for side in (measured.numerators, measured.denominators)]
    return largest[0] < 2**53 and largest[1] * max(bound.numerator for bound in bounds) < 2**50
