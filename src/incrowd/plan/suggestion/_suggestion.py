"""``Suggestion``: what the columns of a table probably are, to be corrected and written as a plan."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any, get_args

from incrowd.core import Hierarchy, ParameterError, Schema, SchemaError
from incrowd.evidence import ColumnProfile, Profile
from incrowd.hierarchies import Tree
from incrowd.plan._plan import Plan
from incrowd.plan._sections import HierarchyForm, form_of, plain_of
from incrowd.plan.suggestion._ladders import BY_HAND, ladder_files, write_trees
from incrowd.plan.suggestion._presentation import (
    counted_unit,
    html_of,
    layout_of,
    lines_of,
    notes_for,
    promises_of,
    questions_of,
    rows_of,
    tables_for,
)
from incrowd.plan.suggestion._protection import Combination, SinglingOut
from incrowd.plan.suggestion._roles import SuggestedRole

if TYPE_CHECKING:
    from incrowd.plan.suggestion._suggest import Look


@dataclass(frozen=True, slots=True)
class ColumnSuggestion:
    """What one column probably is, and why; what is not sure has to be looked at by somebody who knows the table.

    Quasi-identifiers have a hierarchy, as a plan writes it, and sensitive columns what can be promised about them. For
    names of which nothing else is known a tree of what goes with the same values of the other columns takes the place
    of the hierarchy; it holds values of the table, and is kept in a file beside the plan.
    """

    name: str
    role: SuggestedRole
    reason: str
    sure: bool
    hierarchy: HierarchyForm | None = None
    check: str = ""  # what to know or to look at in the hierarchy or the promise
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
        How the table was read, as ``anonymize`` and all others take it: ``**found.reading``.
    household, weight
        The columns that say which household a row belongs to and for how many people it speaks in a survey, if the
        table has them. Neither is published unasked.
    found
        What of ``reading`` nobody said: it was found out from the file.
    asked
        What to check about how the table was read, such as marks that perhaps mean missing.
    said
        The roles that somebody gave.
    missing
        Texts that count as missing; the schema has them too.
    look
        What was seen of the table, by which ``with_roles`` corrects roles without looking again. As confidential as the
        table.

    Notes
    -----
    Printed it is a table, also in a notebook: one line per column, then who stands out and what to check. It shows no
    value of the table.

    Examples
    --------
    >>> import incrowd as ic
    >>> visits = [{"nr": row // 3, "age": 20 + row // 6, "fever": "nym"[row % 3]} for row in range(300)]
    >>> found = ic.suggest(visits).with_roles(entity="nr", sensitive=["fever"])
    >>> found
    Suggestion(1 identifier, 1 quasi, 1 sensitive: k>=5, l>=2[fever]; people are counted by 'nr')
    >>> ic.anonymize(visits, found.schema, model=found.promise, max_suppressed=0.05).verdict.holds
    True
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
    said: Mapping[str, SuggestedRole] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)
    look: Look | None = field(default=None, repr=False)

    @property
    def schema(self) -> Schema:
        """The roles and hierarchies, as ``anonymize`` and all others take them."""
        return self.plan().schema()

    @property
    def promise(self) -> str:
        """What can be promised, as ``anonymize`` takes it: ``k>=5, l>=3[diagnosis]``."""
        return ", ".join(promises_of(self))

    @property
    def people(self) -> int | None:
        """How many different people the table has, where a column says whose row it is."""
        return None if self.entity is None else self.profile[self.entity].distinct

    @property
    def perhaps(self) -> str | None:
        """A column that could say whose row it is, where none does: groups may then hold fewer people than rows."""
        name = None if self.look is None or self.entity is not None else self.look.persons.perhaps
        return None if name is None or self.said.get(name, "identifier") != "identifier" else name

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
        singled = self.singling_out
        return {
            "records": self.profile.records,
            "columns": [_column_as_dict(column, self.profile[column.name]) for column in self.columns],
            "unsure": list(self.unsure),
            "questions": list(self.questions),
            "entity": self.entity,
            "perhaps": self.perhaps,
            "household": self.household,
            "weight": self.weight,
            "count": self.count,
            "reading": {name: value for name, value in layout_of(self).items() if name not in {"memory", "temp"}},
            "found": list(self.found),
            "singling_out": singled
            and {
                "together": _combination_as_dict(singled.together),
                "single": [*map(_combination_as_dict, singled.single)],
                "pairs": [*map(_combination_as_dict, singled.pairs)],
            },
        }

    def with_roles(
        self,
        *,
        entity: str | EllipsisType | None = ...,
        quasi: str | Sequence[str] | Mapping[str, Hierarchy | None] = (),
        sensitive: str | Sequence[str] = (),
        identifiers: str | Sequence[str] = (),
        insensitive: str | Sequence[str] = (),
        drop: str | Sequence[str] = (),
    ) -> Suggestion:
        """Correct the suggestion: give columns other roles. All others stay, the table is not looked at again.

        Parameters
        ----------
        entity
            The column that says whose row it is; ``None`` if every row is another person. As it was if nothing is said.
        quasi, sensitive, identifiers, insensitive, drop
            The columns that have this role. Quasi-identifiers may come with their hierarchies, as in a schema:
            ``quasi={"zip": ic.postcodes("DE"), "job": None}`` leaves that of ``job`` to us.
        """
        if self.look is None:
            msg = "This suggestion does not know its table any more."
            raise ParameterError(msg, hint="call suggest(table, roles=...) again.")
        given: dict[str, Iterable[str]] = {
            "quasi": quasi, "sensitive": sensitive, "identifier": identifiers, "insensitive": insensitive, "drop": drop,
        }  # fmt: skip
        said = {**self.said, **_one_role_each(given)}
        look = replace(self.look, ladders={**self.look.ladders, **_hierarchies_said(quasi)})
        if isinstance(entity, str):
            return look.suggestion(said, entity, self.count)
        return look.suggestion_by(self.entity if entity is ... else None, said, self.count)

    def plan(self, data: str | os.PathLike[str] | None = None) -> Plan:
        """Make the plan.

        Parameters
        ----------
        data
            The path of the table's file, as it is to stand in the plan; by default the one that was looked at. The plan
            of a table that is in no file names none: hand the table over, ``plan.run(table=table)``.
        """
        if not any(column.role == "quasi" for column in self.columns):
            msg = "No column looks as if it could help recognise a person."
            raise SchemaError(msg, hint="name those that could: roles={'age': 'quasi'}, --quasi on the command line.")
        known = None if self.look is None else self.look.path
        path = known if data is None else os.fspath(data)
        plan = replace(Plan.of(tables_for(self, path or "table")), ladders=self._trees)
        return plan if path is not None else replace(plan, data=plan.data.model_copy(update={"path": None}))

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
        """
        plan = self.plan(data)
        files = self.ladders(path)
        text = plan.kept_in(files, Path(path).parent).text(notes_for(self))
        write_trees(self._trees, files, force=force, plan={Path(path): text})
        return Plan.read(path)

    def __str__(self) -> str:
        return "\n".join(lines_of(self))

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        counts = Counter(column.role for column in self.columns)
        roles = ", ".join(f"{counts[role]:,} {role}" for role in get_args(SuggestedRole) if counts[role])
        promised = f": {self.promise}" if counts["quasi"] else ""
        people = "" if self.entity is None else f"; {counted_unit(self)} are counted by {self.entity!r}"
        return f"Suggestion({roles}{promised}{people})"


