"""What a worker has at hand: the table that is looked at, and the last releases. Confidential, and only in memory."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incrowd.core import CensusRequest, Domain, PrivacyWarning, Schema, UnknownColumnError
from incrowd.engines import Notation, Remembered, open_table
from incrowd.plan import Plan, Suggestion, suggest
from incrowd.release import Release, first_rows, rows_with_sizes, with_size
from incrowd.web._history import read_json
from incrowd.web._plans import read_plan
from incrowd.web._progress import Teller
from incrowd.web._refusal import Plain, refusal

RELEASES = 3  # so many releases are kept at hand
LONG = 200  # longer texts are cut
Row = list[str | None]


@dataclass(slots=True)
class WorkerCache:
    tables: dict[tuple[Any, ...], Remembered] = field(default_factory=dict)
    suggestions: dict[tuple[Any, ...], Suggestion] = field(default_factory=dict)
    releases: dict[str, tuple[Plan, Release]] = field(default_factory=dict)


CACHE = WorkerCache()  # the desk of this process


def table_of(plan: Plan) -> Remembered:
    """Open the table of a plan, or give the one that is open; a file that changed is opened again."""
    key = _key_of_plan(plan)
    if key not in CACHE.tables:
        CACHE.tables.clear()  # one table at a time: they are large
        CACHE.suggestions.clear()
        data = plan.data
        quasi = [name for name, one in plan.columns.items() if one.role == "quasi" and name != data.size]
        drop = quasi if data.missing_policy == "drop" else ()
        engine = open_table(
            plan.path(str(data.path)), missing_values=data.missing, drop_missing=drop, **reading_of(plan)
        )
        if data.entity is not None and data.size is not None:
            engine = with_size(engine, Schema([data.size], entity=data.entity, size=data.size))
        CACHE.tables[key] = Remembered(engine)
    return CACHE.tables[key]


def reading_of(plan: Plan) -> Plain:
    sheet = {} if plan.data.sheet is None else {"sheet": plan.data.sheet}
    return {**plan.reading(), **sheet}


def notation_of(plan: Plan) -> Notation:
    return Notation.of(plan.data.decimal, plan.data.thousands, plan.data.dates)


def first_rows_of(plan: Plan, limit: int) -> tuple[list[str], list[Row]]:
    data = plan.data
    how: Plain = {"encoding": data.encoding, "separator": data.separator, "header": data.header, "sheet": data.sheet}
    names, rows = first_rows(plan.path(str(data.path)), limit, **how, missing=data.missing)
    if data.size is None or data.entity not in names:
        return names, rows
    census = table_of(plan).census(CensusRequest((data.entity, data.size)))
    return [*names, data.size], rows_with_sizes(rows, names.index(data.entity), census, notation_of(plan))


def short(row: Sequence[str | None]) -> Row:
    return [text if text is None or len(text) <= LONG else f"{text[: LONG - 1]}\N{HORIZONTAL ELLIPSIS}" for text in row]


def share_of(number: Any) -> str | None:
    """Write a share as text; nothing where there is none."""
    return None if number is None else f"{float(number):.6g}"


def suggestion_of(plan: Plan) -> Suggestion:
    key = _key_of_plan(plan)
    table = table_of(plan)
    if key not in CACHE.suggestions:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            CACHE.suggestions[key] = suggest(table)
    return CACHE.suggestions[key]


def domain_of(plan: Plan, column: str) -> Domain:
    table = table_of(plan)
    known = table.columns()
    if column not in known:
        raise UnknownColumnError.of(column, list(known), given_as="column")
    return table.domains([column])[column]


def release_of(folder: str, teller: Teller) -> tuple[Plan, Release]:
    """Give the release of an earlier run; make it again from its plan if it is not at hand."""
    run = read_json(Path(folder) / "run.json", {})
    if folder not in CACHE.releases or not _is_of(run, CACHE.releases[folder][1]):
        plan = read_plan(Path(folder) / "source.toml", Path(folder).parents[2])
        teller.step("making the release again")
        release = plan.run(teller.search)
        if not _is_of(run, release):
            message = "This version cannot be made again: the table has changed, or its search was stopped early."
            raise refusal(409, "another-table", message, "make a new version in step 5.", "run")
        keep(folder, plan, release)
    return CACHE.releases[folder]


def _is_of(run: Plain, release: Release) -> bool:
    """Say whether a release is the one which was made, looked at and attacked as this run."""
    recipe = release.recipe
    levels = None if release.recoding.node is None else dict(release.recoding.node)
    made = {"levels": levels, "published": recipe.published, "classes": release.verdict.classes}
    same_table = recipe.input.get("sha256") == (run.get("table") or {}).get("sha256")
    return same_table and all(run.get(key) == value for key, value in made.items())


def keep(folder: str, plan: Plan, release: Release) -> None:
    """Keep a release at hand; the oldest makes room."""
    CACHE.releases[folder] = plan, release
    while len(CACHE.releases) > RELEASES:
        del CACHE.releases[next(iter(CACHE.releases))]


def _key_of_plan(plan: Plan) -> tuple[Any, ...]:
    path = plan.path(str(plan.data.path))
    found = path.stat() if path.is_file() else None
    state = None if found is None else (found.st_size, found.st_mtime_ns)
    data = plan.data
    quasi = tuple(name for name, one in plan.columns.items() if one.role == "quasi")
    dropped = quasi if data.missing_policy == "drop" else ()
    sized = None if data.size is None else (data.entity, data.size)
    return str(path), state, *sorted(reading_of(plan).items()), data.missing, dropped, sized
