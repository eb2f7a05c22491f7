"""What a column and its ladder look like to whoever chooses: bars, example values, groups and records per level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder
from incrowd.release import Release, basis_of

Counts = npt.NDArray[np.int64]
Texts = list[str | None]


class Bar(NamedTuple):
    """Some values of a column, and how many records have them; ``rest`` where it stands for so many other values."""

    label: str | None
    records: int
    rest: int = 0


def bars_of(domain: Domain, most: int = 12) -> list[Bar]:
    """Draw a column with a few bars: numbers and dates by their size, others by how often they occur."""
    counts = domain.counts[: len(domain.values)]
    if len(counts) > most and domain.kind in {"number", "date", "datetime", "instant"}:
        return _bars_by_size(domain, counts, most)
    order = np.argsort(-counts, kind="stable")
    first = order if len(order) <= most else order[: most - 1]
    bars = [Bar(text, int(counts[code])) for text, code in zip(domain.texts[first].tolist(), first, strict=True)]
    rest = int(counts.sum()) - sum(one.records for one in bars)
    return [*bars, Bar(None, rest, len(order) - len(first))] if rest else bars


def _bars_by_size(domain: Domain, counts: Any, most: int) -> list[Bar]:
    numbers = domain.values.astype(np.float64 if domain.kind == "number" else np.int64).astype(np.float64)
    width = float(numbers[-1] - numbers[0]) or 1.0
    place = np.minimum(((numbers - numbers[0]) / width * most).astype(int), most - 1)
    sums = np.bincount(place, weights=counts, minlength=most)
    inside = [domain.texts[: len(place)][place == bar] for bar in range(most)]
    labels = [f"{texts[0]} \N{EN DASH} {texts[-1]}" if len(texts) else "" for texts in inside]
    return [Bar(label, int(count)) for label, count in zip(labels, sums, strict=True)]


def examples_of(domain: Domain, wanted: int) -> Texts:
    """Give some values of a column, from its first to its last."""
    texts: Texts = domain.texts[spread_over(len(domain.values), wanted)].tolist()
    return texts


def frequent_values(domain: Domain, most: int) -> list[tuple[str | None, int]]:
    """Give the values of a column with their counts, the most frequent first."""
    order = np.argsort(-domain.counts, kind="stable")[:most]
    return [*zip(domain.texts[order].tolist(), domain.counts[order].tolist(), strict=True)]


def spread_over(number: int, wanted: int) -> list[int]:
    """Pick some places of a list, from its beginning to its end."""
    picked: list[int] = np.unique(np.linspace(0, number - 1, wanted).astype(int)).tolist() if number else []
    return picked


@dataclass(frozen=True, slots=True, eq=False)
class Rung:
    """A level of a ladder over a column: its labels, and the records and the values under each."""

    labels: npt.NDArray[np.object_] = field(repr=False)
    records: Counts = field(repr=False)
    values: Counts = field(repr=False)

    @property
    def smallest(self) -> int:
        """The records under the rarest label."""
        return int(self.records.min()) if len(self.records) else 0


def rungs_of(ladder: Ladder, domain: Domain) -> list[Rung]:
    """Count the records and the values under every label of every level."""
    return [
        Rung(
            labels,
            np.bincount(groups, weights=domain.counts, minlength=len(labels)).astype(np.int64),
            np.bincount(groups, minlength=len(labels)),
        )
        for labels, groups in zip(ladder.labels, ladder.groups, strict=True)
    ]


def way_up(ladder: Ladder, code: int) -> Texts:
    """Give the label of a value at every level."""
    return [labels[groups[code]] for labels, groups in zip(ladder.labels, ladder.groups, strict=True)]


def samples_of(release: Release) -> dict[str, Texts]:
    """Give one value of every quasi-identifier, from the middle of the column, on its way up the ladder."""
    census = basis_of(release).problem.census
    return {name: _middle_value(census.ladders[name], census.domains[name]) for name in census.quasi}


def _middle_value(ladder: Ladder, domain: Domain) -> Texts:
    return way_up(ladder, max(len(domain.values) - 1, 0) // 2) if len(domain) else ["" for _ in ladder.labels]
