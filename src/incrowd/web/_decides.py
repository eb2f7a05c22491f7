"""What of a plan decides about the release, and what is only said about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from incrowd.api import Plan
from incrowd.web._files import digest_now
from incrowd.web._toml import tables_in

SAID = ("folder", "format", "dialect", "labels", "force")
"""Where a release is written and as what: the release itself stays the same."""
SIGNED = ("released_anyway", "released_by", "open_items")
"""What the report says about a release that was made although something was open."""


def decides_of(plan: Plan) -> str:
    """Name what decides about a release: two plans with the same name publish the same values.

    Parameters
    ----------
    plan
        The plan. Its report, its output folder and the format of its files do not count; what stands in the files that
        its columns name does.
    """
    tables = tables_in(plan)
    files = [digest_now(plan.path(path)) for path in _files_of(tables["columns"])]
    output = {key: value for key, value in tables.pop("output", {}).items() if key not in SAID}
    tables.pop("report", None)
    privacy = {**tables.pop("privacy", {}), "promise": str(plan.model())}
    written = json.dumps([tables, privacy, output, files], default=str)  # the order of columns and categories matters
    return hashlib.sha256(written.encode()).hexdigest()[:24]


def _files_of(columns: Mapping[str, Any]) -> list[str]:
    """List the files of hierarchies, categories and keys."""
    named = [(one.get("hierarchy"), one.get("categories"), one.get("key_file")) for one in columns.values()]
    trees = [form.get("tree") if isinstance(form, Mapping) else None for form, _, _ in named]
    found = [*trees, *(one for _, *others in named for one in others)]
    return [one for one in found if isinstance(one, str)]


def with_words_of(made_by: Plan, now: Plan, signed: Mapping[str, str] | None = None) -> Plan:
    """Give the plan of a run with what the present plan says about folder, format and report.

    Parameters
    ----------
    made_by, now
        The plan of the run, and the present one. Why an earlier release was made anyway does not count for this one.
    signed
        Why this one is, if something is open: the keys of ``SIGNED``.
    """
    tables, present = tables_in(made_by), tables_in(now)
    kept = {key: value for key, value in tables.get("output", {}).items() if key not in SAID}
    taken = {key: value for key, value in present.get("output", {}).items() if key in SAID}
    stated = {key: value for key, value in present.get("report", {}).items() if key not in SIGNED}
    tables |= {"output": {**kept, **taken}, "report": {**stated, **(signed or {})}}
    return Plan.of(tables, folder=made_by.folder)


def differences(made_by: Plan, now: Plan) -> list[str]:
    """Say what decides otherwise now than when a run was made, in words."""
    then, present = tables_in(made_by), tables_in(now)
    found = ["the promise"] * (made_by.model() != now.model())
    names = dict.fromkeys([*made_by.columns, *now.columns])
    columns = [name for name in names if then["columns"].get(name) != present["columns"].get(name)]
    found += [f"the column{'s' if len(columns) > 1 else ''} {', '.join(columns)}"] * bool(columns)
    sections = (
        ("privacy", ("promise",), "how many people may be left out"),
        ("search", (), "how it is searched"),
        ("data", (), "how the table is read"),
        ("output", SAID, "how rows are published"),
    )
    return [
        *found,
        *(words for name, known, words in sections if _but(then, name, known) != _but(present, name, known)),
    ]


def _but(tables: Mapping[str, Any], section: str, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in tables.get(section, {}).items() if key not in keys}


def states_of(plan: Plan, proposals: Mapping[str, Any]) -> list[str]:
    """Name the plans that proposals belong to: the one they were made from, and those that they are."""
    found = [decides_of(plan)]
    for one in proposals["proposals"]:
        tables = tables_in(plan)
        share = {} if one["max_suppressed"] is None else {"max_suppressed": float(one["max_suppressed"])}
        tables["privacy"] = {**tables["privacy"], "promise": one["promise"], **share}
        found.append(decides_of(Plan.of(tables, folder=plan.folder)))
    return [*dict.fromkeys(found)]
