"""What the published labels of numbers and dates say to a reader: the records of a label lie evenly in its stretch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, Kind, Ladder, ParameterError
from incrowd.hierarchies import Span, coverage, days_in, members_of, span_of
from incrowd.measures._covers import Groups

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

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

    def edges(self, groups: Groups) -> Floats:
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
        reader = _Reader(axis, domain, ladder)
        read = [[] if text is None else reader.read(text) for text in texts]
        unread = sum(not pieces and text is not None for pieces, text in zip(read, texts, strict=True))
        if unread:
            msg = f"{unread:,} labels of column {domain.column!r} stand for no value of the original table."
            raise ParameterError(msg, hint="give the table that the release was made from.")
        spans = _closed(read, axis)
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

    def on_groups(self, groups: Groups) -> Floats:
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


class _Reader:
    """Reads the labels of one column as anybody can: values, stretches, sets of these; others by their hierarchy."""

    def __init__(self, axis: Axis, domain: Domain, ladder: Ladder) -> None:
        self._axis, self._domain, self._ladder = axis, domain, ladder
        self._codes = {text: code for code, text in enumerate(domain.texts[: len(domain.values)].tolist())}
        self._groups = {
            text: (level, group)
            for level in range(ladder.height, -1, -1)
            for group, text in enumerate(ladder.labels[level].tolist())
        }

    def read(self, text: str) -> Pieces:
        """Give the pieces of the line that a label names."""
        if text in EVERYTHING and text not in self._codes:
            return [(None, None, 1.0)]
        if text in self._codes:
            at = float(self._axis.at[self._codes[text]])
            return [(at, at + self._axis.unit, 1.0)]
        members = None if text in self._groups else members_of(text)
        if members is not None:
            return _together([self.read(member) for member in members])
        span = self._axis.span(text)
        return self._listed(text) if span is None else [(span.low, span.high, 1.0)]

    def _listed(self, text: str) -> Pieces:
        """Take the values that a hierarchy has under a label which names no stretch, also those nobody has."""
        (codes,) = coverage([text], self._domain, self._ladder)
        codes = codes[codes < len(self._axis.at)]
        leaves = len(codes)
        if text in self._groups:
            level, group = self._groups[text]
            leaves = int(self._ladder.leaves[level][group])
        return [(at, at + self._axis.unit, 1 / leaves) for at in self._axis.at[codes].tolist()]


def _together(parts: Sequence[Pieces]) -> Pieces:
    """Put the members of a set together: each weighs as much as it is long, points all the same."""
    lengths = [sum((high or 0.0) - (low or 0.0) for low, high, _ in part) for part in parts]
    total = sum(lengths)
    share = [length / total if total > 0 else 1 / len(parts) for length in lengths]
    return [(low, high, weight * of) for part, of in zip(parts, share, strict=True) for low, high, weight in part]


def _closed(read: Sequence[Pieces], axis: Axis) -> list[list[tuple[float, float, float]]]:
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
