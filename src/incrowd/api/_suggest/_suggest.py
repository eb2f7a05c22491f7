"""A first plan for a table: which roles and hierarchies its columns probably have, and why."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack, get_args

from incrowd.api._census import Reading
from incrowd.api._plan._forms import FlatForm, FrequentForm, HierarchyForm
from incrowd.api._plan._plan import Plan
from incrowd.api._plan._sections import plain_of
from incrowd.api._profile import ColumnProfile, Profile
from incrowd.api._suggest._combinations import Combination, SinglingOut, alone_with, census_of, singling_out
from incrowd.api._suggest._header import refuse_records
from incrowd.api._suggest._hierarchies import BY_HAND, suggest_hierarchy
from incrowd.api._suggest._persons import Persons, persons_in
from incrowd.api._suggest._plan import notes_for, tables_for
from incrowd.api._suggest._promise import promise_for
from incrowd.api._suggest._questions import SAID, questions_of, rows_of
from incrowd.api._suggest._reading import read_table
from incrowd.api._suggest._roles import FEW_RECORDS, RoleGuess, SuggestedRole, clues_of, guess_role, subjects_of
from incrowd.api._suggest._similarity import ladder_files, trees_of, write_trees
from incrowd.core import Census, ParameterError, SchemaError, UnknownColumnError
from incrowd.engines import Engine
from incrowd.hierarchies import Tree
from incrowd.io import atomic_path


@dataclass(frozen=True, slots=True)
class ColumnSuggestion:
    """What one column probably is.

    Attributes
    ----------
    name, role
        The column and its role, as a plan writes it.
    reason
        Why, in a few words.
    sure
        Whether it is nearly certain. What is not has to be looked at by somebody who knows the table.
    hierarchy
        For a quasi-identifier how it could become vaguer, as a plan writes it.
    check
        What to know or to look at in the hierarchy or the promise; empty if nothing.
    promise
        For a sensitive column what can be promised about it, as a plan writes it; ``None`` if nothing fits its values.
    tree
        For names of which nothing else is known: a tree of what goes with the same values of the other columns. It
        takes the place of ``hierarchy``, holds values of the table, and is kept in a file beside the plan.
    """

    name: str
    role: SuggestedRole
    reason: str
    sure: bool
    hierarchy: HierarchyForm | None = None
    check: str = ""
    promise: str | None = None
    tree: Tree | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Suggestion:
    """Probable roles and hierarchies, and how far the quasi-identifiers among them single people out.

    Attributes
    ----------
    columns
        What each column probably is, in the order of the table.
    profile
        The columns in numbers.
    singling_out
        How many records the suggested quasi-identifiers single out; ``None`` if there is none.
    entity
        The column that says whose row it is: as given, or as found, if people have several rows. They are then counted
        by it.
    count
        The column that says how often a row counts, if it was given.
    reading
        How the table was read.
    household, weight
        The columns that say which household a row belongs to and for how many people it speaks in a survey, if the
        table has them. Neither is published unasked.
    found
        What of ``reading`` nobody said: it was found out from the file.
    asked
        What to check about how the table was read, such as marks that perhaps mean missing.
    """

    columns: tuple[ColumnSuggestion, ...]
    profile: Profile = field(repr=False)
    singling_out: SinglingOut | None
    entity: str | None = None
    count: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    household: str | None = None
    weight: str | None = None
    found: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    @property
    def unsure(self) -> tuple[str, ...]:
        """The columns whose role somebody has to confirm."""
        return tuple(column.name for column in self.columns if not column.sure)

    @property
    def rows(self) -> tuple[str, ...]:
        """Who a row is about, as far as the table tells: persons, households, survey weights."""
        return tuple(rows_of(self))

    @property
    def questions(self) -> tuple[str, ...]:
        """What somebody who knows the table has to check, the most dangerous first."""
        return tuple(questions_of(self))

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as plain data: names, numbers and reasons, no value of the table."""
        return {
            "records": self.profile.records,
            "columns": [_plain_column(column, self.profile[column.name]) for column in self.columns],
            "unsure": list(self.unsure),
            "questions": list(self.questions),
            "entity": self.entity,
            "household": self.household,
            "weight": self.weight,
            "count": self.count,
            "reading": {name: value for name, value in self.reading.items() if name not in {"memory", "temp"}},
            "found": list(self.found),
            "singling_out": None if self.singling_out is None else _plain_singling_out(self.singling_out),
        }

    def plan(self, data: str | os.PathLike[str]) -> Plan:
        """Make the plan, for the file that the table is in.

        Parameters
        ----------
        data
            The path of the file, as it is to stand in the plan.
        """
        if self.singling_out is None:
            msg = "No column looks as if it could help recognise a person."
            raise SchemaError(msg, hint="name those that could: roles={'age': 'quasi'}, --quasi on the command line.")
        return replace(Plan.of(tables_for(self, os.fspath(data))), ladders=self._trees)

    def without_trees(self) -> Suggestion:
        """Give the suggestion without trees that hold values, for a plan that stands alone."""
        columns = (replace(one, tree=None, check=BY_HAND) if one.tree is not None else one for one in self.columns)
        return replace(self, columns=tuple(columns))

    @property
    def _trees(self) -> dict[str, Tree]:
        return {column.name: column.tree for column in self.columns if column.tree is not None}

    def ladders(self, plan: str | os.PathLike[str]) -> dict[str, Path]:
        """Say in which files the trees of a plan are kept, by column: in a folder beside it that is called like it.

        Parameters
        ----------
        plan
            The plan's file.
        """
        return ladder_files(Path(plan), list(self._trees))

    def write_ladders(self, plan: str | os.PathLike[str], *, force: bool = False) -> dict[str, Path]:
        """Write the trees that a plan refers to beside it, all or none. They hold values of the table.

        Parameters
        ----------
        plan
            The plan's file.
        force
            Whether existing files may be replaced.
        """
        files = self.ladders(plan)
        write_trees(self._trees, files, force=force)
        return files

    def write(
        self,
        path: str | os.PathLike[str],
        data: str | os.PathLike[str],
        *,
        force: bool = False,
        ladders: Mapping[str, Path] | None = None,
    ) -> Plan:
        """Write the plan with the reasons as comments; what is not sure is marked ``please check``.

        Trees of values are written beside it, in a folder that is called like it: they hold values of the table.

        Parameters
        ----------
        path
            The plan's file.
        data
            The path of the table's file, relative to that of the plan or absolute.
        force
            Whether an existing file may be replaced.
        ladders
            The files in which the trees lie already, by column, if they do.
        """
        plan = self.plan(data)
        with atomic_path(path, force=force) as part:  # a plan that may not be written is said before a ladder is
            files = self.write_ladders(path, force=force) if ladders is None else ladders
            text = plan.kept_in(files, Path(path).parent).text(notes_for(self))
            part.write_text(text, encoding="utf-8", newline="\n")
        return Plan.read(path)


