"""What the published labels of a column of texts stand for, among the values that the original table has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import Domain, Ladder, ParameterError
from incrowd.hierarchies import coverage, members_of

# The groups of values in which an original column and its published labels are compared.

Ints = npt.NDArray[np.integer]

MOST = 20
"""A column is compared in at most so many groups."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of the values of one column."""

    group: Ints = field(repr=False)
    names: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.names)


def comparison_groups(domain: Domain, counts: Ints, ladder: Ladder | None = None) -> Groups:
    """Choose the groups in which a column is compared before and after.

    Notes
    -----
    Up to 20 values are compared as they are. Of a hierarchy the finest level with 2 to 20 groups is taken. Other
    numbers and dates are cut into groups of about equal size, and of other texts the rarest are put together.
    """
    if len(domain) <= MOST:
        return Groups(np.arange(len(domain)), _names(domain.texts))
    for level in range(0 if ladder is None else ladder.height + 1):
        assert ladder is not None  # noqa: S101 - there is no level without one
        if 2 <= len(ladder.labels[level]) <= MOST:
            return Groups(ladder.groups[level], _names(ladder.labels[level]))
    return _rarest(domain, counts) if domain.kind in {"text", "boolean"} else _cut(domain, counts)


def _cut(domain: Domain, counts: Ints) -> Groups:
    """Cut a line of numbers into groups with about as many records each; null, if there is one, is the last."""
    values = len(domain.values)
    most = MOST - domain.has_null
    before = np.cumsum(counts[:values]) - counts[:values]
    raw = before * most // max(int(counts[:values].sum()), 1)
    group = np.unique(raw, return_inverse=True)[1]
    first = np.searchsorted(group, np.arange(int(group[-1]) + 1))
    texts = domain.texts
    names = [f"from {texts[code]}" for code in first.tolist()]
    if domain.has_null:
        group, names = np.append(group, len(names)), [*names, "missing"]
    return Groups(group, tuple(names))


def _rarest(domain: Domain, counts: Ints) -> Groups:
    """Keep the most frequent values, and put the others together; ties by the order of the domain."""
    order = np.argsort(-counts.astype(np.int64), kind="stable")
    group = np.full(len(domain), MOST - 1, dtype=np.int64)
    group[order[: MOST - 1]] = np.arange(MOST - 1)
    return Groups(group, (*_names(domain.texts[order[: MOST - 1]]), "all others"))


def _names(texts: npt.NDArray[np.object_]) -> tuple[str, ...]:
    return tuple("missing" if text is None else str(text) for text in texts.tolist())


Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """The values that each label of a column stands for.

    Values stand in a line: numbers and dates by value, others so that those which a hierarchy groups stand side by
    side. Nearly every label then covers one stretch of the line. A reader who knows no better spreads a label's records
    evenly over what the hierarchy has under it, also over values that nobody has; that is what the numbers here do.
    """

    place: Counts = field(repr=False)
    low: Counts = field(repr=False)
    high: Counts = field(repr=False)
    labels: Counts = field(repr=False)
    places: Counts = field(repr=False)
    number: Counts = field(repr=False)

    @classmethod
    def of_values(cls, place: Counts, codes: Ints) -> Cover:
        """Let every label stand for one value, given by its code."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(place, place[codes], place[codes], nothing, nothing, np.ones(len(codes), dtype=np.int64))

    @classmethod
    def of_labels(cls, place: Counts, texts: Sequence[str | None], domain: Domain, ladder: Ladder) -> Cover:
        """Read published labels."""
        reader = _Reader(place, domain, ladder)
        read = reader.read_all(texts)
        unread = sum(not len(positions) for positions in read)
        if unread:
            msg = f"{unread:,} labels of column {domain.column!r} stand for no value of the original table."
            raise ParameterError(msg, hint="give the table that the release was made from.")
        number = np.array([reader.leaves(*pair) for pair in zip(texts, read, strict=True)], dtype=np.int64)
        stretch = [isinstance(positions, range) for positions in read]
        low = np.array([positions[0] if fine else 0 for positions, fine in zip(read, stretch, strict=True)])
        high = np.array([positions[-1] if fine else -1 for positions, fine in zip(read, stretch, strict=True)])
        listed = [(label, positions) for label, positions in enumerate(read) if not stretch[label]]
        labels = np.repeat([label for label, _ in listed], [len(positions) for _, positions in listed])
        places = np.concatenate([np.asarray(positions) for _, positions in listed]) if listed else labels
        return cls(place, low.astype(np.int64), high.astype(np.int64), _as_counts(labels), _as_counts(places), number)

    def __len__(self) -> int:
        return len(self.number)

    def inside(self, first: int, last: int) -> Floats:
        """Give the share of each label's values that lie between two positions, both included."""
        both = np.minimum(self.high, last) - np.maximum(self.low, first) + 1
        found = np.maximum(both, 0)
        within = (self.places >= first) & (self.places <= last)
        found = found + np.bincount(self.labels[within], minlength=len(self))
        return np.asarray(found / self.number, dtype=np.float64)

    def among(self, chosen: npt.NDArray[np.bool_]) -> Floats:
        """Give the share of each label's values that are among some of the table, by their codes."""
        return self.on_groups(Groups(chosen.astype(np.int64), ("others", "chosen")))[:, 1]

    def averages(self, of_codes: Floats) -> Floats:
        """Average something over the values that each label covers; nothing where it has none."""
        at = np.empty(len(self.place))
        at[self.place] = of_codes
        known = ~np.isnan(at)
        sums = [np.concatenate(([0.0], np.cumsum(one))) for one in (np.where(known, at, 0.0), known.astype(float))]
        total, number = (one[self.high + 1] - one[self.low] for one in sums)
        np.add.at(total, self.labels, np.where(known, at, 0.0)[self.places])
        np.add.at(number, self.labels, known[self.places])
        return np.asarray(total / np.where(number > 0, number, np.nan), dtype=np.float64)

    def on_values(self, counts: Ints) -> Floats:
        """Spread the records of every label over its values; give the records of every position."""
        each = counts / self.number
        ends = np.bincount(self.low, each * (self.high >= self.low), len(self.place) + 1)
        ends -= np.bincount(self.high + 1, each * (self.high >= self.low), len(self.place) + 1)
        listed = np.bincount(self.places, each[self.labels], len(self.place))
        return np.asarray(np.cumsum(ends)[:-1] + listed, dtype=np.float64)

    def on_groups(self, groups: Groups) -> Floats:
        """Give which share of each label's values is in each group; the rest is of values that the table lacks."""
        at = np.empty(len(self.place), dtype=np.int64)
        at[self.place] = groups.group
        sums = np.zeros((len(at) + 1, len(groups)))
        sums[np.arange(1, len(at) + 1), at] = 1
        sums = np.cumsum(sums, axis=0)
        found = sums[self.high + 1] - sums[self.low]
        np.add.at(found, (self.labels, at[self.places]), 1)
        return np.asarray(found / self.number[:, None], dtype=np.float64)


