"""What published labels say of a column: the values or stretch of the line each covers, for utility and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, Kind, Ladder, ParameterError
from incrowd.hierarchies import Span, coverage, days_in, members_of, span_of

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

# The groups of values in which an original column and its published labels are compared.

MOST = 20
"""A column is compared in at most so many groups."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueGroups:
    """Groups of the values of one column."""

    group: Ints = field(repr=False)
    names: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.names)


def comparison_groups(domain: Domain, counts: Ints, ladder: Ladder | None = None) -> ValueGroups:
    """Choose the groups in which a column is compared before and after.

    Up to 20 values are compared as they are. Of a hierarchy the finest level with 2 to 20 groups is taken. Other
    numbers and dates are cut into groups of about equal size, and of other texts the rarest are put together.
    """
    if len(domain) <= MOST:
        return ValueGroups(np.arange(len(domain)), _texts_or_missing(domain.texts))
    for group, labels in () if ladder is None else zip(ladder.groups, ladder.labels, strict=True):
        if 2 <= len(labels) <= MOST:
            return ValueGroups(group, _texts_or_missing(labels))
    return _frequent_and_others(domain, counts) if domain.kind in {"text", "boolean"} else _cut_line(domain, counts)


def _cut_line(domain: Domain, counts: Ints) -> ValueGroups:
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
    return ValueGroups(group, tuple(names))


def _frequent_and_others(domain: Domain, counts: Ints) -> ValueGroups:
    """Keep the most frequent values, and put the others together; ties by the order of the domain."""
    order = np.argsort(-counts.astype(np.int64), kind="stable")
    group = np.full(len(domain), MOST - 1, dtype=np.int64)
    group[order[: MOST - 1]] = np.arange(MOST - 1)
    return ValueGroups(group, (*_texts_or_missing(domain.texts[order[: MOST - 1]]), "all others"))


def _texts_or_missing(texts: npt.NDArray[np.object_]) -> tuple[str, ...]:
    return tuple("missing" if text is None else str(text) for text in texts.tolist())


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
        groups = _groups_of(ladder)
        read = _label_positions(place, texts, domain, ladder)
        _expect_read(sum(not len(positions) for positions in read), domain.column)
        pairs = list(zip(texts, read, strict=True))
        number = np.array([max(len(positions), _count_leaves(text, groups, ladder)) for text, positions in pairs])
        ends = [(int(one[0]), int(one[-1])) if one[-1] - one[0] + 1 == len(one) else (0, -1) for one in read]
        low, high = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        listed = np.flatnonzero(high < low)  # what is no stretch
        labels = np.repeat(listed, [len(read[label]) for label in listed.tolist()]).astype(np.int64)
        places = np.concatenate([np.zeros(0, dtype=np.int64), *(read[label] for label in listed.tolist())])
        return cls(place, low, high, labels, places, number.astype(np.int64))

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
        return self.on_groups(ValueGroups(chosen.astype(np.int64), ("others", "chosen")))[:, 1]

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

    def on_groups(self, groups: ValueGroups) -> Floats:
        """Give which share of each label's values is in each group; the rest is of values that the table lacks."""
        at = np.empty(len(self.place), dtype=np.int64)
        at[self.place] = groups.group
        sums = np.zeros((len(at) + 1, len(groups)))
        sums[np.arange(1, len(at) + 1), at] = 1
        sums = np.cumsum(sums, axis=0)
        found = sums[self.high + 1] - sums[self.low]
        np.add.at(found, (self.labels, at[self.places]), 1)
        return np.asarray(found / self.number[:, None], dtype=np.float64)


def line_positions(domain: Domain, ladder: Ladder | None) -> Counts:
    """Give every value its position in the line."""
    if ladder is None or domain.kind != "text":
        return np.arange(len(domain))
    order = np.lexsort(ladder.groups)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def _label_positions(place: Counts, texts: Sequence[str | None], domain: Domain, ladder: Ladder) -> list[Counts]:
    """Give the positions that each label covers: labels of the hierarchy by level, others as linking reads them."""
    groups, by_level = _groups_of(ladder), dict[int, list[Counts]]()
    for level in {groups[text][0] for text in texts if text in groups}:
        group = ladder.groups[level]
        line = np.lexsort((place, group))
        starts = np.searchsorted(group[line], np.arange(1, len(ladder.labels[level])))
        by_level[level] = np.split(place[line], starts)
    others = [text for text in texts if text not in groups]
    read = {text: np.sort(place[codes]) for text, codes in zip(others, coverage(others, domain, ladder), strict=True)}
    return [by_level[groups[text][0]][groups[text][1]] if text in groups else read[text] for text in texts]