def _plain_column(column: ColumnSuggestion, profile: ColumnProfile) -> dict[str, Any]:
    form = column.hierarchy
    hierarchy = form if form is None or isinstance(form, str) else plain_of(form)
    said = {"role": column.role, "reason": column.reason, "sure": column.sure, "check": column.check}
    said |= {"promise": column.promise, "tree": column.tree is not None}
    return {**asdict(profile), **said, "hierarchy": hierarchy}


def _plain_singling_out(found: SinglingOut) -> dict[str, Any]:
    lists = {"single": found.single, "pairs": found.pairs}
    return {
        "together": _plain_combination(found.together),
        **{name: [_plain_combination(one) for one in some] for name, some in lists.items()},
    }


def _plain_combination(one: Combination) -> dict[str, Any]:
    return {"columns": list(one.columns), "alone": one.alone, "share": float(one.share)}


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
    Portuguese), from what the values look like, from what the table is about, and from how columns hang together: a
    number that repeats while sex and birth do not change within stands for a person. No column is ever suggested to be
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
        _check(known, [entity, count], names, show=engine.shows_names)

    read = read_table(table, missing_values, reading, check)
    engine, profile = read.engine, read.profile
    if entity is not None:
        known.setdefault(entity, "identifier")
    guesses, persons = _guesses(engine, profile)
    if entity is None and persons.entity is not None and known.get(persons.entity, "identifier") == "identifier":
        entity = persons.entity
    columns = tuple(
        _column(profile, column, guesses[column.name], known.get(column.name), by_person=entity is not None)
        for column in profile.columns
        if column.name != count
    )
    quasi = [column.name for column in columns if column.role == "quasi"]
    census = census_of(engine, quasi)
    singled = None if census is None else singling_out(census)
    if census is not None and singled is not None:
        columns = _with_trees(columns, census)
        columns = tuple(_exposing(engine, column, singled) for column in columns)
    layout = {**read.reading, **({} if list(missing_values) == [""] else {"missing": list(missing_values)})}
    weight = next((name for name, guess in guesses.items() if guess.stands_for == "weight"), None)
    return Suggestion(
        columns, profile, singled, entity, count, layout, persons.household, weight, read.found, read.asked
    )