def in_line(domain: Domain, ladder: Ladder | None) -> Counts:
    """Give every value its position in the line."""
    if ladder is None or domain.kind != "text":
        return np.arange(len(domain))
    order = np.lexsort(ladder.groups)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


class _Reader:
    """Reads the labels of one column: those of its hierarchy fast, others as linking does."""

    def __init__(self, place: Counts, domain: Domain, ladder: Ladder) -> None:
        self._place, self._domain, self._ladder = place, domain, ladder
        self._groups: dict[str | None, tuple[int, int]] = {}
        self._ends: list[tuple[Counts, Counts, Counts]] = []
        for level in range(ladder.height, -1, -1):  # the finest level that has a label decides
            self._groups |= {text: (level, group) for group, text in enumerate(ladder.labels[level].tolist())}
        for group, labels in zip(ladder.groups, ladder.labels, strict=True):
            self._ends.append(_ends(place, group, len(labels)))

    def read_all(self, texts: Sequence[str | None]) -> list[range | Counts]:
        """Give the positions that each label covers."""
        known = {text: self._known(text) for text in texts}
        others = [text for text, positions in known.items() if positions is None]
        found = coverage(others, self._domain, self._ladder) if others else []
        read = {text: self._stretch(np.sort(self._place[codes])) for text, codes in zip(others, found, strict=True)}
        return [read[text] if positions is None else positions for text, positions in known.items()]

    def leaves(self, text: str | None, positions: range | Counts) -> int:
        """Count the values that the hierarchy has under a label, or under the members of a set."""
        members = None if text is None or text in self._groups else members_of(text)
        places = [self._groups[name] for name in (text,) if name in self._groups]
        places += [self._groups[name] for name in members or () if name in self._groups]
        return max(len(positions), sum(int(self._ladder.leaves[level][group]) for level, group in places))

    def _known(self, text: str | None) -> range | Counts | None:
        """Read a label of the hierarchy."""
        if text in self._groups:
            level, group = self._groups[text]
            low, high, number = (int(ends[group]) for ends in self._ends[level])
            if high - low + 1 == number:
                return range(low, high + 1)
            return np.sort(self._place[self._ladder.groups[level] == group])
        return None

    @staticmethod
    def _stretch(positions: Counts) -> range | Counts:
        if len(positions) and positions[-1] - positions[0] + 1 == len(positions):
            return range(int(positions[0]), int(positions[-1]) + 1)
        return positions


def _ends(place: Counts, group: Ints, groups: int) -> tuple[Counts, Counts, Counts]:
    """Give the first and last position of every group, and how many values it has."""
    low, high = np.full(groups, len(place)), np.full(groups, -1)
    np.minimum.at(low, group, place)
    np.maximum.at(high, group, place)
    return low, high, np.bincount(group, minlength=groups)


def _as_counts(numbers: npt.ArrayLike) -> Counts:
    return np.asarray(numbers, dtype=np.int64)
