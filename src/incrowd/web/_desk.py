"""What a worker has at hand: the table that is looked at, and the last releases. Confidential, and only in memory."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incrowd.api import Plan, Release, Suggestion, suggest
from incrowd.core import Domain, PrivacyWarning, UnknownColumnError
from incrowd.engines import Notation, Remembered, open_table
from incrowd.web._history import read_json
from incrowd.web._plans import read_plan
from incrowd.web._refusal import Plain, refusal
from incrowd.web._unpacked import refuse_huge
from incrowd.web._worker import Teller

RELEASES = 3
"""So many releases are kept at hand."""


@dataclass(slots=True)
class Desk:
    """What a worker has at hand."""

    tables: dict[tuple[Any, ...], Remembered] = field(default_factory=dict)
    suggestions: dict[tuple[Any, ...], Suggestion] = field(default_factory=dict)
    releases: dict[str, tuple[Plan, Release]] = field(default_factory=dict)


DESK = Desk()
"""The desk of this process."""


def plan_of(path: str | Path, home: str | Path | None = None) -> Plan:
    """Read a plan whose table is about to be read; one that would fill the memory is refused.

    Parameters
    ----------
    path, home
        The file, and the folder that paths begin in; that of the file if nothing is said.
    """
    plan = read_plan(path, home)
    if plan.data.path is not None:
        refuse_huge(plan.path(str(plan.data.path)))
    return plan


def table_of(plan: Plan) -> Remembered:
    """Open the table of a plan, or give the one that is open; a file that changed is opened again."""
    key = _key(plan)
    if key not in DESK.tables:
        DESK.tables.clear()  # one table at a time: they are large
        DESK.suggestions.clear()
        quasi = [name for name, one in plan.columns.items() if one.role == "quasi"]
        drop = quasi if plan.data.missing_policy == "drop" else ()
        engine = open_table(
            plan.path(str(plan.data.path)), missing_values=plan.data.missing, drop_missing=drop, **reading_of(plan)
        )
        DESK.tables[key] = Remembered(engine)
    return DESK.tables[key]


def reading_of(plan: Plan) -> Plain:
    """Say how the table of a plan is read."""
    sheet = {} if plan.data.sheet is None else {"sheet": plan.data.sheet}
    return {**plan.reading(), **sheet}


def notation_of(plan: Plan) -> Notation:
    """Say how the file of a plan writes numbers and days."""
    return Notation.of(plan.data.decimal, plan.data.thousands, plan.data.dates)


def suggestion_of(plan: Plan) -> Suggestion:
    """Give the numbers of all columns, and what each probably is."""
    key = _key(plan)
    table = table_of(plan)
    if key not in DESK.suggestions:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            DESK.suggestions[key] = suggest(table)
    return DESK.suggestions[key]


def domain_of(plan: Plan, column: str) -> Domain:
    """Give the values of a column."""
    table = table_of(plan)
    known = table.columns()
    if column not in known:
        raise UnknownColumnError.of(column, list(known), given_as="column")
    return table.domains([column])[column]


def release_of(folder: str, teller: Teller) -> tuple[Plan, Release]:
    """Give the release of an earlier run; make it again from its plan if it is not at hand."""
    if folder not in DESK.releases:
        plan = plan_of(Path(folder) / "source.toml", Path(folder).parents[2])
        teller.step("making the release again")
        release = plan.run(teller.search)
        _refuse_another(read_json(Path(folder) / "run.json", {}), release)
        keep(folder, plan, release)
    return DESK.releases[folder]


def _refuse_another(run: Plain, release: Release) -> None:
    """Refuse a release that is not the one which was made, looked at and attacked as this run."""
    recipe = release.recipe
    levels = None if recipe.levels is None else dict(recipe.levels)
    made = {"levels": levels, "published": recipe.published, "classes": release.verdict.classes}
    same_table = recipe.input.get("sha256") == (run.get("table") or {}).get("sha256")
    if not same_table or any(run.get(key) != value for key, value in made.items()):
        message = "This version cannot be made again: the table has changed, or its search was stopped early."
        raise refusal(409, "another-table", message, "make a new version in step 5.", "run")


def keep(folder: str, plan: Plan, release: Release) -> None:
    """Keep a release at hand; the oldest makes room."""
    DESK.releases[folder] = plan, release
    while len(DESK.releases) > RELEASES:
        del DESK.releases[next(iter(DESK.releases))]


def moved(release: Release, folder: Path) -> Release:
    """Tell a release that its file was moved along with its folder."""
    return replace(release, table=folder / Path(release.table).parent.name / Path(release.table).name)


def _key(plan: Plan) -> tuple[Any, ...]:
    path = plan.path(str(plan.data.path))
    found = path.stat() if path.is_file() else None
    state = None if found is None else (found.st_size, found.st_mtime_ns)
    data = plan.data
    quasi = tuple(name for name, one in plan.columns.items() if one.role == "quasi")
    dropped = quasi if data.missing_policy == "drop" else ()
    return str(path), state, *sorted(reading_of(plan).items()), data.missing, dropped
