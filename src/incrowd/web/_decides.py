"""What of a plan decides about the release, and what is only said about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from incrowd.api import Plan

SAID = ("folder", "format", "force")
"""Where a release is written and as what: the release itself stays the same."""


def decides_of(plan: Plan) -> str:
    """Name what decides about a release: two plans with the same name publish the same values.

    Parameters
    ----------
    plan
        The plan. Its report, its output folder and the format of its files do not count.
    """
    tables = plan.to_dict()
    output = {key: value for key, value in tables.pop("output", {}).items() if key not in SAID}
    tables.pop("report", None)
    privacy = {**tables.pop("privacy", {}), "promise": str(plan.model())}
    written = json.dumps([tables, privacy, output], default=str)  # the order of columns and categories matters
    return hashlib.sha256(written.encode()).hexdigest()[:24]


def with_words_of(made_by: Plan, now: Plan) -> Plan:
    """Give the plan of a run with what the present plan says about folder, format and report."""
    tables, present = made_by.to_dict(), now.to_dict()
    kept = {key: value for key, value in tables.get("output", {}).items() if key not in SAID}
    taken = {key: value for key, value in present.get("output", {}).items() if key in SAID}
    tables |= {"output": {**kept, **taken}, "report": present.get("report", {})}
    return Plan.of(tables, folder=made_by.folder)


def states_of(plan: Plan, proposals: Mapping[str, Any]) -> list[str]:
    """Name the plans that proposals belong to: the one they were made from, and those that they are."""
    found = [decides_of(plan)]
    for one in proposals["proposals"]:
        tables = plan.to_dict()
        share = {} if one["max_suppressed"] is None else {"max_suppressed": float(one["max_suppressed"])}
        tables["privacy"] = {**tables["privacy"], "promise": one["promise"], **share}
        found.append(decides_of(Plan.of(tables, folder=plan.folder)))
    return [*dict.fromkeys(found)]
