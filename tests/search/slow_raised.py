"""Datafly, µ-Argus and SwapDiversity once more, slowly: record by record, as the steps are written down."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from incrowd.search import LocalOutcome
from search.slow import HEIGHTS, PATHS, QUASI, Levels, Row, leaves

Labels = tuple[str, ...]
Published = Counter[tuple[Labels, str, Labels]]
STAR = "*"


@dataclass
class Record:
    """A record, and what is published for it."""

    row: Row
    labels: list[str] = field(default_factory=list)

    @property
    def cell(self) -> tuple[str, ...]:
        return (*(self.row[name] for name in QUASI), self.row["disease"])


def published(records: Sequence[Record]) -> Published:
    """Count what is published for which original."""
    return Counter((one.cell[:-1], one.row["disease"], tuple(one.labels)) for one in records)


def small(records: Sequence[Record], k: int) -> list[Record]:
    sizes = Counter(tuple(one.labels) for one in records)
    return [one for one in records if sizes[tuple(one.labels)] < k]


def different(records: Sequence[Record], column: int) -> int:
    return len({one.labels[column] for one in records})


def raised(table: Sequence[Row], k: int, outliers: int) -> tuple[list[Record], Levels]:
    """Raise the column with the most labels until few records are in small classes."""
    levels = [0] * len(QUASI)
    while True:
        records = sorted(
            (
                Record(row, [PATHS[name][row[name]][level] for name, level in zip(QUASI, levels, strict=True)])
                for row in table
            ),
            key=lambda one: one.cell,
        )
        columns = [column for column, name in enumerate(QUASI) if levels[column] < HEIGHTS[name]]
        if len(small(records, k)) <= outliers or not columns:
            return records, tuple(levels)
        levels[max(columns, key=lambda column: (different(records, column), -column))] += 1


def key_of(labels: Sequence[str], records: Sequence[Record]) -> tuple[Any, ...]:
    """Give the place of a class among others: by the first value that its label stands for, suppressed ones last."""
    return tuple(
        (label == STAR, min((one.row[name] for one in records if label in PATHS[name][one.row[name]]), default=""))
        for name, label in zip(QUASI, labels, strict=True)
    )


def fill(records: list[Record], k: int) -> list[Record]:
    """Let others join those with nothing but stars, if these are too few."""
    classes: defaultdict[Labels, list[Record]] = defaultdict(list)
    for one in records:
        classes[tuple(one.labels)].append(one)
    blank = classes.pop((STAR,) * len(QUASI), [])
    missing = k - len(blank)
    if not blank or missing <= 0:
        return records
    order = sorted(classes.values(), key=lambda group: (len(group), key_of(group[0].labels, records)))
    spare = [group for group in order if len(group) >= k + missing]
    for one in spare[0][-missing:] if spare else order[0]:
        one.labels = [STAR] * len(QUASI)
    return records


def datafly(table: Sequence[Row], k: int, outliers: int) -> list[Record]:
    records, _ = raised(table, k, outliers)
    rest, unused = small(records, k), list(range(len(QUASI)))
    while rest and unused:
        column = max(unused, key=lambda column: (different(rest, column), -column))
        unused.remove(column)
        for one in rest:
            one.labels[column] = STAR
        still = {id(one) for one in small(records, k)}
        rest = [one for one in rest if id(one) in still]
    return fill(records, k)


def rare(one: Record, records: Sequence[Record], k: int) -> list[tuple[int, ...]]:
    """Give all combinations of columns that are not suppressed on which fewer than k records are like this one."""
    shown = [column for column, label in enumerate(one.labels) if label != STAR]
    return [
        chosen
        for number in range(1, len(shown) + 1)
        for chosen in itertools.combinations(shown, number)
        if sum(all(one.labels[a] == other.labels[a] for a in chosen) for other in records) < k
    ]


def mu_argus(table: Sequence[Row], k: int, outliers: int) -> list[Record]:
    records, _ = raised(table, k, outliers)
    while True:
        rest = small(records, k)
        columns = [column for column in range(len(QUASI)) if any(one.labels[column] != STAR for one in rest)]
        if not columns:
            return fill(records, k)
        often = Counter(column for one in rest for chosen in rare(one, records, k) for column in chosen)
        if not often:
            often = Counter({column: different(rest, column) for column in columns})
        column = max(columns, key=lambda column: (often[column], -column))
        for one in rest:
            one.labels[column] = STAR


def plain_mu_argus(table: Sequence[Row], k: int, outliers: int, ranks: Sequence[int]) -> list[Record]:
    """Suppress in every record, for each rare pair and triple, the most identifying column."""
    records, _ = raised(table, k, outliers)
    hidden: list[tuple[Record, int]] = []
    for one in records:
        found = [
            chosen
            for chosen in rare(one, records, k)
            if len(chosen) in {2, 3} and min(ranks[a] for a in chosen) == 0 and max(ranks[a] for a in chosen) < 3
        ]
        often, gone = Counter(column for chosen in found for column in chosen), set[int]()
        for chosen in found:
            if not gone & set(chosen):
                gone.add(min(chosen, key=lambda a: (ranks[a], -often[a], a)))
        hidden += [(one, column) for column in gone]
    for one, column in hidden:
        one.labels[column] = STAR
    return records


class Swapping:
    """Classes that swap records until each has enough kinds of sensitive values."""

    def __init__(self, table: Sequence[Row], k: int, outliers: int, kind: Callable[[str], Any]) -> None:
        records, _ = raised(table, k, outliers)
        found: defaultdict[Labels, list[Record]] = defaultdict(list)
        for one in records:
            found[tuple(one.labels)].append(one)
        self.k, self.kind, self.swaps = k, kind, 0
        self.classes = sorted(found.values(), key=lambda group: key_of(group[0].labels, records))

    def levels(self, group: Sequence[Record]) -> list[int]:
        return [
            next(level for level in range(9) if len({PATHS[name][one.row[name]][level] for one in group}) == 1)
            for name in QUASI
        ]

    def cost(self, group: Sequence[Record]) -> int:
        return len(group) * sum(self.levels(group)) if group else 0

    def kinds(self, group: Sequence[Record]) -> int:
        return len({self.kind(one.row["disease"]) for one in group})

    def merge(self, here: int, wanted: int) -> None:
        one = self.classes[here]
        there = min(
            (number for number, group in enumerate(self.classes) if group and number != here),
            key=lambda number: (
                -min(wanted, self.kinds(one + self.classes[number])),
                self.cost(one + self.classes[number]) - self.cost(one) - self.cost(self.classes[number]),
                number,
            ),
        )
        self.classes[there], self.classes[here] = self.classes[there] + one, []

    def swap(self, here: int, wanted: int) -> bool:
        one, options = self.classes[here], []
        for there, group in enumerate(self.classes):
            for mine, yours in itertools.product(one, group if there != here else []):
                ours = [record for record in one if record is not mine] + [yours]
                theirs = [record for record in group if record is not yours] + [mine]
                if self.kinds(ours) > self.kinds(one) and self.kinds(theirs) >= min(wanted, self.kinds(group)):
                    change = self.cost(ours) + self.cost(theirs) - self.cost(one) - self.cost(group)
                    options.append((change, mine.cell, yours.cell, there, ours, theirs))
        if not options:
            return False
        *_, there, ours, theirs = min(options, key=lambda option: option[:4])
        self.classes[here], self.classes[there] = ours, theirs
        self.swaps += 1
        return True

    def run(self, wanted: int, *, swap: bool = True) -> list[Record]:
        while tiny := [number for number, group in enumerate(self.classes) if 0 < len(group) < self.k]:
            self.merge(min(tiny, key=lambda number: (len(self.classes[number]), number)), 0)
        while poor := [n for n, group in enumerate(self.classes) if group and self.kinds(group) < wanted]:
            here = min(poor, key=lambda n: (self.kinds(self.classes[n]), len(self.classes[n]), n))
            if not (swap and self.swap(here, wanted)):
                self.merge(here, wanted)
        for group in self.classes:
            for one in group:
                one.labels = [
                    PATHS[name][one.row[name]][level] for name, level in zip(QUASI, self.levels(group), strict=True)
                ]
        return [one for group in self.classes for one in group]


def published_by(outcome: LocalOutcome) -> Published:
    """Count what a search publishes for which original; what is left out is not there."""
    recoding, result = outcome.recoding, Published()
    columns = zip(recoding.domains.values(), recoding.codes, strict=True)
    cells = zip(*(domain.texts[codes].tolist() for domain, codes in columns), strict=True)
    labels = zip(*(texts[recoding.classes].tolist() for texts in recoding.labels), strict=True)
    for cell, names, number, count in zip(cells, labels, recoding.classes, recoding.counts, strict=True):
        if number >= 0:
            result[cell[:-1], cell[-1], names] += int(count)
    return result


def loss(rows: Published) -> float:
    """Give what is lost, cell by cell: every label stands for so many values beyond one."""
    lost = [0.0] * len(QUASI)
    for (_, _, names), count in rows.items():
        for column, (name, label) in enumerate(zip(QUASI, names, strict=True)):
            lost[column] += count * (leaves(name, label) - 1) / (len(PATHS[name]) - 1)
    return math.prod(1 + part / rows.total() for part in lost) ** (1 / len(QUASI)) - 1


def covered(rows: Published) -> bool:
    """Say whether every label is on the way from its value to the top."""
    return all(
        label in PATHS[name][value]
        for values, _, names in rows
        for name, value, label in zip(QUASI, values, names, strict=True)
    )


def classes_of(rows: Published) -> dict[Labels, Counter[str]]:
    """Give the sensitive values of every class."""
    result: defaultdict[Labels, Counter[str]] = defaultdict(Counter)
    for (_, disease, names), count in rows.items():
        result[names][disease] += count
    return dict(result)


def originals(rows: Published) -> Counter[tuple[str, ...]]:
    """Give the records themselves, without what is published for them."""
    result = Counter[tuple[str, ...]]()
    for (values, disease, _), count in rows.items():
        result[*values, disease] += count
    return result


def records_of(table: Sequence[Row]) -> Counter[tuple[str, ...]]:
    return Counter((*(row[name] for name in QUASI), row["disease"]) for row in table)