def _count_leaves(text: str | None, groups: Mapping[str | None, tuple[int, int]], ladder: Ladder) -> int:
    """Count the values that the hierarchy has under a label, or the members of a set; of items nobody knows."""
    if ladder.separator is not None:
        return 0
    members = [text] if text is None or text in groups else members_of(text) or ()
    return sum(
        int(ladder.leaves[level][group]) for level, group in (groups[name] for name in members if name in groups)
    )


def _groups_of(ladder: Ladder) -> dict[str | None, tuple[int, int]]:
    """Give level and group of every label; the finest level that has a label decides."""
    levels = range(ladder.height, ladder.lowest - 1, -1)
    return {text: (level, group) for level in levels for group, text in enumerate(ladder.labels[level].tolist())}


def _expect_read(unread: int, column: str) -> None:
    if unread:
        msg = f"{unread:,} labels of column {column!r} stand for no value of the original table."
        raise ParameterError(msg, hint="give the table that the release was made from.")


# Numbers and dates: the records of a label lie evenly in the stretch that it names.

EVERYTHING = {TOP, ""}


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """A line of numbers, days or moments, with the values of the original table on it."""

    kind: Kind
    at: Floats = field(repr=False)
    unit: float

    @classmethod
    def of(cls, domain: Domain) -> Axis | None:
        """Take a column; nothing if it has no numbers or dates, or one that is not finite."""
        if domain.kind in {"text", "boolean"} or not len(domain.values):
            return None
        days = days_in(domain)
        if days is not None:
            return cls("date", days.astype(np.int64).astype(float), 1.0)
        if domain.kind == "number":
            at = domain.values.astype(np.float64)
            whole = domain.values.dtype.kind in "iu" or bool((at == np.floor(at)).all())
        else:
            whole = domain.kind == "date"
            at = domain.values.astype("datetime64[D]" if whole else "datetime64[us]").astype(np.int64).astype(float)
        return cls(domain.kind, at, float(whole)) if np.isfinite(at).all() else None

    @property
    def ends(self) -> Floats:
        """Where each value ends: a little behind itself where it has no length."""
        return self.at + self.unit if self.unit else np.nextafter(self.at, np.inf)

    def span(self, label: str) -> Span | None:
        """Read the stretch that a label names."""
        return span_of(label, self.kind, whole=bool(self.unit))

    def edges(self, groups: ValueGroups) -> Floats:
        """Give where each value's part of the line begins, and where the last ends: all of it is divided among groups.

        Between two groups lies the end that their labels name, else the middle between two values: what lies between
        them counts with the nearer one.
        """
        border = (self.ends[:-1] + self.at[1:]) / 2
        group = groups.group[: len(self.at)]
        for place in np.flatnonzero(group[1:] != group[:-1]).tolist():
            lower, upper = (groups.names[int(group[place + step])] for step in (0, 1))
            named = self._border(lower, upper)
            if named is not None and self.at[place] < named <= self.at[place + 1]:
                border[place] = named
        return np.concatenate(([-np.inf], border, [np.inf]))

    def _border(self, lower: str, upper: str) -> float | None:
        """Give where the label of a group begins, or else the one before it ends; nothing where they name no range."""
        below, above = self.span(lower), self.span(upper)
        if above is not None and above.low is not None and above.is_longer_than(self.unit):
            return above.low
        return below.high if below is not None and below.is_longer_than(self.unit) else None


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The records of every label, spread over an axis as a reader does who has the labels alone."""

    axis: Axis
    labels: Counts = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    weights: Floats = field(repr=False)
    missing: Bools = field(repr=False)

    @classmethod
    def of_labels(cls, axis: Axis, texts: Sequence[str | None], domain: Domain, ladder: Ladder) -> Spread:
        """Read published labels."""
        reader = _StretchReader(axis, domain, ladder)
        read = [[] if text is None else reader.read(text) for text in texts]
        _expect_read(
            sum(not pieces and text is not None for pieces, text in zip(read, texts, strict=True)), domain.column
        )
        spans = _closed_stretches(read, axis)
        labels = np.repeat(np.arange(len(texts)), [len(pieces) for pieces in spans])
        low, high, weights = np.array([piece for pieces in spans for piece in pieces], dtype=float).reshape(-1, 3).T
        return cls(axis, labels, low, high, weights, np.array([text is None for text in texts], dtype=bool))

    def __len__(self) -> int:
        return len(self.missing)

    def inside(self, first: int, last: int) -> Floats:
        """Give the share of each label's records between two values of the table, both included; null is the last."""
        known = len(self.axis.at)
        if first >= known:
            return self.missing.astype(np.float64)
        found = self.between(self.axis.at[first], self.axis.ends[min(last, known - 1)])
        return found + (self.missing if last >= known else 0.0)

    def between(self, low: float, high: float) -> Floats:
        """Give the share of each label's records that lies from one place on to below another."""
        return self._sum(self._share(high) - self._share(low))

    def among(self, chosen: Bools) -> Floats:
        """Give the share of each label's records that lies at some values of the table, by their codes."""
        places = np.flatnonzero(chosen).tolist()
        return np.sum([self.inside(place, place) for place in places], axis=0) if places else np.zeros(len(self))

    def on_groups(self, groups: ValueGroups) -> Floats:
        """Give which share of each label's records is in each group."""
        edges, known = self.axis.edges(groups), len(self.axis.at)
        group, found = groups.group[:known], np.zeros((len(self), len(groups)))
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        for first, end in zip(starts.tolist(), [*starts[1:].tolist(), known], strict=True):
            found[:, int(group[first])] += self.between(edges[first], edges[end])
        if len(groups.group) > known:
            found[self.missing, int(groups.group[-1])] = 1.0
        return found

    def averages(self, of_codes: Floats) -> Floats:  # noqa: ARG002 - as of other covers, which lie on no axis
        """Give the middle of where each label's records lie; nothing where they are missing."""
        middle = np.maximum(self.low, (self.low + self.high - self.axis.unit) / 2)
        total = self._sum(np.ones(len(self.low)))
        with np.errstate(invalid="ignore"):
            return np.asarray(self._sum(middle) / np.where(total > 0, total, np.nan), dtype=np.float64)

    def _share(self, place: float) -> Floats:
        """Give the share of each piece that lies below a place."""
        length = self.high - self.low
        inner = np.clip((place - self.low) / np.where(length > 0, length, 1.0), 0.0, 1.0)
        return np.asarray(np.where(length > 0, inner, self.low < place), dtype=np.float64)

    def _sum(self, of_pieces: Floats) -> Floats:
        return np.bincount(self.labels, self.weights * of_pieces, len(self)).astype(np.float64)


