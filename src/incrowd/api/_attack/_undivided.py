"""The minimality attack on our own local recodings: what classes say by not being divided."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from incrowd.api._attack._attacks import Attack, Table
from incrowd.api._attack._target import Target
from incrowd.api._check import free_name
from incrowd.api._exposed import Exposed
from incrowd.attacks import People, Undivided, halve, undivided
from incrowd.core import LocalRecoding, PrivacyWarning, SchemaError, add_up, group
from incrowd.models import Judge, NTCloseness

MOST = 2000
"""So many classes are divided; it is enough for a sample of those that could have been."""


def minimality(target: Target, recoding: LocalRecoding, seed: int) -> Iterator[Attack]:
    """Attack every sensitive column that the promise is about; nothing where it is about sizes alone."""
    schema = target.owned or target.schema
    if target.model is None or schema.entity is not None:
        return
    if any(isinstance(part, NTCloseness) for part in target.model.parts):
        return  # halves have no supersets
    judges = _judges(target, recoding)
    for name in dict.fromkeys(name for judge in judges for name in judge.columns):
        about = [judge for judge in judges if set(judge.columns) <= {name}]
        if any(judge.columns for judge in about):
            yield _told(name, recoding, _look(recoding, name, about, seed))


def _judges(target: Target, recoding: LocalRecoding) -> tuple[Judge, ...]:
    schema = target.owned or target.schema
    names = [name for name in schema.sensitive_names if name in recoding.domains]
    codes = dict(zip(recoding.domains, recoding.codes, strict=True))
    reference = {name: add_up(codes[name], recoding.counts, len(recoding.domains[name])) for name in names}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # said when it was published
            return target.model.bind(schema, recoding.domains, reference) if target.model is not None else ()
    except SchemaError:  # a saved schema may lack what the promise needs
        return ()


def _look(recoding: LocalRecoding, name: str, judges: list[Judge], seed: int) -> Undivided:
    number = len(recoding.labels[0])
    looked_at = np.zeros(number + 1, dtype=bool)  # the last place is that of what is left out
    looked_at[np.random.default_rng(seed).permutation(number)[:MOST]] = True
    inside = looked_at[recoding.classes]
    codes = dict(zip(recoding.domains, (column[inside] for column in recoding.codes), strict=True))
    classes, counts = recoding.classes[inside].astype(np.int64), recoding.counts[inside]
    side, can = halve([codes[quasi] for quasi in recoding.quasi], classes, counts, number)
    some = can[classes]
    renumbered = (np.cumsum(can) - 1)[classes[some]]
    people = People(renumbered, codes[name][some].astype(np.int64), counts[some])
    found = undivided(people, side[some], recoding.domains[name], judges, seed)
    return replace(found, chosen=np.flatnonzero(can)[found.chosen])


def _told(name: str, recoding: LocalRecoding, found: Undivided) -> Attack:
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
        unit="chance",
        worst=None if place is None else Fraction(int(found.right[place]), int(found.sizes[place])),
        worst_class={} if place is None else _label(recoding, int(found.chosen[place])),
        distribution=((Fraction(1), exposed),),
        interval=found.interval,
        notes=(said, "minimality: guessing is the most frequent value of the group."),
        _records=partial(_records, recoding, name, found.chosen[whole]),
    )


def _label(recoding: LocalRecoding, place: int) -> dict[str, str | None]:
    return {name: texts[place] for name, texts in zip(recoding.quasi, recoding.labels, strict=True)}


def _records(recoding: LocalRecoding, name: str, chosen: npt.NDArray[np.int64]) -> Table:
    """Give what everybody in some classes has: labels, the value, and how many records are alike."""
    inside = np.isin(recoding.classes, chosen)
    values = recoding.codes[list(recoding.domains).index(name)][inside]
    columns, domain = [recoding.classes[inside].astype(np.int64), values], recoding.domains[name]
    alike = group(columns, [len(recoding.labels[0]), len(domain)])
    members, codes = (column[alike.first] for column in columns)
    table = {one: texts[members] for one, texts in zip(recoding.quasi, recoding.labels, strict=True)}
    table[free_name(name, table)] = domain.texts[codes]
    return {**table, free_name("records", table): alike.sums(recoding.counts[inside])}
