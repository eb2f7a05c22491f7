"""The checklist of HIPAA: which columns it asks about, and what it finds."""

from __future__ import annotations

from typing import Any

from incrowd.api import Checklist, Plan, Release, safe_harbor
from incrowd.api._kept import open_release
from incrowd.api._presets._hipaa import KINDS
from incrowd.api._presets._kinds import likely_kind
from incrowd.core import Schema
from incrowd.web._desk import plan_of, release_of, suggestion_of, table_of
from incrowd.web._refusal import Plain
from incrowd.web._worker import Teller


def kinds(given: Plain, teller: Teller) -> Plain:
    """List the published columns with what their names and values suggest; that is not an answer yet."""
    del teller
    plan = plan_of(given["plan"])
    domains = suggestion_of(plan).profile.domains
    columns = [
        {"name": name, "suggested": "other unique codes" if one.keep else likely_kind(name, domains.get(name))}
        for name, one in plan.columns.items()
        if _is_published(one)
    ]
    return {"kinds": list(KINDS), "columns": columns}


def harbor(given: Plain, teller: Teller) -> Plain:
    """Hold the table of the plan, or a release, against the safe harbor of HIPAA."""
    plan = plan_of(given["plan"])
    more: dict[str, Any] = {"kinds": given["kinds"], "year": given["year"]}
    if given["run"] is not None:
        return safe_harbor(release_of(given["run"], teller)[1], **more).to_dict()
    table = table_of(plan)
    return safe_harbor(table, _schema(plan, list(table.columns())), **more).to_dict()


def checked(release: Release, said: Plain | None) -> list[Checklist]:
    """Hold a release against the list, if somebody said what its columns are about.

    Parameters
    ----------
    release
        The release.
    said
        The ``kinds`` of columns, published or not, and the ``year`` of the data.
    """
    if said is None:
        return []
    published = open_release(release).columns()
    kinds = {name: kind for name, kind in said["kinds"].items() if name in published}
    return [safe_harbor(release, kinds=kinds, year=said["year"])]


def _is_published(one: Any) -> bool:
    """Say whether a column is published in some way: a pseudonym is."""
    return one.role not in {"identifier", "drop"} or one.keep is not None


def _schema(plan: Plan, names: list[str]) -> Schema:
    """Tell the columns that are published from those that are not."""
    published = [name for name in names if name in plan.columns and _is_published(plan.columns[name])]
    return Schema(quasi=published, identifiers=[name for name in names if name not in published])
