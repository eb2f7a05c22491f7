"""Which table a run was made of, and whether that is the table of the plan as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from incrowd.api import Plan, Release
from incrowd.web._decides import decides_of
from incrowd.web._files import digest_now
from incrowd.web._refusal import Plain


@dataclass(frozen=True, slots=True)
class Present:
    """What runs are held against: the plan as it is now, and its table.

    Attributes
    ----------
    plan
        The plan; nothing if there is none, or a wrong one.
    decides
        What of the plan decides about a release.
    digest
        The hash of its table, with what stands in it now; nothing if the file is gone.
    """

    plan: Plan | None = None
    decides: str | None = None
    digest: str | None = None

    @classmethod
    def of(cls, plan: Plan | None) -> Present:
        """Look at a plan and its table."""
        if plan is None or plan.data.path is None:
            return cls()
        return cls(plan, decides_of(plan), digest_now(plan.path(str(plan.data.path))))

    def made(self, run: Mapping[str, Any]) -> bool:
        """Say whether a run was made of the table of the plan, with what stands in it now.

        Parameters
        ----------
        run
            The summary of the run. One that does not know its table was made of another.
        """
        known = run.get("table")
        if self.plan is None or self.digest is None or not isinstance(known, Mapping):
            return False
        return (known.get("sha256"), known.get("sheet")) == (self.digest, self.plan.data.sheet)

    def current(self, run: Mapping[str, Any]) -> bool:
        """Say whether a run was made of this table and by this plan; what only the report says does not count."""
        return self.made(run) and run.get("decides") == self.decides


def origin_of(plan: Plan, release: Release) -> Plain:
    """Say which table a release was made of: its name, its hash, its sheet and its columns."""
    known = release.recipe.input
    return {
        "name": str(plan.data.path),
        "sha256": known["sha256"],
        "sheet": plan.data.sheet,
        "columns": list(known["columns"]),
    }
