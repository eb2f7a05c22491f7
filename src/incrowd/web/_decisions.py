"""What of a plan decides about the release: its digest, differences between two plans, whether a run is current."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from incrowd.core import PlanError
from incrowd.plan import NotToml, Plan, check_plain, tables_of as toml_tables
from incrowd.release import Release
from incrowd.web._files import digest_now
from incrowd.web._refusal import Plain, Refusal, refusal

# Reading a plan that anybody may have written, in the page's words.


def tables_of(text: str) -> Plain:
    """Read the tables of a plan; what is no TOML, or would take the reader down, is refused."""
    try:
        return toml_tables(text)
    except NotToml as error:
        trouble = _not_readable(error)
    raise trouble


def check_change(plain: Any) -> None:
    """Refuse a change that would make a plan of what no plan can be."""
    trouble = None
    try:
        check_plain(plain)
    except NotToml as error:
        trouble = _not_readable(error)
    if trouble is not None:
        raise trouble


def _not_readable(error: NotToml) -> Refusal:
    where = "" if error.place is None else f" at line {error.place[0]}, column {error.place[1]}"
    what = error.what.partition(":")[0].replace("not TOML", "not valid TOML")
    return refusal(422, PlanError.code, f"The plan {what}{where}.", "undo what was changed there.")


def tables_in(plan: Plan) -> dict[str, Any]:
    """Give the tables of a plan, with files named as they lie in its folder."""
    return replace(plan, folder=None).to_dict()


SAID = ("folder", "format", "dialect", "labels", "stars", "force")
"""Where a release is written and as what: the release itself stays the same."""
SIGNED = ("released_anyway", "released_by", "open_items")
"""What the report says about a release that was made although something was open."""


def decision_digest(plan: Plan) -> str:
    """Name what decides about a release: two plans with the same name publish the same values.

    Report, output folder and format do not count; what stands in the files that columns name does.
    """
    tables = tables_in(plan)
    key = [] if plan.shift.key_file is None else [plan.shift.key_file]
    files = [digest_now(plan.path(path)) for path in [*_files_of(tables["columns"]), *key]]
    output = {key: value for key, value in tables.pop("output", {}).items() if key not in SAID}
    tables.pop("report", None)
    privacy = {**tables.pop("privacy", {}), "promise": str(plan.model())}
    written = json.dumps([tables, privacy, output, files], default=str)  # the order of columns and categories matters
    return hashlib.sha256(written.encode()).hexdigest()[:24]


def _files_of(columns: Mapping[str, Any]) -> list[str]:
    named = [(one.get("hierarchy"), one.get("categories"), one.get("key_file")) for one in columns.values()]
    trees = [form.get("tree") if isinstance(form, Mapping) else None for form, _, _ in named]
    found = [*trees, *(one for _, *others in named for one in others)]
    return [one for one in found if isinstance(one, str)]


def run_plan_with_words(made_by: Plan, now: Plan, signed: Mapping[str, str] | None = None) -> Plan:
    """Give the plan of a run with what the present plan says about folder, format and report.

    ``signed``: why this release is made though something is open; why an earlier one was does not count.
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
        ("shift", (), "how dates are shifted"),
        ("data", (), "how the table is read"),
        ("output", SAID, "how rows are published"),
    )
    return [
        *found,
        *(
            words
            for name, known, words in sections
            if _section_without(then, name, known) != _section_without(present, name, known)
        ),
    ]


def _section_without(tables: Mapping[str, Any], section: str, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in tables.get(section, {}).items() if key not in keys}


def states_of(plan: Plan, searches: Sequence[Any]) -> list[str]:
    """Name the plans that what several searches gave belongs to: the present one, and for each the one that takes it.

    ``searches``: as they stand in a plan; ``None`` for that of the present one, which need not name any.
    """
    tables = tables_in(plan)
    others = [
        tables if one is None else {**tables, "search": {**tables.get("search", {}), "algorithm": one}}
        for one in searches
    ]
    return [decision_digest(Plan.of(one, folder=plan.folder)) for one in (tables, *others)]


# Which table a run was made of, and whether that is the table of the plan as it is now.


@dataclass(frozen=True, slots=True)
class Present:
    """What runs are held against: the plan as it is now, what of it decides, and the hash of its table."""

    plan: Plan | None = None  # none if there is no plan, or a wrong one
    decides: str | None = None
    digest: str | None = None  # none if the file is gone

    @classmethod
    def of(cls, plan: Plan | None) -> Present:
        if plan is None or plan.data.path is None:
            return cls()
        return cls(plan, decision_digest(plan), digest_now(plan.path(str(plan.data.path))))

    def made(self, run: Mapping[str, Any]) -> bool:
        """Say whether a run was made of the table of the plan, with what stands in it now."""
        known = run.get("table")
        if self.plan is None or self.digest is None or not isinstance(known, Mapping):
            return False
        return (known.get("sha256"), known.get("sheet")) == (self.digest, self.plan.data.sheet)

    def current(self, run: Mapping[str, Any]) -> bool:
        """Say whether a run was made of this table and by this plan; what only the report says does not count."""
        return self.made(run) and run.get("decides") == self.decides


def origin_of(plan: Plan, release: Release) -> Plain:
    data, known = plan.data, release.recipe.input
    named = {"name": str(data.path), "sha256": known["sha256"], "sheet": data.sheet}
    return {**named, "columns": list(known["columns"])}