Pieces = list[tuple[float | None, float | None, float]]
"""From where to where, and how much; open ends are not known yet."""


class _StretchReader:
    """Reads the labels of one column as anybody can: values, stretches, sets of these; others by their hierarchy."""

    def __init__(self, axis: Axis, domain: Domain, ladder: Ladder) -> None:
        self._axis, self._domain, self._ladder = axis, domain, ladder
        self._codes = {text: code for code, text in enumerate(domain.texts[: len(domain.values)].tolist())}
        self._groups = _groups_of(ladder)

    def read(self, text: str) -> Pieces:
        """Give the pieces of the line that a label names."""
        if text in EVERYTHING and text not in self._codes:
            return [(None, None, 1.0)]
        if text in self._codes:
            at = float(self._axis.at[self._codes[text]])
            return [(at, at + self._axis.unit, 1.0)]
        members = None if text in self._groups else members_of(text)
        if members is not None:
            return _joined_pieces([self.read(member) for member in members])
        span = self._axis.span(text)
        return self._listed_pieces(text) if span is None else [(span.low, span.high, 1.0)]

    def _listed_pieces(self, text: str) -> Pieces:
        """Take the values that a hierarchy has under a label which names no stretch, also those nobody has."""
        (codes,) = coverage([text], self._domain, self._ladder)
        codes = codes[codes < len(self._axis.at)]
        leaves = len(codes)
        if text in self._groups:
            level, group = self._groups[text]
            leaves = int(self._ladder.leaves[level][group])
        return [(at, at + self._axis.unit, 1 / leaves) for at in self._axis.at[codes].tolist()]


def _joined_pieces(parts: Sequence[Pieces]) -> Pieces:
    """Put the members of a set together: each weighs as much as it is long, points all the same."""
    lengths = [sum((high or 0.0) - (low or 0.0) for low, high, _ in part) for part in parts]
    total = sum(lengths)
    share = [length / total if total > 0 else 1 / len(parts) for length in lengths]
    return [(low, high, weight * of) for part, of in zip(parts, share, strict=True) for low, high, weight in part]


def _closed_stretches(read: Sequence[Pieces], axis: Axis) -> list[list[tuple[float, float, float]]]:
    """Close open ends where the labels of the release end, at least one step away.

    What says nothing lies evenly over all of the column: from where to where its values run is the one thing that is
    taken from the table, as from a codebook.
    """
    named = [end for pieces in read for piece in pieces for end in piece[:2] if end is not None]
    whole = min([*named, float(axis.at[0])]), max([*named, float(axis.at[-1]) + axis.unit])
    step = axis.unit or float(np.spacing(max(map(abs, whole))))

    def close(low: float | None, high: float | None, weight: float) -> tuple[float, float, float]:
        if low is None and high is None:
            return *whole, weight
        begin = min(*named, high - step) if low is None and high is not None else low
        end = max(*named, low + step) if high is None and low is not None else high
        return begin or 0.0, end or 0.0, weight

    return [[close(*piece) for piece in pieces] for pieces in read]