def _one_role_each(given: Mapping[str, Iterable[str]]) -> dict[str, SuggestedRole]:
    roles: dict[str, Any] = {}
    for role, names in given.items():
        for name in (names,) if isinstance(names, str) else names:
            if roles.setdefault(name, role) != role:
                msg = f"Column {name!r} is given as {roles[name]} and as {role}."
                raise ParameterError(msg, hint="give every column one role.")
    return roles


def _hierarchies_said(quasi: str | Sequence[str] | Mapping[str, Hierarchy | None]) -> dict[str, Hierarchy]:
    """Give the hierarchies that were said; those that a plan writes as files are said there, or in a schema."""
    if not isinstance(quasi, Mapping):
        return {}
    given = {name: hierarchy for name, hierarchy in quasi.items() if hierarchy is not None}
    for name, hierarchy in given.items():
        if not isinstance(hierarchy, Tree) and form_of(hierarchy) == "auto":
            msg = f"A suggestion cannot keep the hierarchy of {name!r}: it is {type(hierarchy).__name__}."
            raise ParameterError(msg, hint="write the plan and say it there, or build a Schema.")
    return given


def _column_as_dict(column: ColumnSuggestion, profile: ColumnProfile) -> dict[str, Any]:
    said = {name: getattr(column, name) for name in ("role", "reason", "sure", "check", "promise")}
    form = None if column.hierarchy is None else plain_of(column.hierarchy)
    return {**asdict(profile), **said, "tree": column.tree is not None, "hierarchy": form}


def _combination_as_dict(one: Combination) -> dict[str, Any]:
    people = {} if one.people is None else {"people": one.people}
    return {"columns": list(one.columns), "alone": one.alone, "share": float(one.share), **people}
