"""``suggest``: looks at a table, puts roles and hierarchies on its columns, counts who stands out."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack, get_args

from incrowd.core import Census, DataError, Domain, Hierarchy, Hint, ParameterError, UnknownColumnError
from incrowd.engines import Engine
from incrowd.evidence import ColumnProfile
from incrowd.hierarchies import FEW_RECORDS, Tree, flat
from incrowd.plan._sections import FlatForm, FrequentForm, form_of
from incrowd.plan.suggestion._answers import is_for_analysis
from incrowd.plan.suggestion._days import UNREAD
from incrowd.plan.suggestion._item_lists import BY_TREE, LISTS, items_in
from incrowd.plan.suggestion._ladders import suggest_hierarchy, trees_of
from incrowd.plan.suggestion._presentation import SAID
from incrowd.plan.suggestion._protection import SinglingOut, census_of, count_alone_with, promise_for
from incrowd.plan.suggestion._reading import Read
from incrowd.plan.suggestion._relations import Persons, guess_roles
from incrowd.plan.suggestion._roles import RoleGuess, SuggestedRole
from incrowd.plan.suggestion._suggestion import ColumnSuggestion, Suggestion
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Look:
    """One look at a table: how it was read, what each column could be, who a row is about. Roles are then put on it."""

    read: Read
    path: str | None  # its file, if it is in one
    guesses: Mapping[str, RoleGuess]
    persons: Persons
    ladders: Mapping[str, Hierarchy] = field(default_factory=dict)  # the hierarchies that somebody gave

    def suggestion(self, said: Mapping[str, SuggestedRole], entity: str | None, count: str | None) -> Suggestion:
        """Put roles on the columns: those that were said, and the probable ones of all others."""
        self._check_names(said, entity, count)
        found = self.persons.entity
        if entity is None and found is not None and said.get(found, "identifier") == "identifier":
            return self.suggestion_by(found, said, count)
        return self.suggestion_by(entity, said if entity is None else {entity: "identifier", **said}, count)

    def suggestion_by(self, entity: str | None, said: Mapping[str, SuggestedRole], count: str | None) -> Suggestion:
        """Put roles on the columns, with people counted by one of them, or every row as another one."""
        self._check_names(said, entity, count)
        profile, household = self.read.profile, self.persons.household
        columns = [self._column(one, said.get(one.name), entity) for one in profile.columns if one.name != count]
        quasi = [column.name for column in columns if column.role == "quasi"]
        census = census_of(self.read.engine, quasi)
        singled = None if census is None else SinglingOut.of(census, self._by_person(quasi, entity))
        if census is not None and singled is not None:
            columns = [self._with_exposure(column, singled) for column in self._with_trees(columns, census)]
        weights = [name for name, guess in self.guesses.items() if guess.stands_for == "weight"]
        left_out = {one.name for one in columns if one.role in {"identifier", "drop"}} - {entity, household}
        return Suggestion(
            tuple(columns),
            profile,
            singled,
            entity,
            count,
            reading=self.read.reading,
            household=household,
            weight=max(weights, key=is_for_analysis, default=None),
            found=self.read.found,
            asked=(*self.read.asked, *self.read.gaps.questions(left_out)),
            said=said,
            missing=self.read.gaps.missing,
            look=self,
        )

    def _check_names(self, said: Mapping[str, str], *extra: str | None) -> None:
        names = [column.name for column in self.read.profile.columns]
        check_roles(said, extra, names, show=self.read.engine.shows_names)

    def _by_person(self, quasi: Sequence[str], entity: str | None) -> Census | None:
        """Count by people too, where a column that is missing nowhere says whose row it is, or could."""
        person = entity or self.persons.perhaps
        if person is None or person in quasi or self.read.profile[person].missing:
            return None
        return census_of(self.read.engine, quasi, person)

    def _column(self, column: ColumnProfile, role: SuggestedRole | None, entity: str | None) -> ColumnSuggestion:
        domain, guess = self.read.profile.domains.get(column.name), self.guesses[column.name]
        named = role not in {None, "quasi"} or (role is None and guess.role == "identifier")
        listed = None if domain is None or named else items_in(domain, guess.about)
        if role is not None:
            guess = RoleGuess(role, SAID, sure=True, about=guess.about)
        elif listed is not None:
            guess = RoleGuess("quasi", LISTS, sure=False, about=guess.about)
        plain = ColumnSuggestion(column.name, guess.role, guess.reason, guess.sure)
        if guess.role == "sensitive" and domain is not None:
            marks = self.read.gaps.marks.get(column.name, ())
            promise, check = promise_for(domain, by_person=entity is not None, marks=marks)
            return replace(plain, check=check, promise=None if promise is None else str(promise))
        if guess.role != "quasi" or domain is None:
            return plain
        ladder = self.ladders.get(column.name)
        if isinstance(ladder, Tree):
            return replace(plain, hierarchy=form_of(flat()), tree=ladder)
        if ladder is not None:
            return replace(plain, hierarchy=form_of(ladder))
        if listed is not None:
            return replace(plain, hierarchy=form_of(listed), check=BY_TREE if listed.hierarchy == flat() else "")
        read_as = self.read.domains[column.name]
        form, check = suggest_hierarchy(read_as, guess.about, None if domain is read_as else domain)
        return replace(plain, hierarchy=form, check=check)

    def _with_trees(self, columns: Sequence[ColumnSuggestion], census: Census) -> list[ColumnSuggestion]:
        """Give names of which nothing else is known a tree of what goes with the same others."""
        flats = [one for one in columns if isinstance(one.hierarchy, (FlatForm, FrequentForm))]
        last_resort = [one.name for one in flats if not one.check.startswith(UNREAD)]
        trees = trees_of(census, [name for name in last_resort if name not in self.ladders])
        note = "groups of values that go with the same values of other columns: please look at the file"
        return [replace(one, tree=trees[one.name], check=note) if one.name in trees else one for one in columns]

    def _with_exposure(self, column: ColumnSuggestion, singled: SinglingOut) -> ColumnSuggestion:
        """Say of a column that is called harmless how many it singles out together with what others could know."""
        if column.role != "insensitive":
            return column
        found = count_alone_with(self.read.engine, singled.together.columns, column.name)
        before = singled.together.alone
        if found is None or found < 2 * before or found - before < FEW_RECORDS:
            return column
        return replace(column, check=f"with it {found:,} records are one of a kind, {before:,} without it")


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

    read = Read.of(table, missing_values, reading, check)
    if not read.engine.shows_names:
        refuse_repeated(read.profile.domains)
    path = os.fspath(table) if isinstance(table, (str, os.PathLike)) else None
    return Look(read, path, *guess_roles(read.engine, read.profile, read.domains)).suggestion(known, entity, count)
