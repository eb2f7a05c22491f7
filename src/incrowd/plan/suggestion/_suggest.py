"""Look at a table and suggest what its columns are."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack, get_args

from incrowd.core import Census, DataError, Domain, Hierarchy, Hint, ParameterError, UnknownColumnError
from incrowd.engines import Engine
from incrowd.evidence import ColumnProfile, Profile
from incrowd.hierarchies import FEW_RECORDS, Tree, flat
from incrowd.plan._sections import FlatForm, FrequentForm, form_of
from incrowd.plan.suggestion._answers import is_for_analysis
from incrowd.plan.suggestion._combinations import SinglingOut, alone_with, census_of, singling_out
from incrowd.plan.suggestion._days import UNREAD
from incrowd.plan.suggestion._ladders import suggest_hierarchy, trees_of
from incrowd.plan.suggestion._missing import Gaps
from incrowd.plan.suggestion._presentation import SAID
from incrowd.plan.suggestion._promise import promise_for
from incrowd.plan.suggestion._reading import Read, read_table
from incrowd.plan.suggestion._relations import (
    Persons,
    persons_in,
    telling_rows_together,
    with_blocks,
    with_giveaways,
    with_properties,
    with_twins,
)
from incrowd.plan.suggestion._roles import RoleGuess, SuggestedRole, clues_of, guess_role, subjects_of
from incrowd.plan.suggestion._suggestion import ColumnSuggestion, Suggestion
from incrowd.plan.suggestion._words import numbers_only
from incrowd.release import Reading

# Does the first line of a text file name the columns? If it is a record, its values must not be shown as names.

_VALUE = re.compile(
    r"[+-]?[\d.,]*\d[\d.,]*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T].*)?|[^@\s]+@[^@\s]+\.\w+|(?:\+|00)[\d ()/-]+"
)


def refuse_records(names: Sequence[str]) -> None:
    """Refuse a first line of which a third or more looks like values: numbers, dates, e-mail addresses, telephones."""
    suspicious = sum(bool(_VALUE.fullmatch(name.strip())) for name in names)
    if suspicious and 3 * suspicious >= len(names):
        why = f"{suspicious} of {len(names)} are numbers or dates"
        raise _no_names(why)


def refuse_repeated(domains: Mapping[str, Domain]) -> None:
    """Refuse a first line of which a third or more, and two at least, occur as values of their own columns."""
    texts = [domain for domain in domains.values() if domain.kind == "text"]
    repeated = sum(domain.column in set(domain.values.tolist()) for domain in texts)
    if repeated > 1 and 3 * repeated >= len(domains):
        why = f"{repeated} of {len(domains)} are values of their columns"
        raise _no_names(why)


def _no_names(why: str) -> DataError:
    msg = f"The first line does not look like names of columns: {why}."
    hint = Hint("put a line with the names of the columns first, or say {header}.", header=False)
    return DataError(msg, hint=hint)


# One look at a table: its columns in numbers, what each could be, and who a row is about. Roles are then put on it.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Look:
    """What was seen of a table."""

    engine: Engine  # the table
    path: str | None  # its file, if it is in one
    # How it was read, what of that was found out, what to check about it, and which texts count as missing
    layout: Mapping[str, Any]
    found: tuple[str, ...]
    asked: tuple[str, ...]
    missing: tuple[str, ...]
    # Its columns in numbers, their values (texts that are numbers or days read as such), the probable role of each, and
    # which of them stand for persons and households
    profile: Profile
    domains: Mapping[str, Domain]
    guesses: Mapping[str, RoleGuess]
    persons: Persons
    gaps: Gaps  # what perhaps stands for missing values
    ladders: Mapping[str, Hierarchy] = field(default_factory=dict)  # the hierarchies that somebody gave

    def suggestion(self, said: Mapping[str, SuggestedRole], entity: str | None, count: str | None) -> Suggestion:
        """Put roles on the columns: those that were said, and the probable ones of all others."""
        self._check(said, entity, count)
        found = self.persons.entity
        if entity is None and found is not None and said.get(found, "identifier") == "identifier":
            return self.counted(said, found, count)
        return self.counted(said if entity is None else {entity: "identifier", **said}, entity, count)

    def counted(self, said: Mapping[str, SuggestedRole], entity: str | None, count: str | None) -> Suggestion:
        """Put roles on the columns, with people counted by one of them, or every row as another one."""
        self._check(said, entity, count)
        columns = tuple(
            self._column(column, said.get(column.name), by_person=entity is not None)
            for column in self.profile.columns
            if column.name != count
        )
        quasi = [column.name for column in columns if column.role == "quasi"]
        census = census_of(self.engine, quasi)
        singled = None if census is None else singling_out(census, self._by_person(quasi, entity))
        if census is not None and singled is not None:
            columns = self._with_trees(columns, census)
            columns = tuple(self._exposing(column, singled) for column in columns)
        weights = [name for name, guess in self.guesses.items() if guess.stands_for == "weight"]
        weight = max(weights, key=is_for_analysis, default=None)
        household = self.persons.household
        left_out = {one.name for one in columns if one.role in {"identifier", "drop"}} - {entity, household}
        asked = (*self.asked, *self.gaps.questions(left_out))
        read = (self.layout, household, weight, self.found, asked)
        return Suggestion(columns, self.profile, singled, entity, count, *read, said, self.missing, self)

    def _check(self, said: Mapping[str, str], *extra: str | None) -> None:
        names = [column.name for column in self.profile.columns]
        check_roles(said, extra, names, show=self.engine.shows_names)

    def _by_person(self, quasi: Sequence[str], entity: str | None) -> Census | None:
        """Count by people too, where a column that is missing nowhere says whose row it is, or could."""
        person = entity or self.persons.perhaps
        if person is None or person in quasi or self.profile[person].missing:
            return None
        return census_of(self.engine, quasi, person)

    def _column(self, column: ColumnProfile, role: SuggestedRole | None, *, by_person: bool) -> ColumnSuggestion:
        domain, guess = self.profile.domains.get(column.name), self.guesses[column.name]
        if role is not None:
            guess = RoleGuess(role, SAID, sure=True, about=guess.about)
        if guess.role == "sensitive" and domain is not None:
            marks = self.gaps.marks.get(column.name, ())
            promise, check = promise_for(domain, by_person=by_person, marks=marks)
            text = None if promise is None else str(promise)
            return ColumnSuggestion(column.name, guess.role, guess.reason, guess.sure, None, check, text)
        if guess.role != "quasi" or domain is None:
            return ColumnSuggestion(column.name, guess.role, guess.reason, guess.sure)
        if column.name in self.ladders:
            ladder = self.ladders[column.name]
            tree = ladder if isinstance(ladder, Tree) else None
            form = form_of(flat() if tree is not None else ladder)
            return ColumnSuggestion(column.name, guess.role, guess.reason, guess.sure, form, tree=tree)
        stored = None if domain is self.domains[column.name] else domain
        hierarchy, check = suggest_hierarchy(self.domains[column.name], guess.about, stored)
        return ColumnSuggestion(column.name, guess.role, guess.reason, guess.sure, hierarchy, check)

    def _with_trees(self, columns: Sequence[ColumnSuggestion], census: Census) -> tuple[ColumnSuggestion, ...]:
        """Give names of which nothing else is known a tree of what goes with the same others."""
        flats = [one for one in columns if isinstance(one.hierarchy, (FlatForm, FrequentForm))]
        last_resort = [one.name for one in flats if not one.check.startswith(UNREAD)]
        trees = trees_of(census, [name for name in last_resort if name not in self.ladders])
        note = "groups of values that go with the same values of other columns: please look at the file"
        return tuple(replace(one, tree=trees[one.name], check=note) if one.name in trees else one for one in columns)

    def _exposing(self, column: ColumnSuggestion, singled: SinglingOut) -> ColumnSuggestion:
        """Say of a column that is called harmless how many it singles out together with what others could know."""
        if column.role != "insensitive":
            return column
        found = alone_with(self.engine, singled.together.columns, column.name)
        before = singled.together.alone
        if found is None or found < 2 * before or found - before < FEW_RECORDS:
            return column
        return replace(column, check=f"with it {found:,} records are one of a kind, {before:,} without it")


def look_of(read: Read, table: Any, missing: Sequence[str] = ("",)) -> Look:
    """Look at a table once."""
    guesses, persons = _guesses(read)
    path = os.fspath(table) if isinstance(table, (str, os.PathLike)) else None
    how = (read.reading, read.found, read.asked, tuple(missing))
    return Look(read.engine, path, *how, read.profile, read.domains, guesses, persons, read.gaps)


def check_roles(said: Mapping[str, str], extra: Sequence[str | None], names: Sequence[str], *, show: bool) -> None:
    """Refuse roles that there are not, and columns that the table does not have."""
    roles = get_args(SuggestedRole)
    for name, role in said.items():
        if role not in roles:
            msg = f"The role of {name!r} must be one of {', '.join(map(repr, roles))}, got {role!r}."
            raise ParameterError(msg)
    for name in (*said, *filter(None, extra)):
        if name not in names:
            raise UnknownColumnError.of(name, names, given_as=said.get(name, "entity or count"), show=show)


def _guesses(read: Read) -> tuple[dict[str, RoleGuess], Persons]:
    """Guess the roles of all columns: one by one, by what the table is about, and by how they hang together."""
    engine, profile = read.engine, read.profile
    plain = numbers_only(profile.domains)
    clues = {
        name: clues_of(replace(profile[name], kind=domain.kind), domain, named=name not in plain)
        for name, domain in read.domains.items()
    }
    subjects = subjects_of(clues.values())
    known = with_blocks(clues, {name: guess_role(one, subjects) for name, one in clues.items()})
    for adjusted in (with_twins, with_properties, with_giveaways):
        known = adjusted(engine, clues, known)
    persons = persons_in(engine, clues, known)
    if persons.household is None:  # one person each, but still a household
        named = next((name for name, guess in known.items() if guess.stands_for == "household"), None)
        persons = replace(persons, household=named)
    for name, role in ((persons.entity, "a person"), (persons.household, "a household")):
        if name is not None:
            rows = f"{profile[name].distinct:,} values in {profile.records:,} rows"
            known[name] = RoleGuess("identifier", f"stands for {role}: {rows}", sure=False, about=known[name].about)
            known |= telling_rows_together(engine, clues, known, name)
    lost = RoleGuess("drop", "values that cannot be grouped", sure=False)
    return {column.name: known.get(column.name, lost) for column in profile.columns}, persons


def suggest(
    table: Any,
    *,
    roles: Mapping[str, SuggestedRole] | None = None,
    entity: str | None = None,
    count: str | None = None,
    missing_values: Sequence[str] = ("",),
    **reading: Unpack[Reading],
) -> Suggestion:
    """Look at a table and suggest what each column is, and how it could become vaguer.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a DuckDB relation, a list of dicts, or a path to a CSV or Parquet file. It is
        never changed.
    roles
        The roles that you know, by column: ``"identifier"``, ``"quasi"``, ``"sensitive"``, ``"insensitive"`` or
        ``"drop"``. The others are guessed.
    entity
        The column that says whose row it is, where a person can have several.
    count
        The column that says how many records a row stands for.
    missing_values
        Texts that count as missing, besides null and NaN.
    reading
        How to read a file, as in ``census``. Of a text file the encoding, the separator, the decimal mark, the mark
        between thousands and the form of dates are found out where nothing is said: ``reading`` of the suggestion has
        what was found, and ``asked`` what is not sure.

    Notes
    -----
    Roles are guessed from the names of the columns (in English, German, French, Spanish, Italian, Dutch and
    Portuguese, and the usual ones in Polish, Swedish, Danish, Norwegian, Japanese and Chinese), from what the values
    look like (people, places, numbers of persons and dates overrule a name that sounds confidential), from what the
    table is about, and from how columns hang together: a number that repeats while sex and birth do not change within
    stands for a person, and the days between two dates are no secret beside them. No column is ever suggested to be
    harmless: only somebody who knows who could know it can say so.
    A suggestion is a beginning. A wrong role is the most common way to harm somebody.

    Examples
    --------
    >>> import incrowd as ic
    >>> found = ic.suggest(ic.hospital(300))
    >>> [(column.name, column.role) for column in found.columns][:4]
    [('name', 'identifier'), ('birth_date', 'quasi'), ('sex', 'quasi'), ('zip', 'quasi')]
    """
    known = dict(roles or {})

    def check(engine: Engine) -> None:
        names = list(engine.columns())
        if not engine.shows_names:
            refuse_records(names)
        check_roles(known, [entity, count], names, show=engine.shows_names)

    read = read_table(table, missing_values, reading, check)
    if not read.engine.shows_names:
        refuse_repeated(read.profile.domains)
    return look_of(read, table, missing_values).suggestion(known, entity, count)
