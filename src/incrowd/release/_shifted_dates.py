"""Shifted dates: by how many days, by a secret key; what the shift leaves true (intervals, edges of the window).

All dates of a person are shifted by the same days. What is left are the intervals between them, with times of day, and
weekdays where these stay. And whoever knows from when to when the true dates are knows that no date was shifted from
beyond: a person with a date near an edge has fewer possible shifts.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from incrowd.core import CensusRequest, Classes, ParameterError, Schema, SchemaError, ShiftedDates, group, name_list
from incrowd.engines import Engine, Shift, check_persons, check_room, first_and_last_day
from incrowd.release._census import fits_in_memory

PURPOSE = b"incrowd: shift of dates"
"""What the key is for: a pseudonym that is made with the same key tells nothing of the shift."""
DAY = 86_400_000_000
"""Microseconds."""
NO_KEY = (
    'name its file: shift_key="dates.key" in Python, key_file under [shift] in a plan, --shift-key for apply. Make one '
    "with: python -c \"import os; open('dates.key', 'wb').write(os.urandom(32))\""
)
Window = tuple[int, int]
"""The first and the last day of a column, as numbers."""


def offset_of(key: bytes, person: str, dates: ShiftedDates) -> int:
    """Say by how many days the dates of a person are shifted: never 0, and as many steps back as forward are possible.

    With ``s`` steps to either side it is a step times ``(d mod (2 s + 1)) - s``, where ``d`` is HMAC-SHA-256 of the
    person as printed, as a number whose first byte weighs most. Where that is 0, HMAC-SHA-256 of these 32 bytes takes
    their place, until it is not. The key is HMAC-SHA-256, by the key of the file, of what it is for.
    """
    return _drawn_offset(hmac.digest(key, PURPOSE, hashlib.sha256), person, dates.within // dates.step, dates.step)


def _drawn_offset(own: bytes, person: str, steps: int, step: int) -> int:
    drawn = person.encode()
    while True:
        drawn = hmac.digest(own, drawn, hashlib.sha256)
        offset = int.from_bytes(drawn, "big") % (2 * steps + 1) - steps
        if offset:
            return offset * step


def shifts_of(schema: Schema, key: bytes | None) -> dict[str, Shift]:
    """Say how columns are shifted; refuse a shift without a person or a key, and a key without a shift."""
    dates = schema.shifted
    if dates is None:
        if key is not None:
            msg = "A key to shift dates by was given, and no column is to be shifted."
            raise ParameterError(
                msg, hint='name the columns in the schema: shifted=ShiftedDates(["admission"], within=180).'
            )
        return {}
    named = name_list(dates.columns, len(dates.columns))
    if schema.entity is None:
        msg = f"The dates of {named} are to be shifted by person, and nothing says whose row it is."
        raise SchemaError(msg, hint="name the column of persons: entity=... in the schema, or under [data] in a plan.")
    if key is None:
        msg = f"The dates of {named} are to be shifted, and no key was given."
        raise ParameterError(msg, hint=NO_KEY)
    own, steps, step = hmac.digest(key, PURPOSE, hashlib.sha256), dates.within // dates.step, dates.step
    shift = Shift(schema.entity, lambda person: _drawn_offset(own, person, steps, step))
    return dict.fromkeys(dates.columns, shift)


def untrue_text(columns: Sequence[str]) -> str:
    """Say that columns are not true."""
    several, named = len(columns) > 1, name_list(columns, len(columns))
    told = f"Columns {named} are not true: their" if several else f"Column {named} is not true: its"
    return f"{told} dates were shifted, all of a person by the same days. The intervals between them are true."


def windows_of(engine: Engine, schema: Schema) -> dict[str, Window]:
    """Give from when to when the true dates are, by column; refuse what cannot be shifted, before anything is searched.

    All columns that a run needs are asked for at once, so that a file is read once.
    """
    dates = schema.shifted
    if dates is None or schema.entity is None:
        return {}
    others = [*schema.quasi_names, *schema.sensitive_names, *filter(None, (schema.entity, schema.count))]
    domains = engine.domains([*others, *dates.columns])
    check_persons(domains[schema.entity], "dates are shifted by person")
    for name in dates.columns:
        check_room(domains[name], dates.furthest)
    found = {name: first_and_last_day(domains[name]) for name in dates.columns}
    return {name: window for name, window in found.items() if window is not None}


def described_shift(dates: ShiftedDates | None, found: IntervalRisk | None) -> dict[str, Any]:
    """Describe a shift for the recipe, with what was measured; nothing where there is none."""
    return {} if dates is None else {**asdict(dates), "intervals": None if found is None else found.to_dict()}


# What a shift leaves true.


@dataclass(frozen=True, slots=True)
class IntervalRisk:
    """Who can be told by the intervals between shifted dates, and by dates near the edges of the window.

    Attributes
    ----------
    persons
        People with a shifted date in the release.
    alone_before
        How many of the original table's people are alone by the true dates of all their rows.
    alone
        How many are alone by the intervals of all their rows: nobody else has the same. With times of day, and with
        weekdays where these stay.
    alone_by_row
        How many have a row whose intervals nobody else has: for that nobody need know which rows are one person's.
    shifts
        How many shifts are possible.
    narrowed, halved, certain
        For how many people whoever knows the first and the last true day of each column can rule out a shift; at least
        half of them; all but one.
    """

    persons: int
    alone_before: int
    alone: int
    alone_by_row: int
    shifts: int
    narrowed: int
    halved: int
    certain: int

    @classmethod
    def measure(
        cls, released: Engine, original: Engine, schema: Schema, windows: Mapping[str, Window]
    ) -> IntervalRisk | None:
        """Measure a released table that has its persons; nothing where its dates do not fit into memory."""
        dates, entity = schema.shifted, schema.entity
        if dates is None or entity is None:
            return None
        request = CensusRequest(schema.shifted_names, entity=entity)
        if not (fits_in_memory(released, request) and fits_in_memory(original, request)):
            return None
        before = PersonDates.of(original.classes(dates.columns, {}, entity, schema.count))
        after = PersonDates.of(released.classes(dates.columns, {}, entity, schema.count))
        lasting = after.lasting(dates.step)
        possible = after.possible_shifts(dates, [windows.get(name) for name in dates.columns])
        shifts = 2 * (dates.within // dates.step)
        return cls(
            persons=len(possible),
            alone_before=before.alone(before.moments),
            alone=after.alone(lasting),
            alone_by_row=after.alone_by_row(dates.step),
            shifts=shifts,
            narrowed=int((possible < shifts).sum()),
            halved=int((2 * possible <= shifts).sum()),
            certain=int((possible == 1).sum()),
        )

    @classmethod
    def read(cls, plain: Mapping[str, Any] | None) -> IntervalRisk | None:
        """Read what ``to_dict`` wrote."""
        return None if not plain else cls(**{one.name: int(plain[one.name]) for one in fields(cls)})

    def to_dict(self) -> dict[str, int]:
        """Give all of it as plain data."""
        return asdict(self)

    @property
    def sentences(self) -> list[str]:
        """Say it in words, for the owner."""
        people = f"{self.persons:,} people"
        alone = (
            f"{self.alone:,} of {people} are alone by the intervals between their dates (all rows together), "
            f"{self.alone_by_row:,} by the intervals of a single row; {self.alone_before:,} were alone by their true "
            "dates before: who knows such intervals finds these people."
        )
        told = [alone]
        if self.narrowed:
            told.append(
                f"Near the first and the last day of the table fewer of the {self.shifts:,} shifts are possible: "
                f"whoever knows these days can rule some out for {self.narrowed:,} of {people}, at least half of them "
                f"for {self.halved:,}, and all but one for {self.certain:,}."
            )
        return told


@dataclass(frozen=True, slots=True, eq=False)
class PersonDates:
    """The different rows of persons: whose each is, its moments in microseconds, and how often the person has it."""

    person: Any
    moments: Any  # rows by columns; 0 where missing
    missing: Any
    counts: Any

    @classmethod
    def of(cls, classes: Classes) -> PersonDates:
        """Read them off a table that is grouped by its dates; rows without a date say nothing."""
        cells, members = classes.cells, classes.members
        known = [_moments_of(classes.names(column)) for column in range(len(classes.codes))]
        of_class = zip(known, classes.codes, strict=True)
        columns = [(values[codes], gone[codes]) for (values, gone), codes in of_class]
        moments = np.column_stack([values for values, _ in columns])[members]
        missing = np.column_stack([gone for _, gone in columns])[members]
        some = ~missing.all(axis=1)
        assert cells.person is not None  # noqa: S101 - they were grouped by person too
        _, person = np.unique(cells.person[some], return_inverse=True)
        return cls(person.astype(np.int64), moments[some], missing[some], cells.counts[some])

    def lasting(self, step: int) -> Any:
        """Give moments counted from the first day of their person: what no shift by so many days changes."""
        first = np.full(int(self.person.max(initial=-1)) + 1, np.iinfo(np.int64).max)
        np.minimum.at(first, self.person, self._without_missing(np.iinfo(np.int64).max).min(axis=1))
        return np.where(self.missing, 0, self.moments - _beginning(first, step)[self.person][:, None])

    def alone(self, moments: Any) -> int:
        """Count the persons whose rows, all together, nobody else has."""
        rows = _numbers_of([*moments.T, *self.missing.T.astype(np.int64), self.counts])
        order = np.lexsort((rows, self.person))
        person, rows = self.person[order], rows[order]
        lengths = np.bincount(person)
        found = 0
        for length in np.unique(lengths).tolist():  # persons with as many rows are compared at once
            lists = rows[lengths[person] == length].reshape(-1, length)
            found += int((np.bincount(_numbers_of(lists.T)) == 1).sum())
        return found

    def alone_by_row(self, step: int) -> int:
        """Count the persons with a row whose intervals nobody else has."""
        first = self._without_missing(np.iinfo(np.int64).max).min(axis=1)
        inside = np.where(self.missing, 0, self.moments - _beginning(first, step)[:, None])
        rows = _numbers_of([*inside.T, *self.missing.T.astype(np.int64)])
        first_of_pair = np.unique(_numbers_of([rows, self.person]), return_index=True)[1]
        rows, persons = rows[first_of_pair], self.person[first_of_pair]
        single = np.bincount(rows) == 1  # of how many persons it is a row
        return len(np.unique(persons[single[rows]]))

    def possible_shifts(self, dates: ShiftedDates, windows: Sequence[Window | None]) -> Any:
        """Count per person the shifts by which all dates come from inside of the window of their column."""
        number, furthest = int(self.person.max(initial=-1)) + 1, dates.furthest
        low, high = np.full(number, -furthest), np.full(number, furthest)
        days = self.moments // DAY
        for column, window in enumerate(windows):
            there = ~self.missing[:, column]
            if window is None or not there.any():
                continue
            first, last = window
            np.minimum.at(high, self.person[there], days[there, column] - first)
            np.maximum.at(low, self.person[there], days[there, column] - last)
        least, most = -(-low // dates.step), high // dates.step
        return most - least + 1 - ((least <= 0) & (most >= 0))

    def _without_missing(self, instead: int) -> Any:
        return np.where(self.missing, instead, self.moments)


def _beginning(moments: Any, step: int) -> Any:
    """Give the first moment of the day, or of the seven days, that a moment is in."""
    return moments // (step * DAY) * (step * DAY)


def _moments_of(texts: Any) -> tuple[Any, Any]:
    """Read texts of days and moments as they stand, without the zone: what a shift by whole days keeps."""
    missing = np.array([text is None for text in texts.tolist()], dtype=bool)
    plain = ["1970-01-01" if text is None else _local_text(text) for text in texts.tolist()]
    return np.array(plain, dtype="datetime64[us]").astype(np.int64), missing


def _local_text(text: str) -> str:
    day, time = text[:10], text[11:].rstrip("Z").partition("+")[0].partition("-")[0]
    return f"{day}T{time}" if time else day


def _numbers_of(columns: Sequence[Any]) -> Any:
    """Give every combination of values a number."""
    ranked = [np.unique(column, return_inverse=True) for column in columns]
    return group([codes for _, codes in ranked], [len(values) for values, _ in ranked]).ids.astype(np.int64)