def _with_trees(columns: Sequence[ColumnSuggestion], census: Census) -> tuple[ColumnSuggestion, ...]:
    """Give names of which nothing else is known a tree of what goes with the same others."""
    last_resort = (FlatForm, FrequentForm)
    trees = trees_of(census, [column.name for column in columns if isinstance(column.hierarchy, last_resort)])
    note = "groups of values that go with the same values of other columns: please look at the file"
    return tuple(
        replace(column, tree=trees[column.name], check=note) if column.name in trees else column for column in columns
    )


def _exposing(engine: Engine, column: ColumnSuggestion, singled: SinglingOut) -> ColumnSuggestion:
    """Say of a column that is called harmless how many it singles out together with what others could know."""
    if column.role != "insensitive":
        return column
    found = alone_with(engine, singled.together.columns, column.name)
    before = singled.together.alone
    if found is None or found < 2 * before or found - before < FEW_RECORDS:
        return column
    return replace(column, check=f"with it {found:,} records are one of a kind, {before:,} without it")


def _guesses(engine: Engine, profile: Profile) -> tuple[dict[str, RoleGuess], Persons]:
    """Guess the roles of all columns: one by one, by what the table is about, and by how they hang together."""
    clues = {name: clues_of(profile[name], domain) for name, domain in profile.domains.items()}
    subjects = subjects_of(clues.values())
    known = {name: guess_role(one, subjects) for name, one in clues.items()}
    persons = persons_in(engine, clues, known)
    for name, role in ((persons.entity, "a person"), (persons.household, "a household")):
        if name is not None:
            rows = f"{profile[name].distinct:,} values in {profile.records:,} rows"
            known[name] = RoleGuess("identifier", f"stands for {role}: {rows}", sure=False, about=known[name].about)
    lost = RoleGuess("drop", "values that cannot be grouped", sure=False)
    return {column.name: known.get(column.name, lost) for column in profile.columns}, persons


def _check(roles: Mapping[str, str], extra: Sequence[str | None], names: Sequence[str], *, show: bool) -> None:
    for name, role in roles.items():
        if role not in get_args(SuggestedRole):
            msg = f"The role of {name!r} must be one of {', '.join(map(repr, get_args(SuggestedRole)))}, got {role!r}."
            raise ParameterError(msg)
    for name in (*roles, *filter(None, extra)):
        if name not in names:
            raise UnknownColumnError.of(name, names, given_as=roles.get(name, "entity or count"), show=show)


def _column(
    profile: Profile, column: ColumnProfile, guess: RoleGuess, role: SuggestedRole | None, *, by_person: bool
) -> ColumnSuggestion:
    domain = profile.domains.get(column.name)
    if role is not None:
        guess = RoleGuess(role, SAID, sure=True, about=guess.about)
    if guess.role == "sensitive" and domain is not None:
        promise, check = promise_for(domain, by_person=by_person)
        text = None if promise is None else str(promise)
        return ColumnSuggestion(column.name, guess.role, guess.reason, guess.sure, None, check, text)
    if guess.role != "quasi" or domain is None:
        return ColumnSuggestion(column.name, guess.role, guess.reason, guess.sure)
    hierarchy, check = suggest_hierarchy(domain, guess.about)
    return ColumnSuggestion(column.name, guess.role, guess.reason, guess.sure, hierarchy, check)
