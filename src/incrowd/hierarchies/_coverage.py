"""Which values of another table each published label covers: what linkage joins by, never by equal texts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from incrowd.core import TOP, Domain, Hierarchy, HierarchyError, Ladder, ParameterError, UncoveredValuesError
from incrowd.hierarchies._dates import moments_of, number_of_period
from incrowd.hierarchies._day_forms import read_moment
from incrowd.hierarchies._labels import (
    EVERYTHING,
    Between,
    LabelMeaning,
    Masked,
    Period,
    members_of,
    read_label,
    read_mask_of_x,
)
from incrowd.hierarchies._mask import Mask
from incrowd.hierarchies._microaggregation import Averaged
from incrowd.hierarchies._numbers import NumberLine, Scaled, numbers_of, read_decimal

Bools = npt.NDArray[np.bool_]


def covered(label: str | None, domain: Domain, ladder: Ladder | None = None) -> Bools:
    """Say which values of a column a published label can stand for: one boolean per code of the domain, null last.

    A label is ``*``, a value, a label of the ladder (which then decides alone), a mask of the same length (``476**``;
    ``476xx`` where no value has an x), a bound (``<18``, ``>=90``, ``90+``), a range (``20-29``, ``20..29``, ``[20,
    30)``), a period (``2024-Q1``, ``2024-03``, ``2020s``) or a set of these (``{bonn, kiel}``); one that follows no
    pattern covers only itself. Text counts as a number or a moment where it reads as one: ``10-19`` covers the number
    12 and the text ``12``. The empty text is read as ``*``, which covers null too; ``None`` is a missing value, and
    covers nothing else.
    """
    return _ColumnCoverage(domain, ladder).covered(label)


def coverage(labels: Sequence[str | None], domain: Domain, ladder: Ladder | None = None) -> list[npt.NDArray[np.intp]]:
    """Give for every label the codes of the values that it can stand for, as ``covered`` says."""
    column = _ColumnCoverage(domain, ladder)
    return [column.codes(label) for label in labels]


def unreadable(labels: Sequence[str | None], domain: Domain, ladder: Ladder | None = None) -> Bools:
    """Say which labels cover only themselves here because nobody can tell what else they stand for."""
    # Words that are neither values of this column nor labels of the ladder, and patterns that cannot be compared with
    # its values: a range of numbers in a column of names. A number in a column of numbers is read, also if no value is
    # the same.
    column = _ColumnCoverage(domain, ladder)
    return np.array([not column.explains(label) for label in labels], dtype=bool)


def covers(label: str | None, text: str | None) -> bool:
    """Say whether a published label can stand for a value, given as text; ``None`` is a missing value.

    >>> from incrowd.hierarchies import covers
    >>> covers("[20, 25)", "24"), covers("[20, 25)", "25"), covers("476**", "47605"), covers("*", None)
    (True, False, True, True)
    """
    return bool(covered(label, Domain.of("", [text]))[0])


class _ColumnCoverage:
    """The values of a column, read once for all labels."""

    def __init__(self, domain: Domain, ladder: Ladder | None = None) -> None:
        if ladder is not None and len(ladder.groups[0]) != len(domain):
            msg = f"The ladder is of {len(ladder.groups[0])} values and the domain of {len(domain)}."
            raise ParameterError(msg, hint="give the ladder that was bound to this domain.")
        self._domain = domain
        self._ladder = ladder
        self._members: dict[str, npt.NDArray[np.intp]] = {}

    def covered(self, label: str | None) -> Bools:
        if label is None:
            return np.arange(len(self._domain)) >= len(self._domain.values)
        members = None if label in self._groups or self._separator is not None else members_of(label)
        if members is None:
            return self._covered_by_one(label)
        result = self._equal(label)
        for member in members:
            result[self._codes_of_member(member)] = True
        return result

    def codes(self, label: str | None) -> npt.NDArray[np.intp]:
        """Give the codes of the values that a label can stand for; at once for one that is a value and no more."""
        if self._separator is not None:
            return np.flatnonzero(self.covered(label))
        if label is not None and label not in EVERYTHING and label not in self._groups and label[:1] != "{":
            found = self._codes.get(label, [])
            if (found or self._domain.kind != "number") and self._meaning(label) is None:
                return np.array(found, dtype=np.intp)
        return np.flatnonzero(self.covered(label))

    def explains(self, label: str | None) -> bool:
        """Say whether it is known what a label stands for in this column."""
        if label is None or label in EVERYTHING or label in self._groups or label in self._codes:
            return True
        members = members_of(label)
        if members is not None:  # of words, others are values too, though nobody here has them
            known = any if self._domain.kind == "text" else all
            return known(not member or self.explains(member) for member in members)
        if self._meaning(label) is not None:
            return True
        is_number = self._has_numbers and read_decimal(label) is not None
        return is_number or (self._has_moments and read_moment(label) is not None)

    def _meaning(self, label: str) -> LabelMeaning | None:
        """Read a label as something that can be compared with the values of this column."""
        found = read_label(label)
        if found is not None and self._compares(found):
            return found
        mask = read_mask_of_x(label)
        return mask if mask is not None and self._compares(mask) and not self._has_x else None

    def _compares(self, meaning: LabelMeaning) -> bool:
        if isinstance(meaning, Masked):
            return len(meaning.text) in self._letters
        return self._has_numbers if isinstance(meaning, Between) else self._has_moments

    def _covered_by_one(self, label: str) -> Bools:
        """Read a label that is no set."""
        known = None if label == TOP else self._groups.get(label)
        if known is not None and self._ladder is not None:
            level, number = known
            return np.asarray(self._ladder.groups[level] == number, dtype=bool)
        if label in EVERYTHING:
            return np.ones(len(self._domain), dtype=bool)
        if self._separator is not None:
            return self._sets_with(label.split(self._separator))
        result, meaning = self._equal(label), self._meaning(label)
        if meaning is not None:
            result[: len(self._domain.values)] |= self._meant(meaning)
        elif self._domain.kind == "number" and not result.any():  # 39 and 39.0 are one number
            value = read_decimal(label)
            exactly = None if value is None else Between(Fraction(value), Fraction(value))
            result[: len(self._domain.values)] = exactly is not None and self._meant(exactly)
        return result

    @property
    def _separator(self) -> str | None:
        return None if self._ladder is None else self._ladder.separator

    def _sets_with(self, items: Sequence[str]) -> Bools:
        """Say which sets have some items at some level: others may have been left out."""
        result = np.zeros(len(self._domain), dtype=bool)
        for level, holders in self._holders.items():
            found = set[int].intersection(*(holders.get(item, set()) for item in items))
            if found and self._ladder is not None:
                result |= np.isin(self._ladder.groups[level], [*found])
        return result

    @cached_property
    def _holders(self) -> dict[int, dict[str, set[int]]]:
        """Per level that sets are published at, the groups that have each item."""
        result: dict[int, dict[str, set[int]]] = {}
        ladder = self._ladder
        for level in () if ladder is None else range(ladder.lowest, ladder.height):
            holders = result.setdefault(level, {})
            for group, label in enumerate(ladder.labels[level].tolist()):  # type: ignore[union-attr]
                for item in (label or "").split(self._separator):
                    holders.setdefault(item, set()).add(group)
        return result

    def _codes_of_member(self, label: str) -> npt.NDArray[np.intp]:
        """Give the codes of one member of a set; many sets have the same members."""
        if label not in self._members:
            found = self._covered_by_one(label) if label else self._equal("")  # here the empty text is no star
            self._members[label] = np.flatnonzero(found)
        return self._members[label]

    def _equal(self, label: str) -> Bools:
        result = np.zeros(len(self._domain), dtype=bool)
        result[self._codes.get(label, [])] = True
        return result

    def _meant(self, meaning: LabelMeaning) -> Bools:
        if isinstance(meaning, Masked):
            return self._fits_mask(meaning.text)
        if isinstance(meaning, Between):
            line, result = self._numbers
            if meaning.low is not None:
                result = result & ~(line.below(meaning.low) if meaning.holds_low else line.up_to(meaning.low))
            if meaning.high is not None:
                result = result & (line.up_to(meaning.high) if meaning.holds_high else line.below(meaning.high))
            return result
        moments, readable = self._moments
        if isinstance(meaning, Period):
            inside = number_of_period(moments, meaning.unit) == meaning.number
        else:
            inside = (moments >= meaning.first) & (moments <= meaning.last)
        return np.asarray(readable & inside, dtype=bool)

    def _fits_mask(self, mask: str) -> Bools:
        result = np.zeros(len(self._domain.values), dtype=bool)
        if len(mask) in self._letters:
            codes, letters = self._letters[len(mask)]
            shown = [place for place, letter in enumerate(mask) if letter != TOP]
            result[codes] = (letters[:, shown] == np.array(list(mask))[shown]).all(axis=1)
        return result

    @cached_property
    def _groups(self) -> dict[str | None, tuple[int, int]]:
        """Where the ladder has a label: the lowest level, and the group there."""
        places: dict[str | None, tuple[int, int]] = {}
        for level, labels in enumerate(() if self._ladder is None else self._ladder.labels):
            if level < (0 if self._ladder is None else self._ladder.lowest):
                continue
            for group, label in enumerate(labels.tolist()):
                places.setdefault(label, (level, group))
        return places

    @cached_property
    def _codes(self) -> dict[str | None, list[int]]:
        codes: dict[str | None, list[int]] = {}
        for code, text in enumerate(self._domain.texts.tolist()):
            codes.setdefault(text, []).append(code)
        return codes

    @cached_property
    def _letters(self) -> dict[int, tuple[npt.NDArray[np.intp], npt.NDArray[np.str_]]]:
        """The texts by their length: their codes, and one row of letters for each."""
        texts = self._domain.texts[: len(self._domain.values)].tolist()
        lengths = np.fromiter(map(len, texts), dtype=np.intp, count=len(texts))
        found = {}
        for length in np.unique(lengths[lengths > 0]).tolist():
            codes = np.flatnonzero(lengths == length)
            letters = np.array([texts[code] for code in codes.tolist()], dtype=f"U{length}")
            found[length] = codes, letters.view("U1").reshape(len(codes), length)
        return found

    @cached_property
    def _has_x(self) -> bool:
        """Whether a value has an x, so that in a label it may be a letter like others."""
        return any("x" in text.lower() for text in self._domain.texts[: len(self._domain.values)].tolist())

    @cached_property
    def _numbers(self) -> tuple[NumberLine, Bools]:
        nothing = np.zeros(len(self._domain.values), dtype=bool)
        return numbers_of(self._domain) or (Scaled(nothing.astype(np.int64), 1), nothing)

    @cached_property
    def _moments(self) -> tuple[npt.NDArray[np.datetime64], Bools]:
        nothing = np.zeros(len(self._domain.values), dtype=bool)
        return moments_of(self._domain) or (nothing.astype("datetime64[us]"), nothing)

    @cached_property
    def _has_numbers(self) -> bool:
        return bool(self._numbers[1].any())

    @cached_property
    def _has_moments(self) -> bool:
        return bool(self._moments[1].any())


# What labels say about values that a release was not made of: its hierarchies are asked, and then labels are read.

Ints = npt.NDArray[np.integer]
Names = Sequence[str | None]


def coverage_by_hierarchy(
    hierarchy: Hierarchy | None, names: Names, people: Domain, published: Ladder | None = None
) -> list[npt.NDArray[np.intp]]:
    """Give for every label the values that it covers: a hierarchy is asked, and what it does not know is read."""
    # Where the ladder that the labels come from is known, its labels are not read as something else of values that the
    # hierarchy knows.
    found = None if hierarchy is None else bind_known_values(hierarchy, people)
    if found is None:
        return coverage(names, people)
    known, ladder = found
    place = people.codes_in(known)
    inside, outside = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
    back = np.full(len(known), -1, dtype=np.intp)
    back[place[inside]] = inside
    # Labels of a ladder say by themselves whom they stand for; a mask tells it by what it shows.
    of_values = hierarchy.hierarchy if isinstance(hierarchy, Averaged) else hierarchy
    levels = () if published is None else published.labels[:1] if isinstance(of_values, Mask) else published.labels
    elsewhere = {*itertools.chain(*levels)} - {*itertools.chain(*ladder.labels)} - {TOP}
    fits = coverage(names, known, ladder)
    own = [back[codes[:0] if text in elsewhere else codes] for text, codes in zip(names, fits, strict=True)]
    if not len(outside):
        return own
    read = coverage(names, people)  # what a label can be read as depends on all values
    return [np.concatenate([codes, others[place[others] < 0]]) for codes, others in zip(own, read, strict=True)]


def bind_known_values(hierarchy: Any, domain: Domain) -> tuple[Domain, Ladder] | None:
    """Fit a hierarchy to the values of a column that it knows."""
    try:
        return domain, hierarchy.bind(domain)
    except UncoveredValuesError as unknown:
        values = set(unknown.values)
    except HierarchyError:
        return None
    inside = np.array([text not in values for text in domain.texts[: len(domain.values)].tolist()], dtype=bool)
    some = Domain(domain.column, domain.kind, domain.values[inside], domain.counts[: len(domain.values)][inside])
    try:
        return some, hierarchy.bind(some)
    except HierarchyError:
        return None


def coverage_as_values(own: Domain, people: Domain) -> list[npt.NDArray[np.intp]] | None:
    """Give for every published value who has it; nobody made it vaguer, though a text may look like a range."""
    # A star is no value. Only for texts, and not beside dates: a day holds moments.
    if own.kind != "text" or people.kind in {"date", "datetime"}:
        return None
    places = people.codes_in(own)
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(len(own) + 1))
    found = [order[first:last] for first, last in itertools.pairwise(bounds.tolist())]
    every = np.arange(len(people))
    return [every if text == TOP else codes for text, codes in zip(own.texts.tolist(), found, strict=True)]


def part_of_domain(domain: Domain, codes: Ints) -> Domain:
    inside = codes[codes < len(domain.values)]
    spelling = None if domain.spelling is None else domain.spelling[inside]
    return replace(domain, values=domain.values[inside], counts=domain.counts[codes], spelling=spelling)
